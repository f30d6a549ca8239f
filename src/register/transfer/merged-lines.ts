/** The lines of two registers in the order of time, by which the guards tell what came after what. */
import { type Line, parseLine, writtenLine } from '../lines.ts';
import { entryAtStart } from '../rewrite.ts';
import type { Merge } from './merge.ts';

interface NewLine {
  /** Milliseconds since the epoch. */
  at: number;
  text: string;
}

export class MergedLines {
  readonly #new: NewLine[];
  readonly #completed: Merge['completed'];
  readonly #restored: Merge['restored'];
  #next = 0;

  constructor({ added, completed, restored }: Merge) {
    this.#restored = restored;
    this.#completed = new Map(completed);
    this.#new = added.flatMap(({ sent, ended }) => {
      const at = Date.parse(sent.at);
      const lines = [{ at, text: writtenLine(sent) }];
      // Also if the clock there went back meanwhile.
      if (ended !== undefined) lines.push({ at: Math.max(at, Date.parse(ended.at)), text: writtenLine(ended) });
      return lines;
    });
    this.#new.sort((one, other) => one.at - other.at);
  }

  /** What comes in place of a line of this register, in their order. */
  *replaced(text: string): Generator<string, void> {
    const at = timeAtStart(text) ?? Number.NEGATIVE_INFINITY;
    for (let line = this.#new[this.#next]; line !== undefined && line.at < at; line = this.#new[this.#next]) {
      yield line.text;
      this.#next++;
    }
    const entry = entryAtStart(text) ?? 0;
    const isChanged = this.#completed.has(entry) || this.#restored.has(entry);
    yield (isChanged ? this.#changed(entry, parseLine(text)) : undefined) ?? text;
  }

  #changed(entry: number, line: Line | undefined): string | undefined {
    if (line?.event === 'sent') {
      const sent = this.#restored.get(entry);
      return sent && writtenLine(sent);
    }
    const end = this.#completed.get(entry);
    if (line === undefined || end === undefined) return undefined;
    this.#completed.delete(entry);
    return writtenLine(end);
  }

  /** What comes behind them. */
  *rest(): Generator<string, void> {
    for (const { text } of this.#new.slice(this.#next)) yield text;
    // The other requests that were not known to have ended have no line that says so.
    for (const end of this.#completed.values()) yield writtenLine(end);
  }
}

function timeAtStart(text: string): number | undefined {
  const [, at] = /^\{"entry":\d+,"event":"[a-z]+","at":"([^"]+)"/.exec(text) ?? [];
  const time = at === undefined ? Date.parse(parseLine(text)?.at ?? '') : Date.parse(at);
  return Number.isNaN(time) ? undefined : time;
}

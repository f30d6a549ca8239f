/** Finds what an argument means among campaigns or plans: by its id, or by its name. */
import { nearest } from '../../cli/flags/nearest.ts';
import { filled, identifier } from '../../cli/flags/values.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { cell } from '../../cli/terminal/output.ts';
import { ask } from '../../cli/terminal/prompt.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { localTime } from '../../text/time.ts';

/** An id or a name. */
export type Word = number | string;

/** A number is always an id. */
export function idOrName(text: string): Word {
  return isId(text) ? identifier(text) : filled(text);
}

export function isId(text: string): boolean {
  return /^[-+]?\d+(\.\d*)?$/.test(text);
}

export interface Named {
  id: number;
  /** Undefined if that is not known any more. */
  name: string | undefined;
  /** When it was created or starts, in milliseconds since the epoch; undefined if it is damaged. */
  at: number | undefined;
}

/** What they are called, and what is said where there is none. */
interface Among {
  what: 'campaign' | 'plan';
  /** Completes `There is no campaign 7`. */
  where?: string;
  /** The command that lists them. */
  list: string;
  code?: string;
}

/**
 * The one with an id or a name; upper and lower case differ only where names do. Throws UsageError if several have the name, and
 * NotFoundError, with the command that lists them.
 */
export function pick<T extends Named>(word: Word, items: readonly T[], among: Among): T {
  const { what, where = '', list } = among;
  const details = among.code === undefined ? {} : { code: among.code };
  if (typeof word === 'number') {
    const found = items.find(({ id }) => id === word);
    if (found !== undefined) return found;
    throw new NotFoundError(`There is no ${what} ${word}${where}.`, { ...details, hint: list });
  }
  const lower = word.toLowerCase();
  const exact = items.filter(({ name }) => name === word);
  const named = exact.length > 0 ? exact : items.filter(({ name }) => name?.toLowerCase() === lower);
  const [only, second] = named;
  if (second !== undefined) {
    const listed = named.map(({ id, at }) => `${id} (${at === undefined ? 'damaged' : minuteOf(at)})`).join(', ');
    throw new UsageError(`${named.length} ${what}s are called ${cell(word)}: ${listed}.`, {
      hint: 'Name one by its id.',
    });
  }
  if (only !== undefined) return only;
  const meant = nearest(
    word,
    items.flatMap(({ name }) => name ?? []),
  );
  const question = meant === undefined ? '' : `Did you mean ${JSON.stringify(cell(meant))}? `;
  const message = `There is no ${what} called ${cell(word)}${where}.`;
  throw new NotFoundError(message, { ...details, hint: `${question}${list}` });
}

/** Asks for the id of one of the campaigns, newest first. */
export function askCampaign(newestFirst: readonly Named[], io: Io): Promise<number> {
  const choices = newestFirst.map(({ id, name, at = 0 }) => ({
    name: `${id}  ${cell(name)}  ${minuteOf(at)}`,
    value: id,
  }));
  return ask(io, { flag: '<campaign>', message: 'Campaign', choices: async () => choices });
}

/** `2026-12-01 09:00`, in the zone of this machine. */
function minuteOf(at: number): string {
  return localTime(at).slice(0, 16);
}

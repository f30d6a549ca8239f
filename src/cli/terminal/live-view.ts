/** How something that is watched is shown: as a picture that repaints itself, as lines, or as snapshots for a program. */
import { stripVTControlCharacters } from 'node:util';
import { UsageError } from '../../errors.ts';
import { objectOf } from '../../text/json.ts';
import { shortTime } from '../../text/when.ts';
import { widthOf } from '../../text/width.ts';
import { type Drawing, drawingAt } from './drawing.ts';
import type { Size } from './environment.ts';
import type { Io } from './io.ts';
import { requireFields, type Shown, toJsonLine } from './output.ts';

export interface View<T> {
  /** Throws as `io.data` does. */
  show(items: readonly T[]): Promise<void>;
  /** Leaves what is shown, and the terminal as it was. */
  end(): void;
}

/** What is watched: `a campaign`, and how one is shown. */
export interface Watchable<T> {
  name: string;
  /** Tells items apart. */
  keyOf(item: T): number;
  /** When it was as it is, in milliseconds since the epoch. */
  timeOf(item: T): number;
  /** Changes whenever something has changed; what the time alone changes is no news. */
  newsOf(item: T): string;
  draw(items: readonly T[], drawing: Drawing): string[];
  inOneLine(item: T, redact: (text: string) => string): string;
  fields: readonly string[];
  snapshotOf(item: T): Record<string, unknown>;
}

/** Throws UsageError for a format that has no lines. */
export function liveView<T>(watchable: Watchable<T>, shown: Shown): View<T> {
  const { io, flags } = shown;
  const format = flags.json ? 'json' : (flags.output ?? (io.stdoutIsTerminal ? 'table' : 'ndjson'));
  if (format === 'table') {
    if (flags.fields !== undefined) {
      throw new UsageError('--fields chooses fields of snapshots, and this is a picture.', { hint: 'Add -o ndjson.' });
    }
    return io.canRepaint ? picture(watchable, shown) : lines(watchable, shown);
  }
  if (format !== 'json' && format !== 'ndjson') {
    throw new UsageError(`${watchable.name} cannot be watched as ${format}.`, {
      hint: 'Use -o table, ndjson or json.',
    });
  }
  return snapshots(watchable, shown);
}

function picture<T>({ draw }: Watchable<T>, { io }: Shown): View<T> {
  let shown: readonly T[] = [];
  const live = new LivePicture(io, (size) => draw(shown, drawingAt(io, size)));
  return {
    async show(items) {
      shown = items;
      await live.paint();
    },
    end: () => live.end(),
  };
}

/** A line whenever something has changed, for terminals that cannot repaint. */
function lines<T>(watchable: Watchable<T>, { io }: Shown): View<T> {
  const redact = (text: string) => io.redactor.redact(text);
  return whenChanged(watchable, (item) => {
    const at = watchable.timeOf(item);
    return io.styled(`${shortTime(at, at).trimStart()}  ${watchable.inOneLine(item, redact)}\n`);
  });
}

function snapshots<T>(watchable: Watchable<T>, { io, flags: { fields } }: Shown): View<T> {
  requireFields(fields, watchable.fields);
  return whenChanged(watchable, (item) => {
    const snapshot = watchable.snapshotOf(item);
    const chosen = fields && objectOf(fields.map((name) => [name, snapshot[name]]));
    return io.data(toJsonLine(io, chosen ?? snapshot));
  });
}

function whenChanged<T>({ keyOf, newsOf }: Watchable<T>, show: (item: T) => Promise<void>): View<T> {
  const known = new Map<number, string>();
  return {
    async show(items) {
      for (const item of items) {
        const news = newsOf(item);
        if (known.get(keyOf(item)) === news) continue;
        known.set(keyOf(item), news);
        await show(item);
      }
    },
    end: () => {},
  };
}

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Where the program or the terminal is wrong about a width, the line is cut off and not wrapped. */
const CUT_LINES = '\u001b[?7l';
const WRAP_LINES = '\u001b[?7h';
const ERASE_REST_OF_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';
const FIRST_PLACE = '\u001b[H';
const up = (lines: number) => (lines === 0 ? '\r' : `\r\u001b[${lines}A`);

export class LivePicture {
  readonly #io: Io;
  /** Draws what is shown, for a size. */
  readonly #draw: (size: Size) => readonly string[];
  #lines: readonly string[] = [];
  /** Of the terminal, when they were painted. */
  #size: Size;
  #hasBegun = false;
  #hasEnded = false;
  readonly #atResize = () => void this.paint().catch(() => {});
  readonly #atInterrupt = () => this.#restore();
  /** Ctrl-Z: the shell needs its cursor. */
  readonly #atStop = () => {
    this.#restore();
    process.off('SIGTSTP', this.#atStop);
    process.once('SIGCONT', this.#atContinue);
    process.kill(process.pid, 'SIGTSTP');
  };
  readonly #atContinue = () => {
    if (this.#hasEnded) return;
    process.on('SIGTSTP', this.#atStop);
    this.#lines = [];
    this.#atResize();
  };

  constructor(io: Io, draw: (size: Size) => readonly string[]) {
    this.#io = io;
    this.#draw = draw;
    this.#size = sizeOf(io);
  }

  /** Draws it and writes at once what has changed. Throws as `io.data` does. */
  async paint(): Promise<void> {
    if (this.#hasEnded) return;
    if (!this.#hasBegun) this.#begin();
    const frame = this.#frame();
    if (frame === '') return;
    const cursor = this.#io.signal.aborted ? '' : HIDE_CURSOR;
    await this.#io.put(cursor + CUT_LINES + frame + WRAP_LINES);
  }

  #begin(): void {
    this.#hasBegun = true;
    const { signal, streams } = this.#io;
    this.#io.picture = this;
    streams.stdout.on('resize', this.#atResize);
    signal.addEventListener('abort', this.#atInterrupt);
    process.on('SIGTSTP', this.#atStop);
  }

  /** Makes room for something else; the next `paint` comes after that. */
  erase(): void {
    if (this.#lines.length === 0) return;
    this.#io.streams.stdout.write(`${this.#toTop(sizeOf(this.#io))}${ERASE_BELOW}`);
    this.#lines = [];
  }

  /** Leaves the picture as it is, and the cursor below it. */
  end(): void {
    if (!this.#hasBegun || this.#hasEnded) return;
    this.#hasEnded = true;
    const { stdout } = this.#io.streams;
    stdout.off('resize', this.#atResize);
    this.#io.signal.removeEventListener('abort', this.#atInterrupt);
    process.off('SIGTSTP', this.#atStop);
    process.off('SIGCONT', this.#atContinue);
    this.#io.picture = undefined;
    this.#restore();
  }

  #frame(): string {
    const size = sizeOf(this.#io);
    // The last column stays free, because some terminals begin a new line after it, and the last row is the cursor's.
    const lines = this.#draw({ columns: Math.max(1, size.columns - 1), rows: Math.max(0, size.rows - 1) })
      .slice(0, Math.max(0, size.rows - 1))
      .map((line) => this.#io.shown(line));
    const before = this.#lines;
    const isSameSize = size.columns === this.#size.columns && size.rows === this.#size.rows;
    if (isSameSize && lines.length === before.length && lines.every((line, at) => line === before[at])) return '';
    const isAnew = !isSameSize || before.length === 0;
    const top = this.#toTop(size);
    this.#lines = lines;
    this.#size = size;
    const written = lines.map((line, at) => (!isAnew && line === before[at] ? '' : `${line}${ERASE_REST_OF_LINE}`));
    return `${top}${isAnew ? ERASE_BELOW : ''}${written.map((line) => `${line}\r\n`).join('')}${ERASE_BELOW}`;
  }

  /** Moves the cursor to the first line: to that of the screen if the terminal may have broken lines when it became narrower. */
  #toTop(size: Size): string {
    if (this.#lines.length === 0) return '\r';
    const isBroken = this.#lines.some((line) => widthOf(stripVTControlCharacters(line)) > size.columns);
    return isBroken ? FIRST_PLACE : up(Math.min(this.#lines.length, size.rows - 1));
  }

  /** The terminal may show `^C` where the cursor is. */
  #restore(): void {
    this.#io.streams.stdout.write(`\r${ERASE_REST_OF_LINE}${SHOW_CURSOR}`);
  }
}

function sizeOf({ columns, rows }: Io): Size {
  return { columns, rows };
}

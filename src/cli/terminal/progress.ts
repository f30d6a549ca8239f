/** Shows on a terminal's stderr that something takes long: how far work is, after one second, or what is waited for. */
import type { Ora } from 'ora';
import { SECOND } from '../../text/units.ts';
import { inUnits } from '../../text/when.ts';
import { widthOf } from '../../text/width.ts';
import type { Io } from './io.ts';

/** Milliseconds before work is shown, and what is waited for; and between two updates. */
const DELAY = 1000;
const DELAY_OF_WAITING = 700;
const REFRESH = 100;

export class Progress {
  readonly #io: Io;
  readonly #doing: string;
  readonly #began = performance.now();
  #next = this.#began + DELAY;
  /** What an earlier run had done says nothing about the rate. */
  #first: { done: number; share: number } | undefined;
  #spinner: Spinner | undefined;

  constructor(io: Io, doing: string) {
    this.#io = io;
    this.#doing = doing;
  }

  /** Cheap enough to be called for every item. `share` is how much is done, from 0 to 1, if there is no total to tell. */
  at(done: number, total?: number, share = total ? done / total : undefined): void {
    this.#first ??= { done, share: share ?? 0 };
    const now = performance.now();
    if (now < this.#next) return;
    this.#next = now + REFRESH;
    if (!this.#io.hasProgress) return;
    const seconds = (now - this.#began) / SECOND;
    const rate = (done - this.#first.done) / seconds;
    const left = share === undefined ? undefined : ((1 - share) * seconds) / (share - this.#first.share);
    const standing = { doing: this.#doing, done, total, share, rate, left };
    this.#spinner ??= new Spinner(this.#io);
    this.#spinner.show((room) => progressLine(standing, room, this.#io.isAscii));
  }

  end(): void {
    this.#spinner?.end();
  }
}

/** Says what is waited for, once it takes longer than a moment. */
export async function whileWaiting<T>(io: Io, what: string, work: Promise<T>): Promise<T> {
  if (!io.hasProgress) return work;
  const spinner = new Spinner(io);
  const delay = setTimeout(() => spinner.show(() => what), DELAY_OF_WAITING);
  try {
    return await work;
  } finally {
    clearTimeout(delay);
    spinner.end();
  }
}

/** A line behind a sign that turns, until it is ended. */
export class Spinner {
  readonly #io: Io;
  #ora: Ora | undefined;
  #isLoading = false;
  #hasEnded = false;
  #text = '';

  constructor(io: Io) {
    this.#io = io;
  }

  /** `text` gets the room for it. */
  show(text: (room: number) => string): void {
    const { streams, columns } = this.#io;
    // The sign, its space, and the last column, in which some terminals begin a new line.
    this.#text = text((streams.stderr.columns || columns) - 3);
    if (this.#ora === undefined) return void this.#load();
    this.#ora.text = this.#text;
    // Work that never returns to the event loop would otherwise show a frozen line.
    this.#ora.render();
  }

  end(): void {
    this.#hasEnded = true;
    this.#ora?.stop();
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const { default: ora } = await import('ora');
    if (this.#hasEnded) return;
    const stream = this.#io.streams.stderr as NodeJS.WriteStream;
    const plain = this.#io.isAscii ? { spinner: { interval: REFRESH, frames: ['-', '\\', '|', '/'] } } : {};
    // Whether it may be shown is known here, and not asked of this process's environment again.
    // Ctrl-C stays with the process: the spinner must not read the terminal.
    this.#ora = ora({ text: this.#text, stream, isEnabled: true, discardStdin: false, ...plain }).start();
  }
}

export interface Standing {
  doing: string;
  done: number;
  total: number | undefined;
  /** How much is done, from 0 to 1; undefined if nobody knows. */
  share: number | undefined;
  /** Items a second. */
  rate: number;
  /** Seconds; undefined if nobody knows. */
  left: number | undefined;
}

const BAR_WIDTH = 20;

/** `Exporting calls: 40 of 100 (40 %) ━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌ 20/s, 3 s left`; on a narrow terminal without its end. */
export function progressLine(standing: Standing, room: number, isAscii: boolean): string {
  const { doing, done, total, share, rate, left } = standing;
  const percent = share === undefined ? '' : ` (${Math.floor(100 * Math.min(1, share))} %)`;
  const filled = Math.floor(BAR_WIDTH * Math.min(1, share ?? 0));
  const [full, empty] = isAscii ? ['=', '-'] : ['━', '╌'];
  const known = left !== undefined && Number.isFinite(left) && left >= 0;
  const parts = [
    `${doing}: ${done}${total === undefined ? '' : ` of ${total}`}${percent}`,
    share === undefined ? '' : ` ${full.repeat(filled)}${empty.repeat(BAR_WIDTH - filled)}`,
    rate >= 1 ? ` ${Math.round(rate)}/s` : '',
    known ? `${rate >= 1 ? ',' : ''} ${inUnits(Math.ceil(left))} left` : '',
  ];
  let line = '';
  for (const part of parts) {
    if (widthOf(line + part) > room && line !== '') break;
    line += part;
  }
  return line.slice(0, Math.max(0, room));
}

/** What one command shows a person: as it is if it fits the screen, else through the pager, as git does it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../text/width.ts';
import type { Pager } from './environment.ts';

export interface Screen {
  columns: number;
  rows: number;
}

/** The pager was left before the end of the text. */
export class PagerLeft extends Error {}

export class Page {
  readonly #pager: Pager;
  readonly #screen: Screen;
  /** What was written before it was clear that it needs the pager. */
  #held: string[] = [];
  #rows = 0;
  #running: RunningPager | undefined;

  constructor(pager: Pager, screen: Screen) {
    this.#pager = pager;
    this.#screen = screen;
  }

  /**
   * Returns what is to be shown as it is, because the pager did not start. Throws PagerLeft once the pager has been left: nobody reads
   * the rest.
   */
  async write(text: string): Promise<string> {
    if (this.#running !== undefined) return this.#running.write(text);
    this.#held.push(text);
    this.#rows += rowsOf(text, this.#screen.columns);
    // The shell's next prompt needs a row too.
    if (this.#rows < this.#screen.rows) return '';
    this.#running = new RunningPager(this.#pager);
    return this.#running.write(this.#held.splice(0).join(''));
  }

  /** Waits until the pager is left. The text that needs none, or found none. */
  async end(): Promise<string> {
    const unread = (await this.#running?.end()) ?? '';
    return unread + this.#held.splice(0).join('');
  }
}

function rowsOf(text: string, columns: number): number {
  const lines = stripVTControlCharacters(text).split('\n').slice(0, -1);
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}

/** What the shell says of a program that it cannot run, or cannot find. */
const NOT_STARTED = [126, 127];
/** Characters. More than a pipe takes that nobody reads: whoever has taken more has started. */
const MOST_UNREAD = 1 << 22;

class RunningPager {
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #ended: Promise<void>;
  #isOver = false;
  #hasStarted = true;
  /** What the pager was given; undefined once it must have read some of it. */
  #given: string | undefined = '';

  constructor({ command, env }: Pager) {
    // The pager reads keys from the terminal, and Ctrl-C is one of them: less only stops searching.
    const deaf = deafTo('SIGINT');
    this.#child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
    this.#input = this.#child.stdin as Writable;
    this.#input.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      const over = (end: Error | number | null) => {
        this.#isOver = true;
        this.#hasStarted =
          this.#given === undefined || end === null || (typeof end === 'number' && !NOT_STARTED.includes(end));
        deaf.end();
        resolve();
      };
      this.#child.on('error', over);
      this.#child.on('close', over);
    });
  }

  async write(text: string): Promise<string> {
    if (!this.#hasStarted) return text;
    if (this.#given !== undefined) this.#given = this.#given.length > MOST_UNREAD ? undefined : this.#given + text;
    const failed = await Promise.race([
      new Promise<boolean>((resolve) => this.#input.write(text, (error) => resolve(error != null))),
      this.#ended.then(() => true),
    ]);
    if (!failed && !this.#isOver) return '';
    const unread = await this.end();
    if (!this.#hasStarted) return unread;
    throw new PagerLeft();
  }

  /** However the pager is left, by a key or a signal: the command itself was done before. Returns what it never got. */
  async end(): Promise<string> {
    this.#input.end();
    await this.#ended;
    const unread = this.#hasStarted ? '' : this.#given;
    this.#given = '';
    return unread ?? '';
  }
}

/** Until it is ended, a signal does nothing here; the programs that this one has started still get it from the terminal. */
function deafTo(signal: NodeJS.Signals): { end(): void } {
  const listeners = process.listeners(signal);
  const nothing = () => {};
  process.on(signal, nothing);
  for (const listener of listeners) process.off(signal, listener);
  return {
    end() {
      for (const listener of listeners) process.on(signal, listener);
      process.off(signal, nothing);
    },
  };
}

/** Whether a command for a shell begins with a program that is there. Commands that need a shell to tell are taken to be. */
export function isThere({ command, env }: Pager): boolean {
  const [program = ''] = command.trim().split(/\s+/);
  if (process.platform === 'win32' || !/^[\w./+-]+$/.test(program)) return true;
  const paths = program.includes('/') ? [program] : (env.PATH ?? '').split(':').map((folder) => join(folder, program));
  return paths.some((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

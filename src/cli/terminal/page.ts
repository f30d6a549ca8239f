/** What one command shows a person: as it is if it fits the screen, else through the pager, as git does it. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../../text/width.ts';
import type { Pager, Size } from './environment.ts';
import { OutputClosed } from './standard-output.ts';

/** What the shell says of a program that it cannot run, or cannot find. */
const NOT_STARTED = [126, 127];
/** Characters. More than a pipe takes that nobody reads: whoever has taken more has started. */
const MOST_UNREAD = 1 << 22;

export class Page {
  readonly #pager: Pager;
  readonly #screen: Size;
  #rows = 0;
  /** Of the pager, once it is clear that the text needs one. */
  #input: Writable | undefined;
  #ended: Promise<void> = Promise.resolve();
  #state: 'open' | 'left' | 'not started' = 'open';
  /** What nobody has read; undefined once the pager must have read some of it. */
  #unread: string | undefined = '';

  constructor(pager: Pager, screen: Size) {
    this.#pager = pager;
    this.#screen = screen;
  }

  /**
   * Returns what is to be shown as it is, because the pager did not start. Throws OutputClosed once the pager has been left: nobody
   * reads the rest.
   */
  async write(text: string): Promise<string> {
    if (this.#state === 'not started') return text;
    if (this.#unread !== undefined) this.#unread = this.#unread.length > MOST_UNREAD ? undefined : this.#unread + text;
    if (this.#input !== undefined) return this.#give(this.#input, text);
    this.#rows += rowsOf(text, this.#screen.columns);
    // The shell's next prompt needs a row too.
    return this.#rows < this.#screen.rows ? '' : this.#give(this.#start(), this.#unread ?? text);
  }

  /** However the pager is left, by a key or a signal: the command itself was done before. Returns what nobody has read. */
  async end(): Promise<string> {
    this.#input?.end();
    await this.#ended;
    const unread = this.#input === undefined || this.#state === 'not started' ? this.#unread : '';
    this.#unread = '';
    return unread ?? '';
  }

  async #give(input: Writable, text: string): Promise<string> {
    const failed = await Promise.race([
      new Promise<boolean>((resolve) => input.write(text, (error) => resolve(error != null))),
      this.#ended.then(() => true),
    ]);
    if (!failed && this.#state === 'open') return '';
    const unread = await this.end();
    if (this.#state === 'not started') return unread;
    throw new OutputClosed();
  }

  #start(): Writable {
    const { command, env } = this.#pager;
    // The pager reads keys from the terminal, and Ctrl-C is one of them: less only stops searching.
    const hear = deafTo('SIGINT');
    const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
    this.#input = child.stdin.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      const over = (end: Error | number | null) => {
        const isRead = this.#unread === undefined || end === null;
        this.#state = isRead || (typeof end === 'number' && !NOT_STARTED.includes(end)) ? 'left' : 'not started';
        hear();
        resolve();
      };
      child.on('error', over).on('close', over);
    });
    return this.#input;
  }
}

function rowsOf(text: string, columns: number): number {
  const lines = stripVTControlCharacters(text).split('\n').slice(0, -1);
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}

/** Until the function that it returns is called, a signal does nothing here; the programs that were started still get it. */
function deafTo(signal: NodeJS.Signals): () => void {
  const listeners = process.listeners(signal);
  const nothing = () => {};
  process.on(signal, nothing);
  for (const listener of listeners) process.off(signal, listener);
  return () => {
    for (const listener of listeners) process.on(signal, listener);
    process.off(signal, nothing);
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

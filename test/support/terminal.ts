/** The built program at a pseudo-terminal: one screen for stdout and stderr, and a keyboard. */
import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { BIN, freshEnvironment, type Operator } from './program.ts';

/** Milliseconds without a word, after which nothing more is to come from a command that has ended. */
const QUIET = 150;

/** One command at a terminal. */
class Terminal {
  readonly #pty: IPty;
  readonly #ended: Promise<number>;
  #output = '';
  /** Where the last thing that was waited for ended: what is waited for next comes after it. */
  #seen = 0;
  #hear: () => void = () => {};

  constructor(file: string, args: readonly string[], { home }: Operator, env: Record<string, string>, cols: number) {
    this.#pty = spawn(file, [...args], {
      name: 'xterm-256color',
      cols,
      rows: 40,
      cwd: home,
      env: { ...freshEnvironment(home), TERM: 'xterm-256color', ...env },
    });
    this.#pty.onData((text) => {
      this.#output += text;
      this.#hear();
    });
    this.#ended = new Promise((resolve) => {
      // A shell's way of telling that a signal ended it: the pseudo-terminal reports 0 then.
      this.#pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode));
    });
  }

  /** Everything that came, with what colours it and moves the cursor. */
  get output(): string {
    return this.#output;
  }

  /** Everything that came, as text. */
  get text(): string {
    return stripVTControlCharacters(this.#output).replaceAll('\r', '');
  }

  /** Waits until the text shows `pattern`, after what was waited for before. */
  async shows(pattern: RegExp): Promise<void> {
    for (;;) {
      const found = pattern.exec(this.text.slice(this.#seen));
      if (found !== null) {
        this.#seen += found.index + found[0].length;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        this.#hear = resolve;
        void this.#ended.then(() => setTimeout(reject, 100, new Error(`ended without ${pattern}:\n${this.text}`)));
      });
    }
  }

  /** Types, once the program has had a moment to listen to the keyboard again. */
  async types(keys: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 50));
    this.#pty.write(keys);
  }

  /** The exit code, once the command has ended and all that it wrote has come: on a busy machine that is later. */
  async ends(): Promise<number> {
    const code = await this.#ended;
    for (let before = -1; before !== this.#output.length; ) {
      before = this.#output.length;
      await new Promise((resolve) => setTimeout(resolve, QUIET));
    }
    return code;
  }

  /** Ends the command, where a test has failed before it ended by itself. */
  close(): void {
    this.#pty.kill('SIGKILL');
  }
}

/** What happens at the terminal: a pattern is waited for, a text is typed; or something elsewhere is waited for. */
export type Step = RegExp | string | (() => Promise<void>);

export interface Played {
  code: number;
  /** What the screen shows, as text. */
  text: string;
  /** The same with what colours it and moves the cursor. */
  output: string;
}

/** Runs vagent, or a script of the shell's, at a terminal of 120 characters to a line. */
export async function play(
  operator: Operator,
  args: readonly string[],
  steps: readonly Step[],
  { env = {}, script, columns = 120 }: { env?: Record<string, string>; script?: string; columns?: number } = {},
): Promise<Played> {
  const command = script === undefined ? [process.execPath, BIN, ...args] : ['sh', '-c', script];
  const terminal = new Terminal(
    command[0] as string,
    command.slice(1),
    operator,
    { VAGENT_LOCAL: '1', ...env },
    columns,
  );
  const patience = setTimeout(() => terminal.close(), 15_000);
  try {
    for (const step of steps) {
      if (typeof step === 'function') await step();
      else await (typeof step === 'string' ? terminal.types(step) : terminal.shows(step));
    }
    const code = await terminal.ends();
    return { code, text: terminal.text, output: terminal.output };
  } finally {
    clearTimeout(patience);
  }
}

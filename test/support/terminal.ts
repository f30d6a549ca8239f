/** The built program at a pseudo-terminal: one screen for stdout and stderr, and a keyboard. */
import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { BIN, freshEnvironment, type Operator } from './program.ts';

/**
 * Runs a command, tells its exit code behind all that it wrote, and keeps the terminal open: what the command wrote last is
 * lost where nothing has a terminal open any more. Ctrl-C is for the command.
 */
const STAGE = `trap : INT; "$@"; printf '\\036%d\\036' $?; read -r _`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no program writes a record separator
const END = /\u001e(\d+)\u001e$/;

/** One command at a terminal. */
class Terminal {
  readonly #pty: IPty;
  /** The exit code, once all that the command wrote has come. */
  readonly ended: Promise<number>;
  #output = '';
  /** Where the last thing that was waited for ended: what is waited for next comes after it. */
  #seen = 0;
  #hear: () => void = () => {};

  constructor(command: readonly string[], { home }: Operator, env: Record<string, string>, cols: number) {
    this.#pty = spawn('sh', ['-c', STAGE, 'sh', ...command], {
      name: 'xterm-256color',
      cols,
      rows: 40,
      cwd: home,
      env: { ...freshEnvironment(home), TERM: 'xterm-256color', ...env },
    });
    this.ended = new Promise((resolve, reject) => {
      this.#pty.onData((text) => {
        this.#output += text;
        const end = END.exec(this.#output);
        if (end !== null) {
          this.#output = this.#output.slice(0, end.index);
          resolve(Number(end[1]));
        }
        this.#hear();
      });
      this.#pty.onExit(() => reject(new Error(`ended before the command did:\n${this.text}`)));
    });
    this.ended.catch(() => {});
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
        const missing = () => reject(new Error(`ended without ${pattern}:\n${this.text}`));
        void this.ended.then(missing, missing);
      });
    }
  }

  /** Types, once the program has had a moment to listen to the keyboard again. */
  async types(keys: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 50));
    this.#pty.write(keys);
  }

  /** Closes the terminal, and ends what runs there. */
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
  const terminal = new Terminal(command, operator, { VAGENT_LOCAL: '1', ...env }, columns);
  // What hangs is ended, with what it had shown.
  const patience = setTimeout(() => terminal.close(), 120_000);
  try {
    for (const step of steps) {
      if (typeof step === 'function') await step();
      else await (typeof step === 'string' ? terminal.types(step) : terminal.shows(step));
    }
    const code = await terminal.ended;
    return { code, text: terminal.text, output: terminal.output };
  } finally {
    clearTimeout(patience);
    terminal.close();
  }
}

/** A command at a terminal: one screen for stdout and stderr, and a keyboard. */
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { BIN, type Operator } from './program.ts';

/** What happens at the terminal: a pattern is waited for, a text typed; something elsewhere is waited for, or the size changes. */
export type Step = RegExp | string | (() => Promise<void>) | Size;

export interface Size {
  columns: number;
  rows: number;
}

export interface Played {
  code: number;
  /** What the screen shows, as text. */
  text: string;
  /** The same with what colours it and moves the cursor. */
  output: string;
}

interface Options {
  env?: Record<string, string>;
  /** Characters to a line. */
  columns?: number;
  /** Of `play` alone. */
  rows?: number;
}

/** What is shown. */
class Screen {
  #output = '';
  /** Where the last thing that was waited for ended: what is waited for next comes after it. */
  #seen = 0;
  #hear: () => void = () => {};

  /** Everything that came, with what colours it and moves the cursor. */
  get output(): string {
    return this.#output;
  }

  set output(output: string) {
    this.#output = output;
    this.#hear();
  }

  /** Everything that came, as text. */
  get text(): string {
    return stripVTControlCharacters(this.#output).replaceAll('\r', '');
  }

  /** Waits until the text shows `pattern`, after what was waited for before; fails where the command has ended without it. */
  async shows(pattern: RegExp, ended: Promise<unknown>): Promise<void> {
    for (let isOver = false; ; ) {
      const found = pattern.exec(this.text.slice(this.#seen));
      if (found !== null) {
        this.#seen += found.index + found[0].length;
        return;
      }
      if (isOver) throw new Error(`ended without ${pattern}:\n${this.text}`);
      const over = () => {
        isOver = true;
      };
      await Promise.race([new Promise<void>((hear) => (this.#hear = hear)), ended.then(over, over)]);
    }
  }
}

async function perform(
  screen: Screen,
  ended: Promise<number>,
  steps: readonly Step[],
  type: (keys: string) => void,
  resize: (size: Size) => void = () => {},
): Promise<Played> {
  for (const step of steps) {
    if (typeof step === 'function') await step();
    else if (typeof step === 'string') type(step);
    else if ('columns' in step) resize(step);
    else await screen.shows(step, ended);
  }
  const code = await ended;
  return { code, text: screen.text, output: screen.output };
}

/**
 * Runs a command in this process at a terminal of 120 characters to a line. Each text that is typed is read at once and by
 * itself. What the system does with keys, and what keeps a terminal as it was, is shown by `play` alone.
 */
export async function playHere(
  operator: Operator,
  args: readonly string[],
  steps: readonly Step[] = [],
  { env = {}, columns = 120 }: Options = {},
): Promise<Played> {
  const screen = new Screen();
  const interrupt = new AbortController();
  let isRaw = false;
  const setRawMode = (mode: boolean) => {
    isRaw = mode;
  };
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
  const outcome = operator.run(args, {
    env: { VAGENT_LOCAL: '1', ...env },
    keyboard,
    columns,
    isTerminal: true,
    signal: interrupt.signal,
    hears: (text) => {
      screen.output += text.replaceAll('\n', '\r\n');
    },
  });
  const ended = outcome.then(({ code }) => code ?? -1);
  try {
    return await perform(screen, ended, steps, (keys) => {
      // A terminal makes a signal of it, unless a question takes the keys as they are.
      if (keys === CTRL_C && !isRaw) interrupt.abort();
      else keyboard.write(keys);
    });
  } finally {
    interrupt.abort();
    keyboard.end();
  }
}

export const CTRL_C = '\u0003';

/**
 * Runs a command, tells its exit code behind all that it wrote, and keeps the terminal open: what the command wrote last is
 * lost where nothing has a terminal open any more. Ctrl-C is for the command.
 */
const STAGE = `trap : INT; "$@"; printf '\\036%d\\036' $?; read -r _`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no program writes a record separator
const END = /\u001e(\d+)\u001e$/;

/** Milliseconds after which what hangs is ended, with what it had shown. */
const PATIENCE = 120_000;

/** Runs the program, or a script of the shell's, at a pseudo-terminal of 120 characters to a line. */
export async function play(
  operator: Operator,
  args: readonly string[],
  steps: readonly Step[] = [],
  { env = {}, script, columns = 120, rows = 40 }: Options & { script?: string } = {},
): Promise<Played> {
  const command = script === undefined ? [process.execPath, BIN, ...args] : ['sh', '-c', script];
  const screen = new Screen();
  const pty: IPty = spawn('sh', ['-c', STAGE, 'sh', ...command], {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd: operator.home,
    env: { ...operator.environment, TERM: 'xterm-256color', PAGER: 'cat', VAGENT_LOCAL: '1', ...env },
  });
  const ended = new Promise<number>((resolve, reject) => {
    pty.onData((text) => {
      const output = screen.output + text;
      const end = END.exec(output);
      screen.output = end === null ? output : output.slice(0, end.index);
      if (end !== null) resolve(Number(end[1]));
    });
    pty.onExit(() => reject(new Error(`ended before the command did:\n${screen.text}`)));
  });
  ended.catch(() => {});
  const patience = setTimeout(() => pty.kill('SIGKILL'), PATIENCE);
  try {
    return await perform(
      screen,
      ended,
      steps,
      (keys) => pty.write(keys),
      (size) => pty.resize(size.columns, size.rows),
    );
  } finally {
    clearTimeout(patience);
    pty.kill('SIGKILL');
  }
}

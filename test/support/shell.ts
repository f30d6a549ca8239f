/** A real shell at a pseudo-terminal, and what its screen shows. */
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { BIN, type Operator } from './program.ts';

const COLUMNS = 100;
const ROWS = 40;
/** Milliseconds after which a screen that does not come is given up. */
const PATIENCE = 20_000;

/** Whether a program is on the PATH. */
export function isInstalled(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

export class Shell {
  readonly #pty: IPty;
  readonly #terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  #hear: () => void = () => {};

  /** `vagent` is a command of the shell, as built. The prompt is `> `. */
  constructor(operator: Operator, command: readonly string[], env: Record<string, string> = {}) {
    const [program = '', ...args] = command;
    writeFileSync(join(operator.home, 'vagent'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, {
      mode: 0o755,
    });
    this.#pty = spawn(program, args, {
      name: 'xterm-256color',
      cols: COLUMNS,
      rows: ROWS,
      cwd: operator.home,
      env: {
        ...operator.environment,
        PATH: `${operator.home}${delimiter}${process.env.PATH}`,
        TERM: 'xterm-256color',
        LC_ALL: 'C.UTF-8',
        PS1: '> ',
        ...env,
      },
    });
    this.#pty.onData((text) => this.#terminal.write(text, () => this.#hear()));
    // The shell may ask the terminal who it is.
    this.#terminal.onData((text) => this.#pty.write(text));
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Every line that is shown, without spaces at its end, and without empty lines at the end. */
  get screen(): string {
    const { buffer } = this.#terminal;
    const lines = Array.from({ length: ROWS }, (_, at) => buffer.active.getLine(buffer.active.baseY + at));
    return lines
      .map((line) => line?.translateToString(true) ?? '')
      .join('\n')
      .trimEnd();
  }

  /** Waits until the screen matches, and returns it. Throws with the screen that is there instead. */
  async shows(pattern: RegExp): Promise<string> {
    const end = Date.now() + PATIENCE;
    while (!pattern.test(this.screen)) {
      const left = end - Date.now();
      if (left <= 0) throw new Error(`the screen does not show ${pattern}:\n${this.screen}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#hear = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.screen;
  }

  close(): void {
    this.#pty.kill('SIGKILL');
    this.#terminal.dispose();
  }
}

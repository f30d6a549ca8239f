/** Shows the progress of long work on a terminal's stderr, after one second. */
import type { Ora } from 'ora';
import type { Io } from './io.ts';

/** Milliseconds before anything is shown, and between two updates. */
const DELAY = 1000;
const REFRESH = 100;

export class Progress {
  readonly #io: Io;
  readonly #doing: string;
  #next = performance.now() + DELAY;
  #spinner: Ora | undefined;
  #isLoading = false;
  #hasEnded = false;

  constructor(io: Io, doing: string) {
    this.#io = io;
    this.#doing = doing;
  }

  /** Cheap enough to be called for every item. */
  at(done: number, total?: number): void {
    const now = performance.now();
    if (now < this.#next) return;
    this.#next = now + REFRESH;
    if (this.#io.isQuiet || !this.#io.stderrIsTerminal) return;
    const share = total === undefined || total === 0 ? '' : ` of ${total} (${Math.floor((100 * done) / total)} %)`;
    const text = `${this.#doing}: ${done}${share}`;
    if (this.#spinner !== undefined) {
      this.#spinner.text = text;
      // Work that never returns to the event loop would otherwise show a frozen line.
      this.#spinner.render();
    } else if (!this.#isLoading) {
      this.#isLoading = true;
      void this.#show(text);
    }
  }

  end(): void {
    this.#hasEnded = true;
    this.#spinner?.stop();
  }

  async #show(text: string): Promise<void> {
    const { default: ora } = await import('ora');
    if (this.#hasEnded) return;
    // Ctrl-C stays with the process: the spinner must not read the terminal.
    this.#spinner = ora({ text, stream: this.#io.streams.stderr as NodeJS.WriteStream, discardStdin: false }).start();
  }
}

/** A command that is under way, in this process or in one of its own: what it has said so far, and Ctrl-C. */
import { finished, type Operator, type Outcome, type RunOptions } from './program.ts';

type Hear = NonNullable<RunOptions['hears']>;

export class UnderWay {
  readonly outcome: Promise<Outcome>;
  readonly #interrupt: () => void;
  readonly #said = { stdout: '', stderr: '' };
  #heard: (() => void)[] = [];

  /** In this process. It holds its working folder: what runs meanwhile needs the same one. */
  static here(operator: Operator, args: readonly string[], options: RunOptions = {}): UnderWay {
    const keys = new AbortController();
    const begin = (hears: Hear) => operator.run(args, { cwd: operator.home, ...options, signal: keys.signal, hears });
    return new UnderWay(begin, () => keys.abort());
  }

  /** As the program, with signals. */
  static program(operator: Operator, args: readonly string[], options: RunOptions = {}): UnderWay {
    const child = operator.start(args, options);
    child.stdin?.on('error', () => {}).end(options.input ?? '');
    const begin = (hears: Hear) => {
      const outcome = finished(child);
      for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (text: string) => hears(text, name));
      return outcome;
    };
    return new UnderWay(begin, () => child.kill('SIGINT'));
  }

  private constructor(begin: (hears: Hear) => Promise<Outcome>, interrupt: () => void) {
    this.#interrupt = interrupt;
    this.outcome = begin((text, stream) => {
      this.#said[stream] += text;
      for (const hear of this.#heard.splice(0)) hear();
    });
  }

  /** Waits until stderr holds this. */
  async says(what: string | RegExp): Promise<void> {
    const isThere = () => (typeof what === 'string' ? this.#said.stderr.includes(what) : what.test(this.#said.stderr));
    await this.#until(isThere);
  }

  /** Waits until stdout has so many lines, and returns them. */
  async lines(count: number): Promise<string[]> {
    const lines = () => this.#said.stdout.split('\n').slice(0, -1);
    await this.#until(() => lines().length >= count);
    return lines();
  }

  /** Ctrl-C. */
  interrupt(): Promise<Outcome> {
    this.#interrupt();
    return this.outcome;
  }

  async #until(isSo: () => boolean): Promise<void> {
    const over = this.outcome.then((outcome) => {
      if (!isSo()) throw new Error(`It ended before: ${JSON.stringify(outcome)}`);
    });
    over.catch(() => {});
    while (!isSo()) await Promise.race([over, new Promise<void>((hear) => this.#heard.push(hear))]);
  }
}

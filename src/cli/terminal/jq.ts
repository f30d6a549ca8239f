/**
 * What the filter of `--jq` makes of the JSON that a command prints: jq itself, compiled to WebAssembly. It runs in a thread of
 * its own, so that Ctrl-C also ends a filter that would never end.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { InterruptedError, UsageError } from '../../errors.ts';
import { readJson, writeJson } from '../../text/json.ts';

const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
require(workerData).loadJq().then((jq) => parentPort.on('message', ({ input, filter }) => {
  try {
    parentPort.postMessage(jq.raw(input, filter, ['-c']));
  } catch (error) {
    parentPort.postMessage({ stdout: '', stderr: 'jq: error: ' + error.message, exitCode: 5 });
  }
}));`;

interface Result {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export interface Filtered {
  /** Texts as they are, every other value on a line; on a terminal JSON is indented. */
  text: string;
  /** What `debug` and the like have said. */
  said: string;
  /** A number beyond 2^53 that the filter has made, and not taken from its input: it may be rounded. */
  rounded: string | undefined;
  /** What ended the filter before it was done. */
  failure: UsageError | undefined;
}

export class Filter {
  readonly #filter: string;
  readonly #signal: AbortSignal;
  readonly #thread: Worker;

  constructor(filter: string, signal: AbortSignal) {
    // jq would take what begins with a dash for a flag.
    this.#filter = ` ${filter}`;
    this.#signal = signal;
    this.#thread = new Worker(THREAD, {
      eval: true,
      // Nothing of this process's environment is for a filter to see.
      env: {},
      workerData: createRequire(import.meta.url).resolve('jq-wasm'),
    });
    this.#thread.unref();
  }

  /** Throws UsageError if it is no filter. Without an input, jq reads the filter and does nothing. */
  async check(): Promise<void> {
    const { stderr, exitCode } = await this.#ask('');
    if (exitCode !== 0) throw failureOf(stderr);
  }

  /** `input`: JSON values, one after the other. */
  async apply(input: string, isIndented: boolean): Promise<Filtered> {
    const { stdout, stderr, exitCode } = await this.#ask(input);
    const lines = stdout === '' ? [] : stdout.split('\n');
    return {
      text: lines.map((line) => `${shown(line, isIndented)}\n`).join(''),
      said: exitCode === 0 ? stderr.trim() : '',
      rounded: lines.flatMap(numbersIn).find((number) => isBeyond(number) && !input.includes(number)),
      failure: exitCode === 0 ? undefined : failureOf(stderr),
    };
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  async #ask(input: string): Promise<Result> {
    const thread = this.#thread;
    thread.ref();
    const interrupted = () => void thread.terminate();
    this.#signal.addEventListener('abort', interrupted);
    try {
      return await new Promise<Result>((resolve, reject) => {
        thread.once('message', resolve);
        thread.once('error', reject);
        thread.once('exit', () => reject(new InterruptedError()));
        if (this.#signal.aborted) interrupted();
        else thread.postMessage({ input, filter: this.#filter });
      });
    } finally {
      this.#signal.removeEventListener('abort', interrupted);
      thread.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit');
      thread.unref();
    }
  }
}

function shown(line: string, isIndented: boolean): string {
  if (line.startsWith('"')) return String(JSON.parse(line));
  return isIndented ? writeJson(readJson(line), 2) : line;
}

/** The numbers of a JSON text that stand in no string. */
function numbersIn(line: string): string[] {
  return line.replace(/"(?:\\.|[^"\\])*"/g, '""').match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
}

function isBeyond(number: string): boolean {
  const size = Math.abs(Number(number));
  return size > Number.MAX_SAFE_INTEGER && Number.isFinite(size);
}

/** In one sentence: `jq: error: syntax error, … at <top-level>, line 1, column 6:`. */
function failureOf(stderr: string): UsageError {
  const [first = ''] = stderr.split('\n').filter((line) => line !== '');
  const [, line, column] = /, line (\d+), column (\d+):$/.exec(first) ?? [];
  const what = first
    .replace(/^jq: error( \(at [^)]*\))?: /, '')
    .replace(/ at <top-level>, line \d+, column \d+:$/, '')
    .replace(/\.$/, '');
  const place =
    line === undefined
      ? ''
      : ` at ${line === '1' ? '' : `line ${line}, `}column ${Number(column) - Number(line === '1')}`;
  return new UsageError(`--jq: ${what}${place}.`);
}

/** A command of the source, in the test's process, over buffers and a clock that obeys. */
import { PassThrough, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import '../../../src/commands/plan/run.ts';
import { run } from '../../../src/run.ts';
import { Life } from './life.ts';
import type { Fault } from './world.ts';

export interface Ended {
  args: readonly string[];
  code: number;
  stdout: string;
  stderr: string;
  /** It was killed. */
  isDead: boolean;
  /** A call of the file system failed. */
  isStruck: boolean;
}

export interface Machine {
  /** Where the program keeps everything. */
  home: string;
  env: Record<string, string>;
  /** The clock of this machine in milliseconds since the epoch. */
  now: () => number;
}

export interface Hooks {
  fault?: Fault | undefined;
  onBirth?: (life: Life) => void;
  /** Told of each as it ends. */
  onEnd?: ((ended: Ended) => Promise<void>) | undefined;
}

// A process that runs one command spares its memory; one that runs thousands would only collect garbage all the time.
setFlagsFromString('--heap-growing-percent=0');

/** Milliseconds of real time after which a command hangs: also one that waits for nothing that could ever come. */
const PATIENCE = 300_000;

/** Several commands at once, which live and die together. */
export async function runTogether(
  { home, env, now }: Machine,
  commands: readonly (readonly string[])[],
  { fault, onBirth = () => {}, onEnd = async () => {} }: Hooks = {},
): Promise<Ended[]> {
  const life = new Life(home, fault);
  onBirth(life);
  const one = async (args: readonly string[]): Promise<Ended> => {
    const [stdout, stderr] = [new Kept(), new Kept()];
    const streams = { stdin: new PassThrough().end(), stdout, stderr };
    let timer: NodeJS.Timeout | undefined;
    const hanging = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`vagent ${args.join(' ')} hangs. ${stderr.text}`)), PATIENCE);
    });
    const running = run({ argv: args, env, streams, signal: life.signal, systemNow: now, random: () => 0 });
    const code = await Promise.race([running, hanging]).finally(() => clearTimeout(timer));
    const said = { stdout: stdout.text, stderr: stderr.text };
    const ended = { args, code, ...said, isDead: life.isOver, isStruck: life.isStruck };
    await onEnd(ended);
    return ended;
  };
  return life.around(() => Promise.all(commands.map(one)));
}

class Kept extends Writable {
  text = '';
  readonly isTTY = false;

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += bytes.toString();
    done();
  }
}

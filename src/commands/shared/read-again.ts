/** Files that can be read more than once, also where they are pipes. */
import { statSync } from 'node:fs';
import { type Io, sourceName } from '../../cli/terminal/io.ts';

/** Bytes of a pipe that are kept; of a longer one it is not asked how it could be read. */
const MOST_KEPT = 16 << 20;

/** A pipe has more than is kept of it. */
class TooLong extends Error {}

interface Pipe {
  chunks: AsyncGenerator<Buffer>;
  kept: Buffer[];
  bytes: number;
}

export class FilesReadAgain {
  readonly #io: Io;
  readonly #pipes = new Map<string, Pipe>();
  /** The path of the file that was last begun. */
  last = '';
  #isTrying = false;

  constructor(io: Io) {
    this.#io = io;
  }

  /** What `use` gives; undefined if it needs more of a pipe than is kept. */
  async tried<T>(use: () => Promise<T>): Promise<T | undefined> {
    this.#isTrying = true;
    try {
      return [...this.#pipes.values()].some(({ bytes }) => bytes > MOST_KEPT) ? undefined : await use();
    } catch (error) {
      if (error instanceof TooLong) return undefined;
      throw error;
    } finally {
      this.#isTrying = false;
    }
  }

  /** `flag` names the file, for messages. */
  of(path: string, flag: string) {
    const again = this;
    return {
      name: sourceName(path),
      async *bytes(): AsyncGenerator<Buffer> {
        again.last = path;
        if (isFile(path)) yield* again.#io.chunks(path, flag);
        else yield* again.#piped(path, flag);
      },
    };
  }

  /** What was kept, and then what is still to come. Whoever stops reading does not end the pipe. */
  async *#piped(path: string, flag: string): AsyncGenerator<Buffer> {
    // For another flag it would be read a second time.
    const key = `${flag} ${path}`;
    const pipe = this.#pipes.get(key) ?? { chunks: this.#io.chunks(path, flag), kept: [], bytes: 0 };
    this.#pipes.set(key, pipe);
    for (const chunk of pipe.kept) yield chunk;
    for (;;) {
      const { done, value } = await pipe.chunks.next();
      if (done) return;
      pipe.bytes += value.length;
      if (this.#isTrying && pipe.bytes > MOST_KEPT) throw new TooLong();
      if (pipe.bytes <= MOST_KEPT) pipe.kept.push(value);
      else pipe.kept = [];
      yield value;
    }
  }

  async close(): Promise<void> {
    for (const { chunks } of this.#pipes.values()) await chunks.return(undefined);
  }
}

/** What is no file, or is not there, is read once. */
function isFile(path: string): boolean {
  try {
    return path !== '-' && statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The text of an answer: decoded, and given up where it is longer than any honest one. */
import type { Readable } from 'node:stream';

/** Bytes. */
export const MIB = 1 << 20;
/** Bytes that are decoded at a time. */
const CHUNK_BYTES = 1 << 16;

/** What the header Accept-Encoding says: the encodings that are read. */
export const ACCEPTED_ENCODINGS = 'gzip, br';

/** An answer that came and cannot be read; the message says why, as in `it is too long`. */
export class UnreadableBody extends Error {
  readonly code = 'unreadable';
  /** Whether another answer to the same question may well be read. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean, cause?: unknown) {
    super(message, { cause });
    this.isPassing = isPassing;
  }
}

/**
 * Reads at most `limit` bytes, counted as they are after decoding: a few kilobytes can hold gigabytes. `encoding` is the
 * header Content-Encoding. Throws UnreadableBody, or whatever the connection met.
 */
export async function readBody(
  body: Readable,
  encoding: string | string[] | undefined,
  limit: number,
): Promise<string> {
  const encodings = String(encoding ?? '')
    .toLowerCase()
    .split(/[\s,]+/);
  const [name, ...more] = encodings.filter((each) => each !== '' && each !== 'identity');
  if (name === undefined) return collect(body, limit);
  const decoder = more.length === 0 ? await decoderOf(name) : undefined;
  if (decoder === undefined) throw new UnreadableBody('it is in an encoding that nobody asked for', false);
  const { pipeline } = await import('node:stream/promises');
  let isEmpty = true;
  let cut: unknown;
  const encoded = async function* () {
    try {
      for await (const chunk of body) {
        isEmpty = false;
        yield chunk;
      }
    } catch (error) {
      cut = error;
      throw error;
    }
  };
  try {
    return await pipeline(encoded, decoder, (decoded) => collect(decoded as Readable, limit));
  } catch (error) {
    if (error instanceof UnreadableBody) throw error;
    if (cut !== undefined) throw cut;
    if (isEmpty) return '';
    throw new UnreadableBody('its compressed bytes are damaged', true, error);
  }
}

async function decoderOf(encoding: string) {
  const { createBrotliDecompress, createGunzip } = await import('node:zlib');
  if (encoding === 'br') return createBrotliDecompress({ chunkSize: CHUNK_BYTES });
  return encoding === 'gzip' || encoding === 'x-gzip' ? createGunzip({ chunkSize: CHUNK_BYTES }) : undefined;
}

async function collect(decoded: Readable, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of decoded as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) throw new UnreadableBody(`it is longer than ${limit / MIB} MiB`, false);
    chunks.push(chunk);
  }
  // Not what Buffer has: some services begin their JSON with a byte order mark, which this leaves out.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

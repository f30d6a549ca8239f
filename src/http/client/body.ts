/** The text of an answer, decoded. Reading stops if it is longer than any real answer. */
import type { Readable } from 'node:stream';

/** Bytes. */
export const MIB = 1 << 20;
/** Bytes decoded at a time. */
const CHUNK_BYTES = 1 << 16;

/** The value of the header Accept-Encoding: the encodings that can be read. */
export const ACCEPTED_ENCODINGS = 'gzip, br';

/** The answer arrived but cannot be read. The message says why and has no full stop, as in `it is too long`. */
export class UnreadableBody extends Error {
  readonly code = 'unreadable';
  /** Whether the answer to a repeated request may be readable. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean, cause?: unknown) {
    super(message, { cause });
    this.isTransient = isTransient;
  }
}

/**
 * Reads at most `limit` bytes, counted after decoding, because a few compressed kilobytes can hold gigabytes. `encoding` is the
 * value of the header Content-Encoding. Throws UnreadableBody, or the connection's error.
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
  if (decoder === undefined) throw new UnreadableBody('it is in an encoding that was not requested', false);
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
  // Unlike Buffer, TextDecoder drops the byte order mark with which some services begin their JSON.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

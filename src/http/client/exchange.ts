/** One request and its reply, under one deadline. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Dispatcher } from 'undici';
import { type OperationName, operations } from '../../contract.ts';
import { systemCode } from '../../errors.ts';
import { type Connections, DeadlinePassed, openConnections, send } from './connections.ts';
import type { HttpProxy } from './proxy.ts';
import type { Reply } from './reply.ts';

/** Bytes. */
const MIB = 1 << 20;
/** Bytes decoded at a time. */
const CHUNK_BYTES = 1 << 16;

/**
 * The largest decoded reply in bytes: a thousand calls with long transcripts are far below it, an endless stream is not. The
 * reply to a POST has a few hundred bytes.
 */
const LONGEST_REPLY = { GET: 128 * MIB, POST: 8 * MIB };

export interface Way {
  baseUrl: URL;
  proxy: HttpProxy | undefined;
  /** Aborts when the operator interrupts, or the command ends. */
  signal: AbortSignal;
  /** The connections that requests share. */
  kept: Promise<Connections>;
  /**
   * Whether it is not too late yet for a POST, when its connection is open: a machine that slept must not call people hours
   * later.
   */
  mayBegin(): boolean;
}

const HEADERS = { accept: 'application/json', 'accept-encoding': 'gzip, br' };

/**
 * Sends a request once; `fields` go into the query of a GET and the body of a POST. With `isAlone` it gets a new connection
 * that nothing else uses, because the other end may have closed a kept one meanwhile. Throws Unsent, UnreadableBody, or the
 * connection's error; with the latter two, the request may have been carried out.
 */
export async function exchange(
  { baseUrl, proxy, kept, signal, mayBegin }: Way,
  operation: OperationName,
  fields: Record<string, unknown>,
  { isAlone, timeoutMs }: { isAlone: boolean; timeoutMs: number },
): Promise<Reply> {
  const { method, path } = operations[operation];
  const isPost = method === 'POST';
  const url = new URL(baseUrl);
  url.pathname = baseUrl.pathname.replace(/\/+$/, '') + path;
  if (!isPost) {
    for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, String(value));
  }
  const end = new AbortController();
  const interrupt = () => end.abort(signal.reason);
  signal.addEventListener('abort', interrupt);
  // A timer counts in whole milliseconds and so may fire a fraction of one too early, with time left to ask again.
  const timer = setTimeout(() => end.abort(new DeadlinePassed()), timeoutMs + 1);
  let own: Connections | undefined;
  try {
    if (signal.aborted) interrupt();
    own = isAlone ? await openConnections(baseUrl, proxy, end.signal) : undefined;
    const onOpen = () => {
      if (isPost && !mayBegin()) end.abort(new DeadlinePassed());
    };
    // A copy: through a proxy, undici adds the host of the service to the headers.
    const parts = isPost ? withBody(fields) : { headers: { ...HEADERS } };
    const { status, headers, body } = await send(own ?? (await kept), end.signal, url, { method, ...parts }, onOpen);
    const [retryAfter, date] = [headers['retry-after'], headers.date].map((value) => [value].flat()[0]);
    const text = await readBody(body, headers['content-encoding'], LONGEST_REPLY[method]);
    // After this turn undici knows that the connection is free for the next request.
    if (!isAlone) await nextTurn();
    return { status, retryAfter, date, body: text };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
    void own?.dispatcher.destroy();
  }
}

/** Array items encoded at a time. */
const ITEMS = 1000;

/**
 * The body of a POST: the same bytes as from JSON.stringify, in pieces, because a campaign may be longer than the longest string.
 */
function withBody(fields: Record<string, unknown>): Pick<Dispatcher.DispatchOptions, 'body' | 'headers' | 'reset'> {
  const chunks: Buffer[] = [];
  let text = '{';
  for (const [name, value] of Object.entries(fields)) {
    text += `${chunks.length === 0 && text === '{' ? '' : ','}${JSON.stringify(name)}:`;
    if (!Array.isArray(value)) {
      text += JSON.stringify(value);
      continue;
    }
    text += '[';
    for (let at = 0; at < value.length; at += ITEMS) {
      const items = JSON.stringify(value.slice(at, at + ITEMS)).slice(1, -1);
      chunks.push(Buffer.from(`${text}${at === 0 ? '' : ','}${items}`));
      text = '';
    }
    text += ']';
  }
  chunks.push(Buffer.from(`${text}}`));
  const length = chunks.reduce((bytes, { length }) => bytes + length, 0);
  const [first = null, ...more] = chunks;
  return {
    headers: { ...HEADERS, 'content-type': 'application/json', 'content-length': String(length) },
    body: more.length === 0 ? first : Readable.from(chunks, { objectMode: false }),
    reset: true,
  };
}

// The reply -----------------------------------------------------------------------------------------------------------

/** The reply arrived but cannot be read. The message says why and has no full stop, as in `it is too long`. */
export class UnreadableBody extends Error {
  readonly code = 'unreadable';
  /** Whether the reply to a repeated request may be readable. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean, cause?: unknown) {
    super(message, { cause });
    this.isTransient = isTransient;
  }
}

/**
 * Reads at most `limit` bytes, before decoding and after, because a few compressed kilobytes can hold gigabytes. `encoding` is the
 * value of the header Content-Encoding. Throws UnreadableBody, or the connection's error.
 */
async function readBody(body: Readable, encoding: string | string[] | undefined, limit: number): Promise<string> {
  const encodings = String(encoding ?? '')
    .toLowerCase()
    .split(/[\s,]+/);
  const [name, ...more] = encodings.filter((each) => each !== '' && each !== 'identity');
  if (name === undefined) return textOf(await collect(body, limit));
  const decode = more.length === 0 ? await decoderOf(name) : undefined;
  if (decode === undefined) throw new UnreadableBody('it is in an encoding that was not requested', false);
  const bytes = await collect(body, limit);
  if (bytes.length === 0) return '';
  try {
    return textOf(await decode(bytes, { chunkSize: CHUNK_BYTES, maxOutputLength: limit }));
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLong(limit);
    throw new UnreadableBody('its compressed bytes are damaged', true, error);
  }
}

async function decoderOf(encoding: string) {
  const { brotliDecompress, gunzip } = await import('node:zlib');
  if (encoding === 'br') return promisify(brotliDecompress);
  return encoding === 'gzip' || encoding === 'x-gzip' ? promisify(gunzip) : undefined;
}

async function collect(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLong(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Unlike Buffer, TextDecoder drops the byte order mark with which some services begin their JSON. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes);
}

function tooLong(limit: number): UnreadableBody {
  return new UnreadableBody(`it is longer than ${limit / MIB} MiB`, false);
}

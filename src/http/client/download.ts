/**
 * Reads a file at an address that a service gave, such as a recording. Nothing of ours goes there: no key, no cookie, no referrer,
 * and no user name or password that stands in the address.
 */
import { setMaxListeners } from 'node:events';
import {
  CredentialsError,
  InputError,
  InterruptedError,
  NotFoundError,
  UnavailableError,
  VagentError,
} from '../../errors.ts';
import { MINUTE } from '../../text/units.ts';
import { readUrl } from '../../text/url.ts';
import { DeadlinePassed, type HeadOfReply, openConnections, ProxyError, send, Unsent } from './connections.ts';
import { causeInWords, isOfUnknownAuthority } from './explain.ts';
import type { HttpProxy } from './proxy.ts';

interface DownloadOptions {
  /** The name of the file in messages, such as `recording`. */
  what: string;
  /** Milliseconds until the reply begins, and between two pieces of it. */
  timeoutMs: number;
  /** Milliseconds for all of it: LONGEST_DOWNLOAD by default. */
  totalMs?: number;
  /** The most bytes. */
  maxBytes: number;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  proxyFor(url: URL): Promise<HttpProxy | undefined>;
  /** Whether an address, the first or one of a redirect, may be asked: it holds no key, or is the service's own. */
  mayAsk(url: URL): boolean;
  /** Called for each reply. */
  onReply(url: URL, status: number): void;
}

export interface Download {
  /** Where it was found, after redirects. */
  url: URL;
  /** The media type, in lower case and without parameters; undefined if the reply names none. */
  type: string | undefined;
  /** Bytes; undefined if the reply does not say. */
  length: number | undefined;
  /** All bytes, once. Throws InputError if they are too many, UnavailableError if they do not all come, and InterruptedError. */
  chunks(): AsyncGenerator<Buffer>;
  /** Ends a download of which no more is wanted. */
  close(): void;
}

/** Milliseconds: 200 MB take no longer over a line of 1 Mbit a second, and a file that comes drop by drop ends. */
const LONGEST_DOWNLOAD = 30 * MINUTE;
const MOST_REDIRECTS = 5;
const NOTHING_MORE = 'nothing more';
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Throws NotFoundError for 404 and 410, CredentialsError for 401 and 403, InputError for an address that is not of the web and for
 * other refusals, UnavailableError, and InterruptedError.
 */
export async function download(address: URL, options: DownloadOptions): Promise<Download> {
  // Every piece adds a listener.
  setMaxListeners(0, options.signal);
  const { what } = options;
  let url = address;
  for (let redirects = 0; ; redirects++) {
    requireWeb(url, address);
    if (!options.mayAsk(url)) {
      throw new InputError(
        `The address of the ${what} holds the key, but is not the service's; ${url.host} was not asked.`,
      );
    }
    const reply = await ask(url, options);
    const { status, headers } = reply;
    options.onReply(url, status);
    if (status === 200) return asDownload(url, reply, options);
    reply.close();
    if (!REDIRECTS.includes(status)) throw refused(url, status, what);
    const next = readUrl(String(headers.location ?? ''), url);
    if (next === undefined) throw new UnavailableError(`${url.host} redirects (${status}), but names no address.`);
    if (redirects === MOST_REDIRECTS) {
      throw new UnavailableError(`${address.host} redirects more than ${MOST_REDIRECTS} times.`);
    }
    url = next;
  }
}

/** From https it never goes to http, where others can listen. */
function requireWeb({ protocol }: URL, from: URL): void {
  if (protocol === 'https:' || (protocol === 'http:' && from.protocol === 'http:')) return;
  throw new InputError(
    `An address of ${from.host || 'this kind'} is followed with http and https, not ${protocol.slice(0, -1)}.`,
  );
}

interface Reply extends HeadOfReply {
  /** Runs some work with the time limit, and turns a failure into an error of ours. `nothing` is what did not come. */
  within<T>(work: Promise<T>, nothing: string): Promise<T>;
  close(): void;
}

async function ask(url: URL, { what, signal, timeoutMs, proxyFor }: DownloadOptions): Promise<Reply> {
  const end = new AbortController();
  const interrupt = () => end.abort(signal.reason);
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const connections = await openConnections(url, await proxyFor(url), end.signal);
  const close = () => {
    signal.removeEventListener('abort', interrupt);
    void connections.dispatcher.destroy();
  };
  const within = async <T>(work: Promise<T>, nothing: string): Promise<T> => {
    const timer = setTimeout(() => end.abort(new DeadlinePassed()), timeoutMs);
    try {
      return await work;
    } catch (error) {
      close();
      if (signal.aborted) throw new InterruptedError();
      throw failed(url, error, what, `${nothing} within ${timeoutMs / 1000} s`);
    } finally {
      clearTimeout(timer);
    }
  };
  const headers = { accept: '*/*', 'accept-encoding': 'identity' };
  const sent = send(connections, end.signal, url, { method: 'GET', headers, reset: true });
  const head = await within(sent, 'no answer');
  return { ...head, within, close };
}

function failed(url: URL, error: unknown, what: string, tooLong: string): VagentError {
  if (error instanceof VagentError) return error;
  const isUnsent = error instanceof Unsent;
  const cause = isUnsent ? error.cause : error;
  const way = cause instanceof ProxyError ? ` through the proxy ${cause.proxy.url.host}` : '';
  // undici's parser complains where chunks end before their last one.
  const isCut = tooLong.startsWith(NOTHING_MORE) && cause instanceof Error && cause.name === 'HTTPParserError';
  const why = isCut
    ? 'the connection was cut'
    : causeInWords(cause instanceof ProxyError ? (cause.cause ?? cause) : cause, tooLong);
  const message = isUnsent
    ? `Cannot reach ${url.host}${way}: ${why}.`
    : `${url.host} did not send the ${what}: ${why}.`;
  if (isOfUnknownAuthority(cause)) {
    return new UnavailableError(message, { reason: { kind: 'unreachable', isUntrusted: true }, cause: error });
  }
  return new UnavailableError(message, {
    hint: isUnsent ? 'Check the network, then try again.' : 'Try again.',
    cause: error,
  });
}

function refused(url: URL, status: number, what: string): VagentError {
  if (status === 404 || status === 410) return new NotFoundError(`The ${what} is gone: ${url.host} answers ${status}.`);
  if (status === 401 || status === 403) {
    return new CredentialsError(`${url.host} refuses the ${what} (${status}): its address may have expired.`, {
      hint: 'Try again: the address is read anew each time.',
    });
  }
  const message = `${url.host} answers ${status} when asked for the ${what}.`;
  return status === 429 || status >= 500 || status < 400
    ? new UnavailableError(message, { hint: 'Try again later.' })
    : new InputError(message);
}

function asDownload(url: URL, { headers, body, within, close }: Reply, options: DownloadOptions): Download {
  const { what, signal, maxBytes, totalMs = LONGEST_DOWNLOAD } = options;
  const [encoding] = [headers['content-encoding'] ?? 'identity'].flat();
  if (encoding !== 'identity') {
    close();
    throw new UnavailableError(`${url.host} sends the ${what} compressed (${encoding}), although it was asked not to.`);
  }
  const [given] = [headers['content-length']].flat();
  const length = given !== undefined && /^\d+$/.test(given) ? Number(given) : undefined;
  const [type] = [headers['content-type']].flat();
  const requireSize = (bytes: number) => {
    if (bytes <= maxBytes) return;
    close();
    const message = `${url.host} sends more than ${maxBytes} bytes in place of the ${what}; it was not kept.`;
    throw new InputError(message, { code: 'too_large', reason: { kind: 'too_large' } });
  };
  requireSize(length ?? 0);
  return {
    url,
    type: type?.split(';')[0]?.trim().toLowerCase() || undefined,
    length,
    close,
    async *chunks() {
      const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      let received = 0;
      const end = performance.now() + totalMs;
      try {
        for (;;) {
          // The time that the reader of the pieces takes does not count.
          const piece = await within(pieces.next(), NOTHING_MORE);
          if (signal.aborted) throw new InterruptedError();
          if (piece.done) break;
          received += piece.value.length;
          requireSize(received);
          if (performance.now() > end) {
            const message = `${url.host} did not send all of the ${what} within ${totalMs / MINUTE} min.`;
            throw new UnavailableError(message, { hint: 'Try again later.' });
          }
          yield piece.value;
        }
        if (length !== undefined && received !== length) {
          throw new UnavailableError(`${url.host} sent ${received} bytes of ${length} of the ${what}.`, {
            hint: 'Try again.',
          });
        }
      } finally {
        close();
      }
    },
  };
}

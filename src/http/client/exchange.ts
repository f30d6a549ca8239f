/** One request and its answer, under one deadline. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { type OperationName, operations } from '../../contract.ts';
import { systemCode } from '../../errors.ts';
import type { Answer } from './answer.ts';
import { ACCEPTED_ENCODINGS, MIB, readBody } from './body.ts';
import { type Connections, openConnections } from './connections.ts';
import type { HttpProxy } from './proxy.ts';

/** The request failed before any byte of it was sent. */
export class Unsent extends Error {
  /** The code of the cause. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super('nothing was sent', { cause });
    this.code = systemCode(cause);
  }
}

/** The time for the request is over, counted from connecting to the end of the answer. */
export class DeadlinePassed extends Error {
  readonly code = 'timeout';
}

/**
 * The largest decoded answer in bytes: a thousand calls with long transcripts are far below it, an endless stream is not. The
 * answer to a POST has a few hundred bytes.
 */
const LONGEST_ANSWER = { GET: 128 * MIB, POST: 8 * MIB };

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

const HEADERS = { accept: 'application/json', 'accept-encoding': ACCEPTED_ENCODINGS };

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
): Promise<Answer> {
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
  const deadline = performance.now() + timeoutMs;
  let timer = setTimeout(expire, timeoutMs);
  // A timer counts in whole milliseconds and so may fire a fraction of one too early, with time left to ask again.
  function expire() {
    const left = deadline - performance.now();
    if (left > 0) timer = setTimeout(expire, left);
    else end.abort(new DeadlinePassed());
  }
  let own: Connections | undefined;
  try {
    if (signal.aborted) interrupt();
    own = isAlone ? await openConnections(baseUrl, proxy, end.signal) : undefined;
    const onOpen = () => {
      if (isPost && !mayBegin()) end.abort(new DeadlinePassed());
    };
    // A copy: through a proxy, undici adds the host of the service to the headers.
    const parts = isPost ? withBody(encodeBody(fields)) : { headers: { ...HEADERS } };
    const { status, headers, body } = await send(own ?? (await kept), end.signal, url, { method, ...parts }, onOpen);
    const [retryAfter, date] = [headers['retry-after'], headers.date].map((value) => [value].flat()[0]);
    const text = await readBody(body, headers['content-encoding'], LONGEST_ANSWER[method]);
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
function encodeBody(fields: Record<string, unknown>): Buffer[] {
  const chunks: Buffer[] = [];
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    text += `${chunks.length === 0 && text === '' ? '{' : ','}${JSON.stringify(name)}:`;
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
  return [...chunks, Buffer.from(`${text}}`)];
}

function withBody(chunks: readonly Buffer[]): Pick<Dispatcher.DispatchOptions, 'body' | 'headers' | 'reset'> {
  const length = chunks.reduce((bytes, { length }) => bytes + length, 0);
  const [first = null, ...more] = chunks;
  return {
    headers: { ...HEADERS, 'content-type': 'application/json', 'content-length': String(length) },
    body: more.length === 0 ? first : Readable.from(chunks, { objectMode: false }),
    reset: true,
  };
}

interface HeadOfAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/** Resolves when the header of the answer has arrived. `onOpen` is called before anything is sent, and may abort the signal. */
export function send(
  { dispatcher, givenUp }: Connections,
  signal: AbortSignal,
  { origin, pathname, search }: URL,
  parts: Pick<Dispatcher.DispatchOptions, 'method' | 'headers' | 'body' | 'reset'>,
  onOpen = () => {},
): Promise<HeadOfAnswer> {
  // The request's own deadline covers the header and the body.
  const request = { ...parts, origin, path: `${pathname}${search}`, headersTimeout: 0, bodyTimeout: 0 };
  return new Promise((resolve, reject) => {
    let sent: Dispatcher.DispatchController | undefined;
    let body: Readable | undefined;
    const fail = (error: Error) => {
      // An aborted request fails in many ways, which all mean the same.
      const why = signal.aborted ? signal.reason : error;
      if (body !== undefined) body.destroy(why);
      else if (sent !== undefined) reject(why);
      else reject(new Unsent(signal.aborted ? givenUp(why) : why));
    };
    const giveUp = () => {
      fail(signal.reason);
      sent?.abort(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) return giveUp();
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        if (sent === undefined) onOpen();
        // An aborted request must not be sent, and none may be sent twice.
        if (signal.aborted || sent !== undefined)
          return controller.abort(signal.reason ?? new Error('it was sent already'));
        sent = controller;
      },
      onResponseStart(controller, status, headers) {
        // Neither an interim status nor a final one: undici takes seconds to report it.
        if (status < 100) return controller.abort(new Error('its status is none'));
        if (status < 200) return;
        body = new Readable({
          read: () => controller.resume(),
          destroy(error, done) {
            controller.abort(error ?? new Error('nobody reads on'));
            done(error);
          },
        });
        // The error reaches whoever reads the body; if nobody does, it does not matter.
        body.on('error', () => {});
        resolve({ status, headers, body });
      },
      onResponseData(controller, chunk) {
        if (body?.push(chunk) === false) controller.pause();
      },
      onResponseEnd() {
        body?.push(null);
      },
      onResponseError(_controller, error) {
        fail(error);
      },
    });
  });
}

/** One request and its answer, on a connection of its own and under one deadline. */
import sendBy from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';
import { type OperationName, operations } from '../contract.ts';
import { systemCode } from '../errors.ts';
import type { Answer } from './answer.ts';
import { ACCEPTED_ENCODINGS, MIB, readBody } from './body.ts';
import { SingleConnection } from './connection.ts';
import type { HttpProxy } from './proxy.ts';

/** It failed before a connection stood: no byte of it has left. */
export class Unsent extends Error {
  /** That of what happened. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super('nothing was sent', { cause });
    this.code = systemCode(cause);
  }
}

/** The time for the request, from connecting to the end of the answer, is over. */
export class DeadlinePassed extends Error {
  readonly code = 'timeout';
}

/**
 * Bytes of an answer, decoded: a thousand calls with long transcripts are far below, an endless stream is not. A POST is
 * answered in a few hundred.
 */
const LONGEST_ANSWER = { GET: 128 * MIB, POST: 8 * MIB };

/**
 * Sends a request once; `fields` go into the query of a GET and the body of a POST. Throws Unsent, UnreadableBody, or
 * whatever the connection met: in the latter two the request may have been carried out.
 */
export async function exchange(
  { baseUrl, proxy, signal }: { baseUrl: URL; proxy: HttpProxy | undefined; signal: AbortSignal },
  operation: OperationName,
  fields: Record<string, unknown>,
  timeoutMs: number,
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
  const timer = setTimeout(() => end.abort(new DeadlinePassed()), timeoutMs);
  const connection = new SingleConnection(proxy, end.signal);
  const client = new Client(url.origin, { connect: connection.connect });
  try {
    if (signal.aborted) interrupt();
    const { statusCode, headers, body } = await sendBy.call(client, {
      path: `${url.pathname}${url.search}`,
      method,
      signal: end.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: {
        accept: 'application/json',
        'accept-encoding': ACCEPTED_ENCODINGS,
        ...(isPost ? { 'content-type': 'application/json' } : {}),
      },
      ...(isPost ? { body: JSON.stringify(fields) } : {}),
    });
    const { 'retry-after': retryAfter, date, 'content-encoding': encoding } = headers;
    return {
      status: statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      date: typeof date === 'string' ? date : undefined,
      body: await readBody(body, encoding, LONGEST_ANSWER[method]),
    };
  } catch (error) {
    throw connection.isOpen ? error : new Unsent(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
    // One connection a request: a POST on a kept-alive socket that the server closes would leave its outcome unknown.
    void client.destroy();
  }
}

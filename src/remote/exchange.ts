/** One request and its answer, on a connection of its own and under one deadline. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type OperationName, operations } from '../contract.ts';
import { systemCode } from '../errors.ts';
import type { Answer } from './answer.ts';
import { ACCEPTED_ENCODINGS, MIB, readBody } from './body.ts';
import { openConnection } from './connection.ts';
import type { HttpProxy } from './proxy.ts';
import { encodeBody } from './request-body.ts';

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
  let socket: Socket | undefined;
  try {
    if (signal.aborted) interrupt();
    socket = await openConnection(url, proxy, end.signal).catch((error) => {
      throw new Unsent(error);
    });
    const body = isPost ? encodeBody(fields) : undefined;
    const {
      statusCode: status = 0,
      headers,
      ...answer
    } = await ask(socket, end.signal, {
      method,
      path: `${url.pathname}${url.search}`,
      host: url.host,
      body,
    });
    const { 'retry-after': retryAfter, date, 'content-encoding': encoding } = headers;
    const text = await readBody(answer.body, encoding, LONGEST_ANSWER[method]);
    answer.requireWhole();
    return { status, retryAfter, date, body: text };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
    // One connection a request: a POST on a kept-alive socket that the server closes would leave its outcome unknown.
    socket?.destroy();
  }
}

interface Asked {
  method: string;
  path: string;
  host: string;
  body: readonly Buffer[] | undefined;
}

interface HeadOfAnswer {
  statusCode: number | undefined;
  headers: IncomingMessage['headers'];
  body: IncomingMessage;
  /** Throws where the connection was lost before the end, also when nothing but its closing ends the body. */
  requireWhole(): void;
}

/** Sends a request on an open connection, and resolves when the head of its answer has come. */
function ask(socket: Socket, signal: AbortSignal, { method, path, host, body }: Asked): Promise<HeadOfAnswer> {
  return new Promise((resolve, reject) => {
    let lost: unknown;
    const request = httpRequest({
      method,
      path,
      headers: {
        host,
        connection: 'close',
        accept: 'application/json',
        'accept-encoding': ACCEPTED_ENCODINGS,
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': sizeOf(body) }),
      },
      createConnection: () => socket,
    });
    signal.addEventListener('abort', () => request.destroy(signal.reason), { once: true });
    request
      .on('error', (error) => {
        lost = error;
        reject(error);
      })
      // Of an answer that is none, such as one that changes the protocol, nothing else is heard.
      .on('close', () => reject(new Error('the connection was cut')))
      .on('response', (response) => {
        // Whoever reads it is told; where nobody does, it does not matter.
        response.on('error', () => {});
        signal.addEventListener('abort', () => response.destroy(signal.reason), { once: true });
        const { statusCode, headers } = response;
        const endsByClosing =
          headers['content-length'] === undefined && !/chunked\s*$/i.test(headers['transfer-encoding'] ?? '');
        const requireWhole = () => {
          if (!response.complete || (endsByClosing && lost !== undefined))
            throw lost ?? new Error('the connection was cut');
        };
        resolve({ statusCode, headers, body: response, requireWhole });
      });
    for (const chunk of body ?? []) request.write(chunk);
    request.end();
  });
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((bytes, { length }) => bytes + length, 0);
}

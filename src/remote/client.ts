/**
 * The remote client: a Backend over HTTP. GETs carry the credentials in the query, POSTs in the body, no header holds any.
 *
 * What a failure means depends on what may have left. Before a connection stands nothing was sent, so it is safe to try
 * again (UnavailableError). Once it stands, a POST may have placed a call whatever comes back or does not, and unless the
 * service says clearly that it refused, the outcome is unknown (OutcomeUnknownError). Redirects are never followed: they
 * would carry the key elsewhere.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import sendBy from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import {
  type Backend,
  type Credentials,
  checkRequest,
  type OperationName,
  operations,
  type RequestOf,
  type ResponseOf,
  requestFields,
  serviceOf,
} from '../contract.ts';
import {
  InputError,
  InterruptedError,
  OutcomeUnknownError,
  systemCode,
  UnavailableError,
  VagentError,
} from '../errors.ts';
import { type Answer, readAnswer } from './answer.ts';
import { Lane, waitBefore } from './patience.ts';

export interface RemoteOptions {
  /** With or without a path prefix and a trailing slash. */
  baseUrl: URL;
  /** Milliseconds for the whole request: connect, send, wait and body, and the attempts that follow. */
  timeoutMs: number;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Whether the environment names a proxy for this base URL. */
  usesProxy: boolean;
  /** Masks the key: a service's words are shortened before they are shown, and a key cut in half is still a leak. */
  redact(text: string): string;
  /** Hears of each finished request; `result` is a status or what went wrong, `date` the service's clock. */
  onRequest(request: FinishedRequest): void;
  /** From 0 to below 1: how long it is waited before an attempt is repeated. */
  random(): number;
}

export interface FinishedRequest {
  method: string;
  path: string;
  result: string;
  ms: number;
  attempt: number;
  /** The header of that name, where there was an answer with one. */
  date: string | undefined;
}

/** Bytes of an answer: a thousand calls with long transcripts are far below, an endless stream is not. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

export function remoteBackend(options: RemoteOptions): Backend {
  const lane = new Lane();
  return (credentials) => serviceOf((operation, request) => run({ ...options, lane, credentials }, operation, request));
}

interface Connection extends RemoteOptions {
  lane: Lane;
  credentials: Credentials;
}

async function run<K extends OperationName>(
  connection: Connection,
  operation: K,
  request: RequestOf<K>,
): Promise<ResponseOf<K>> {
  const fields = { ...connection.credentials, ...wireFields(operation, request) };
  let deadline: number | undefined;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(connection, operation, fields, attempt, () => {
      deadline ??= performance.now() + connection.timeoutMs;
      return deadline - performance.now();
    });
    if ('response' in outcome) return outcome.response;
    const wait = outcome.mayTryAgain ? waitBefore(attempt + 1, outcome.retryAfter, connection.random) : undefined;
    if (wait === undefined || performance.now() + wait >= (deadline ?? 0)) throw outcome.error;
    if (outcome.isThrottled) connection.lane.narrow(wait);
    await sleep(wait, undefined, { signal: connection.signal }).catch(() => {
      throw new InterruptedError();
    });
  }
}

type Outcome<K extends OperationName> =
  | { response: ResponseOf<K> }
  | { error: Error; mayTryAgain: boolean; isThrottled: boolean; retryAfter: string | undefined };

/** One attempt. `millisecondsLeft` is asked when it begins: what was waited in the lane does not count. */
async function tryOnce<K extends OperationName>(
  connection: Connection,
  operation: K,
  fields: Record<string, unknown>,
  attempt: number,
  millisecondsLeft: () => number,
): Promise<Outcome<K>> {
  const { lane, signal } = connection;
  const { method, path } = operations[operation];
  const isGet = method === 'GET';
  let started = performance.now();
  const report = (result: string, date?: string) =>
    connection.onRequest({ method, path, result, ms: Math.round(performance.now() - started), attempt, date });
  const send = () => {
    started = performance.now();
    return exchange(connection, operation, fields, millisecondsLeft());
  };
  let answer: Answer;
  try {
    answer = await (isGet ? lane.enter(send, signal) : send());
  } catch (error) {
    report(systemCode(error) ?? 'failed');
    const explained = explain(error, connection, operation);
    // Unavailable: surely not sent, or harmless to send again.
    return {
      error: explained,
      mayTryAgain: explained instanceof UnavailableError,
      isThrottled: false,
      retryAfter: undefined,
    };
  }
  report(String(answer.status), answer.date);
  try {
    return { response: readAnswer(operation, answer, connection) };
  } catch (error) {
    const { status, retryAfter } = answer;
    const isThrottled = status === 429;
    const hasFailed = isThrottled || status >= 500 || (status < 300 && error instanceof UnavailableError);
    return {
      error: explainReading(error, connection, operation),
      mayTryAgain: isGet && hasFailed,
      isThrottled,
      retryAfter,
    };
  }
}

/** The fields as given, checked against the contract; what was left out stays out, so that the service's defaults hold. */
function wireFields<K extends OperationName>(operation: K, request: RequestOf<K>): Record<string, unknown> {
  const checked = checkRequest(operation, request);
  if (!checked.ok) {
    const { path } = operations[operation];
    throw new InputError(`The request to ${path} is invalid; nothing was sent.`, { issues: checked.issues });
  }
  const given = request as Record<string, unknown>;
  const names = requestFields(operation).filter((name) => given[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

/** Whether bytes of the request may have left when it failed. */
class Unsent extends Error {}

async function exchange(
  { baseUrl, signal, usesProxy }: RemoteOptions,
  operation: OperationName,
  fields: Record<string, unknown>,
  timeoutMs: number,
): Promise<Answer> {
  const { method, path } = operations[operation];
  const url = new URL(baseUrl);
  url.pathname = baseUrl.pathname.replace(/\/+$/, '') + path;
  if (method === 'GET') {
    for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, String(value));
  }
  const connection = { isOpen: false };
  const dispatcher: Dispatcher = usesProxy ? await proxyAgent() : directAgent(connection);
  try {
    const response = await sendBy.call(dispatcher, {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)))]),
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: { accept: 'application/json', ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
      ...(method === 'POST' ? { body: JSON.stringify(fields) } : {}),
    });
    const { 'retry-after': retryAfter, date } = response.headers;
    return {
      status: response.statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      date: typeof date === 'string' ? date : undefined,
      body: await readBody(response.body),
    };
  } catch (error) {
    const isUnsent = usesProxy ? isConnectFailure(error) : !connection.isOpen;
    throw isUnsent ? new Unsent(undefined, { cause: error }) : error;
  } finally {
    // One connection a request: a POST on a kept-alive socket that the server closes would leave its outcome unknown.
    void dispatcher.destroy();
  }
}

async function proxyAgent(): Promise<Dispatcher> {
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  return new EnvHttpProxyAgent();
}

function directAgent(connection: { isOpen: boolean }): Dispatcher {
  const connect = buildConnector({});
  return new Agent({
    connect: (options, callback) =>
      connect(options, (...result) => {
        connection.isOpen = result[1] != null;
        callback(...result);
      }),
  });
}

/** Failures of the system's own connect and look-up; behind a proxy nothing more can be known. */
function isConnectFailure(error: unknown): boolean {
  const { syscall } = error as { syscall?: unknown };
  return syscall === 'connect' || syscall === 'getaddrinfo';
}

async function readBody(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function explain(error: unknown, { baseUrl, signal, timeoutMs }: RemoteOptions, operation: OperationName): Error {
  const { method, path } = operations[operation];
  const isPost = method === 'POST';
  if (signal.aborted) {
    if (!isPost) return new InterruptedError();
    if (error instanceof Unsent) return new InterruptedError('Interrupted: nothing was sent.');
    return new InterruptedError(`Interrupted while ${path} was under way: it may have been carried out.`, {}, true);
  }
  if (error instanceof Unsent) {
    return new UnavailableError(`Cannot reach ${baseUrl.host}: ${reason(error.cause, timeoutMs)}. Nothing was sent.`, {
      hint: 'Check the base URL and the network (vagent profile show), then try again.',
      cause: error,
    });
  }
  const message = `${baseUrl.host} did not answer ${path}: ${reason(error, timeoutMs)}.`;
  if (!isPost) return new UnavailableError(message, { hint: 'Nothing was changed: try again.', cause: error });
  return new OutcomeUnknownError(`${message} It may have been carried out.`, { cause: error });
}

/** Whatever goes wrong with the answer to a POST, the request was received: it may have been carried out. */
function explainReading(error: unknown, { baseUrl }: RemoteOptions, operation: OperationName): Error {
  const { method, path } = operations[operation];
  if (error instanceof VagentError || method === 'GET') return error as Error;
  const message = `What ${baseUrl.host} answered ${path} could not be read. It may have been carried out.`;
  return new OutcomeUnknownError(message, { cause: error });
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve at the moment',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'connecting took too long',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too long',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS',
  EPROTO: 'TLS was refused',
};

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function reason(error: unknown, timeoutMs: number): string {
  if (isTimeout(error)) return `no full answer within ${timeoutMs / 1000} s`;
  // Where a host has several addresses, each failure is told apart; the first one says enough.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(first) ?? '';
  const said = first instanceof Error ? first.message : String(first);
  return REASONS[code] ?? said.split('\n')[0]?.trim() ?? said;
}

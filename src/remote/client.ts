/**
 * The remote client: a Backend over HTTP. GETs carry the credentials in the query, POSTs in the body, no header holds any.
 *
 * What a failure means depends on what may have left. Before a connection stands nothing was sent, so it is safe to try
 * again (UnavailableError). Once it stands, a POST may have placed a call whatever comes back or does not, and unless the
 * service says clearly that it refused, the outcome is unknown (OutcomeUnknownError). Redirects are never followed: they
 * would carry the key elsewhere.
 */
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, request as send } from 'undici';
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
  CHECK_FIRST,
  InputError,
  InterruptedError,
  OutcomeUnknownError,
  systemCode,
  UnavailableError,
} from '../errors.ts';
import { type Answer, readAnswer } from './answer.ts';

export interface RemoteOptions {
  /** With or without a path prefix and a trailing slash. */
  baseUrl: URL;
  /** Milliseconds for the whole request: connect, send, wait and body. */
  timeoutMs: number;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Whether the environment names a proxy for this base URL. */
  usesProxy: boolean;
  /** Masks the key: a service's words are shortened before they are shown, and a key cut in half is still a leak. */
  redact(text: string): string;
  /** Hears of each finished request; `result` is a status or what went wrong. */
  onRequest(request: { method: string; path: string; result: string; ms: number }): void;
}

/** Bytes of an answer: a thousand calls with long transcripts are far below, an endless stream is not. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

export function remoteBackend(options: RemoteOptions): Backend {
  return (credentials) => serviceOf((operation, request) => run(options, credentials, operation, request));
}

async function run<K extends OperationName>(
  options: RemoteOptions,
  credentials: Credentials,
  operation: K,
  request: RequestOf<K>,
): Promise<ResponseOf<K>> {
  const { method, path } = operations[operation];
  const fields = wireFields(operation, request);
  const started = performance.now();
  const report = (result: string) =>
    options.onRequest({ method, path, result, ms: Math.round(performance.now() - started) });

  let answer: Answer;
  try {
    answer = await exchange(options, operation, { ...credentials, ...fields });
  } catch (error) {
    report(systemCode(error) ?? 'failed');
    throw explain(error, options, operation);
  }
  report(String(answer.status));
  return readAnswer(operation, answer, options);
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
  { baseUrl, timeoutMs, signal, usesProxy }: RemoteOptions,
  operation: OperationName,
  fields: Record<string, unknown>,
): Promise<Answer> {
  const { method, path } = operations[operation];
  const url = new URL(baseUrl);
  url.pathname = baseUrl.pathname.replace(/\/+$/, '') + path;
  if (method === 'GET') {
    for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, String(value));
  }
  const connection = { isOpen: false };
  const dispatcher: Dispatcher = usesProxy ? new EnvHttpProxyAgent() : directAgent(connection);
  try {
    const response = await send(url, {
      method,
      dispatcher,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: { accept: 'application/json', ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
      ...(method === 'POST' ? { body: JSON.stringify(fields) } : {}),
    });
    return { status: response.statusCode, body: await readBody(response.body) };
  } catch (error) {
    const isUnsent = usesProxy ? isConnectFailure(error) : !connection.isOpen;
    throw isUnsent && !signal.aborted ? new Unsent(undefined, { cause: error }) : error;
  } finally {
    // One connection a request: a POST on a kept-alive socket that the server closes would leave its outcome unknown.
    void dispatcher.destroy();
  }
}

function directAgent(connection: { isOpen: boolean }): Agent {
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
    const message = isPost ? `Interrupted while ${path} was under way: it may have been carried out.` : undefined;
    return new InterruptedError(message, isPost ? { hint: CHECK_FIRST } : {});
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

function reason(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no full answer within ${timeoutMs / 1000} s`;
  // Where a host has several addresses, each failure is told apart; the first one says enough.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(first) ?? '';
  const said = first instanceof Error ? first.message : String(first);
  return REASONS[code] ?? said.split('\n')[0]?.trim() ?? said;
}

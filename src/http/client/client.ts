/**
 * The remote client: a Backend over HTTP. GETs carry the credentials in the query, POSTs in the body, and no header holds any.
 *
 * The meaning of a failure depends on what may have been sent. Until a connection is open, nothing was sent, so it is safe to
 * try again (UnavailableError). Once it is open, a POST may have placed a call whether or not a reply arrives; unless the
 * service clearly refused it, the outcome is unknown (OutcomeUnknownError). Redirects are never followed, because they would
 * take the key to another address.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
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
} from '../../contract.ts';
import { InputError, OutcomeUnknownError, systemCode, UnavailableError, VagentError } from '../../errors.ts';
import { type Connections, openConnections } from './connections.ts';
import { exchange, type Way } from './exchange.ts';
import { explain, interrupted, isTransientCause } from './explain.ts';
import type { HttpProxy } from './proxy.ts';
import { type Reply, readReply } from './reply.ts';
import { Lane, type Outcome, repeat, type Time } from './retry.ts';

interface RemoteOptions {
  /** With or without a path prefix and a trailing slash. */
  baseUrl: URL;
  /** Milliseconds for the whole request: connecting, sending, waiting and the body, repeated attempts included. */
  timeoutMs: number;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** The proxy through which the service is reached, if any. */
  proxy: HttpProxy | undefined;
  /** Masks the key. It runs before a service's words are shortened, because half a key is a leak too. */
  redact(text: string): string;
  /** Called after each request; `result` is a status or an error code, `date` the service's clock. */
  onRequest(request: FinishedRequest): void;
  /** From 0 to below 1; decides the wait before an attempt is repeated. */
  random(): number;
  /** This machine's clock, in milliseconds: it goes on while the machine sleeps, and timers do not. */
  now(): number;
}

export interface FinishedRequest {
  method: string;
  path: string;
  result: string;
  ms: number;
  attempt: number;
  /** The reply's header Date, if there was one. */
  date: string | undefined;
}

export function remoteBackend(options: RemoteOptions): Backend {
  const lane = new Lane();
  const { baseUrl, proxy, signal } = options;
  // Every request and every connection adds a listener, however many there are.
  setMaxListeners(0, signal);
  const connection = { ...options, lane, kept: openConnections(baseUrl, proxy, signal) };
  return (credentials) => serviceOf((operation, request) => run({ ...connection, credentials }, operation, request));
}

interface Connection extends RemoteOptions {
  lane: Lane;
  kept: Promise<Connections>;
  credentials: Credentials;
}

async function run<K extends OperationName>(
  connection: Connection,
  operation: K,
  request: RequestOf<K>,
): Promise<ResponseOf<K>> {
  const fields = { ...connection.credentials, ...wireFields(operation, request) };
  const { timeoutMs, random, signal, now } = connection;
  const latest = now() + timeoutMs;
  const time: Time = {
    now: () => performance.now(),
    sleep: (milliseconds) =>
      sleep(milliseconds, undefined, { signal }).catch(() => {
        throw interrupted(operation, true);
      }),
  };
  // Nothing orders the requests that change something.
  const lane = operations[operation].method === 'GET' ? connection.lane : new Lane();
  const attempt = (number: number, left: number) =>
    tryOnce({ ...connection, mayBegin: () => now() <= latest }, operation, fields, number, left);
  const response = await repeat(attempt, { lane, time, timeoutMs, random });
  // The reply to a POST shows as well that address and settings are right.
  connection.lane.hasReplied = true;
  return response;
}

async function tryOnce<K extends OperationName>(
  connection: Connection & Pick<Way, 'mayBegin'>,
  operation: K,
  fields: Record<string, unknown>,
  attempt: number,
  timeoutMs: number,
): Promise<Outcome<ResponseOf<K>>> {
  const { method, path } = operations[operation];
  const isGet = method === 'GET';
  const started = performance.now();
  const report = (result: string, date?: string) =>
    connection.onRequest({ method, path, result, ms: Math.round(performance.now() - started), attempt, date });
  let reply: Reply;
  try {
    // A repeated request gets a new connection, because the other kept ones may be closed as well. A POST always does: on a
    // closed connection nobody would know whether it had arrived.
    reply = await exchange(connection, operation, fields, { isAlone: !isGet || attempt > 1, timeoutMs });
  } catch (error) {
    report(systemCode(error) ?? 'failed');
    const explained = explain(error, connection, operation);
    // Unavailable: certainly not sent, or safe to send again.
    return {
      error: explained,
      mayTryAgain: explained instanceof UnavailableError && isTransientCause(error),
      isRefused: false,
      asked: {},
    };
  }
  report(String(reply.status), reply.date);
  try {
    return { response: readReply(operation, reply, connection) };
  } catch (error) {
    const { status } = reply;
    const hasFailed = status === 429 || status >= 500 || (status < 300 && error instanceof UnavailableError);
    return {
      error: explainReading(error, connection, operation),
      mayTryAgain: isGet && hasFailed,
      isRefused: status === 429 || status === 503,
      asked: reply,
    };
  }
}

/** The given fields, checked against the contract. Fields left out are not sent, so the service's defaults apply. */
function wireFields<K extends OperationName>(operation: K, request: RequestOf<K>): Record<string, unknown> {
  const checked = checkRequest(operation, request);
  if (!checked.ok) {
    const { path } = operations[operation];
    throw new InputError(`The request to ${path} is invalid; nothing was sent.`, { issues: checked.issues });
  }
  const given = request as Record<string, unknown>;
  const sent = checked.value as Record<string, unknown>;
  const names = requestFields(operation).filter((name) => given[name] !== undefined && given[name] !== null);
  return Object.fromEntries(names.map((name) => [name, sent[name]]));
}

/** If the reply to a POST cannot be read, the request was still received and may have been carried out. */
function explainReading(error: unknown, { baseUrl }: RemoteOptions, operation: OperationName): Error {
  const { method, path } = operations[operation];
  if (error instanceof VagentError || method === 'GET') return error as Error;
  const message = `The answer of ${baseUrl.host} to ${path} could not be read. It may have been carried out.`;
  return new OutcomeUnknownError(message, { cause: error });
}

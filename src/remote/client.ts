/**
 * The remote client: a Backend over HTTP. GETs carry the credentials in the query, POSTs in the body, and no header holds any.
 *
 * The meaning of a failure depends on what may have been sent. Until a connection is open, nothing was sent, so it is safe to
 * try again (UnavailableError). Once it is open, a POST may have placed a call whether or not an answer arrives; unless the
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
} from '../contract.ts';
import { InputError, OutcomeUnknownError, systemCode, UnavailableError, VagentError } from '../errors.ts';
import { type Answer, readAnswer } from './answer.ts';
import { type Connections, openConnections } from './connections.ts';
import { exchange, type Way } from './exchange.ts';
import { explain, interrupted, isTransientCause } from './explain.ts';
import type { HttpProxy } from './proxy.ts';
import { Lane, waitBefore } from './retry.ts';

export interface RemoteOptions {
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
}

export interface FinishedRequest {
  method: string;
  path: string;
  result: string;
  ms: number;
  attempt: number;
  /** The answer's header Date, if there was one. */
  date: string | undefined;
}

export function remoteBackend(options: RemoteOptions): Backend {
  const lane = new Lane();
  const { baseUrl: service, proxy, signal } = options;
  // Every request and every connection adds a listener, however many there are.
  setMaxListeners(0, signal);
  let opened: Promise<Connections> | undefined;
  const kept = () => {
    opened ??= openConnections({ service, proxy }, signal);
    return opened;
  };
  const connection = { ...options, lane, kept };
  return (credentials) => serviceOf((operation, request) => run({ ...connection, credentials }, operation, request));
}

interface Connection extends RemoteOptions {
  lane: Lane;
  kept: Way['kept'];
  credentials: Credentials;
}

async function run<K extends OperationName>(
  connection: Connection,
  operation: K,
  request: RequestOf<K>,
): Promise<ResponseOf<K>> {
  const fields = { ...connection.credentials, ...wireFields(operation, request) };
  let deadline: number | undefined;
  let failure: Error | undefined;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(connection, operation, fields, attempt, () => {
      deadline ??= performance.now() + connection.timeoutMs;
      const left = deadline - performance.now();
      // The deadline may have passed while other requests had their turn.
      if (left <= 0 && failure !== undefined) throw failure;
      return left;
    });
    if ('response' in outcome) return outcome.response;
    failure = outcome.error;
    const wait = outcome.mayTryAgain ? waitBefore(attempt + 1, outcome.asked, connection.random) : undefined;
    if (wait === undefined || performance.now() + wait >= (deadline ?? 0)) throw outcome.error;
    if (outcome.isThrottled) connection.lane.narrow(wait);
    await sleep(wait, undefined, { signal: connection.signal }).catch(() => {
      throw interrupted(operation, true);
    });
  }
}

type Outcome<K extends OperationName> =
  | { response: ResponseOf<K> }
  | { error: Error; mayTryAgain: boolean; isThrottled: boolean; asked: Pick<Answer, 'retryAfter' | 'date'> };

/** One attempt. `millisecondsLeft` is called when it begins: waiting in the lane before the first attempt does not count. */
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
    const timeoutMs = millisecondsLeft();
    started = performance.now();
    // A repeated request gets a new connection, because the other kept ones may be closed as well. A POST always does: on a
    // closed connection nobody would know whether it had arrived.
    return exchange(connection, operation, fields, { isAlone: !isGet || attempt > 1, timeoutMs });
  };
  let answer: Answer;
  try {
    answer = await (isGet ? lane.enter(send, signal) : send());
  } catch (error) {
    // The deadline has passed: the result of the attempt before is reported.
    if (error instanceof VagentError) throw error;
    report(systemCode(error) ?? 'failed');
    const explained = explain(error, connection, operation);
    // Unavailable: certainly not sent, or safe to send again.
    return {
      error: explained,
      mayTryAgain: explained instanceof UnavailableError && isTransientCause(error),
      isThrottled: false,
      asked: { retryAfter: undefined, date: undefined },
    };
  }
  report(String(answer.status), answer.date);
  try {
    return { response: readAnswer(operation, answer, connection) };
  } catch (error) {
    const { status } = answer;
    const isThrottled = status === 429;
    const hasFailed = isThrottled || status >= 500 || (status < 300 && error instanceof UnavailableError);
    return {
      error: explainReading(error, connection, operation),
      mayTryAgain: isGet && hasFailed,
      isThrottled,
      asked: answer,
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

/** If the answer to a POST cannot be read, the request was still received and may have been carried out. */
function explainReading(error: unknown, { baseUrl }: RemoteOptions, operation: OperationName): Error {
  const { method, path } = operations[operation];
  if (error instanceof VagentError || method === 'GET') return error as Error;
  const message = `The answer of ${baseUrl.host} to ${path} could not be read. It may have been carried out.`;
  return new OutcomeUnknownError(message, { cause: error });
}

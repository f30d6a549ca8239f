/**
 * The remote client: a Backend over HTTP. GETs carry the credentials in the query, POSTs in the body, no header holds any.
 *
 * What a failure means depends on what may have left. Before a connection stands nothing was sent, so it is safe to try
 * again (UnavailableError). Once it stands, a POST may have placed a call whatever comes back or does not, and unless the
 * service says clearly that it refused, the outcome is unknown (OutcomeUnknownError). Redirects are never followed: they
 * would carry the key elsewhere.
 */
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
import { exchange } from './exchange.ts';
import { explain, interrupted, isPassing } from './explain.ts';
import { Lane, waitBefore } from './patience.ts';
import type { HttpProxy } from './proxy.ts';

export interface RemoteOptions {
  /** With or without a path prefix and a trailing slash. */
  baseUrl: URL;
  /** Milliseconds for the whole request: connect, send, wait and body, and the attempts that follow. */
  timeoutMs: number;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Through which the service is reached, if any. */
  proxy: HttpProxy | undefined;
  /** The flags that say which service is meant, for a command that is suggested; with a space before each. */
  connection: string;
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
  let failure: Error | undefined;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(connection, operation, fields, attempt, () => {
      deadline ??= performance.now() + connection.timeoutMs;
      const left = deadline - performance.now();
      // It may have passed while others had their turn.
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
    const timeoutMs = millisecondsLeft();
    started = performance.now();
    return exchange(connection, operation, fields, timeoutMs);
  };
  let answer: Answer;
  try {
    answer = await (isGet ? lane.enter(send, signal) : send());
  } catch (error) {
    // The deadline has passed: what came of the attempt before is what there is to say.
    if (error instanceof VagentError) throw error;
    report(systemCode(error) ?? 'failed');
    const explained = explain(error, connection, operation);
    // Unavailable: surely not sent, or harmless to send again.
    return {
      error: explained,
      mayTryAgain: explained instanceof UnavailableError && isPassing(error),
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

/** Whatever goes wrong with the answer to a POST, the request was received: it may have been carried out. */
function explainReading(error: unknown, { baseUrl }: RemoteOptions, operation: OperationName): Error {
  const { method, path } = operations[operation];
  if (error instanceof VagentError || method === 'GET') return error as Error;
  const message = `What ${baseUrl.host} answered ${path} could not be read. It may have been carried out.`;
  return new OutcomeUnknownError(message, { cause: error });
}

/** What a failure of the way to the service means, in words: whether anything was sent, and what to do. */
import { type OperationName, operations } from '../contract.ts';
import { InterruptedError, OutcomeUnknownError, systemCode, UnavailableError } from '../errors.ts';
import { UnreadableBody } from './body.ts';
import { ProxyError } from './connection.ts';
import { DeadlinePassed, Unsent } from './exchange.ts';

export interface Way {
  baseUrl: URL;
  /** Milliseconds for the whole request. */
  timeoutMs: number;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** The flags that say which service is meant, with a space before each. */
  connection: string;
}

/** The error of exit code 7, 8 or 130 that a failed exchange is. */
export function explain(error: unknown, way: Way, operation: OperationName): Error {
  if (way.signal.aborted) return interrupted(operation, error instanceof Unsent);
  if (error instanceof Unsent) return unreached(error, way);
  const { path, method } = operations[operation];
  const { host } = way.baseUrl;
  const message =
    error instanceof UnreadableBody
      ? `What ${host} answered ${path} cannot be read: ${error.message}.`
      : `${host} did not answer ${path}: ${reason(error, `no full answer within ${seconds(way)}`)}.`;
  if (method === 'POST') return new OutcomeUnknownError(`${message} It may have been carried out.`, { cause: error });
  return new UnavailableError(message, {
    hint: isPassing(error) ? 'Nothing was changed: try again.' : 'Nothing was changed.',
    cause: error,
  });
}

/** An interrupt, and whether a request that changes something was under way. */
export function interrupted(operation: OperationName, isUnsent: boolean): InterruptedError {
  const { path, method } = operations[operation];
  if (method === 'GET') return new InterruptedError();
  if (isUnsent) return new InterruptedError('Interrupted: nothing was sent.');
  return new InterruptedError(`Interrupted while ${path} was under way: it may have been carried out.`, {}, true);
}

/** Whether the same request may well fare better a moment later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof UnreadableBody) return error.isPassing;
  const cause = error instanceof Unsent ? error.cause : error;
  if (cause instanceof ProxyError) return cause.status === undefined || cause.status >= 500;
  return systemCode(cause) !== 'HPE_HEADER_OVERFLOW';
}

function unreached({ cause }: Unsent, way: Way): UnavailableError {
  const { host } = way.baseUrl;
  const tooLong = `no connection within ${seconds(way)}`;
  if (cause instanceof ProxyError) return unreachedByProxy(cause, host, tooLong);
  const isUntrusted = UNTRUSTED.has(systemCode(cause) ?? '');
  return new UnavailableError(`Cannot reach ${host}: ${reason(cause, tooLong)}. Nothing was sent.`, {
    hint: isUntrusted
      ? 'If an authority of your own signed it, name a file with the certificate of that in NODE_EXTRA_CA_CERTS.'
      : `Check the base URL and the network, then try again; vagent doctor${way.connection} looks for the cause.`,
    cause,
  });
}

function unreachedByProxy(error: ProxyError, host: string, tooLong: string): UnavailableError {
  const { url, variable } = error.proxy;
  const { status, cause } = error;
  if (status === undefined) {
    const message = `Cannot reach ${host} through the proxy ${url.host}: ${reason(cause, tooLong)}. Nothing was sent.`;
    return new UnavailableError(message, { hint: `Check ${variable} and NO_PROXY, then try again.`, cause: error });
  }
  const isAboutCredentials = status === 407 || status === 403 || status === 401;
  return new UnavailableError(`The proxy ${url.host} refused to connect to ${host} (${status}). Nothing was sent.`, {
    hint: isAboutCredentials
      ? `Check the user name and password in ${variable}, and what they may reach.`
      : `Check the base URL, ${variable} and NO_PROXY, then try again.`,
    cause: error,
  });
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve at the moment',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'connecting took too long',
  HPE_HEADER_OVERFLOW: 'its headers are too long',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed and cannot be verified',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate cannot be verified',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate cannot be verified',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS',
  EPROTO: 'TLS was refused',
};

/** Certificates of nobody that node knows. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

function seconds({ timeoutMs }: Way): string {
  return `${timeoutMs / 1000} s (--timeout)`;
}

function reason(error: unknown, tooLong: string): string {
  if (error instanceof DeadlinePassed) return tooLong;
  // Where a host has several addresses, each failure is told apart; the first one says enough.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(first) ?? '';
  const said = first instanceof Error ? first.message : String(first);
  if (REASONS[code] === undefined && code.startsWith('HPE_')) return 'it does not speak proper HTTP';
  // What OpenSSL says is a place in its own source; the code holds the words.
  if (REASONS[code] === undefined && code.startsWith('ERR_SSL_')) {
    return `TLS was refused (${code.slice('ERR_SSL_'.length).toLowerCase().replaceAll('_', ' ')})`;
  }
  return REASONS[code] ?? said.split('\n')[0]?.trim() ?? said;
}

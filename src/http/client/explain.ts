/** What a failure on the way to the service means: whether anything was sent, and why it failed. */
import { type OperationName, operations } from '../../contract.ts';
import { InterruptedError, OutcomeUnknownError, type Reason, systemCode, UnavailableError } from '../../errors.ts';
import { DeadlinePassed, ProxyError, Unsent } from './connections.ts';
import { UnreadableBody, type Way } from './exchange.ts';

/** The way to the service, and the milliseconds for the whole request. */
type LimitedWay = Pick<Way, 'baseUrl' | 'signal'> & { timeoutMs: number };

/** The error of exit code 7, 8 or 130 for a failed exchange. */
export function explain(error: unknown, way: LimitedWay, operation: OperationName): Error {
  if (way.signal.aborted) return interrupted(operation, error instanceof Unsent);
  if (error instanceof Unsent) return unreached(error, way);
  const { path, method } = operations[operation];
  const { host } = way.baseUrl;
  const message =
    error instanceof UnreadableBody
      ? `The answer of ${host} to ${path} cannot be read: ${error.message}.`
      : `${host} did not answer ${path}: ${causeInWords(error, `no full answer ${within(way)}`)}.`;
  const limit = limitIn(error, way);
  if (method === 'POST') {
    const reason = { kind: 'outcome_unknown' as const, limit };
    return new OutcomeUnknownError(`${message} It may have been carried out.`, { reason, cause: error });
  }
  const reason = { kind: 'unanswered' as const, isTransient: isTransientCause(error), limit };
  return new UnavailableError(message, { reason, cause: error });
}

/** The error of an interrupt; it says whether a request that changes something was under way. */
export function interrupted(operation: OperationName, isUnsent: boolean): InterruptedError {
  const { path, method } = operations[operation];
  if (method === 'GET') return new InterruptedError();
  if (isUnsent) return new InterruptedError('Interrupted: nothing was sent.');
  return new InterruptedError(`Interrupted while ${path} was under way: it may have been carried out.`, {}, true);
}

/** Whether the same request may well succeed a moment later. */
export function isTransientCause(error: unknown): boolean {
  if (error instanceof UnreadableBody) return error.isTransient;
  const cause = error instanceof Unsent ? error.cause : error;
  if (cause instanceof ProxyError) return cause.status === undefined || cause.status >= 500;
  return systemCode(cause) !== 'UND_ERR_HEADERS_OVERFLOW';
}

function unreached({ cause }: Unsent, way: LimitedWay): UnavailableError {
  const { host } = way.baseUrl;
  const failed = (what: string, reason: Reason) =>
    new UnavailableError(`${what}. Nothing was sent.`, { reason, cause });
  const why = (of: unknown) => causeInWords(of, `no connection ${within(way)}`);
  if (!(cause instanceof ProxyError)) {
    const reason = {
      kind: 'unreachable',
      isUntrusted: isOfUnknownAuthority(cause),
      limit: limitIn(cause, way),
    } as const;
    return failed(`Cannot reach ${host}: ${why(cause)}`, reason);
  }
  const { proxy, status } = cause;
  const { url, variable } = proxy;
  if (status === undefined) {
    const reason = { kind: 'proxy_unreachable', variable, limit: limitIn(cause.cause, way) } as const;
    return failed(`Cannot reach ${host} through the proxy ${url.host}: ${why(cause.cause)}`, reason);
  }
  const isAboutCredentials = [401, 403, 407].includes(status);
  const reason = { kind: 'proxy_refused', variable, isAboutCredentials } as const;
  return failed(`The proxy ${url.host} refused to connect to ${host} (${status})`, reason);
}

const CAUSES: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve at the moment',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'connecting took too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection was cut',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too long',
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

/** Whether a connection failed because no authority known to Node has signed the certificate. */
export function isOfUnknownAuthority(cause: unknown): boolean {
  return CAUSES[systemCode(cause) ?? '']?.endsWith('cannot be verified') === true;
}

function within({ timeoutMs }: LimitedWay): string {
  return `within ${timeoutMs / 1000} s`;
}

/** The timeout in words, if that is what ended the request. */
function limitIn(error: unknown, way: LimitedWay): string | undefined {
  return error instanceof DeadlinePassed ? within(way) : undefined;
}

/** Why a request failed, to complete a sentence; `tooLong` if its time was over. */
export function causeInWords(error: unknown, tooLong: string): string {
  if (error instanceof DeadlinePassed) return tooLong;
  // A host with several addresses fails once for each; the first failure says enough.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(first) ?? '';
  const message = first instanceof Error ? first.message : String(first);
  if (first instanceof Error && first.name === 'HTTPParserError') return 'it does not speak proper HTTP';
  // OpenSSL's message names a place in its own source code; the error code has the readable words.
  if (CAUSES[code] === undefined && code.startsWith('ERR_SSL_')) {
    return `TLS was refused (${code.slice('ERR_SSL_'.length).toLowerCase().replaceAll('_', ' ')})`;
  }
  return CAUSES[code] ?? message.split('\n')[0]?.trim() ?? message;
}

/** The errors of a database, in words that name no connection string. */
import { FileError, VagentError } from '../errors.ts';

/** SQLSTATE classes and codes that an operator can do something about. */
const TOLD: Record<string, string> = {
  '28P01': 'it does not accept the password',
  '28000': 'it does not let this user in',
  '3D000': 'it has no such database',
  '42501': 'this user has no right to do that',
  '53100': 'its disk is full',
  '53300': 'it has no connection left',
  '53200': 'it has no memory left',
  '55P03': 'another program has held its rows for too long',
  '57014': 'it took too long',
  '57P01': 'it is being shut down',
  '57P02': 'it has crashed and restarts',
  '57P03': 'it is starting up',
  '25006': 'it can only be read',
  '25P03': 'this program was too busy to go on in time',
  '08P01': 'what listens there is no PostgreSQL, or a pooler that takes no settings of a connection',
};
const OF_SYSTEM: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'its name cannot be looked up',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
};
/** Of its certificate. */
const OF_TLS: Record<string, string> = {
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by nobody whom this machine knows',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by nobody whom this machine knows',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by nobody whom this machine knows',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by nobody whom this machine knows',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is that of another name',
};

/** Errors of the driver, which have no code but these messages, and what can be done about them. */
const OF_DRIVER: Record<string, { why: string; hint?: string }> = {
  'timeout exceeded when trying to connect': {
    why: 'this program uses as many connections as it may, and none became free',
    hint: 'Try again when it has less to do.',
  },
  'Connection terminated due to connection timeout': {
    why: 'it does not answer',
    hint: 'Check the host and the port, and that PostgreSQL is what listens there.',
  },
  'Client has encountered a connection error and is not queryable': { why: 'the connection was cut' },
  'Client was closed and is not queryable': { why: 'the connection was cut' },
};
/** The same of those that do not pass by themselves. */
const OF_TLS_SETUP: typeof OF_DRIVER = {
  'The server does not support SSL connections': {
    why: 'it takes no encrypted connections',
    hint: 'Write sslmode=disable in the address if nobody between can read along.',
  },
  'There was an error establishing an SSL connection': { why: 'it cannot begin an encrypted connection' },
};
const NO_PASSWORD = {
  why: 'it asks for a password, and none was given',
  hint: 'Set PGPASSWORD, or write a line into ~/.pgpass.',
};
const ONLY_ENCRYPTED = {
  why: 'it lets this user in by no connection that is not encrypted',
  hint: 'Write ?sslmode=verify-full at the end of the address.',
};

/** Of PostgreSQL or of the system; where a connection ends in the middle, the driver gives none. */
export function codeOf(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  return /^Connection terminated( unexpectedly)?$/.test(String(message)) ? 'ECONNRESET' : undefined;
}

/** The error code of what may pass by itself: the database cannot be reached, or is busy. */
const DATABASE_UNAVAILABLE = 'database_unavailable';

const MAY_PASS = new Set(['53300', '55P03', '57014', '57P01', '57P02', '57P03', ...Object.keys(OF_SYSTEM)]);

/** The error as one sentence about the database at `where`; what is none of a database stays what it is. */
export function databaseError(error: unknown, doing: string, where: string, hint?: string): Error {
  if (error instanceof VagentError) return error;
  const told = reasonOf(error);
  if (told === undefined) return error instanceof Error ? error : new Error(String(error));
  const code = codeOf(error);
  const isPassing = code === undefined ? OF_DRIVER[messageOf(error)] !== undefined : MAY_PASS.has(code);
  return new FileError(`Cannot ${doing} the database at ${where}: ${told.why}.`, {
    ...(isPassing && { code: DATABASE_UNAVAILABLE }),
    hint: hint ?? told.hint,
    cause: error,
  });
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown } | null)?.message);
}

/** Undefined of an error that is none of a database. */
function reasonOf(error: unknown): { why: string; hint?: string } | undefined {
  const [code, message] = [codeOf(error), messageOf(error)];
  if (code === '28000' && /no encryption$/.test(message)) return ONLY_ENCRYPTED;
  // Of three ways to ask for one; the first two are the driver's, which has no text to work on.
  if (/password must be a(?: non-empty)? string|^The "string" argument must be|^fe_sendauth/.test(message))
    return NO_PASSWORD;
  if (code === undefined)
    return (
      OF_DRIVER[message] ??
      OF_TLS_SETUP[message] ??
      (/^SASL: /.test(message) ? { why: 'it does not know who it talks to' } : undefined)
    );
  const why = TOLD[code] ?? OF_SYSTEM[code] ?? OF_TLS[code];
  if (why !== undefined) return { why };
  return SQLSTATE.test(code) ? { why: `it reports error ${code}` } : undefined;
}

const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** `look` says where it shows whether the change was made. */
export function unknownCommit(where: string, look: string, cause?: unknown): FileError {
  return new FileError(`The connection to the database at ${where} was lost while a change was made.`, {
    hint: `It is not known whether it was made: ${look} before you repeat it.`,
    cause,
  });
}

/** `name`: what is kept there. */
export function olderTables(name: string, where: string, cause: unknown): FileError {
  return new FileError(
    `The tables of the database at ${where} are of an older version, and this user may not change them.`,
    {
      hint: `Let the user who owns them make any change once. The ${name} is as it was before.`,
      cause,
    },
  );
}

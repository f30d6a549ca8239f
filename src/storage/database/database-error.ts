/** The errors of a database, in words that name no connection string. */
import { FileError, VagentError } from '../../errors.ts';

interface Told {
  why: string;
  hint?: string;
}

/** Of the connection, for the driver's function that looks for a password. */
export const NO_PASSWORD = 'no_password';
/** Of a file for encryption that cannot be read. */
export const NOT_FOR_TLS = 'not_for_tls';
export const CANNOT_WRITE = '25006';
export const NO_POOLER = 'Name PostgreSQL itself in the address, and not a pooler such as PgBouncer.';

/** SQLSTATE codes with which an operator can do something by other means than waiting. */
const WITH_FIX: Record<string, Told> = {
  '28P01': {
    why: 'it does not accept the password',
    hint: 'Set PGPASSWORD or the line in ~/.pgpass to the one of the user in the address.',
  },
  '28000': {
    why: 'it does not let this user in',
    hint: 'Name another user in the address, or let its administrator add this one to pg_hba.conf.',
  },
  '3D000': { why: 'it has no such database', hint: 'Name another in the address, or make it: createdb.' },
  [CANNOT_WRITE]: {
    why: 'it can only be read',
    hint: 'Name the primary in the address, or let its owner set default_transaction_read_only to off.',
  },
  '08P01': { why: 'a pooler answers there, or something that is no PostgreSQL', hint: NO_POOLER },
};
/** The others. */
const TOLD: Record<string, string> = {
  '42501': 'this user has no right to do that',
  '53100': 'its disk is full',
  '53300': 'it has no connection left',
  '53200': 'it has no memory left',
  '55P03': 'another program has held its rows for too long',
  '57014': 'it took too long',
  '57P01': 'it is being shut down',
  '57P02': 'it has crashed and restarts',
  '57P03': 'it is starting up',
  '25P03': 'this program was too busy to go on in time',
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
const UNTRUSTED: Told = {
  why: 'its certificate is signed by nobody whom this machine knows',
  hint: 'Write sslrootcert=<file> after the ? of the address, with the certificate of who signed it.',
};
/** Of its certificate. */
const OF_TLS: Record<string, Told> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: { why: 'its certificate has expired', hint: 'Let its administrator renew it.' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: 'its certificate is that of another name',
    hint: 'Write the name that stands in the certificate as the host of the address.',
  },
};

/** Errors of the driver, which have no code but these messages, and what can be done about them. */
const OF_DRIVER: Record<string, Told> = {
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
const NO_TLS = 'There was an error establishing an SSL connection';
/** The same of those that do not pass by themselves. */
const OF_TLS_SETUP: typeof OF_DRIVER = {
  'The server does not support SSL connections': {
    why: 'it takes no encrypted connections',
    hint: 'Write sslmode=disable after the ? of the address if nobody between can read along.',
  },
  'sslnegotiation=direct requires SSL to be enabled': {
    why: 'PGSSLNEGOTIATION asks for an encrypted connection, and the address for none',
    hint: 'Write sslmode=verify-full after the ? of the address.',
  },
  [NO_TLS]: { why: 'it cannot begin an encrypted connection' },
};
const BAD_FILES: Told = {
  why: 'the files that its address names for encryption are missing, or are none',
  hint: 'After its ? stand sslrootcert, sslcert and sslkey: files in PEM that this user may read.',
};
const ODD_PROOF: Told = {
  why: 'what it says of the password is not what PostgreSQL would say',
  hint: 'Check the host and the port of the address.',
};
const NOT_GIVEN: Told = {
  why: 'it asks for a password, and none was given',
  hint: 'Set PGPASSWORD, or write a line into ~/.pgpass.',
};
const LOOSE_FILE: Told = {
  why: 'it asks for a password, and others may read the file that should hold it',
  hint: 'chmod 600 ~/.pgpass, or the file that PGPASSFILE names.',
};
const ONLY_ENCRYPTED: Told = {
  why: 'it lets this user in by no connection that is not encrypted',
  hint:
    'Write sslmode=verify-full after the ? of the address; if that is refused too, let its administrator add ' +
    'this user to pg_hba.conf.',
};

/** Of PostgreSQL or of the system; where a connection ends in the middle, the driver gives none. */
export function codeOf(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  return /^Connection terminated( unexpectedly)?$/.test(String(message)) ? 'ECONNRESET' : undefined;
}

/** The error code of what may pass by itself: the database cannot be reached, or is busy. */
export const DATABASE_UNAVAILABLE = 'database_unavailable';

const MAY_PASS = new Set(['53300', '55P03', '57014', '57P01', '57P02', '57P03', ...Object.keys(OF_SYSTEM)]);

/** The error as one sentence about the database at `where`; what is none of a database stays what it is. */
export function databaseError(error: unknown, doing: string, where: string, hint?: string): Error {
  if (error instanceof VagentError) return error;
  const told = reasonOf(error);
  if (told === undefined) return error instanceof Error ? error : new Error(String(error));
  const code = codeOf(error);
  const isPassing = code === undefined ? OF_DRIVER[messageOf(error)] !== undefined : MAY_PASS.has(code);
  // To lock a row is to write, whatever is done with it.
  const what = code === CANNOT_WRITE ? 'write' : doing;
  return new FileError(`Cannot ${what} the database at ${where}: ${told.why}.`, {
    ...(isPassing && { code: DATABASE_UNAVAILABLE }),
    hint: [told.hint, hint].filter((one) => one !== undefined).join(' ') || undefined,
    cause: error,
  });
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown } | null)?.message);
}

/** Undefined of an error that is none of a database. */
function reasonOf(error: unknown): Told | undefined {
  const [code, message] = [codeOf(error), messageOf(error)];
  if (code === '28000' && /no encryption$/.test(message)) return ONLY_ENCRYPTED;
  if (code === NO_PASSWORD) return (error as { isLoose?: boolean }).isLoose ? LOOSE_FILE : NOT_GIVEN;
  if (code === undefined)
    return OF_DRIVER[message] ?? OF_TLS_SETUP[message] ?? (/^SASL: /.test(message) ? ODD_PROOF : undefined);
  const told = WITH_FIX[code] ?? OF_TLS[code];
  if (told !== undefined) return told;
  const why = TOLD[code] ?? OF_SYSTEM[code];
  if (why !== undefined) return { why };
  if (code === NOT_FOR_TLS || code.startsWith('ERR_OSSL_')) return BAD_FILES;
  if (/^(?:ERR_SSL_|EPROTO$)/.test(code)) return OF_TLS_SETUP[NO_TLS];
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

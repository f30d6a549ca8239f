/** The errors of a database, in words that name no connection string. */
import { FileError, VagentError } from '../../errors.ts';

/** Why something failed, and what can be done about it. */
type Told = readonly [why: string, hint?: string];

/** Of the connection, for the driver's function that looks for a password. */
export const NO_PASSWORD = 'no_password';
/** Of a file for encryption that cannot be read. */
export const NOT_FOR_TLS = 'not_for_tls';
export const CANNOT_WRITE = '25006';
export const NO_TABLE = '42P01';
export const NO_RIGHT = '42501';
export const NO_POOLER = 'Name PostgreSQL itself in the address, and not a pooler such as PgBouncer.';

const CUT: Told = ['the connection was cut'];
const UNREACHABLE: Told = ['it cannot be reached'];
const UNTRUSTED: Told = [
  'its certificate is signed by nobody whom this machine knows',
  'Write sslrootcert=<file> after the ? of the address, with the certificate of who signed it.',
];
const BAD_FILES: Told = [
  'the files that its address names for encryption are missing, or are none',
  'After its ? stand sslrootcert, sslcert and sslkey: files in PEM that this user may read.',
];
const NO_TLS: Told = ['it cannot begin an encrypted connection'];

/** What may pass by itself, by its SQLSTATE, the system's code, or the message of an error of the driver that has no code. */
const PASSING: Record<string, Told> = {
  '53300': ['it has no connection left'],
  '55P03': ['another program has held its rows for too long'],
  '57014': ['it took too long'],
  '57P01': ['it is being shut down'],
  '57P02': ['it has crashed and restarts'],
  '57P03': ['it is starting up'],
  ECONNREFUSED: ['nothing listens there'],
  ECONNRESET: CUT,
  EPIPE: CUT,
  ENOTFOUND: ['its name is unknown'],
  EAI_AGAIN: ['its name cannot be looked up'],
  ETIMEDOUT: ['it does not answer'],
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  'timeout exceeded when trying to connect': [
    'this program uses as many connections as it may, and none became free',
    'Try again when it has less to do.',
  ],
  'Connection terminated due to connection timeout': [
    'it does not answer',
    'Check the host and the port, and that PostgreSQL is what listens there.',
  ],
  'Client has encountered a connection error and is not queryable': CUT,
  'Client was closed and is not queryable': CUT,
};
/** The same of what does not. */
const LASTING: Record<string, Told> = {
  '28P01': [
    'it does not accept the password',
    'Set PGPASSWORD or the line in ~/.pgpass to the one of the user in the address.',
  ],
  '28000': [
    'it does not let this user in',
    'Name another user in the address, or let its administrator add this one to pg_hba.conf.',
  ],
  '3D000': ['it has no such database', 'Name another in the address, or make it: createdb.'],
  [CANNOT_WRITE]: [
    'it can only be read',
    'Name the primary in the address, or let its owner set default_transaction_read_only to off.',
  ],
  '08P01': ['a pooler answers there, or something that is no PostgreSQL', NO_POOLER],
  [NO_RIGHT]: ['this user has no right to do that'],
  '53100': ['its disk is full'],
  '53200': ['it has no memory left'],
  '25P03': ['this program was too busy to go on in time'],
  [NO_PASSWORD]: ['it asks for a password, and none was given', 'Set PGPASSWORD, or write a line into ~/.pgpass.'],
  [NOT_FOR_TLS]: BAD_FILES,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: ['its certificate has expired', 'Let its administrator renew it.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is that of another name',
    'Write the name that stands in the certificate as the host of the address.',
  ],
  'The server does not support SSL connections': [
    'it takes no encrypted connections',
    'Write sslmode=disable after the ? of the address if nobody between can read along.',
  ],
  'sslnegotiation=direct requires SSL to be enabled': [
    'PGSSLNEGOTIATION asks for an encrypted connection, and the address for none',
    'Write sslmode=verify-full after the ? of the address.',
  ],
  'There was an error establishing an SSL connection': NO_TLS,
};
const LOOSE_FILE: Told = [
  'it asks for a password, and others may read the file that should hold it',
  'chmod 600 ~/.pgpass, or the file that PGPASSFILE names.',
];
const ONLY_ENCRYPTED: Told = [
  'it lets this user in by no connection that is not encrypted',
  'Write sslmode=verify-full after the ? of the address; if that is refused too, let its administrator add ' +
    'this user to pg_hba.conf.',
];
const ODD_PROOF: Told = [
  'what it says of the password is not what PostgreSQL would say',
  'Check the host and the port of the address.',
];

/** Of PostgreSQL or of the system; where a connection ends in the middle, the driver gives none. */
export function codeOf(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  return /^Connection terminated( unexpectedly)?$/.test(String(message)) ? 'ECONNRESET' : undefined;
}

/** The error code of what may pass by itself: the database cannot be reached, or is busy. */
export const DATABASE_UNAVAILABLE = 'database_unavailable';

/** The error as one sentence about the database at `where`; what is none of a database stays what it is. */
export function databaseError(error: unknown, doing: string, where: string, hint?: string): Error {
  if (error instanceof VagentError) return error;
  const code = codeOf(error);
  const message = String((error as { message?: unknown } | null)?.message);
  const passing = PASSING[code ?? message];
  const [why, fix] = passing ?? lastingReason(error, code, message) ?? [];
  if (why === undefined) return error instanceof Error ? error : new Error(String(error));
  // To lock a row is to write, whatever is done with it.
  const what = code === CANNOT_WRITE ? 'write' : doing;
  return new FileError(`Cannot ${what} the database at ${where}: ${why}.`, {
    ...(passing !== undefined && { code: DATABASE_UNAVAILABLE }),
    hint: [fix, hint].filter((one) => one !== undefined).join(' ') || undefined,
    cause: error,
  });
}

/** Undefined of an error that is none of a database. */
function lastingReason(error: unknown, code: string | undefined, message: string): Told | undefined {
  if (code === undefined) return LASTING[message] ?? (/^SASL: /.test(message) ? ODD_PROOF : undefined);
  if (code === '28000' && /no encryption$/.test(message)) return ONLY_ENCRYPTED;
  if (code === NO_PASSWORD && (error as { isLoose?: boolean }).isLoose) return LOOSE_FILE;
  if (LASTING[code] !== undefined) return LASTING[code];
  if (code.startsWith('ERR_OSSL_')) return BAD_FILES;
  if (/^(?:ERR_SSL_|EPROTO$)/.test(code)) return NO_TLS;
  return SQLSTATE.test(code) ? [`it reports error ${code}`] : undefined;
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

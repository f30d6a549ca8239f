/** Where a store or a register is: a folder, or a database by its address, postgres://user@host:port/database?schema=name. */
import { resolve } from 'node:path';
import { InputError } from '../../errors.ts';
import { quietly } from './file-system.ts';

const ADDRESS = /^postgres(ql)?:\/\//i;
/** Some editors put it before a text. It counts as a blank, and nobody sees it in the name of a folder. */
const BYTE_ORDER_MARK = '\ufeff';
const HOW = 'Write it like postgres://user@host:5432/database, with the password in PGPASSWORD or ~/.pgpass';

/** Throws InputError if it is a misspelt address: as a folder it would be another one, which knows of nobody. */
export function isDatabase(place: string): boolean {
  const isAddress = ADDRESS.test(place.trim());
  if (!isAddress) requireFolder(place, 'store or the register');
  return isAddress;
}

/**
 * A place as somebody wrote it, without quotes around it, which some files of settings keep, and blanks around an address.
 * `name` says what it is the place of, and where that was written. Throws InputError if it is a misspelt address; what stands in
 * it is not repeated, because a password may stand anywhere in it.
 */
export function readPlace(place: string, name: string): string {
  const [, , within = place] = /^\s*(["'])(.*)\1\s*$/s.exec(place) ?? [];
  if (!ADDRESS.test(within.trim())) {
    requireFolder(within, name);
    return within;
  }
  databaseAddress(within, { ...STORE, name });
  return within.trim();
}

function requireFolder(place: string, name: string): void {
  if (place.trim() === '') throw new InputError(`The place of the ${name} is blank.`);
  if (!place.includes(BYTE_ORDER_MARK) && !isLikeAddress(place.normalize('NFKC').trim())) return;
  throw new InputError(`The address of the ${name} begins with postgres://, and this one does not.`, {
    hint: `${HOW}. If it is a folder, write ./ before it.`,
  });
}

/** Whether nobody names a folder like this who knows of one: `me@host/calls`, `host:5432/calls`, `host=db`, `"…"`, `$DATABASE`. */
function isLikeAddress(text: string): boolean {
  const isPath = /^(\.{1,2}([/\\]|$)|\/(?!\/)|[~\\]|[a-z]:[/\\])/i.test(text);
  const isQuoted = /^[^\p{L}\p{N}_.\-/~\\]|["'`\u201c\u201d\u2018\u2019\u00bb]$/u.test(text);
  const isListed = /(^|\s)(host|hostaddr|port|dbname|user|password|service|sslmode)\s*=/i.test(text);
  return (isQuoted && !isPath) || isListed || (!isPath && /[:@]|^[^/\\]*[/\\]{2}|\s-[a-z]/i.test(text));
}

/** The same for the same store, whatever the working folder. */
export function storeKey(place: string): string {
  return isDatabase(place) ? storeName(place) : resolve(place);
}

/** A store as people are told of it: of a database its host, port, name and schema, and nobody's user or password. */
export function storeName(place: string): string {
  return isDatabase(place) ? databaseAddress(place, STORE).name : place;
}

/** What is at an address. */
export interface Named {
  /** As people call it: `store`. */
  name: string;
  /** Of its tables, unless the address names another. */
  schema: string;
}

const STORE: Named = { name: 'store', schema: 'vagent' };

export interface DatabaseAddress {
  /** For the driver. */
  url: string;
  schema: string;
  name: string;
}

const DEFAULT_PORT = '5432';
/** After the `?`. Anything else could change which tables are meant, or for how long a lock is waited for. */
const TAKEN = new Set(['schema', 'host', 'user', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert']);

/** What the driver takes for `verify-full`, with a warning of its own. */
const AS_VERIFY_FULL = new Set(['prefer', 'require', 'verify-ca']);
const SSL_MODES = ['disable', 'no-verify', ...AS_VERIFY_FULL, 'verify-full'];

/** Throws InputError; what stands in the address is not repeated, because a password may stand anywhere in it. */
export function databaseAddress(place: string, named: Named): DatabaseAddress {
  const refused = (what: string, hint?: string) => new InputError(what.replace('#', named.name), { hint });
  const url = readAddress(place.trim());
  if (url === undefined) throw refused('The # is no address of a database.', `${HOW}.`);
  if (url.password !== '' || url.searchParams.has('password'))
    throw refused('The address of the # holds a password, which others could read.', `${HOW}.`);
  const isUnknown = [...url.searchParams.keys()].some((name) => !TAKEN.has(name));
  if (isUnknown || new Set(url.searchParams.keys()).size < url.searchParams.size) {
    const once = `each of ${[...TAKEN].join(', ')} may stand there once`;
    throw refused(`The address of the # says after its ? what is not taken from there: ${once}.`);
  }
  const schema = url.searchParams.get('schema') ?? named.schema;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw refused('The schema in the address of the # is no name: small letters, digits and _ make one.');
  const sslMode = url.searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode))
    throw refused(`The sslmode in the address of the # is none of ${SSL_MODES.join(', ')}.`);
  url.searchParams.delete('schema');
  if (url.hostname !== '' && url.searchParams.has('host'))
    throw refused('The address of the # names two hosts: one before its ?, and one after it.');
  // Whatever PGHOST, PGPORT and PGDATABASE say, and whoever asks: the same address is the same database.
  const host = url.hostname || url.searchParams.get('host') || 'localhost';
  const port = url.port || DEFAULT_PORT;
  const database = decodeURIComponent(url.pathname.slice(1)) || 'postgres';
  if (url.hostname === '') url.searchParams.set('host', host);
  if (AS_VERIFY_FULL.has(sslMode ?? '')) url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('port', port);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { url: url.href, schema, name: `${host}:${port}/${database}, schema ${schema}` };
}

/** Undefined if it is none: where one sign is missing or too much, part of a password would be taken for something else. */
function readAddress(place: string): URL | undefined {
  const [, authority = '', path = ''] = /^\w+:\/\/([^/?#]*)([^?#]*)/.exec(place) ?? [];
  const isOdd = /[\s\p{Cc}\p{Cf}"'`<>\\^#]|[\uff00-\uffef]/u.test(place);
  if (isOdd || authority.split('@').length > 2 || /[:@]|\/.*\//.test(path)) return undefined;
  return quietly(() => {
    const url = new URL(place);
    decodeURIComponent(url.pathname);
    return decodeURIComponent(url.username).includes(':') ? undefined : url;
  });
}

/** Where a store or a register is: a folder, or a database by its address, postgres://user@host:port/database?schema=name. */
import { resolve } from 'node:path';
import { InputError } from '../errors.ts';

/** Throws InputError if it is the address of something else: as a folder it would be another one, which knows of nobody. */
export function isDatabase(place: string): boolean {
  if (/^postgres(ql)?:\/\//i.test(place)) return true;
  if (!/^[a-z][a-z0-9+.-]+:\//i.test(place)) return false;
  throw new InputError('The address of a store or a register begins with postgres://, and this one does not.', {
    hint: 'If it is a folder, write ./ before it.',
  });
}

/** The same for the same store, whatever the working folder. */
export function storeKey(place: string): string {
  return isDatabase(place) ? nameOfDatabase(place) : resolve(place);
}

/** A store as people are told of it: of a database its host, port, name and schema, and nobody's user or password. */
export function storeName(place: string): string {
  return isDatabase(place) ? nameOfDatabase(place) : place;
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

/** Throws InputError; what stands in the address is not repeated, because a password may stand anywhere in it. */
export function databaseAddress(place: string, named: Named): DatabaseAddress {
  const hint = 'Write it like postgres://user@host:5432/database, with the password in PGPASSWORD or ~/.pgpass.';
  let url: URL;
  try {
    url = new URL(place);
  } catch {
    throw new InputError(`The ${named.name} is no address of a database.`, { hint });
  }
  if (url.password !== '' || url.searchParams.has('password')) {
    throw new InputError(`The address of the ${named.name} holds a password, which others could read.`, { hint });
  }
  const unknown = [...url.searchParams.keys()].some((name) => !TAKEN.has(name));
  if (unknown || new Set(url.searchParams.keys()).size < url.searchParams.size) {
    const what = `The address of the ${named.name} says after its ? what is not taken from there`;
    throw new InputError(`${what}: each of ${[...TAKEN].join(', ')} may stand there once.`);
  }
  const schema = url.searchParams.get('schema') ?? named.schema;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const what = `The schema in the address of the ${named.name} is no name`;
    throw new InputError(`${what}: small letters, digits and _ make one.`);
  }
  url.searchParams.delete('schema');
  if (url.hostname !== '' && url.searchParams.has('host')) {
    throw new InputError(`The address of the ${named.name} names two hosts: one before its ?, and one after it.`);
  }
  // Whatever PGHOST, PGPORT and PGDATABASE say, and whoever asks: the same address is the same database.
  const host = url.hostname || url.searchParams.get('host') || 'localhost';
  const port = url.port || DEFAULT_PORT;
  const database = decodeURIComponent(url.pathname.slice(1)) || 'postgres';
  if (url.hostname === '') url.searchParams.set('host', host);
  url.searchParams.set('port', port);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { url: url.href, schema, name: `${host}:${port}/${database}, schema ${schema}` };
}

function nameOfDatabase(place: string): string {
  return databaseAddress(place, STORE).name;
}

/** Which texts are a folder, which the address of a database, and which are refused because they are neither for sure. */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/errors.ts';
import { isDatabase, readPlace, storeKey } from '../../src/storage/files/store-place.ts';

const SECRET = 'sesame';

describe('a misspelt address of a database is refused in one sentence that does not show it', () => {
  test.each([
    ['a blank', ' '],
    ['blanks of several kinds', '\t\u00a0\n'],
    ['quotes of the other kind', `'postgres://me:sesame@db/calls'`],
    ['typographic quotes', `\u201cpostgres://me@db/calls\u201d`],
    ['a quote at its end', 'postgres://me:sesame@db/calls"'],
    ['jdbc', 'jdbc:postgresql://db/calls?user=me&password=sesame'],
    ['another kind of database', 'mysql://me:sesame@db/calls'],
    ['no slashes', 'postgres:me:sesame@db'],
    ['one slash', 'postgresql:/me:sesame@db/calls'],
    ['three slashes and a host', 'postgres:///me:sesame@db/calls'],
    ['no colon', 'postgres//me:sesame@db/calls'],
    ['a semicolon for the colon', 'postgres;//me@db/calls'],
    ['a blank within', 'postgres: //me@db/calls'],
    ['a blank after the slashes', 'postgres:// me@db/calls'],
    ['a line break within', 'postgres://me@db/\ncalls'],
    ['wide signs', 'postgres\uff1a//me:sesame@db/calls'],
    ['quotes that differ', `"postgres://me@db/calls'`],
    ['a byte order mark before a folder', '\ufeff/srv/sesame'],
    ['a sign that nobody sees', '\u200bpostgres://me@db/calls'],
    ['a letter too few', 'postgre://me@db/calls'],
    ['a letter too many', 'postgress://me:sesame@db/calls'],
    ['no scheme', 'me:sesame@db.example.com/calls'],
    ['no scheme and no user', 'db.example.com:5432/calls'],
    ['one letter as the host', 'h:5432/d'],
    ['an address of IPv4', '127.0.0.1:5432/calls'],
    ['an address of IPv6', '[::1]:5432/calls'],
    ['only the slashes', '//me:sesame@db/calls'],
    ['a list of settings', 'host=db dbname=calls password=sesame'],
    ['a list in another order', 'dbname = calls host = db'],
    ['the command of another tool', 'psql postgres://me:sesame@db/calls'],
    ['the flags of another tool', 'psql -h db -U me calls'],
    ['a variable with its name', 'VAGENT_REGISTER=postgres://me:sesame@db/calls'],
    ['a variable that nobody filled in', '$DATABASE_URL'],
    ['a placeholder', '<postgres address>'],
    ['a password', 'postgres://me:sesame@db/calls'],
    ['a password with @', 'postgres://me:ses@me:sesame@db/calls'],
    ['a password with /', 'postgres://me:1/sesame@db/calls'],
    ['a password with #', 'postgres://me:1#sesame@db/calls'],
    ['a password with ?', 'postgres://me:1?sesame@db/calls'],
    ['a password in the name', 'postgres://me%3Asesame@db/calls'],
    ['a password after the name', 'postgres://me@sesame@db/calls'],
    ['a password as a setting', 'postgres://db/calls?password=sesame'],
    ['a mode of encryption that is none', 'postgres://db/calls?sslmode=sesame'],
    ['a port that is none', 'postgres://me@db:sesame/calls'],
    ['two databases', 'postgres://me@db/calls/sesame'],
    ['an escape that is none', 'postgres://me@db/%zz'],
    ['back slashes', 'postgres:\\\\me@db\\calls'],
  ])('%s', (_what, text) => {
    for (const read of [(place: string) => readPlace(place, 'register'), storeKey]) {
      const error = errorOf(() => read(text));
      expect(error).toBeInstanceOf(InputError);
      const { message, hint = '' } = error as InputError;
      expect(message).toMatch(/^[^.]*(\.[^ .]+)*\.$/);
      expect(message + hint).not.toContain(SECRET);
      expect(message + hint).not.toMatch(/me@|calls/);
    }
  });
});

test.each([
  'postgres://me@db.example.com/calls?schema=spring',
  'postgresql://db',
  'POSTGRES://me@db:5433/calls',
  'postgres:///calls?host=/var/run/postgresql',
  'postgres://me@[::1]:5432/calls?sslmode=require',
  'postgres://my%40name@db/a%20b',
])('an address is one, and blanks around it are no part of it: %s', (address) => {
  for (const text of [address, ` ${address}`, `${address}\r\n`, `\ufeff${address}\u00a0`]) {
    expect(isDatabase(text)).toBe(true);
    expect(readPlace(text, 'store')).toBe(address);
    expect(storeKey(text)).toBe(storeKey(address));
  }
  for (const text of [`"${address}"`, ` '${address}'\n`, `" ${address}"`])
    expect(readPlace(text, 'store')).toBe(address);
});

test.each([
  ...['store', 'a b', './me@host', './h:5432/d', '../"calls"', '/home/me@host/calls', '/srv/a:b', '~/calls'],
  ...[
    'C:\\calls',
    'c:/calls',
    './host=db',
    'it\u2019s',
    'postgres',
    'Übung',
    '.',
    '/',
    'a/b/c',
    'x=y',
    '.hidden',
    '\\\\server\\share',
  ],
])('a folder is one, as it is written: %s', (folder) => {
  expect(isDatabase(folder)).toBe(false);
  expect(readPlace(folder, 'store')).toBe(folder);
});

function errorOf(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    return error;
  }
}

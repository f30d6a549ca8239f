/** The errors of a database, in words; and whether to try again may help. */
import { expect, test } from 'vitest';
import { mayPass } from '../../src/calls/follow.ts';
import { UsageError } from '../../src/errors.ts';
import { databaseError } from '../../src/storage/database/database-error.ts';

const BAD_FILES = 'the files that its address names for encryption are missing, or are none';
const coded = (code: string) => Object.assign(new Error('secret@host'), { code });

test.each([
  ['nothing listens', coded('ECONNREFUSED'), 'nothing listens there', true],
  ['its name is unknown', coded('ENOTFOUND'), 'its name is unknown', true],
  ['it is shut down', coded('57P01'), 'it is being shut down', true],
  ['it has no connection left', coded('53300'), 'it has no connection left', true],
  ['rows are held', coded('55P03'), 'another program has held its rows for too long', true],
  ['the connection ends', new Error('Connection terminated unexpectedly'), 'the connection was cut', true],
  ['it says nothing', new Error('Connection terminated due to connection timeout'), 'it does not answer', true],
  ['the password is wrong', coded('28P01'), 'it does not accept the password', false],
  ['there is no such database', coded('3D000'), 'it has no such database', false],
  ['its disk is full', coded('53100'), 'its disk is full', false],
  ['there is no right', coded('42501'), 'this user has no right to do that', false],
  ['something else', coded('XX000'), 'it reports error XX000', false],
  ['no password is given', coded('no_password'), 'it asks for a password, and none was given', false],
  [
    'it is TLS only',
    Object.assign(coded('28000'), { message: 'no pg_hba.conf entry for host "::1", user "me", no encryption' }),
    'it lets this user in by no connection that is not encrypted',
    false,
  ],
  [
    'it has no TLS',
    new Error('The server does not support SSL connections'),
    'it takes no encrypted connections',
    false,
  ],
  ['a file for encryption is missing', coded('not_for_tls'), BAD_FILES, false],
  ['a file for encryption is another', coded('ERR_OSSL_PEM_NO_START_LINE'), BAD_FILES, false],
  ['a pooler answers', coded('08P01'), 'a pooler answers there, or something that is no PostgreSQL', false],
  [
    'its certificate is its own',
    coded('DEPTH_ZERO_SELF_SIGNED_CERT'),
    'its certificate is signed by nobody whom this machine knows',
    false,
  ],
  [
    'the session was ended',
    new Error('Client has encountered a connection error and is not queryable'),
    'the connection was cut',
    true,
  ],
])('%s: exit 9, one sentence, and whether it may pass', (_what, error, why, passes) => {
  const told = databaseError(error, 'read', 'db:5432/calls, schema vagent');
  expect(told.message).toBe(`Cannot read the database at db:5432/calls, schema vagent: ${why}.`);
  expect(told).toMatchObject({ exitCode: 9 });
  expect(mayPass(told)).toBe(passes);
});

test('it can only be read: what was refused is to write, if only a lock; and what to do stands before what was not done', () => {
  const told = databaseError(coded('25006'), 'read', 'db', 'The store is as it was before.');
  expect(told).toMatchObject({
    message: 'Cannot write the database at db: it can only be read.',
    hint: expect.stringMatching(/^Name the primary .* The store is as it was before\.$/),
  });
});

test.each([
  ['an error that is told', new UsageError('Missing: <plan>.')],
  ['a mistake of the program', new TypeError('undefined is not a function')],
  ['a mistake that Node.js has a code for', coded('ERR_INVALID_ARG_TYPE')],
  ['a file that is missing', coded('ENOENT')],
])('%s stays what it is', (_what, own) => {
  expect(databaseError(own, 'read', 'db')).toBe(own);
});

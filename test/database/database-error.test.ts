/** The errors of a database, in words; and whether to try again may help. */
import { expect, test } from 'vitest';
import { mayPass } from '../../src/calls/follow.ts';
import { databaseError } from '../../src/database/database-error.ts';
import { UsageError } from '../../src/errors.ts';

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
  ['something without a code', new Error('secret@host'), 'it failed', false],
])('%s: exit 9, one sentence, and whether it may pass', (_what, error, why, passes) => {
  const told = databaseError(error, 'read', 'db:5432/calls, schema vagent');
  expect(told.message).toBe(`Cannot read the database at db:5432/calls, schema vagent: ${why}.`);
  expect(told).toMatchObject({ exitCode: 9 });
  expect(mayPass(told)).toBe(passes);
});

test("an error of vagent's own stays what it is", () => {
  const own = new UsageError('Missing: <plan>.');
  expect(databaseError(own, 'read', 'db')).toBe(own);
});

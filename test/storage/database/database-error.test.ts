/** The errors of a database, in words; and whether to try again may help. */
import { expect, test } from 'vitest';
import { mayPass } from '../../../src/calls/follow.ts';
import { UsageError } from '../../../src/errors.ts';
import { databaseError } from '../../../src/storage/database/database-error.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);
type Case = [what: string, code: string | undefined, message: string, why: string, passes: boolean];
const coded = (code: string) => Object.assign(new Error('secret@host'), { code });

test.each(cases<Case>('errors'))(
  '%s: exit 9, one sentence, and whether it may pass',
  (_what, code, message, why, passes) => {
    const error = code === undefined ? new Error(message) : Object.assign(coded(code), { message });
    const told = databaseError(error, 'read', 'db:5432/calls, schema vagent');
    expect(told.message).toBe(`Cannot read the database at db:5432/calls, schema vagent: ${why}.`);
    expect(told).toMatchObject({ exitCode: 9 });
    expect(mayPass(told)).toBe(passes);
  },
);

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

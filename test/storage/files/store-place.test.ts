/** Which texts are a folder, which the address of a database, and which are refused because they are neither for sure. */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { isDatabase, readPlace, storeKey } from '../../../src/storage/files/store-place.ts';
import { casesBeside } from '../../support/cases.ts';

const SECRET = 'sesame';
const cases = casesBeside(import.meta.filename);

describe('a misspelt address of a database is refused in one sentence that does not show it', () => {
  test.each(cases<[what: string, text: string]>('misspelt addresses'))('%s', (_what, text) => {
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

test.each(cases<string>('addresses'))('an address is one, and blanks around it are no part of it: %s', (address) => {
  for (const text of [address, ` ${address}`, `${address}\r\n`, `\ufeff${address}\u00a0`]) {
    expect(isDatabase(text)).toBe(true);
    expect(readPlace(text, 'store')).toBe(address);
    expect(storeKey(text)).toBe(storeKey(address));
  }
  for (const text of [`"${address}"`, ` '${address}'\n`, `" ${address}"`])
    expect(readPlace(text, 'store')).toBe(address);
});

test.each(cases<string>('folders'))('a folder is one, as it is written: %s', (folder) => {
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

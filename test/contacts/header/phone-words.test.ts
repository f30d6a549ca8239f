/** The names of phone columns, language by language, and what is named alike and holds something else. */
import { describe, expect, test } from 'vitest';
import { couldBePhone } from '../../../src/contacts/header/phone-words.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

/** Other columns of the same lists: none may be taken, nor make the phone ambiguous. */
const OTHERS = cases<string[]>('other columns of the same lists').flat();

/** As programs and people write one name. */
const SPELLINGS: Record<string, (header: string) => string> = {
  'as it is': (header) => header,
  'in capitals': (header) => header.toUpperCase(),
  'in Turkish capitals': (header) => header.toLocaleUpperCase('tr'),
  'in small letters': (header) => header.toLowerCase(),
  composed: (header) => header.normalize('NFC'),
  decomposed: (header) => header.normalize('NFD'),
  'in compatible forms': (header) => header.normalize('NFKC'),
  'between marks': (header) => `\u200f\ufeff ${header}\u00a0\u200e`,
  'with underscores': (header) => header.replaceAll(' ', '_'),
  'with non-breaking spaces': (header) => header.replaceAll(' ', '\u00a0'),
  'without accents on Latin letters': (header) =>
    header
      .normalize('NFD')
      .replace(/(?<=[A-Za-z])[\u0300-\u036f]/g, '')
      .replaceAll('ı', 'i')
      .replaceAll('ł', 'l')
      .normalize('NFC'),
  'in wide letters': (header) =>
    header.replace(/[A-Za-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
};

describe('a phone column is known', () => {
  test.each(cases<[string, string[]]>('phones'))('in %s, however it is written', (_language, headers) => {
    const unknown = headers.flatMap((header) =>
      Object.entries(SPELLINGS).flatMap(([how, spell]) => (couldBePhone(spell(header)) ? [] : [`${header} ${how}`])),
    );
    expect(unknown).toEqual([]);
  });

  test('and no other column', () => {
    const taken = OTHERS.flatMap((header) => Object.values(SPELLINGS).map((spell) => spell(header))).filter(
      couldBePhone,
    );
    expect(taken).toEqual([]);
  });

  test('also where it is very long, at once', () => {
    expect(couldBePhone('電話'.repeat(100_000))).toBe(false);
    expect(couldBePhone('phone '.repeat(100_000))).toBe(true);
  });
});

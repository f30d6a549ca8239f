/** What cannot be seen around a number is taken off and told; between two of its digits nobody knows what it stands for. */

import { expect, test } from 'vitest';
import { isProblem } from '../../../src/contacts/numbers/dialled.ts';
import { numberReader } from '../../../src/contacts/numbers/phone-cell.ts';
import fc from '../../support/properties.ts';

const read = numberReader('DE');

const SPACES = [...'\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'];
const MARKS = [...'\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069'];
const WIDTHLESS = [...'\u200b\u200c\u200d\u2060\ufeff\u00ad'];
const named = (character: string) => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

const byName = (characters: readonly string[]) => characters.map((character) => [named(character), character] as const);

test.each(byName([...SPACES, ...MARKS, ...WIDTHLESS]))(
  '%s is taken off around a number, with a note, and is none by itself',
  (name, character) => {
    const cells = [
      `${character}+493023125001`,
      `${character}${character}+49 30 23125001${character}`,
      ` ${character} 030 23125001`,
      `="+493023125001${character}"`,
      `030${character} 23125001`,
    ];
    for (const cell of cells) {
      const taken = { number: '+493023125001', wrapping: expect.stringContaining(`the invisible ${name}`) };
      expect([cell, read(cell)]).toMatchObject([cell, taken]);
    }
    expect(read(character)).toMatchObject({ code: 'missing_phone' });
  },
);

test.each(byName(SPACES))('%s is a space like any other inside a number', (name, space) => {
  for (const plain of ['+49 30 2312 5001', '(030) 2312 50 01', '030 23125001 030 23125002', '030 1 – 12']) {
    const [reading, same] = [read(plain.replaceAll(' ', space)), read(plain)];
    expect([plain, isProblem(reading) || reading.number]).toEqual([plain, isProblem(same) || same.number]);
    if (!isProblem(reading)) expect(reading.wrapping).toBe(`the invisible ${name}`);
  }
});

test.each(byName([...MARKS, ...WIDTHLESS]))('%s between two digits is refused by its name', (name, character) => {
  const refused = { code: 'invisible_character', message: expect.stringContaining(name) };
  expect(read(`+4930${character}23125001`)).toMatchObject(refused);
});

test('several are named once each', () => {
  const wrapping = 'the invisible U+202D and U+202C';
  expect(read('\u202d+49 30 23125001\u202c')).toMatchObject({ number: '+493023125001', wrapping });
});

test('the mark that turns digits around is refused wherever it stands', () => {
  for (const cell of ['\u202e+493023125001', '+49 30 \u202e23125001\u202c', '+493023125001\u202e']) {
    expect(read(cell)).toMatchObject({ code: 'invisible_character', message: expect.stringContaining('U+202E') });
  }
});

test('no number is ever read with other digits than those that stand there', () => {
  const plain = ['\u202e', '\u2028', ' ', '-', '+', '0', '3', '49', '23125001'];
  const piece = fc.constantFrom(...SPACES, ...MARKS, ...WIDTHLESS, ...plain);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const cell = pieces.join('');
      const reading = read(cell);
      if (isProblem(reading)) return;
      const digits = cell.replace(/\D/g, '');
      expect(digits.replace(/^(00|0)/, '')).toContain(reading.number.slice(reading.number.startsWith('+49') ? 3 : 1));
      expect(reading.wrapping !== undefined).toBe(/[^\x20-\x7e]/.test(cell));
    }),
    { numRuns: 2000 },
  );
});

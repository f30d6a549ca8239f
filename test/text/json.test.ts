/** JSON comes out as it went in, whatever JavaScript would make of it. */

import { describe, expect, test } from 'vitest';
import { fieldsOf, objectOf, readJson, writeJson } from '../../src/text/json.ts';
import { masked } from '../../src/text/redact.ts';
import { casesBeside } from '../support/cases.ts';
import fc, { character } from '../support/properties.ts';
import { jsonOf, objectsWith } from './json-texts.ts';

const cases = casesBeside(import.meta.filename);

/** Texts that are JSON in one line. */
const numbers = cases<string[]>('numbers').flat();

const number = fc.oneof(
  fc.constantFrom(...numbers),
  fc
    .tuple(fc.constantFrom('', '-'), fc.nat(), fc.option(fc.stringMatching(/^\d{1,20}$/), { nil: undefined }))
    .map(([sign, whole, part]) => `${sign}${whole}${part === undefined ? '' : `.${part}`}`),
  fc
    .tuple(fc.stringMatching(/^[1-9]\d{0,25}$/), fc.constantFrom('', 'e3', 'E-7', 'e+12'))
    .map((parts) => parts.join('')),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
/** What looks like something else inside of a text, too. */
const words = fc.oneof(
  fc.string({ unit: character }),
  fc.constantFrom(...cases<string>('texts that look like something else')),
);
const name = fc.oneof(words, fc.nat({ max: 30 }).map(String), fc.constantFrom('4294967295', '01', '-1', '1.5'));
const written = (text: fc.Arbitrary<string>) => text.map((words) => JSON.stringify(words));
const scalar = fc.oneof(number, written(words), fc.constantFrom('true', 'false', 'null'));
const document = objectsWith(jsonOf(scalar, written(name)));

describe('every text of JSON', () => {
  test('comes out as it went in, but for the spaces between', () => {
    fc.assert(
      fc.property(document, ([loose, tight]) => {
        expect(writeJson(readJson(loose))).toBe(tight);
      }),
      { numRuns: 2000 },
    );
  });

  test('comes out over several lines as JSON.stringify lays them out', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // A name of digits, so that it is not JSON.stringify that writes it.
        const text = JSON.stringify({ '10': value, '2': 1.5 });
        expect(writeJson(readJson(text), 2)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  test('means to JavaScript what JSON.parse reads', () => {
    fc.assert(
      fc.property(document, ([loose]) => {
        expect(JSON.parse(writeJson(readJson(loose), 2))).toEqual(JSON.parse(loose));
      }),
    );
  });
});

describe('names', () => {
  test('of two that are the same the last counts', () => {
    expect(writeJson(readJson('{"a":1,"2":1.10,"a":2,"1":3,"2":4}'))).toBe('{"a":2,"2":4,"1":3}');
  });
  test('of an object that is copied with changes keep their order', () => {
    const read = readJson('{"10":1,"2":2,"a":3}') as object;
    expect(writeJson({ ...read, a: 4, b: 5 })).toBe('{"10":1,"2":2,"a":4,"b":5}');
    expect(writeJson(objectOf(fieldsOf(read).reverse()))).toBe('{"a":3,"2":2,"10":1}');
  });
});

test('a key of digits is masked in a number that is kept as written, and in a name, and the rest stays', () => {
  const read = readJson('{"10":12345678901234567890,"2":1.10,"12345678901234567890":[-0]}');
  const redact = (text: string) => text.replaceAll('12345678901234567890', '<API_KEY>');
  expect(writeJson(masked(read, redact))).toBe('{"10":"<API_KEY>","2":1.10,"<API_KEY>":[-0]}');
});

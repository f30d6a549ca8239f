/** The scan agrees with JSON.parse on what is JSON, and knows besides what that does not tell. */

import { describe, expect, test } from 'vitest';
import { InvalidJson, JsonScan, type Range } from '../../src/text/json-scan.ts';
import { casesBeside } from '../support/cases.ts';
import fc from '../support/properties.ts';
import { jsonOf, objectsWith } from './json-texts.ts';

const cases = casesBeside(import.meta.filename);

const LIMITS = { depth: 32, containers: 1000, nameBytes: 1000 };

/** Hands the bytes over in pieces of these lengths, the last again and again. */
function scan(text: string, pieces: readonly number[] = [1 << 20], limits = LIMITS): JsonScan {
  const bytes = Buffer.from(text);
  const found = new JsonScan(limits);
  for (let length = 0, turn = 0; length < bytes.length; turn++) {
    length = Math.min(bytes.length, length + (pieces[Math.min(turn, pieces.length - 1)] ?? 1));
    found.read(bytes, length);
  }
  found.end();
  return found;
}

/** What JSON.parse makes of the fields that were found, or why none were. */
function read(text: string, pieces?: readonly number[], limits = LIMITS): unknown {
  try {
    const bytes = Buffer.from(text);
    const fields = [...scan(text, pieces, limits).fields];
    return Object.fromEntries(
      fields.map(([name, { start, end }]) => [name, JSON.parse(bytes.toString('utf8', start, end))]),
    );
  } catch (error) {
    if (error instanceof InvalidJson) return error.message;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON as people and programs write it: spaces anywhere, escapes, numbers of every form. */
const escapes = ['\\n', '\\"', '\\\\', '\\/', '\\u0041', '\\ud83d\\ude00', '\\uD800'];
const character = fc.constantFrom('a', 'é', '漢', '😀', ...escapes);
const text = fc.array(character, { maxLength: 5 }).map((parts) => `"${parts.join('')}"`);
const number = fc.constantFrom('0', '-0', '1', '-12', '0.5', '1e5', '1E+5', '-1.25e-7', '10');
const object = objectsWith(jsonOf(fc.oneof(text, number, fc.constantFrom('true', 'false', 'null')), text));
const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 });

describe('a text is JSON where JSON.parse says so', () => {
  test('whatever is taken out, put in or put in the place of something else', () => {
    const change = fc.constantFrom('', ...'{}[]:,"\\ \n\u0001\u0000-+.eE0179ntrufalse/*xé\uFEFF\u00a0');
    const changed = fc.tuple(object, fc.nat(), fc.nat(3), change).map(([[body], at, taken, put]) => {
      const characters = [...body];
      characters.splice(at % (characters.length + 1), put === '' ? 0 : taken, put);
      return characters.join('');
    });
    fc.assert(
      fc.property(changed, pieces, (body, lengths) => {
        const expected = parsed(body);
        const found = read(body, lengths);
        if (typeof found === 'string' && / twice /.test(found)) return;
        if (expected === undefined) expect(found).toEqual(expect.stringMatching(/JSON/));
        else expect(found).toEqual(expected);
      }),
      { numRuns: 3500 },
    );
  });

  test.each(cases<string>('no JSON'))('%j is none', (body) => {
    expect(parsed(body)).toBeUndefined();
    expect(read(body)).toEqual(expect.stringMatching(/JSON/));
    expect(read(body, [1])).toBe(read(body));
  });
});

describe('a name stands in an object once', () => {
  test.each(cases<string>('a name twice'))('%s', (body) => {
    expect(read(body)).toEqual(expect.stringMatching(/ twice in one object/));
    expect(read(body, [1])).toBe(read(body));
  });

  test.each(cases<string>('no name twice'))('%s is none twice', (body) => {
    expect(read(body)).toEqual(JSON.parse(body));
  });
});

describe('bounds', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  const empty = (count: number) => `{"a":[${Array.from({ length: count - 2 }, () => '{}').join(',')}]}`;
  const named = (bytes: number) => `{"${'é'.repeat(bytes / 2 - 1)}":1,"bc":1}`;

  test.each<[string, string, string, RegExp]>([
    ['depth', nested(32), nested(33), /goes deeper than 32 /],
    ['number', empty(1000), empty(1001), /holds more than 1000 objects and arrays/],
    ['names', named(1000), named(1002), /names take more than 1000 bytes/],
  ])('%s', (_name, fits, exceeds, says) => {
    expect(read(fits)).toEqual(JSON.parse(fits));
    expect(read(exceeds)).toEqual(expect.stringMatching(says));
    expect(read(exceeds, [1])).toEqual(expect.stringMatching(says));
  });

  test('are met where the bytes exceed them, however many come', () => {
    for (const part of ['[', '{"a":', '[[],']) {
      const bytes = Buffer.from(`{"a":${part.repeat(100)}`);
      expect(() => new JsonScan(LIMITS).read(bytes, bytes.length)).toThrow(/deeper/);
    }
    const unended = Buffer.from(`{"${'a'.repeat(2000)}`);
    expect(() => new JsonScan(LIMITS).read(unended, unended.length)).toThrow(/names/);
  });
});

test('a long list is cut at commas between its items, and nowhere else, so that its pieces are its items', () => {
  const items = Array.from({ length: 4_000 }, (_none, at) => [
    { text: `a, b] ${'"\\,'.repeat(at % 5)}`, list: [at, [at, {}], ' , '] },
    `a, "b"],[${'x, '.repeat(300)}`,
    [[], [1, 2, [3, 4]], null],
    -1.5e3,
  ]).flat();
  const limits = { ...LIMITS, containers: 1_000_000 };
  for (const [indent, name] of [
    [undefined, 'contacts'],
    [1, 'of another name'],
  ] as const) {
    const bytes = Buffer.from(
      JSON.stringify({ before: items.slice(0, 9), [name]: items, after: { name: items } }, null, indent),
    );
    const { fields } = scan(bytes.toString(), [1 << 16], limits);
    const { start, end, cuts } = fields.get(name) as Range;
    expect(cuts.length).toBeGreaterThan(1);
    const pieces = [...cuts, end - 1].map((to, at) => bytes.toString('utf8', (cuts[at - 1] ?? start) + 1, to));
    expect(pieces.flatMap((piece) => JSON.parse(`[${piece}]`))).toEqual(items);
    expect([fields.get('before')?.cuts, fields.get('after')?.cuts]).toEqual([[], []]);
  }
});

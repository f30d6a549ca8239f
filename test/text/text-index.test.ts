import { describe, expect, test } from 'vitest';
import { Column, PackedTexts, SeenTexts, TextIndex } from '../../src/text/text-index.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

/** Whatever a service may call its calls. */
const TEXTS = Object.fromEntries([
  ...cases<[what: string, text: string]>('texts'),
  ['one as long as a short head tells', 'x'.repeat(125)],
  ['one that is longer', 'x'.repeat(126)],
  ['one longer than a buffer', `${'y'.repeat(100_000)}ż`],
]);

describe('texts as bytes', () => {
  test.each(Object.entries(TEXTS))('%s comes back as it was, between others', (_name, text) => {
    const packed = new PackedTexts();
    const places = ['before', text, 'after', text].map((one) => packed.add(one));
    expect(places.map((place) => packed.at(place))).toEqual(['before', text, 'after', text]);
  });

  test.each(cases<[standing: string, text: string, isSo: boolean]>('replaced'))(
    '%s is replaced by %s where that has room: %s',
    (standing, text, expected) => {
      const packed = new PackedTexts();
      const places = [standing, 'after'].map((one) => packed.add(one));
      expect(packed.replace(places[0] as number, text)).toBe(expected);
      expect(places.map((place) => packed.at(place))).toEqual([expected ? text : standing, 'after']);
    },
  );
});

describe('numbered texts', () => {
  test('each has one number, in the order in which they came', () => {
    const uuidOf = (call: number) => `0b9b3a52-6c1e-4f0e-9a38-${String(call).padStart(12, '0')}`;
    const texts = [...Object.values(TEXTS), ...Array.from({ length: 200 }, (_none, call) => uuidOf(call))];
    const index = new TextIndex();
    for (const text of [...texts, ...texts.toReversed()]) expect(index.add(text)).toBe(texts.indexOf(text));
    expect([...index]).toEqual(texts);
    expect(index.size).toBe(texts.length);
    expect(texts.every((text) => index.has(text))).toBe(true);
    expect(index.indexOf('another')).toBe(-1);
  });

  test('so many that it grows often are told apart as in a Set', () => {
    const index = new TextIndex();
    const set = new Set<string>();
    for (let call = 0; call < 30_000; call++) {
      const text = `call_${String((call * 7_919) % 20_000).padStart(10, '0')}`;
      expect(index.has(text)).toBe(set.has(text));
      index.add(text);
      set.add(text);
    }
    expect([...index]).toEqual([...set]);
  });
});

test('each reading has seen only its own texts, though all share an index', () => {
  const index = new TextIndex();
  const readings = [['a', 'b', 'a'], ['c', 'b'], []];
  for (const texts of readings) {
    const seen = new SeenTexts(index);
    for (const text of texts) seen.add(text);
    expect(seen.size).toBe(new Set(texts).size);
    expect(['a', 'b', 'c', 'd'].map((text) => seen.has(text))).toEqual(
      ['a', 'b', 'c', 'd'].map((text) => texts.includes(text)),
    );
    expect([...seen].sort()).toEqual([...new Set(texts)].sort());
  }
});

test('a column is 0 where nothing was set', () => {
  const column = new Column(Float64Array);
  column.set(100_000, 1.5);
  column.set(3, 0);
  expect([0, 3, 99_999, 100_000, 100_001, 200_000].map((place) => column.at(place))).toEqual([0, 0, 0, 1.5, 0, 0]);
});

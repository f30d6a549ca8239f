/** The order of `--sort`, against orders that are written down, and against the bytes of UTF-8 for texts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from '../../src/text/json.ts';
import { sortedBy } from '../../src/text/sorting.ts';

const shuffled = (values: unknown[], isDescending = false) => {
  const given = [...values.slice(1).reverse(), ...values.slice(0, 1)];
  return sortedBy(given, (value) => value, isDescending);
};

test.each<[what: string, ordered: unknown[]]>([
  ['numbers by size', [-3, -1.5, 0, 2, 10, 1e300]],
  [
    'integers beyond 2^53 exactly',
    readJson('[9007199254740991, 9007199254740992, 9007199254740993, 1e400]') as unknown[],
  ],
  ['times by instant', ['2026-11-20T10:00:00+02:00', '2026-11-20T08:30:00Z', '2026-11-20T01:00:00-08:00']],
  ['texts by code point', ['', '10', '9', 'B', 'a', 'é', 'ﬁ', '🙂'].slice(1)],
  ['numbers, times, texts', [7, '2026-11-20T08:30:00Z', '2026-11-20', 'busy']],
  ['nothing last', [1, 2, null]],
])('%s', (_what, ordered) => {
  expect(shuffled(ordered)).toEqual(ordered);
});

test('the largest first, and still nothing last; equal ones keep their order', () => {
  expect(shuffled([1, 2, null, ''], true)).toEqual([2, 1, '', null]);
  const items = [1, 2, 3, 4].map((at) => ({ at, same: at % 2 }));
  expect(sortedBy(items, ({ same }) => same, true).map(({ at }) => at)).toEqual([1, 3, 2, 4]);
});

test('texts are in the order of their bytes', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 }).map((random) => `x${random}`);
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const bytes = texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      expect(sortedBy(texts, (each) => each, false)).toEqual(bytes);
    }),
  );
});

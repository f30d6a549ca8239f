import { expect, test } from 'vitest';
import { readUrl } from '../../src/text/url.ts';

test('a name with umlauts, as often as it is asked for', () => {
  const names = Array.from({ length: 20_000 }, () => readUrl('https://bücher.example/über')?.hostname);
  expect(new Set(names)).toEqual(new Set(['xn--bcher-kva.example']));
});

import { expect, test } from 'vitest';
import { readUrl } from '../../src/text/url.ts';

test('an absolute URL', () => {
  expect(readUrl('https://voice.example.com:8443/api')?.href).toBe('https://voice.example.com:8443/api');
});

test.each(['', 'voice.example.com', '/api', 'https://', 'https://exa mple.com', 'http://127.0.0.1:99999'])(
  'not %j',
  (text) => {
    expect(readUrl(text)).toBeUndefined();
  },
);

test('a name with umlauts, as often as it is asked for', () => {
  const names = Array.from({ length: 20_000 }, () => readUrl('https://bücher.example/über')?.hostname);
  expect(new Set(names)).toEqual(new Set(['xn--bcher-kva.example']));
});

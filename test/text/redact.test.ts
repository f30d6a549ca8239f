/**
 * Texts that a service could make to be slow to search for its key. Each takes milliseconds, and took minutes before it had bounds.
 */
import { expect, test } from 'vitest';
import { Redactor } from '../../src/text/redact.ts';

const SPECIALS = '!@#$%^*()-_+=~;:';
const asJson = (text: string) => [...text].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');

const slow: [name: string, key: string, text: string][] = [
  ['an almost-key in JSON escapes', `abcdef${SPECIALS}Z`, `abcdef${asJson(SPECIALS)}Y`.repeat(1000)],
  ['one character escaped without end', '--------abcdefgh', `abcdefgh${asJson('-').repeat(10_000)}`],
  ['backslashes', '+abcdefgh', `abcdefgh${'\\'.repeat(50_000)}`],
  ['quotes', '"abcdefgh', `abcdefgh${'"'.repeat(50_000)}`],
  ['percent signs', '"&<abcdefgh', `abcdefgh${'%25'.repeat(50_000)}`],
  ['entities', '"&<abcdefgh', `abcdefgh${'&amp;'.repeat(50_000)}`],
];

test.each(slow)('%s', (_name, key, text) => {
  const redactor = new Redactor();
  redactor.add(key);
  expect(redactor.redact(text)).toBe(text);
  expect(redactor.redact(`${text}${key}`)).toContain('<API_KEY>');
});

test.each(['!', '\0', '😀', 'a'])('a text of 4,000 %j is masked, though it is no key', (character) => {
  const text = `${character.repeat(4000)}-end`;
  const redactor = new Redactor();
  redactor.add(text);
  expect(redactor.redact(`before ${text} after`)).toBe('before <API_KEY> after');
});

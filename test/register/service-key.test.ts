/** The same base URL in another spelling is the same service, and another base URL is another service. */
import { describe, expect, test } from 'vitest';
import { serviceKey } from '../../src/register/service-key.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

describe.each(cases<[baseUrl: string, spellings: string[]]>('spellings'))('%s', (baseUrl, spellings) => {
  test.each(spellings)('is also %s', (spelling) => {
    expect(serviceKey(spelling)).toBe(serviceKey(baseUrl));
  });
});

test.each(cases<string>('others'))('https://voice.example.com/api is not %s', (other) => {
  expect(serviceKey(other)).not.toBe(serviceKey('https://voice.example.com/api'));
});

test('what is no URL is known by its text', () => {
  expect(serviceKey('the office')).not.toBe(serviceKey('the shop'));
  expect(serviceKey('the office')).toBe('the office');
});

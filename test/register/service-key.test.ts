/** The same base URL in another spelling is the same service, and another base URL is another service. */
import { describe, expect, test } from 'vitest';
import { serviceKey } from '../../src/register/service-key.ts';

const SPELLINGS: Record<string, string[]> = {
  'https://voice.example.com/api': [
    'https://voice.example.com/api/',
    'https://voice.example.com/api//',
    'https://voice.example.com//api',
    'HTTPS://Voice.EXAMPLE.com/api',
    'https://voice.example.com:443/api',
    'https://voice.example.com:0443/api',
    'https://voice.example.com./api',
    'https://voice.example.com/%61pi',
    'https://voice.example.com/%61%70%69/',
    'https://%76oice.example.com/api',
    'https://voice.example.com/./api',
    'https://voice.example.com/x/../api',
    'https://voice.example.com/%2e/api',
    'https://voice.example.com\\api',
    'https://ana:secret@voice.example.com/api',
    'https://voice.example.com/api?x=1#y',
    'http://voice.example.com/api',
    ' https://voice.example.com/api ',
  ],
  'https://voice.example.com': [
    'https://voice.example.com/',
    'https://voice.example.com///',
    'https://VOICE.example.com.',
  ],
  'http://localhost:8787': [
    'http://127.0.0.1:8787',
    'http://127.1:8787/',
    'http://0x7f.1:8787',
    'http://2130706433:8787',
    'http://[::1]:8787',
    'http://[0:0:0:0:0:0:0:1]:8787',
    'http://[::ffff:127.0.0.1]:8787',
    'http://LOCALHOST:8787',
    'http://localhost.:8787',
    'http://0.0.0.0:8787',
    'http://[::]:8787',
  ],
  'https://bücher.example/über': ['https://xn--bcher-kva.example/%C3%BCber', 'https://BÜCHER.example/%c3%bcber'],
  'https://voice.example.com/a%FFb': ['https://voice.example.com/a%ffb'],
};

describe.each(Object.entries(SPELLINGS))('%s', (baseUrl, spellings) => {
  test.each(spellings)('is also %s', (spelling) => {
    expect(serviceKey(spelling)).toBe(serviceKey(baseUrl));
  });
});

test.each([
  'https://voice.example.com/API',
  'https://voice.example.com/api/v2',
  'https://voice.example.com',
  'https://voice.example.com:8443/api',
  'https://voice.example.org/api',
  'https://voice-example.com/api',
])('https://voice.example.com/api is not %s', (other) => {
  expect(serviceKey(other)).not.toBe(serviceKey('https://voice.example.com/api'));
});

test('what is no URL is known by its text', () => {
  expect(serviceKey('the office')).not.toBe(serviceKey('the shop'));
  expect(serviceKey('the office')).toBe('the office');
});

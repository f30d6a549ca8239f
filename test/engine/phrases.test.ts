/** The phrases are data: each language is complete, and what is wrong in a file is found before it is said. */
import { describe, expect, test } from 'vitest';
import { checkedPhrases, phrasesOf } from '../../src/engine/phrases.ts';

test.each(['en', 'es', 'hi'] as const)('%s is complete', (language) => {
  expect(Object.keys(phrasesOf(language).goals)).toHaveLength(6);
});

describe('a file of phrases is refused', () => {
  const sound = () => structuredClone(phrasesOf('en'));
  const wrong: Record<string, (phrases: ReturnType<typeof sound>) => object> = {
    'without a part': ({ goodbye: _goodbye, ...rest }) => rest,
    'with a part nobody knows': (phrases) => ({ ...phrases, farewell: ['Bye.'] }),
    'with no way to say something': (phrases) => ({ ...phrases, bridge: [] }),
    'with an empty line': (phrases) => ({ ...phrases, answer: [''] }),
    'with a line break in a line': (phrases) => ({ ...phrases, answer: ['One\ntwo'] }),
    'with a mark that is not filled there': (phrases) => ({ ...phrases, greeting: ['Hello, it is {day}.'] }),
    'with a mark twice': (phrases) => ({ ...phrases, reason: ["I'm calling to {note}, to {note}."] }),
    'without an outcome': ({ outcomes: { not_interested: _none, ...outcomes }, ...rest }) => ({ ...rest, outcomes }),
    'with a line that has no reply': (phrases) => ({ ...phrases, asides: [['Where did you get my number?']] }),
  };
  test.each(Object.entries(wrong))('%s', (_name, change) => {
    expect(() => checkedPhrases(sound())).not.toThrow();
    expect(() => checkedPhrases(change(sound()))).toThrow();
  });
});

/** The phrases are data: the compiler sees that each language is complete, and here what is wrong in a phrase is found. */
import { describe, expect, test } from 'vitest';
import { phrasesOf } from '../../src/engine/conversation.ts';

/** The marks that are filled in a part; each at most once. In all others none is. */
const MARKS: Record<string, string[]> = {
  reason: ['{note}'],
  quotation: ['{note}'],
  proposal: ['{day}', '{time}'],
  decision: ['{day}', '{time}'],
  closing: ['{day}', '{time}'],
};

/** The places of phrases that cannot be said. */
function wrongIn(part: unknown, name = ''): string[] {
  if (typeof part === 'string') {
    const marks = part.match(/\{[^}]*\}/g) ?? [];
    const isSound = new Set(marks).size === marks.length && marks.every((mark) => MARKS[name]?.includes(mark));
    return isSound && /^\S.*$/.test(part) ? [] : [name];
  }
  const parts = Object.entries(part as object);
  if (parts.length === 0) return [name];
  const isExchange = name === 'asides' || name === 'questions';
  if (isExchange && parts.some(([, lines]) => !Array.isArray(lines) || lines.length !== 2)) return [name];
  return parts.flatMap(([key, value]) => wrongIn(value, Array.isArray(part) ? name.replace(/s$/, '') : key));
}

test.each(['en', 'es', 'hi'])('%s is complete', (language) => {
  const { orders: _orders, ...phrases } = phrasesOf(language);
  expect(Object.keys(phrases.goals)).toHaveLength(6);
  expect(Object.keys(phrases.outcomes)).toHaveLength(10);
  expect(wrongIn(phrases)).toEqual([]);
});

describe('what is wrong is found', () => {
  const wrong: Record<string, object> = {
    'no way to say something': { bridge: [] },
    'an empty line': { answer: [''] },
    'a line break in a line': { answer: ['One\ntwo'] },
    'a mark that is not filled there': { greeting: ['Hello, it is {day}.'] },
    'a mark twice': { reason: ["I'm calling to {note}, to {note}."] },
    'a line that has no reply': { asides: [['Where did you get my number?']] },
  };
  test.each(Object.entries(wrong))('%s', (_name, phrases) => {
    expect(wrongIn(phrases)).toHaveLength(1);
  });
});

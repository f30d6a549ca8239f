/** Transcripts of any length are laid out in time that grows with them: each of these would take minutes otherwise. */
import { describe, expect, test } from 'vitest';
import { layOut } from '../../src/cli/terminal/dialogue.ts';

const LENGTH = 300_000;
const FAMILY = '👨‍👩‍👧‍👦';

const transcripts: Record<string, string> = {
  'one word': 'x'.repeat(LENGTH),
  'one word of wide letters': '漢'.repeat(LENGTH),
  'one word of letters with accents': 'e\u0301'.repeat(LENGTH / 2),
  'one letter with all accents': `e${'\u0301'.repeat(LENGTH)}`,
  'one word of people': FAMILY.repeat(LENGTH / FAMILY.length),
  'one endless family': '👩\u200d'.repeat(LENGTH / 3),
  'spaces before a word': `Agent: Hello.\n${' '.repeat(LENGTH)}x`,
  'spaces after a name': `Agent${' '.repeat(LENGTH)}x: y\nAgent: Hello.`,
  'as many speakers as lines': Array.from({ length: LENGTH / 10 }, (_none, at) => `S${at}: hi`).join('\n'),
  'lines of one letter': `Agent: Hello.\n${'a\n'.repeat(LENGTH / 2)}`,
};

describe.each(Object.entries(transcripts))('%s', (_name, transcript) => {
  test('all of it, in lines', () => {
    const text = layOut(transcript, { columns: 40, hasColor: false });
    const letters = (shown: string) => shown.replace(/[\s:]+/g, '').length;
    expect(letters(text)).toBe(letters(transcript));
    expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });
});

test('a letter is in one piece wherever the word is cut', () => {
  for (let before = 0; before < 12; before++) {
    const text = layOut('x'.repeat(before) + FAMILY.repeat(100), { columns: 9, hasColor: false });
    expect(text.replaceAll('\n', '').split(FAMILY)).toHaveLength(101);
    expect(text.split('\n').every((line) => !line.startsWith('\u200d') && !line.endsWith('\u200d'))).toBe(true);
  }
});

/** Messages on a terminal: broken between words, but for a command that can be copied. */
import { expect, test } from 'vitest';
import { fitMessage } from '../../src/cli/terminal/fit-message.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

test.each(cases<[message: string, columns: number, lines: string[]]>('messages'))(
  '%j in %d columns',
  (message, columns, lines) => {
    expect(fitMessage(message, columns).split('\n')).toEqual(lines);
  },
);

test('nothing is lost, and no line of prose is too long', () => {
  const words = Array.from({ length: 60 }, (_none, at) => 'w'.repeat(1 + (at % 9)));
  for (const columns of [20, 40, 80]) {
    const lines = fitMessage(`  → ${words.join(' ')}`, columns).split('\n');
    expect(lines.map((line) => line.trim()).join(' ')).toBe(`→ ${words.join(' ')}`);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns + 4);
  }
});

/** Messages on a terminal: broken between words, but for a command that can be copied. */
import { expect, test } from 'vitest';
import { fitMessage } from '../../src/cli/terminal/fit-message.ts';

test.each<[message: string, columns: number, lines: string[]]>([
  ['short', 40, ['short']],
  ['vagent: Missing: --agent, --from, --first-line.', 24, ['vagent: Missing:', '--agent, --from,', '--first-line.']],
  [
    '  → Fix them, or leave them out with --skip-invalid.',
    30,
    ['  → Fix them, or leave them', '    out with --skip-invalid.'],
  ],
  ['30 more. Next: vagent logs list --limit 5', 24, ['30 more. Next: vagent logs list --limit 5']],
  ['  → vagent logs list --limit 5 --offset 5', 20, ['  → vagent logs list --limit 5 --offset 5']],
  ['two lines\nthe second is too long', 12, ['two lines', 'the second', 'is too long']],
  ['日本語 日本語 日本語', 14, ['日本語 日本語', '日本語']],
  ['  source /a/path/to/a/file', 12, ['  source /a/path/to/a/file']],
  ['fits exactly', 12, ['fits exactly']],
])('%j in %d columns', (message, columns, lines) => {
  expect(fitMessage(message, columns).split('\n')).toEqual(lines);
});

test('nothing is lost, and no line of prose is too long', () => {
  const words = Array.from({ length: 60 }, (_none, at) => 'w'.repeat(1 + (at % 9)));
  for (const columns of [20, 40, 80]) {
    const lines = fitMessage(`  → ${words.join(' ')}`, columns).split('\n');
    expect(lines.map((line) => line.trim()).join(' ')).toBe(`→ ${words.join(' ')}`);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns + 4);
  }
});

/** Markdown as a terminal shows it: what is written, and what is shown. */
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/cli/terminal/markdown.ts';

const show = (lines: string[], columns = 40) => renderMarkdown(lines.join('\n'), columns);
const shown = (lines: string[]) => lines.map((line) => `${line}\n`).join('');

test('headings are in capitals, text and lists are wrapped anew, and no backtick is shown', async () => {
  const text = [
    '# Output',
    '',
    'Data goes',
    'to `stdout`, and',
    'everything else to stderr.',
    '',
    '- one',
    '- two goes on',
    '  and on and on and on',
  ];
  expect(await show(text, 24)).toBe(
    shown([
      'OUTPUT',
      '',
      'Data goes to stdout, and',
      'everything else to',
      'stderr.',
      '',
      '- one',
      '- two goes on and on and',
      '  on and on',
    ]),
  );
});

test('code is indented, its empty lines and bars are kept', async () => {
  const code = ['```console', '$ ls | wc', '', '| a |', '# b', '```'];
  expect(await show(code)).toBe(shown(['  $ ls | wc', '', '  | a |', '  # b']));
});

test('a table that fits has a row on a line', async () => {
  const table = ['| code | meaning |', '| --- | --- |', '| 0 | done |', '| 10 | a \\| b |'];
  expect(await show(table)).toBe(shown(['code  meaning', '0     done', '10    a | b']));
});

test('a table that is too wide is wrapped between words, with empty lines between its rows', async () => {
  const table = [
    '| code | meaning |',
    '| --- | --- |',
    '| 7 | the service could not be reached: try again |',
    '| 130 | interrupted |',
  ];
  const lines = [
    'code  meaning',
    '7     the service could not be reached:',
    '      try again',
    '',
    '130   interrupted',
    '',
  ];
  expect((await show(table)).trimEnd()).toBe(shown(lines).trimEnd());
});

test.each([20, 40, 80, 200])('no line of a table is wider than %d columns, and no word is broken', async (columns) => {
  const words = ['the', 'quick', 'brown', 'fox', 'jumps'];
  const row = (from: number, count: number) => Array.from({ length: count }, (_none, at) => words[(from + at) % 5]);
  const rows = [1, 4, 9].map((count) => `| ${row(count, 2).join(' ')} | ${row(0, count).join(' ')} |`);
  const text = await show(['| a | b |', '| --- | --- |', ...rows], columns);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
  for (const word of text.split(/\s+/).filter((word) => word.length > 1)) expect(words).toContain(word);
});

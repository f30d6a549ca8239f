/** Markdown as a terminal shows it: what is written, and what is shown. */
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/cli/terminal/markdown.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

test.each(cases<[columns: number, written: string[], shown: string[]]>('shown'))(
  'in %d columns, %j',
  async (columns, written, shown) => {
    expect((await renderMarkdown(written.join('\n'), columns)).trimEnd()).toBe(shown.join('\n'));
  },
);

test.each([20, 40, 80, 200])('no line of a table is wider than %d columns, and no word is broken', async (columns) => {
  const words = ['the', 'quick', 'brown', 'fox', 'jumps'];
  const row = (from: number, count: number) => Array.from({ length: count }, (_none, at) => words[(from + at) % 5]);
  const rows = [1, 4, 9].map((count) => `| ${row(count, 2).join(' ')} | ${row(0, count).join(' ')} |`);
  const text = await renderMarkdown(['| a | b |', '| --- | --- |', ...rows].join('\n'), columns);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
  for (const word of text.split(/\s+/).filter((word) => word.length > 1)) expect(words).toContain(word);
});

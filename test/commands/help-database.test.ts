/** The page for analysts says what the database holds, whatever becomes of its tables. */
import { expect, test } from 'vitest';
import { databaseAsMarkdown } from '../../src/commands/shared/database-page.ts';
import { SCHEMA } from '../../src/register/schema.ts';
import { Operator } from '../support/program.ts';

test('help database names every table, column and view', async () => {
  const { code, stdout } = await new Operator().run(['help', 'database'], { columns: 200, isTerminal: true });
  expect(code).toBe(0);
  for (const [table, { columns }] of Object.entries(SCHEMA.tables)) {
    expect(stdout).toContain(`\n${table.toUpperCase()}\n`);
    for (const column of Object.keys(columns)) expect(stdout).toMatch(new RegExp(`^${column} `, 'm'));
  }
  for (const view of Object.keys(SCHEMA.views)) expect(stdout).toContain(`\n${view.toUpperCase()}\n`);
});

test('its prose fits a terminal of 80 columns', () => {
  const [prose = ''] = databaseAsMarkdown().split('\n## ');
  expect(
    prose
      .replace(/^```[\s\S]*?^```/gm, '')
      .split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([]);
});

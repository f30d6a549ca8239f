/** `vagent help`: the help of a command, a topic, or both where they have one name. */
import { expect, test } from 'vitest';
import { databaseAsMarkdown } from '../../src/commands/shared/database-page.ts';
import { TOPICS } from '../../src/commands/shared/topics.ts';
import { SCHEMA } from '../../src/register/schema.ts';
import { Operator } from '../support/program.ts';

const operator = new Operator();

test.each(Object.entries(TOPICS))('vagent help %s shows the topic', async (topic, summary) => {
  const { code, stdout, stderr } = await operator.run(['help', topic]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // A heading of the topic, and nothing that only Markdown means.
  expect(stdout).toMatch(/^[A-Z ]+$/m);
  expect(stdout).not.toMatch(/^(#|```|\|)/m);
  const listed = (await operator.run(['help', 'topics'])).stdout.replace(/\s+/g, ' ');
  expect(listed).toContain(` ${topic} ${summary} `);
});

test('the overview names topics that there are, and the list of all', async () => {
  const { stdout } = await operator.run(['--help'], { columns: 1000 });
  expect(stdout).toContain('vagent help topics');
  const [, names = ''] = /\nTopics: +(.*) …/.exec(stdout) ?? [];
  expect(Object.keys(TOPICS)).toEqual(expect.arrayContaining(names.split(' ')));
});

test.each(['contacts', 'logs', 'register', 'serve'])(
  'vagent help %s shows the commands first, and the topic below them',
  async (noun) => {
    const { stdout } = await operator.run(['help', noun]);
    const commands = await operator.run([noun, '--help']);
    expect(stdout.startsWith(commands.stdout)).toBe(true);
    expect(stdout.slice(commands.stdout.length)).toMatch(/^\n[A-Z ]+\n/);
  },
);

test('the topics of the database name every table, column and view', async () => {
  const pages = ['database', 'tables', 'plan-tables'].map(
    async (topic) => (await operator.run(['help', topic], { columns: 200, isTerminal: true })).stdout,
  );
  const stdout = (await Promise.all(pages)).join('\n');
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

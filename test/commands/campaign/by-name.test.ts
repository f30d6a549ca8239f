/** Campaigns by their id, by their name, and the latest where none is named. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pick } from '../../../src/commands/shared/pick.ts';
import { Operator, ROOT } from '../../support/program.ts';

const AMONG = { what: 'campaign', where: ' in the store', list: 'vagent campaign list' } as const;
const AT = Date.parse('2026-11-20T09:00:00Z');
const KNOWN = [
  { id: 1, name: 'Spring', at: AT },
  { id: 2, name: 'Autumn', at: AT },
  { id: 3, name: 'AUTUMN', at: AT },
  { id: 4, name: 'Recall', at: AT },
  { id: 5, name: 'Recall', at: AT },
  { id: 6, name: '2', at: AT },
];

describe('a campaign', () => {
  test.each<[word: number | string, id: number]>([
    [1, 1],
    ['Spring', 1],
    ['spring', 1],
    ['Autumn', 2],
    ['AUTUMN', 3],
    // A number is always an id.
    [2, 2],
  ])('%j is campaign %i', (word, id) => {
    expect(pick(word, KNOWN, AMONG).id).toBe(id);
  });

  const list = /^vagent campaign list$/;
  const meant = /^Did you mean "Spring"\? vagent campaign list$/;
  const one = String.raw`\(2026-11-20 \d\d:\d\d\)`;
  test.each<[word: number | string, exitCode: number, message: RegExp, hint: RegExp]>([
    [9, 5, /^There is no campaign 9 in the store\.$/, list],
    ['Sprng', 5, /^There is no campaign called Sprng in the store\.$/, meant],
    ['Winter', 5, /^There is no campaign called Winter in the store\.$/, list],
    ['Recall', 2, new RegExp(`^2 campaigns are called Recall: 4 ${one}, 5 ${one}\\.$`), /by its id/],
    ['autumn', 2, /^2 campaigns are called autumn: 2 \(.*\), 3 \(.*\)\.$/, /by its id/],
  ])('%j is refused with %i', (word, exitCode, message, hint) => {
    const picking = () => pick(word, KNOWN, AMONG);
    expect(picking).toThrow(expect.objectContaining({ exitCode, hint: expect.stringMatching(hint) }));
    expect(picking).toThrow(message);
  });
});

describe('on the command line', () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: '2026-11-20T09:00:00Z' });
  const create = (name: string) => [
    ...['campaign', 'create', '--name', name, '--agent', '1', '--from', '+14155550100'],
    ...['--contacts', join(ROOT, 'samples/contacts.csv'), '--start', '+2h'],
  ];

  test('the latest is meant where none is named, on a terminal only', async () => {
    for (const name of ['Spring 2026', 'Recall']) expect((await operator.run(create(name))).code).toBe(0);
    const shown = await operator.run(['campaign', 'status'], { isTerminal: true });
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('The latest campaign: 2, Recall.\n') });
    expect(shown.stdout).toContain('Recall');
    const empty = new Operator({ env: { VAGENT_LOCAL: '1' } });
    const none = await empty.run(['campaign', 'results'], { isTerminal: true });
    expect(none).toMatchObject({ code: 5, stderr: expect.stringContaining('There is no campaign in the store.') });
  });
});

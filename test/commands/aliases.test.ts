/** What people type who know other tools: it does what they meant, or says what would. */
import { describe, expect, test } from 'vitest';
import { type KnownCommands, unaliased } from '../../src/cli/flags/aliases.ts';
import { commandSummaries } from '../../src/program.ts';
import { casesBeside } from '../support/cases.ts';
import { Operator } from '../support/program.ts';

const cases = casesBeside(import.meta.filename);

const paths = [...commandSummaries().keys()];
const known: KnownCommands = {
  verbsOf(noun) {
    const below = paths.filter((path) => path.startsWith(`${noun} `)).map((path) => path.slice(noun.length + 1));
    return below.length > 0 ? below : paths.includes(noun) ? [] : undefined;
  },
  topics: ['campaigns', 'logs'],
};

describe('an alias is replaced, and nothing else', () => {
  test.each(cases<[typed: string, meant: string]>('replaced'))('%s → %s', (typed, meant) => {
    expect(unaliased(typed.split(' '), known).join(' ')).toBe(meant);
  });

  test.each(cases<string>('kept'))('%s stays as it is', (typed) => {
    const words = typed.split(' ').filter((word) => word !== '');
    expect(unaliased(words, known)).toEqual(words);
  });

  test('every name in the table of aliases is free, and means a command that exists', async () => {
    const { stdout } = await new Operator().run(['help', 'aliases']);
    const rows = [...stdout.matchAll(/^vagent (.*?) {2,}vagent (.*?)(?: …)?$/gm)].map(([, typed = '', meant = '']) => ({
      typed,
      meant,
    }));
    expect(rows.length).toBeGreaterThan(40);
    const nouns = paths.map((path) => path.split(' ')[0]);
    for (const { typed, meant } of rows) {
      expect([...paths, ...nouns]).not.toContain(typed);
      expect([...paths, ...nouns, '--version']).toContain(meant);
      expect(unaliased(typed.split(' '), known).join(' ')).toMatch(new RegExp(`^${meant}( list)?$`));
    }
  });
});

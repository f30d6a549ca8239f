/** The name that a mistyped word means, or none. */
import { expect, test } from 'vitest';
import { nearest } from '../../../src/cli/flags/nearest.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);
const NAMES: Record<string, string[]> = {
  verbs: ['list', 'export', 'show', 'stats', 'sync', 'follow', 'recording'],
  flags: '--out --format --columns --excel --resume --profile --agent --status --start-date'.split(' '),
  statuses: ['completed', 'failed', 'busy', 'no_answer'],
  formats: ['table', 'json', 'ndjson', 'csv', 'tsv', 'ids'],
};

test.each(cases<[word: string, among: string | string[], meant?: string]>('nearest'))(
  '%j of %j is %j',
  (word, among, meant) => {
    expect(nearest(word, typeof among === 'string' ? (NAMES[among] ?? []) : among)).toBe(meant);
  },
);

import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/cli/flags/nearest.ts';

const verbs = ['list', 'export', 'show', 'stats', 'sync', 'follow', 'recording'];
const flags = '--out --format --columns --excel --resume --profile --agent --status --start-date'.split(' ');
const statuses = ['completed', 'failed', 'busy', 'no_answer'];
const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'ids'];

describe('the name nearest to a word', () => {
  it.each<[word: string, candidates: string[], expected: string | undefined, why: string]>([
    ['exprot', verbs, 'export', 'two letters are swapped'],
    ['exprt', verbs, 'export', 'a letter is missing'],
    ['lists', verbs, 'list', 'a letter is too much'],
    ['exp', verbs, 'export', 'it is the only one that begins so'],
    ['stat', verbs, 'stats', 'it is one letter away'],
    ['s', verbs, undefined, 'one letter is too little'],
    ['record', verbs, 'recording', 'it is the beginning of one'],
    ['delete', verbs, undefined, 'nothing is near'],
    ['', verbs, undefined, 'there is no word'],
    ['--', flags, undefined, 'there are only dashes'],
    ['--agnet', flags, '--agent', 'two letters of a flag are swapped'],
    ['--outfile', flags, '--out', 'the flag is part of the word'],
    ['--startdate', flags, '--start-date', 'a dash is missing'],
    ['--start_date', flags, '--start-date', 'an underscore is for a dash'],
    ['no-answer', statuses, 'no_answer', 'a dash is for an underscore'],
    ['No Answer', statuses, 'no_answer', 'a space is for an underscore, and capitals do not matter'],
    ['noanswer', statuses, 'no_answer', 'the underscore is missing'],
    ['COMPLETED', statuses, 'completed', 'capitals do not matter'],
    ['complete', statuses, 'completed', 'a letter is missing'],
    ['answered', statuses, undefined, 'it is another word'],
    ['voicemail', statuses, undefined, 'it is another word'],
    ['cvs', formats, 'csv', 'two letters are swapped'],
    ['jsonl', formats, 'json', 'a letter is too much'],
    ['xml', formats, undefined, 'nothing is near'],
    ['femal', ['male', 'female'], 'female', 'the nearer of two'],
    ['m', ['male', 'female'], undefined, 'one letter is too little'],
    ['aa', ['ab', 'ba'], undefined, 'in two letters none may be wrong'],
    ['export', ['', 'export'], 'export', 'an empty name is never meant'],
  ])('for %j of %j it is %j: %s', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });
});

/** What is laid out to fit a terminal: facts, messages, tables, and transcripts, of any length in time that grows with it. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { layOut } from '../../../src/cli/terminal/dialogue.ts';
import { fitMessage } from '../../../src/cli/terminal/fit-message.ts';
import { Io } from '../../../src/cli/terminal/io.ts';
import { factLines } from '../../../src/cli/terminal/output.ts';
import { progressLine } from '../../../src/cli/terminal/progress.ts';
import { widthsFor } from '../../../src/cli/terminal/table.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

function terminal(columns: number): Io {
  const stream = () => Object.assign(new PassThrough(), { isTTY: true, columns });
  return new Io({ stdin: stream(), stdout: stream(), stderr: stream() }, new AbortController().signal, {
    now: () => 0,
  });
}

test.each(cases<[value: unknown, columns: number, lines: string[]]>('facts'))(
  '%j in %d columns',
  (value, columns, lines) => {
    expect(factLines({ 'First line': value }, terminal(columns))).toEqual(lines);
  },
);

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

type Shrinking = [
  how: string,
  needs: [natural: number, least: number | undefined, rank: number][],
  room: number,
  widths: number[],
];
test.each(cases<Shrinking>('columns that shrink, and go'))('%s', (_how, needs, room, widths) => {
  const columns = needs.map(([natural, least = Number.POSITIVE_INFINITY, rank]) => ({ natural, least, rank }));
  expect(widthsFor(columns, room)).toEqual(widths);
});

test('progress fits one line, and loses its end first', () => {
  const standing = { doing: 'Exporting calls', done: 40, total: 100, share: 0.4, rate: 20, left: 3 };
  expect(progressLine(standing, 100, true)).toBe(
    'Exporting calls: 40 of 100 (40 %) ========------------ 20/s, 3 s left',
  );
  expect(progressLine(standing, 40, true)).toBe('Exporting calls: 40 of 100 (40 %)');
  expect(progressLine(standing, 10, true)).toBe('Exporting ');
});

const LENGTH = 300_000;
const FAMILY = '👨‍👩‍👧‍👦';

const transcripts: Record<string, string> = {
  'one word': 'x'.repeat(LENGTH),
  'one word of wide letters': '漢'.repeat(LENGTH),
  'one word of letters with accents': 'e\u0301'.repeat(LENGTH / 2),
  'one letter with all accents': `e${'\u0301'.repeat(LENGTH)}`,
  'one word of people': FAMILY.repeat(LENGTH / FAMILY.length),
  'one endless family': '👩\u200d'.repeat(LENGTH / 3),
  'spaces before a word': `Agent: Hello.\n${' '.repeat(LENGTH)}x`,
  'spaces after a name': `Agent${' '.repeat(LENGTH)}x: y\nAgent: Hello.`,
  'as many speakers as lines': Array.from({ length: LENGTH / 10 }, (_none, at) => `S${at}: hi`).join('\n'),
  'lines of one letter': `Agent: Hello.\n${'a\n'.repeat(LENGTH / 2)}`,
};

describe.each(Object.entries(transcripts))('%s', (_name, transcript) => {
  test('all of it, in lines', () => {
    const text = layOut(transcript, { columns: 40, hasColor: false });
    const letters = (shown: string) => shown.replace(/[\s:]+/g, '').length;
    expect(letters(text)).toBe(letters(transcript));
    expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });
});

test('a letter is in one piece wherever the word is cut', () => {
  for (let before = 0; before < 12; before++) {
    const text = layOut('x'.repeat(before) + FAMILY.repeat(100), { columns: 9, hasColor: false });
    expect(text.replaceAll('\n', '').split(FAMILY)).toHaveLength(101);
    expect(text.split('\n').every((line) => !line.startsWith('\u200d') && !line.endsWith('\u200d'))).toBe(true);
  }
});

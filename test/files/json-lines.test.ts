/** One reader for all files of lines: whatever its chunks cut through, each line comes with its number and its place. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { committedValues } from '../../src/local/json/committed-lines.ts';
import { type FileSystem, systemFiles } from '../../src/storage/files/file-system.ts';
import { linesIn, readLines } from '../../src/storage/files/json-lines.ts';
import { temporaryFolder } from '../support/program.ts';

function fileOf(content: string | Buffer): string {
  const path = join(temporaryFolder(), 'a.jsonl');
  writeFileSync(path, content);
  return path;
}

/** Reads never return more than a few bytes. */
const shortReads: FileSystem = {
  ...systemFiles,
  readSync: ((fd: number, into: Uint8Array, at: number, length: number, position: number) =>
    systemFiles.readSync(fd, into, at, Math.min(length, 7), position)) as FileSystem['readSync'],
};

const cases: Record<
  string,
  { content: string | Buffer; lines: (string | { cutOff: string } | { damaged: number })[] }
> = {
  'an empty file': { content: '', lines: [] },
  'whole lines': { content: 'one\ntwo\n\n', lines: ['one', 'two', ''] },
  'letters of several bytes': { content: 'Zürich\n漢字\n🎉\n', lines: ['Zürich', '漢字', '🎉'] },
  'a carriage return is part of the line': { content: 'one\r\ntwo\n', lines: ['one\r', 'two'] },
  'separators of JSON texts end no line': { content: 'a\u2028b\u2029c\n', lines: ['a\u2028b\u2029c'] },
  'a last line that was cut off': { content: 'one\ntw', lines: ['one', { cutOff: 'tw' }] },
  'nothing but a line that was cut off': { content: 'on', lines: [{ cutOff: 'on' }] },
  'bytes that are not UTF-8': {
    content: Buffer.concat([Buffer.from('one\n'), Buffer.from([0xff, 0x0a]), Buffer.from('two\n')]),
    lines: ['one', { damaged: 2 }, 'two'],
  },
  'a line that is longer than a chunk': {
    content: `one\n${'x'.repeat(600_000)}\ntwo\n`,
    lines: ['one', 'x'.repeat(600_000), 'two'],
  },
};

describe.each(Object.entries(cases))('%s', (_name, { content, lines }) => {
  test.each([
    ['whole reads', systemFiles],
    ['short reads', shortReads],
  ])('%s', (_how, fs) => {
    const bytes = Buffer.from(content);
    let start = 0;
    for (const [at, line] of [...readLines(fs, fileOf(content))].entries()) {
      const expected = lines[at];
      expect(line).toMatchObject({ number: at + 1, start });
      if (typeof expected === 'string') expect(line).toMatchObject({ text: expected, isWhole: true, isUtf8: true });
      else if (expected !== undefined && 'cutOff' in expected) {
        expect(line).toMatchObject({ text: expected.cutOff, isWhole: false });
      } else expect(line).toMatchObject({ isUtf8: false, isWhole: true });
      start += line.length;
    }
    expect(start).toBe(bytes.length);
  });
});

test('from the middle of a file on, up to a byte of it', () => {
  const path = fileOf('one\ntwo\nthree\nfour\n');
  const lines = [...readLines(systemFiles, path, { start: 4, number: 2 }, 14)];
  expect(lines.map(({ number, start, text }) => [number, start, text])).toEqual([
    [2, 4, 'two'],
    [3, 8, 'three'],
  ]);
});

test('the lines of some bytes', () => {
  const lines = linesIn(Buffer.from('é\nb\n'), { start: 10, number: 5 });
  expect(lines.map(({ number, start, length, text }) => [number, start, length, text])).toEqual([
    [5, 10, 3, 'é'],
    [6, 13, 2, 'b'],
  ]);
});

describe('values of committed lines', () => {
  const parse = (text: string) => (text === 'none' ? undefined : text);

  test('from one byte to another, each with its end, and of a file that has grown', () => {
    const path = fileOf('é\ntwo\nthree\nhal');
    const [first] = committedValues(systemFiles, path, 0, 7, parse);
    expect(first).toEqual({ value: 'é', end: 3 });
    expect([...committedValues(systemFiles, path, 3, 13, parse)]).toEqual([
      { value: 'two', end: 7 },
      { value: 'three', end: 13 },
    ]);
    expect([...committedValues(systemFiles, 'nowhere', 7, 7, parse)]).toEqual([]);
  });

  test.each([
    ['one\ntw', 8, /has 4 bytes of whole lines, but 8 were committed\.$/],
    ['one\ntwo\n', 6, /has 4 bytes of whole lines, but 6 were committed\.$/],
    ['one\nnone\n', 9, /has a line that is none of its own\.$/],
  ])('%j, of which %i bytes were committed', (content, end, message) => {
    expect(() => [...committedValues(systemFiles, fileOf(content), 0, end, parse)]).toThrow(message);
  });
});

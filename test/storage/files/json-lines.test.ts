/** One reader for all files of lines: whatever its chunks cut through, each line comes with its number and its place. */
import { isUtf8 } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { committedValues } from '../../../src/local/json/committed-lines.ts';
import { type FileSystem, systemFiles } from '../../../src/storage/files/file-system.ts';
import { linesIn, readLines } from '../../../src/storage/files/json-lines.ts';
import { temporaryFolder } from '../../support/program.ts';
import fc from '../../support/properties.ts';

function fileOf(content: string | Buffer): string {
  const path = join(temporaryFolder(), 'a.jsonl');
  writeFileSync(path, content);
  return path;
}

/** Reads never return more than a few bytes. */
const readingAtMost = (most: number): FileSystem => ({
  ...systemFiles,
  readSync: ((fd: number, into: Uint8Array, at: number, length: number, position: number) =>
    systemFiles.readSync(fd, into, at, Math.min(length, most), position)) as FileSystem['readSync'],
});

const PIECES = ['one', '', '\r', 'Zürich', '漢字🎉', 'a\u2028b\u2029', '{"a":1}', '\0'].map((text) =>
  Buffer.from(text),
);
const piece = fc.constantFrom(...PIECES, Buffer.from([0xff]), Buffer.from([0xc3]));

test('whatever the bytes, the reads and the part that is asked for, each line comes with its number, place and text', () => {
  const world = fc.record({ pieces: fc.array(piece, { maxLength: 9 }), isWhole: fc.boolean(), most: fc.nat(8) });
  const look = ({ pieces, isWhole, most }: typeof world extends fc.Arbitrary<infer W> ? W : never) => {
    const whole = pieces.map((bytes) => Buffer.concat([bytes, Buffer.from('\n')]));
    const rest = isWhole ? Buffer.alloc(0) : Buffer.from('tw');
    const ends = whole.map((_line, at) => Buffer.concat(whole.slice(0, at + 1)).length);
    const expected = pieces.map((bytes, at) => ({
      ...{ number: at + 1, start: ends[at - 1] ?? 0, length: bytes.length + 1, isWhole: true },
      ...{ text: bytes.toString(), isUtf8: isUtf8(bytes) },
    }));
    const last = {
      number: pieces.length + 1,
      start: ends.at(-1) ?? 0,
      length: 2,
      text: 'tw',
      isUtf8: true,
      isWhole: false,
    };
    const path = fileOf(Buffer.concat([...whole, rest]));
    expect([...readLines(readingAtMost(most + 1), path)]).toEqual(isWhole ? expected : [...expected, last]);
    expect(linesIn(Buffer.concat(whole))).toEqual(expected);
    const half = pieces.length >> 1;
    const from = { start: ends[half - 1] ?? 0, number: half + 1 };
    expect([...readLines(systemFiles, path, from, ends.at(-1) ?? 0)]).toEqual(expected.slice(half));
  };
  fc.assert(fc.property(world, look));
});

test('a line that is longer than a chunk', () => {
  const lines = ['one', 'x'.repeat(600_000), 'two'];
  const read = [...readLines(systemFiles, fileOf(`${lines.join('\n')}\n`))];
  expect(read.map(({ text }) => text)).toEqual(lines);
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

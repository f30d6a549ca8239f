/** What will be done, shown before a yes: everything that will be sent, in lines that fit. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Io } from '../../src/cli/terminal/io.ts';
import { factLines } from '../../src/cli/terminal/output.ts';

function terminal(columns: number): Io {
  const stream = () => Object.assign(new PassThrough(), { isTTY: true, columns });
  return new Io({ stdin: stream(), stdout: stream(), stderr: stream() }, new AbortController().signal, {
    now: () => 0,
  });
}

test.each<[value: unknown, columns: number, lines: string[]]>([
  ['Hello.', 80, ['First line   Hello.']],
  ['one\ntwo\r\nthree', 80, ['First line   one', '             two', '             three']],
  ['a text that is wrapped', 26, ['First line:', '  a text that is wrapped']],
  ['', 80, []],
  [undefined, 80, []],
  [3, 80, ['First line   3']],
  ['\u001b[2Jowned', 80, ['First line    [2Jowned']],
])('%j in %d columns', (value, columns, lines) => {
  expect(factLines({ 'First line': value }, terminal(columns))).toEqual(lines);
});

/** Files that are no tables, whatever their size: one sentence, after a bounded part of them was read. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readExclusions } from '../../../src/contacts/check/exclusion-list.ts';
import type { Encoding } from '../../../src/contacts/rules.ts';
import type { main } from '../../../src/main.ts';
import { casesBeside } from '../../support/cases.ts';
import { freshEnvironment, Operator, ROOT, temporaryFolder } from '../../support/program.ts';

const cases = casesBeside(import.meta.filename);
const MEGABYTE = 1 << 20;

/** As it is built: what is done byte for byte takes a third of the time there, and most of these read 16 MB. */
const built: { main: typeof main } = await import(pathToFileURL(join(ROOT, 'dist/main.cjs')).href);
const environment = freshEnvironment(temporaryFolder());

/** Checks what comes in on standard input; the exit code, and the error as JSON. */
async function check(pieces: AsyncIterable<Buffer>, flags: readonly string[]): Promise<[code: number, error: unknown]> {
  const argv = ['contacts', 'check', '-', '--json', ...flags];
  const streams = { stdin: Readable.from(pieces), stdout: new PassThrough(), stderr: new PassThrough() };
  const code = await built.main({ argv, env: environment, streams, signal: new AbortController().signal });
  streams.stderr.end();
  return [code, JSON.parse(await text(streams.stderr)).error];
}

/** The beginning of a file, then the same bytes for ever; and how many were read. */
function endless(begin: string, again: string) {
  const read = { bytes: 0 };
  const piece = Buffer.from(again.repeat(Math.ceil(65_536 / Buffer.byteLength(again))));
  async function* pieces() {
    yield Buffer.from(begin);
    for (;;) {
      read.bytes += piece.length;
      if (read.bytes > 100 * MEGABYTE) throw new Error('It reads for ever.');
      yield piece;
    }
  }
  return { pieces: pieces(), read };
}

interface Case {
  begin?: string;
  again: string;
  line: number;
  code: 'too_wide' | 'unclosed_quote';
  encoding?: Encoding;
  delimiter?: string;
}

describe('a line that never ends is refused soon, with its line', () => {
  test.each(cases<[string, Case]>('endless'))(
    '%s',
    async (_what, { begin = '', again, line, code, encoding, delimiter }) => {
      const { pieces, read } = endless(begin, again);
      const flags = [...(encoding ? ['--encoding', encoding] : []), ...(delimiter ? ['--delimiter', delimiter] : [])];
      const [exitCode, error] = await check(pieces, flags);
      expect(exitCode).toBe(3);
      expect(error).toMatchObject({
        code,
        message: expect.stringMatching(new RegExp(`^Standard input, line ${line}: [^\\n]+\\.$`)),
      });
      expect(read.bytes).toBeLessThan(40 * MEGABYTE);
    },
  );

  test('also of a list of numbers never to call', async () => {
    const { pieces } = endless('phone,name\n', ',');
    const rules = { country: undefined, encoding: undefined };
    await expect(readExclusions(pieces, 'never.csv', rules)).rejects.toMatchObject({ code: 'too_wide', exitCode: 3 });
  });
});

describe('through the program', () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const folder = temporaryFolder();

  function put(text: string): string {
    writeFileSync(join(folder, 'a.csv'), text);
    return join(folder, 'a.csv');
  }

  test.each([
    ['a million commas', `${'x,'.repeat(1_000_500)}\n`, /line 1: .* has 1000501 cells: this is not a table/],
    ['three million', ','.repeat(3_000_000), /line 1: .* more than 1,000,000 cells/],
    ['a header of 100,000 columns', `phone${',x'.repeat(100_000)}\n+14155550101\n`, /line 1: .*100001 cells/],
  ])('%s: exit 3 and one sentence', async (_what, text, says) => {
    const { code, stdout, stderr } = await operator.run(['contacts', 'check', put(text)]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(says);
    expect(stderr.split('\n')).toHaveLength(3);
  });

  test('a row with too many cells, but an end, is told like any other row, and its cells are kept', async () => {
    const rejects = join(folder, 'to-fix.csv');
    // Far more than any table has (16,384); three such rows, so that what is told of one does not end the reading.
    const wide = `+14155550102${',x'.repeat(60_000)}\n`;
    const file = put(`phone,name\n${wide.repeat(3)}+14155550101,Ann\n`);
    const { code, stdout } = await operator.run([
      'contacts',
      'check',
      file,
      '--rejects',
      rejects,
      '--skip-invalid',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 4, accepted: 1, problem_counts: { ragged_row: 3 } });
    expect(readFileSync(rejects, 'utf8').split(wide.trimEnd())).toHaveLength(4);
  });

  test('a header as wide as the widest spreadsheet, and many empty lines, are read', async () => {
    const names = ['phone', ...Array.from({ length: 16_383 }, (_none, at) => `c${at}`)];
    const rows = ['+14155550101', ...Array<string>(16_383).fill('')];
    const file = put(`${'\n'.repeat(300_000)}${names.join(',')}\n${'\r\n'.repeat(300_000)}${rows.join(',')}\nx\n`);
    const { stdout } = await operator.run(['contacts', 'check', file, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 2,
      accepted: 1,
      header_line: 300_001,
      problems: [{ line: 600_003 }],
    });
  });
});

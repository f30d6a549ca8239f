/** Original rows go into large buffers and come out as they were. */
import { describe, expect, test } from 'vitest';
import { KeptRows } from '../../src/text/kept-rows.ts';
import { Redactor } from '../../src/text/redact.ts';

const plain = (text: string) => text;
const linesOf = (rows: KeptRows, redact = plain) =>
  Buffer.concat([...rows.file(redact)])
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

function kept(columns: string[], ...rows: string[][]): KeptRows {
  const found = new KeptRows(columns);
  for (const row of rows) found.add(row);
  return found;
}

const ODD = [' untrimmed ', 'two\nlines', '"quoted"', 'Zoë 📞', '\u2028\t', '\ud800 half', ''];

describe('rows', () => {
  test('keep every character of every cell, and the spelling of the columns', () => {
    const columns = [' Phone  Number ', '', 'Näme'];
    const rows = ODD.map((cell) => [cell, 'x', cell]);
    expect(linesOf(kept(columns, ...rows))).toEqual([{ columns }, ...rows]);
  });

  test('may be longer than a buffer', () => {
    const long = 'é'.repeat(3_000_000);
    const rows = [['a'], [long], ['b'], [long], ['c']];
    const found = kept(['text'], ...rows);
    expect(found.count).toBe(5);
    expect(linesOf(found).slice(1)).toEqual(rows);
    expect(linesOf(found.only((row) => row > 2)).slice(1)).toEqual(rows.slice(3));
  });

  test('fill several buffers, and some of them can be left out', () => {
    const rows = Array.from({ length: 100_000 }, (_none, at) => [
      `+1415${5_560_000 + at}`,
      `Person ${at} of some place`,
    ]);
    const found = kept(['phone', 'name'], ...rows);
    const third = found.only((row) => row % 3 === 1);
    expect(third.count).toBe(33_333);
    expect(third.columns).toEqual(['phone', 'name']);
    expect(linesOf(third).slice(1)).toEqual(rows.filter((_row, at) => at % 3 === 1));
    expect(found.count).toBe(100_000);
  });

  test('none at all', () => {
    expect(linesOf(kept(['phone']))).toEqual([{ columns: ['phone'] }]);
  });
});

describe('a key in a cell or a column', () => {
  const keys = ['sk-PLANTED-key', 'sk"PLANTED\\key', '4155550123'];
  test.each(keys)('%s is masked, and the file stays JSON', (key) => {
    const redactor = new Redactor();
    redactor.add(key);
    const redact = (text: string) => redactor.redact(text);
    const rows = kept([`a ${key}`, 'b'], ['fine', 'fine'], [`x ${key} y`, JSON.stringify({ key })], ['fine', '']);
    expect(linesOf(rows, redact)).toEqual([
      { columns: ['a <API_KEY>', 'b'] },
      ['fine', 'fine'],
      ['x <API_KEY> y', '{"key":"<API_KEY>"}'],
      ['fine', ''],
    ]);
  });
});

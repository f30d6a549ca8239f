/** Workbooks that are written, read by another reader: its own zip, and the XML as it stands. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Workbook } from '../../src/text/workbook/workbook.ts';
import { type WorkbookLayout, type Written, workbookOf } from '../../src/text/workbook/write-workbook.ts';
import { Operator } from '../support/program.ts';
import { partsOf } from '../support/zip.ts';

const LAYOUT: WorkbookLayout = {
  columns: ['phone', 'at', 'count', 'text'],
  hasHeader: true,
  redact: (text) => text.replaceAll('KEY', '****'),
  sheet: { name: 'Results', times: new Set(['at']), zone: 'Europe/Madrid' },
};
type Item = Record<string, unknown>;

async function written(items: Item[][], more: Partial<WorkbookLayout> = {}): Promise<{ file: Buffer } & Written> {
  const pieces: Buffer[] = [];
  const bytes = workbookOf(items, { ...LAYOUT, ...more });
  let next = await bytes.next();
  for (; !next.done; next = await bytes.next()) pieces.push(next.value);
  return { file: Buffer.concat(pieces), ...next.value };
}

/** Each cell of the first sheet by its place: its type, its style, and its text as XML has it. */
function cellsIn(file: Buffer): Record<string, { type: string; style: string; text: string }> {
  const xml = partsOf(file)['xl/worksheets/sheet1.xml'] ?? '';
  const cells = xml.matchAll(
    /<c r="([A-Z]+\d+)"(?: s="(\d)")?(?: t="(\w+)")?>(?:<v>(.*?)<\/v>|<is><t[^>]*>(.*?)<\/t><\/is>)<\/c>/gs,
  );
  const plain = (text: string) =>
    text.replace(/&(lt|gt|quot|amp);/g, (_, name) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name as 'lt']);
  return Object.fromEntries(
    [...cells].map(([, at = '', style = '0', type = 'n', value, text]) => [
      at,
      { type, style, text: plain(value ?? text ?? '') },
    ]),
  );
}

const AT = '2026-07-01T10:00:00.500Z';
const HOSTILE = [
  '=1+1',
  '+34600111222',
  '@SUM(A1)',
  '-2',
  '\t=1',
  '=cmd|x',
  '007',
  '1E5',
  '</t><f>1</f>',
  '&amp;',
  ' x ',
  'KEY',
  '_x0041_',
];

test('texts are texts, times are dates of the zone that the header names, and numbers are numbers', async () => {
  const { file, count } = await written([
    [
      { phone: '+34600111222', at: AT, count: 3, text: 'a\nb' },
      { phone: '007', at: 'today', text: null },
    ],
  ]);
  expect(count).toBe(2);
  const cells = cellsIn(file);
  expect(['A1', 'B1', 'C1', 'D1'].map((at) => cells[at]?.text)).toEqual([
    'phone',
    'at (Europe/Madrid)',
    'count',
    'text',
  ]);
  expect(cells.A2).toEqual({ type: 'inlineStr', style: '1', text: '+34600111222' });
  expect(cells.C2).toEqual({ type: 'n', style: '0', text: '3' });
  expect(cells.B3).toEqual({ type: 'inlineStr', style: '1', text: 'today' });
  expect(cells.D3).toBeUndefined();
  expect(cells.B2).toMatchObject({ type: 'n', style: '2' });
  // Days since the end of 1899, by the clock of this machine.
  const shown = new Date(Date.UTC(1899, 11, 30) + Number(cells.B2?.text) * 86_400_000).toISOString().slice(0, 19);
  const local = new Date(AT);
  const wall = [local.getFullYear(), local.getMonth() + 1, local.getDate(), local.getHours(), local.getMinutes()];
  expect(shown.split(/[-T:]/).slice(0, 5).map(Number)).toEqual(wall);
  const { 'xl/styles.xml': styles = '' } = partsOf(file);
  const formats = [...styles.slice(styles.indexOf('<cellXfs')).matchAll(/<xf numFmtId="(\d+)"/g)].map(([, id]) => id);
  expect(formats.slice(0, 4)).toEqual(['0', '49', '164', '49']);
  expect(styles).toContain('<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>');
});

test('a time that the clocks show twice stays as it was, and none beside it', async () => {
  const operator = new Operator({ env: { TZ: 'Europe/Madrid', VAGENT_LOCAL: '1' } });
  const times = ['2026-10-24T23:59:59', '2026-10-25T00:00:00', '2026-10-25T01:59:59', '2026-10-25T02:00:00'];
  for (const time of times) {
    const call = ['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
    expect((await operator.run(call, { frozenAt: `${time}Z` })).code).toBe(0);
  }
  const frozenAt = '2026-10-26T00:00:00Z';
  const { code } = await operator.run(['logs', 'export', '--out', 'calls.xlsx', '--fields', 'timestamp'], { frozenAt });
  expect(code).toBe(0);
  const cells = cellsIn(readFileSync(join(operator.home, 'calls.xlsx')));
  const dates = Object.values(cells).map(({ type, text }) =>
    type === 'n' ? ((Number(text) * 24) % 24).toFixed(2) : text,
  );
  expect(dates).toEqual([
    ...['timestamp (Europe/Madrid)', '3.00', '2026-10-25T01:59:59.000Z', '2026-10-25T00:00:00.000Z', '2.00'],
  ]);
});

test('a time is its second also where a spreadsheet cuts off what is less', async () => {
  const noon = Date.UTC(2026, 10, 20, 12);
  const times = Array.from({ length: 3600 }, (_none, second) => ({ at: new Date(noon + second * 1000).toISOString() }));
  const cells = cellsIn((await written([times])).file);
  const shown = times.map((_time, row) => Math.floor(((Number(cells[`B${row + 2}`]?.text) * 86_400) % 3600) + 1e-4));
  expect(shown).toEqual(times.map((_time, second) => second));
});

test('the header stays in sight, columns are as wide as their texts, and there are filters', async () => {
  const xml =
    partsOf((await written([[{ phone: '+34600111222', text: 'x'.repeat(30) }]])).file)['xl/worksheets/sheet1.xml'] ??
    '';
  expect(xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  expect(xml).toMatch(/<\/sheetData><autoFilter ref="A1:D2"\/><\/worksheet>$/);
  expect([...xml.matchAll(/<col [^>]*width="(\d+)"/g)].map(([, width]) => Number(width))).toEqual([13, 21, 9, 31]);
});

describe('nothing in a cell becomes a formula, and each comes back as it was', () => {
  test.each(HOSTILE)('%j', async (text) => {
    const { file } = await written([[{ text }]]);
    const { 'xl/worksheets/sheet1.xml': xml = '' } = partsOf(file);
    expect(xml).not.toContain('<f>');
    expect(cellsIn(file).D2).toMatchObject({ type: 'inlineStr', style: '1' });
    const workbook = await Workbook.open(file, 'a.xlsx');
    const rows = [];
    for await (const some of workbook.rows(workbook.sheets[0] as (typeof workbook.sheets)[0])) rows.push(...some);
    expect(rows[1]?.cells[3]).toBe(text === 'KEY' ? '****' : text);
  });

  test('also what XML cannot hold, and half a character', async () => {
    const text = 'a\u0000\u0007\r\n\ud800b😀';
    const { file } = await written([[{ text }]]);
    expect(cellsIn(file).D2?.text).toBe('a_x0000__x0007__x000D_\n\ufffdb😀');
    const workbook = await Workbook.open(file, 'a.xlsx');
    for await (const [, row] of workbook.rows(workbook.sheets[0] as (typeof workbook.sheets)[0])) {
      if (row !== undefined) expect(row.cells[3]).toBe(text.toWellFormed());
    }
  });
});

test('more columns than a sheet has are refused', async () => {
  const columns = Array.from({ length: 16_385 }, (_none, at) => `c${at}`);
  const refused = written([[{ c0: 1 }]], { columns });
  await expect(refused).rejects.toThrow('A sheet has at most 16,384 columns, and 16,385 are to be written.');
  expect(cellsIn((await written([[{ c0: 1 }]], { columns: columns.slice(1) })).file).XFD1?.text).toBe('c16384');
});

test('a text that a cell cannot hold is cut off between characters, and counted', async () => {
  const { file, cut } = await written([[{ text: `${'x'.repeat(32_766)}😀` }, { text: 'x'.repeat(32_767) }]]);
  expect(cut).toBe(1);
  expect(cellsIn(file).D2?.text).toHaveLength(32_766);
  expect(cellsIn(file).D3?.text).toHaveLength(32_767);
});

test('what is more than a sheet holds goes into another, with the same header', async () => {
  const batches = Array.from({ length: 1049 }, (_, batch) =>
    Array.from({ length: 1000 }, (_, at) => ({ count: batch * 1000 + at })),
  );
  const { file, count } = await written(batches, { columns: ['count'] });
  expect(count).toBe(1_049_000);
  const parts = partsOf(file);
  expect([...(parts['xl/workbook.xml'] ?? '').matchAll(/sheet name="([^"]+)"/g)].map(([, name]) => name)).toEqual([
    'Results',
    'Results 2',
  ]);
  expect(parts['xl/worksheets/sheet1.xml']).toMatch(
    /<c r="A1048576" s="0"><v>1048574<\/v><\/c><\/row><\/sheetData><autoFilter ref="A1:A1048576"\/>/,
  );
  expect(parts['xl/worksheets/sheet2.xml']).toMatch(
    />count<\/t><\/is><\/c><\/row><row r="2"><c r="A2" s="0"><v>1048575<\/v>/,
  );
});

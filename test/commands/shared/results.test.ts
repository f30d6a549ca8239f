/** The list of an office and what comes of it: results are in the form of the list, byte for byte, or a workbook. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { setUp } from '../../support/calling-service.ts';
import { Operator } from '../../support/program.ts';
import { partsOf } from '../../support/zip.ts';

const ROWS = [
  ['Nombre', 'Teléfono'],
  ['Begoña €', '+34600111222'],
  ['=1+1', '+34600111223'],
];

async function planOf(bytes: Buffer, ...flags: string[]): Promise<Operator> {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  writeFileSync(join(operator.home, 'list'), bytes);
  const plan = ['plan', 'create', '--name', 'P', '--agent', '1', '--from', '+14155550100', '--window', '09:00-20:00'];
  const made = await operator.run([...plan, '--contacts', 'list', ...flags], { cwd: operator.home });
  expect(made, made.stderr).toMatchObject({ code: 0 });
  return operator;
}

async function results(operator: Operator, ...flags: string[]) {
  const outcome = await operator.run(['plan', 'results', '1', ...flags], { cwd: operator.home });
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  return outcome;
}

const text = (delimiter: string) => ROWS.map((cells) => `${cells.join(delimiter)}\r\n`).join('');

describe.concurrent('plan results --excel is written as the list was', () => {
  const cases: [encoding: string, delimiter: string, mark: string, flags: string[]][] = [
    ['windows-1252', ';', '', ['--encoding', 'windows-1252']],
    ['utf-16le', '\t', '\ufeff', []],
    ['utf-8', ',', '\ufeff', []],
  ];
  test.each(cases)('%s with %j', async (encoding, delimiter, mark, flags) => {
    const operator = await planOf(iconv.encode(mark + text(delimiter), encoding), ...flags);
    await results(operator, '--excel', '--out', 'r.csv');
    const written = iconv.decode(readFileSync(join(operator.home, 'r.csv')), encoding, { stripBOM: false });
    const lines = written.split('\r\n').map((line) => line.split(delimiter).slice(0, 2));
    expect(lines).toEqual([
      [`${mark}Nombre`, 'Teléfono'],
      ['Begoña €', "'+34600111222"],
      ["'=1+1", "'+34600111223"],
      [''],
    ]);
    expect(written).not.toContain('="');
  });

  test('without --excel it is plain', async () => {
    const operator = await planOf(iconv.encode(text(';'), 'windows-1252'), '--encoding', 'windows-1252');
    const { stdout } = await results(operator, '-o', 'csv', '--fields', 'Nombre,Teléfono');
    expect(stdout).toBe(text(','));
  });
});

test.each([
  ['on the simulator', new Operator({ env: { VAGENT_LOCAL: '1' } }), '1'],
  ['by the register', (await setUp()).operator, '3'],
])('campaign results --excel is written as the list was too, %s', async (_where, operator, agent) => {
  const list = join(operator.home, 'list');
  writeFileSync(list, iconv.encode(text(';'), 'windows-1252'));
  const made = ['campaign', 'create', '--name', 'S', '--agent', agent, '--from', '+14155550100', '--contacts', list];
  const sent = await operator.run([...made, '--encoding', 'windows-1252', '--yes']);
  expect(sent, sent.stderr).toMatchObject({ code: 0 });
  const out = join(operator.home, 'c.csv');
  const outcome = await operator.run(['campaign', 'results', 'S', '--excel', '--out', out]);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  const [header, first] = iconv.decode(readFileSync(out), 'windows-1252').split('\r\n');
  expect(header).toMatch(/^Nombre;Teléfono;state;/);
  expect(first).toMatch(/^Begoña €;'\+34600111222;/);
});

test('a workbook has the numbers as texts, and is read back as the same contacts', async () => {
  const operator = await planOf(Buffer.from(text(',')));
  await results(operator, '--out', 'r.xlsx');
  const path = join(operator.home, 'r.xlsx');
  const { 'xl/worksheets/sheet1.xml': sheet = '' } = partsOf(readFileSync(path));
  expect(sheet).toContain('<c r="B2" s="1" t="inlineStr"><is><t>+34600111222</t></is></c>');
  expect(sheet).toContain('<t>=1+1</t>');
  const report = await operator.json(['contacts', 'check', path]);
  expect(report).toMatchObject({ accepted: 2, sheet: 'Results', columns: { phone_number: 'Teléfono' } });
});

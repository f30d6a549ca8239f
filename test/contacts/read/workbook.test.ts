/** Workbooks as lists of contacts: what a spreadsheet shows is read, and what cannot be meant for sure is refused. */
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { partsOfWorkbook, textRows, workbookOf } from '../../support/workbook.ts';
import { zipOf } from '../../support/zip.ts';
import { checkInMemory, FILE } from '../in-memory.ts';

const LIST = [
  ['Nombre', 'Teléfono', 'Cita', 'Notas', 'Saldo'],
  ['Begoña Núñez', '600 111 222', '25/11/2026', 'dice «hola»;\n€ 5', '12.50'],
  ['', '', '', '', ''],
  ['Íñigo', '+34 600 111 223', '01/12/2026', '=1+1', '0.00'],
  ['Zoë', '34600111224', '', '@cmd', '-3.00'],
];
const FLAGS = {
  country: 'ES',
  instruction: 'Cita {{Cita|pronto}}: {{Notas|nada}}',
  identifier: '{{Nombre}} {{Saldo}}',
};

/** The same list as a person has it in a spreadsheet: numbers, dates and sums as such. */
const AS_WORKBOOK = workbookOf({
  sheets: {
    Contactos: {
      rows: [
        `<row r="1">${[0, 1, 2, 3, 4].map((at) => `<c t="s"><v>${at}</v></c>`).join('')}</row>`,
        '<row r="2"><c r="A2" t="s"><v>5</v></c><c r="B2" s="3"><v>600111222</v></c><c r="C2" s="1"><v>46351</v></c>',
        '<c r="D2" t="s"><v>6</v></c><c r="E2" s="2"><f>25/2</f><v>12.5</v></c></row>',
        '<row r="3"><c r="A3" s="1"/></row>',
        '<row r="5"><c r="A5" t="inlineStr"><is><r><t>Íñi</t></r><r><t>go</t></r><rPh><t>x</t></rPh></is></c>',
        '<c r="B5" t="str"><f>"+34 "</f><v>+34 600 111 223</v></c><c r="C5" s="1"><v>46357</v></c>',
        '<c r="D5" t="inlineStr"><is><t>=1+1</t></is></c><c r="E5" s="2"><v>0</v></c></row>',
        '<row r="6"><c t="inlineStr"><is><t>Zoë</t></is></c><c><v>3.4600111224E10</v></c><c s="1"/>',
        '<c t="inlineStr"><is><t>@cmd</t></is></c><c s="2"><v>-3</v></c></row>',
      ].join(''),
    },
    Listas: { rows: textRows([['una lista']]), state: 'hidden' },
    Vacía: { rows: '' },
  },
  texts: [...(LIST[0] as string[]), 'Begoña Núñez', 'dice «hola»;\n€ 5'],
  formats: ['dd/mm/yyyy', '0.00', '000 000 000'],
});

test('the same list as semicolon CSV in Windows-1252 and as a workbook gives the same contacts', async () => {
  const quoted = (cell: string) => (/[;\n]/.test(cell) ? `"${cell}"` : cell);
  const csv = iconv.encode(`${LIST.map((cells) => cells.map(quoted).join(';')).join('\r\n')}\r\n`, 'windows-1252');
  const [fromCsv, fromWorkbook] = await Promise.all([
    checkInMemory({ [FILE]: csv }, { ...FLAGS, encoding: 'windows-1252' }),
    checkInMemory({ [FILE]: AS_WORKBOOK }, FLAGS),
  ]);
  expect(fromCsv.report).toMatchObject({ rows: 3, accepted: 3 });
  expect(fromWorkbook.contacts).toEqual(fromCsv.contacts);
  expect(fromWorkbook.columns).toEqual(fromCsv.columns);
  expect(fromWorkbook.cells).toEqual(fromCsv.cells);
  expect(fromWorkbook.report).toMatchObject({ sheet: 'Contactos', accepted: 3, encoding: 'utf-8', delimiter: ',' });
});

/** A row that has begun with a number as text. */
const ANN = '<row><c t="inlineStr"><is><t>+34600111222</t></is></c>';

describe('a number is read as its digits, and never as fewer', () => {
  const cases: [stored: string, format: string | number, read: string][] = [
    ['34600111222', 'General', '34600111222'],
    ['3.4600111222E10', 'General', '34600111222'],
    ['34600111222', 11, '34600111222'],
    ['34600000000', 11, '3.46E+10'],
    ['34600111222.5', 11, '3.46E+10'],
    ['34600111222.5', '0', '34600111222.5'],
    ['34600111222.00001', 'General', '34600111222.00001'],
    ['346001112223334445', 'General', '3.46001112223334E+17'],
    ['34600111222', '0.0,,"M"', '34600111222'],
    ['34600111222', '"+"0', '+34600111222'],
    ['4155550101', '[<=9999999]###-####;(###) ###-####', '(415) 555-0101'],
    ['600111222', '000 000 000', '600 111 222'],
    ['1234', '00000', '01234'],
    ['0.1', 'General', '0.1'],
    ['0.30000000000000004', 'General', '0.3'],
    ['1234.5', '#,##0.00', '1,234.50'],
    ['0.25', 9, '25%'],
    ['46351', 14, '2026-11-25'],
    ['46351.5', 22, '2026-11-25 12:00'],
    ['46351.75', 'd mmm yyyy h:mm AM/PM', '25 Nov 2026 6:00 PM'],
    ['46351', '[$-C0A]dddd, d "de" mmmm', 'miércoles, 25 de noviembre'],
    ['46351.999999', 22, '2026-11-26 00:00'],
    ['46351.999999', 'yyyy-mm-dd hh:mm:ss', '2026-11-26 00:00:00'],
    ['0.00001', 'mm:ss.0', '00:00.9'],
  ];
  test.each(cases)('%s as %s: %s', async (stored, format, read) => {
    const rows = `${textRows([['phone', 'shown']])}${ANN}<c s="1"><v>${stored}</v></c></row>`;
    const { cells } = await checkInMemory({ [FILE]: workbookOf({ sheets: { A: { rows } }, formats: [format] }) }, {});
    expect(cells).toEqual([['+34600111222', read]]);
  });

  test('damaged ones are refused as in a CSV', async () => {
    const rows = `${textRows([['phone']])}<row><c s="1"><v>34600000000</v></c></row><row><c><v>34600111222.5</v></c></row>`;
    const file = workbookOf({ sheets: { A: { rows } }, formats: [11] });
    const { report } = await checkInMemory({ [FILE]: file }, { country: 'ES' });
    expect(report.problems).toMatchObject([
      { line: 2, code: 'spreadsheet_damage', value: '3.46E+10' },
      { line: 3, code: 'spreadsheet_damage', value: '34600111222.5' },
    ]);
  });

  test('dates of a workbook that counts from 1904 are the same days', async () => {
    const cells = '<c s="1"><v>44889</v></c><c s="2"><v>1.5</v></c>';
    const rows = `${textRows([['phone', 'day', 'hours']])}${ANN}${cells}</row>`;
    const file = workbookOf({ sheets: { A: { rows } }, formats: [14, '[h]:mm'], is1904: true });
    expect((await checkInMemory({ [FILE]: file }, {})).cells).toEqual([['+34600111222', '2026-11-25', '36:00']]);
  });
});

test('half a character is none', async () => {
  const rows = textRows([
    ['phone', 'note'],
    ['+34600111222', 'a_xD800_b_xD83D__xDE00_'],
  ]);
  expect((await checkInMemory({ [FILE]: workbookOf({ sheets: { A: { rows } } }) }, {})).cells).toEqual([
    ['+34600111222', 'a\ufffdb😀'],
  ]);
});

describe("a spreadsheet's error in a text that would be sent is refused, in a workbook and a CSV", () => {
  test.each(['#N/A', '#N/D', '#DIV/0!', '#¿NOMBRE?', '#WERT!', 'Err:502'])('%s', async (error) => {
    const cell = `<c t="e"><f>1/0</f><v>${error}</v></c>`;
    const rows = `${textRows([['phone', 'custom_first_line', 'note']])}${ANN}${cell}${cell}</row>`;
    for (const file of [
      workbookOf({ sheets: { A: { rows } } }),
      `phone,custom_first_line,note\n+34600111222,${error},${error}\n`,
    ]) {
      const { report } = await checkInMemory({ [FILE]: file }, {});
      expect(report.problems).toMatchObject([{ line: 2, column: 'custom_first_line', code: 'spreadsheet_damage' }]);
      expect(report.accepted).toBe(0);
    }
  });
});

const SOUND = { sheets: { A: { rows: textRows([['phone'], ['+34600111222']]) } } };
const sheet = (rows: string, after?: string) => workbookOf({ sheets: { A: { rows, ...(after ? { after } : {}) } } });
const without = (part: string) => workbookOf({ ...SOUND, parts: { [part]: undefined } });
const withSheet = (xml: string) => workbookOf({ ...SOUND, parts: { 'xl/worksheets/sheet1.xml': xml } });
const PHONE = textRows([
  ['phone', 'name'],
  ['+34600111222', 'Ann'],
]);
const OLD = Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), Buffer.alloc(1 << 17)]);
const PROTECTED = Buffer.concat([OLD, Buffer.from('EncryptedPackage', 'utf16le'), Buffer.alloc(100)]);
const TWO = { Spring: SOUND.sheets.A, 'Old ones': SOUND.sheets.A };
const LAUGHS = `<!DOCTYPE x [<!ENTITY a "${'ha'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]><worksheet>&b;</worksheet>`;

describe('a workbook that cannot be read for sure is refused with one sentence', () => {
  const parts = partsOfWorkbook(SOUND);
  const cases: [what: string, file: Buffer, code: string, says: RegExp][] = [
    ['cut off', workbookOf(SOUND).subarray(0, 900), 'bad_workbook', /damaged workbook: it is cut off/],
    ['only its beginning', Buffer.from('PK\x03\x04'), 'bad_workbook', /cut off/],
    ['changed', zipOf(parts, { 'xl/worksheets/sheet1.xml': { crc: 1 } }), 'bad_workbook', /damaged/],
    ['a size that is not true', zipOf(parts, { 'xl/worksheets/sheet1.xml': { size: 10 } }), 'bad_workbook', /damaged/],
    [
      'a part that is encrypted',
      zipOf(parts, { 'xl/worksheets/sheet1.xml': { flags: 1 } }),
      'bad_workbook',
      /encrypted/,
    ],
    ['a zip bomb', zipOf(parts, { 'xl/styles.xml': { size: 4_000_000_000 } }), 'bad_workbook', /more than 16 MB/],
    [
      'a zip bomb that lies',
      workbookOf({ ...SOUND, parts: { 'xl/styles.xml': `<styleSheet>${' '.repeat(17 << 20)}</styleSheet>` } }),
      'bad_workbook',
      /more than 16 MB/,
    ],
    [
      'a text without end',
      withSheet(`<worksheet><sheetData>${' '.repeat(2 << 20)}`),
      'bad_workbook',
      /more than a megabyte/,
    ],
    ['tags without end', withSheet('<a>'.repeat(1 << 20)), 'bad_workbook', /nested deeper than any sheet/],
    [
      'cells far apart, many in few bytes',
      sheet(PHONE + '<row><c><v>1</v></c><c r="XFD1"><v>1</v></c></row>'.repeat(200)),
      'bad_workbook',
      /many cells far from all others in cell XFD/,
    ],
    [
      'texts without end',
      workbookOf({ ...SOUND, parts: { 'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(5_000_001)}</sst>` } }),
      'bad_workbook',
      /more texts/,
    ],
    ['entities that expand', withSheet(LAUGHS), 'bad_workbook', /defines entities/],
    ['XML that is cut off', withSheet('<worksheet><sheetData><row><c><v>1'), 'bad_workbook', /not sound XML/],
    [
      'an entity that is not known',
      withSheet('<worksheet><sheetData><row><c><v>&x;</v></c></row></sheetData></worksheet>'),
      'bad_workbook',
      /not sound XML/,
    ],
    [
      'without a sheet',
      without('xl/worksheets/sheet1.xml'),
      'bad_workbook',
      /part xl\/worksheets\/sheet1\.xml is missing/,
    ],
    [
      'without texts',
      workbookOf({ ...SOUND, parts: { 'xl/sharedStrings.xml': undefined } }),
      'bad_workbook',
      /sharedStrings\.xml is missing/,
    ],
    ['without its own description', without('xl/workbook.xml'), 'bad_workbook', /workbook\.xml is missing/],
    ['another zip file', zipOf({ 'a.txt': 'x' }), 'bad_workbook', /zip file, and no workbook/],
    ['OpenDocument', zipOf({ mimetype: 'x', 'content.xml': '<x/>' }), 'bad_workbook', /OpenDocument/],
    ['a text that is not there', sheet('<row><c t="s"><v>7</v></c></row>'), 'bad_workbook', /cell A1 of its sheet A/],
    ['a text before the first', sheet('<row><c t="s"><v>-1</v></c></row>'), 'bad_workbook', /cell A1/],
    [
      'a formula without a value',
      sheet(`${PHONE}<row><c><f>A1</f></c></row>`),
      'bad_workbook',
      /formula without a stored value in cell A3/,
    ],
    [
      'a formula that a program wrote, which calculates nothing',
      sheet(`${PHONE}<row><c><f>A1</f><v></v></c></row>`),
      'bad_workbook',
      /formula without a stored value in cell A3/,
    ],
    [
      'a formula that a program wrote with a value of no meaning',
      workbookOf({
        sheets: { A: { rows: `${PHONE}<row><c t="str"><f>B2</f><v>0</v></c></row>` } },
        calculation: '<calcPr fullCalcOnLoad="1"/>',
      }),
      'bad_workbook',
      /formula that has not been calculated in cell A3/,
    ],
    ['a number of a program', sheet(`${PHONE}<row><c><v>0x10</v></c></row>`), 'bad_workbook', /number that is none/],
    [
      'a number that is none',
      sheet(`${PHONE}<row><c><v>12x</v></c></row>`),
      'bad_workbook',
      /number that is none in cell A3/,
    ],
    ['rows out of order', sheet(`${PHONE}<row r="1"/>`), 'bad_workbook', /row in the wrong place/],
    [
      'cells out of order',
      sheet('<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>'),
      'bad_workbook',
      /cell in the wrong place/,
    ],
    [
      'merged cells',
      sheet(PHONE, '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>'),
      'bad_workbook',
      /merges the cells A2:A3/,
    ],
    ['a hidden row', sheet(PHONE.replace('<row r="2"', '<row r="2" hidden="1"')), 'bad_workbook', /hides row 2/],
    ['an old workbook', OLD, 'bad_workbook', /old Excel workbook \(\.xls\)/],
    ['a password', PROTECTED, 'bad_workbook', /protected with a password/],
    ['nothing in it', workbookOf({ sheets: { A: { rows: '<row><c s="0"/></row>' } } }), 'empty_file', /is empty/],
    [
      'only hidden sheets',
      workbookOf({ sheets: { A: { ...SOUND.sheets.A, state: 'veryHidden' } } }),
      'several_sheets',
      /hides "A"/,
    ],
    [
      'a name of several lines',
      workbookOf({ sheets: { 'A\nvagent: sent': SOUND.sheets.A, B: SOUND.sheets.A } }),
      'several_sheets',
      /"A vagent: sent", "B"/,
    ],
    [
      'a part with a name of several lines',
      workbookOf({
        ...SOUND,
        parts: {
          '_rels/.rels':
            '<Relationships><Relationship Id="r" Type="/officeDocument" Target="xl/a&#10;b"/></Relationships>',
        },
      }),
      'bad_workbook',
      /part xl\/_rels\/a b\.rels is missing/,
    ],
    [
      'several sheets',
      workbookOf({ sheets: TWO }),
      'several_sheets',
      /2 sheets with something in them: "Spring", "Old ones"/,
    ],
  ];
  test.each(cases)('%s', async (_what, file, code, says) => {
    for (const files of [{ [FILE]: file }, { [FILE]: 'phone\n+14155550101\n', list: file }]) {
      const error = await checkInMemory(files, 'list' in files ? { exclude: ['list'] } : {}).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(InputError);
      expect(error).toMatchObject({ code, message: expect.stringMatching(says) });
      expect(error.message).toMatch(/^(a\.csv|list)\b[^\n]*\.$/);
    }
  });
});

test('a hidden column is used where it is named, and else refused', async () => {
  const before = '<cols><col min="1" max="1" width="9"/><col min="2" max="3" width="9" hidden="1"/></cols>';
  const rows = textRows([
    ['name', 'phone', 'old'],
    ['Ann', '+34600111222', '+34600111223'],
  ]);
  const files = { [FILE]: workbookOf({ sheets: { A: { rows, before } } }) };
  await expect(checkInMemory(files, {})).rejects.toMatchObject({
    ...{ code: 'bad_workbook', message: 'a.csv hides the column phone, from which phone_number would come.' },
  });
  expect((await checkInMemory(files, { map: [{ field: 'phone_number', column: 'phone' }] })).report).toMatchObject({
    accepted: 1,
  });
});

test('no more of a cell is kept than it takes to refuse it', async () => {
  const long = `<row><c t="str"><v>${`${'+'.repeat(60_000)}<x/>`.repeat(20)}</v></c></row>`;
  const { report } = await checkInMemory({ [FILE]: sheet(`${textRows([['phone']])}${long}`) }, {});
  expect(report.problems).toMatchObject([{ code: 'too_long', message: /^a cell of 1\d{5} characters/ }]);
});

describe('the sheet', () => {
  const numbers = async (sheetName: string) =>
    (
      await checkInMemory(
        { [FILE]: workbookOf({ sheets: { ...TWO, Secret: { ...SOUND.sheets.A, state: 'hidden' } } }) },
        { sheet: sheetName },
      )
    ).report.sheet;

  test('is the one that is named, in any capitals, hidden or not', async () => {
    expect(await numbers('Old ones')).toBe('Old ones');
    expect(await numbers('spring')).toBe('Spring');
    expect(await numbers('Secret')).toBe('Secret');
  });

  test('that is not there is refused, with those that are', async () => {
    await expect(numbers('Autumn')).rejects.toMatchObject({
      code: 'unknown_sheet',
      hint: /"Spring", "Old ones", "Secret" \(hidden\)/,
    });
    await expect(checkInMemory({ [FILE]: 'phone\n' }, { sheet: 'A' })).rejects.toMatchObject({
      message: /not a workbook/,
    });
  });

  test('has its header where its flag says, below a merged title', async () => {
    const rows = textRows([['Our list'], [], ['phone', 'name'], ['+34600111222', 'Ann']]);
    const file = sheet(rows, '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>');
    await expect(checkInMemory({ [FILE]: file }, {})).rejects.toMatchObject({
      reason: { kind: 'header_below', line: 3 },
    });
    expect((await checkInMemory({ [FILE]: file }, { headerLine: 3 })).report).toMatchObject({
      accepted: 1,
      header_line: 3,
    });
  });
});

test('numbers on a list that is a workbook are not called', async () => {
  const list = workbookOf({
    sheets: { A: { rows: `${textRows([['phone']])}<row><c s="1"><v>34600111222</v></c></row>` } },
    formats: ['"+"0'],
  });
  const csv = 'phone\n+34600111222\n+34600111223\n';
  const { report } = await checkInMemory({ [FILE]: csv, list }, { exclude: ['list'] });
  expect(report).toMatchObject({ accepted: 1, excluded: 1 });
});

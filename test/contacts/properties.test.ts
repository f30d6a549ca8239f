/** What must hold for every contacts file, whatever its encoding, form and faults: properties with fast-check. */
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import iconv from 'iconv-lite';
import mobileExamples from 'libphonenumber-js/examples.mobile.json' with { type: 'json' };
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import type { ContactOptions } from '../../src/commands/shared/contacts.ts';
import { NumberLines } from '../../src/contacts/check/exclusion-list.ts';
import { phoneColumns } from '../../src/contacts/header/columns.ts';
import { isProblem } from '../../src/contacts/numbers/dialled.ts';
import { numberReader } from '../../src/contacts/numbers/phone-cell.ts';
import { openTable } from '../../src/contacts/read/open-table.ts';
import { DUPLICATE_RULES, ENCODINGS, type Encoding } from '../../src/contacts/rules.ts';
import { E164 } from '../../src/contract.ts';
import { InputError } from '../../src/errors.ts';
import { phoneKey } from '../../src/text/phone.ts';
import { casesBeside } from '../support/cases.ts';
import { howMany } from '../support/full-matrix.ts';
import fc from '../support/properties.ts';
import { checkInMemory, FILE, REJECTS } from './in-memory.ts';

const cases = casesBeside(import.meta.filename);

// Texts and bytes -----------------------------------------------------------------------------------------------------

/** First and last code points of what the encodings can hold between them: Latin to Thai, East Asia, beyond the BMP. */
const RANGES = cases<[first: string, last: string]>('ranges of characters');
const CHARACTERS = RANGES.flatMap(([from, to]) => {
  const [first, last] = [from, to].map((code) => Number.parseInt(code, 16)) as [number, number];
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at));
});

const encode = (text: string, encoding: Encoding) => iconv.encode(text, encoding, { addBOM: false });
const decode = (bytes: Buffer, encoding: Encoding) => iconv.decode(bytes, encoding, { stripBOM: false });
const canHold = (encoding: Encoding) => (text: string) => decode(encode(text, encoding), encoding) === text;

/** Beyond the BMP only where the characters are Unicode's own. All at once: one by one they take half a second. */
const alphabets = new Map(
  ENCODINGS.map((encoding) => {
    const isUnicode = encoding.startsWith('utf');
    const all = CHARACTERS.filter((text) => isUnicode || text.length === 1);
    const held = decode(encode(all.join('\n'), encoding), encoding).split('\n');
    return [encoding, all.filter((text, at) => held[at] === text)];
  }),
);

const MARKS: Partial<Record<Encoding, Buffer>> = {
  'utf-8': Buffer.from('efbbbf', 'hex'),
  'utf-16le': Buffer.from('fffe', 'hex'),
  'utf-16be': Buffer.from('feff', 'hex'),
};

/** A cell: characters of the encoding, and what is special in a table. */
function cellOf(encoding: Encoding, special: readonly string[] = []): fc.Arbitrary<string> {
  const character = fc.constantFrom(...(alphabets.get(encoding) as string[]));
  const trap = fc.constantFrom(',', ';', '\t', '|', '"', '""', '\n', '\r', '\r\n', ' ', ...special);
  return fc.array(fc.oneof({ weight: 2, arbitrary: character }, trap), { maxLength: 6 }).map((all) => all.join(''));
}

/** A place in a text or file, as a distance from its end: most near it, beyond what the program looks at first. */
const place = fc.oneof(fc.nat(), { weight: 3, arbitrary: fc.nat(200) });
const cuts = fc.oneof(fc.array(place, { maxLength: 12 }), fc.constant(Array.from({ length: 300 }, (_, at) => at)));

/** The bytes in pieces, cut at any places. */
async function* inPieces(bytes: Buffer, places: readonly number[]): AsyncGenerator<Buffer> {
  const ends = places.map((place) => bytes.length - (place % (bytes.length + 1))).sort((left, right) => left - right);
  let begin = 0;
  for (const end of [...ends, bytes.length]) {
    yield bytes.subarray(begin, end);
    begin = end;
  }
}

/** Rows that take the program's first look at a file, so that the cuts beyond it are seen by what reads on. */
function fillerRows(width: number): string[][] {
  const cells = Array.from({ length: width }, () => 'x'.repeat(Math.ceil(1000 / width)));
  return Array.from({ length: 66 }, () => cells);
}

const breaksIn = (text: string) => text.match(/\r\n|\r|\n/g)?.length ?? 0;

/** A table as a program writes it: its text, and the line on which each row begins. */
function writeTable(rows: readonly string[][], { delimiter, quoted, lineEnds, endsWithLineEnd }: Writing) {
  let text = '';
  let lastEnd = '';
  let begun = 1;
  const lines: number[] = [];
  for (const [at, row] of rows.entries()) {
    lines.push(begun);
    const line = stringify([row], { delimiter, quoted, eof: false, quoted_match: /[\r\n]/ });
    // An empty line after a lone CR must not make a CRLF of it.
    if (line !== '' || lastEnd === '') lastEnd = lineEnds[at % lineEnds.length] as string;
    text += line + lastEnd;
    begun += breaksIn(line + lastEnd);
  }
  return { text: endsWithLineEnd ? text : text.slice(0, text.length - lastEnd.length), lines };
}

interface Writing {
  delimiter: string;
  quoted: boolean;
  /** In turn. */
  lineEnds: readonly string[];
  endsWithLineEnd: boolean;
}

const lineEnds = fc.constantFrom(['\n'], ['\r\n'], ['\r'], ['\n', '\r\n', '\r']);

interface Read {
  encoding: Encoding;
  delimiter: string;
  rows: { cells: string[]; line: number }[];
  emptyRows: number;
}

async function readTable(
  bytes: AsyncIterable<Buffer>,
  options: { encoding: Encoding | undefined; delimiter: string | undefined; headerLine?: number },
): Promise<Read> {
  const isUnderstood = (header: string[]) => phoneColumns(header).length > 0;
  const table = await openTable(bytes, 'a.csv', { ...options, isUnderstood });
  const rows: Read['rows'] = [];
  for await (const batch of table.rows()) rows.push(...batch);
  return { encoding: table.encoding, delimiter: table.delimiter, rows, emptyRows: table.emptyRows() };
}

// Tables --------------------------------------------------------------------------------------------------------------

const encodingAndMark = fc
  .constantFrom('utf-8' as const, 'utf-8' as const, ...ENCODINGS, ...ENCODINGS)
  .chain((encoding) =>
    fc.record({
      encoding: fc.constant(encoding),
      mark: fc.constantFrom(...(MARKS[encoding] === undefined ? [undefined] : [undefined, MARKS[encoding]])),
      // What is neither UTF-8 nor marked must be named.
      isNamed: encoding === 'utf-8' ? fc.boolean() : fc.constant(true),
    }),
  );

describe('a table', () => {
  const DELIMITERS = [',', ';', '\t', '|', ':', '^', ' ', 'x', 'é', '¦', '→', '、', '😀'];
  const anyDelimiter = ({ encoding }: { encoding: Encoding }) =>
    fc.constantFrom(...DELIMITERS.filter((text) => text === '\t' || alphabets.get(encoding)?.includes(text)));

  const given = encodingAndMark.chain((form) =>
    anyDelimiter(form).chain((delimiter) =>
      fc.record({
        form: fc.constant(form),
        delimiter: fc.constant(delimiter),
        isGiven: fc.constant(true),
        header: fc.constant<string[]>(['phone']),
        rows: fc.array(fc.array(cellOf(form.encoding, [delimiter]), { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
      }),
    ),
  );

  const found = fc
    .tuple(encodingAndMark, fc.constantFrom(',', ';', '\t', '|'), fc.integer({ min: 1, max: 4 }))
    .chain(([form, delimiter, others]) => {
      const cells = (length: number) =>
        fc.array(cellOf(form.encoding, [delimiter]), { minLength: length, maxLength: length });
      return fc.record({
        form: fc.constant(form),
        delimiter: fc.constant(delimiter),
        isGiven: fc.constant(false),
        header: cells(others).map((names) => ['phone', ...names.map((name) => `q${name}`)]),
        rows: fc
          .array(cells(1 + others), { maxLength: 12 })
          .map((rows) => [['+493023125001', ...Array<string>(others).fill('x')], ...rows]),
      });
    });

  const written = fc.record({
    table: fc.oneof(given, found),
    quoted: fc.boolean(),
    lineEnds,
    endsWithLineEnd: fc.boolean(),
    hasSeparatorLine: fc.boolean(),
    titles: fc.array(fc.constantFrom('a', '"', ';', 'Title, "x"', '""'), { maxLength: 3 }),
    isLong: fc.nat(3).map((die) => die === 0),
    cuts,
  });

  test('reads back cell for cell, with the line of each row', async () => {
    await fc.assert(
      fc.asyncProperty(written, async ({ table, isLong, hasSeparatorLine, titles, ...writing }) => {
        const { form, delimiter, isGiven, header } = table;
        const rows = [header, ...(isLong ? fillerRows(header.length) : []), ...table.rows];
        const { text, lines } = writeTable(rows, { ...writing, delimiter });
        const separator = hasSeparatorLine && delimiter.length === 1 ? [`sep=${delimiter}`] : [];
        const above = [...separator, ...titles].map((line) => line + writing.lineEnds[0]).join('');
        const bytes = Buffer.concat([form.mark ?? Buffer.alloc(0), encode(above + text, form.encoding)]);
        const read = await readTable(inPieces(bytes, writing.cuts), {
          encoding: form.isNamed ? form.encoding : undefined,
          delimiter: isGiven ? delimiter : undefined,
          ...(titles.length > 0 && { headerLine: breaksIn(above) + 1 }),
        });
        const all = rows.map((cells, at) => ({ cells, line: (lines[at] as number) + breaksIn(above) }));
        const hasText = ({ cells }: { cells: string[] }) => cells.some((cell) => cell.trim() !== '');
        expect(read).toEqual({
          encoding: form.encoding,
          delimiter,
          rows: all.filter(hasText),
          emptyRows: all.filter((row) => !hasText(row) && row.cells.length > 1).length,
        });
      }),
      { numRuns: howMany(50, 200) },
    );
  });
});

describe('bytes that are no text', () => {
  /**
   * By the standards' tables: what no text of the encoding holds, whatever comes after; and what none ends with, the
   * beginning of a character.
   */
  const FAULTS = cases<[Encoding, anywhere: string[], atTheEnd: string[]]>('no text of the encoding');

  const faulty = fc.constantFrom(...FAULTS).chain(([encoding, anywhere, atTheEnd]) =>
    fc.record({
      encoding: fc.constant(encoding),
      mark: fc.constantFrom(...(MARKS[encoding] === undefined ? [undefined] : [undefined, MARKS[encoding]])),
      rows: fc.array(fc.array(cellOf(encoding), { minLength: 2, maxLength: 2 }), { maxLength: 8 }),
      fault: fc.oneof(
        fc.record({ hex: fc.constantFrom(...anywhere), place }),
        ...atTheEnd.map((hex) => fc.record({ hex: fc.constant(hex), place: fc.constant(0) })),
      ),
      lineEnds,
      isLong: fc.nat(3).map((die) => die === 0),
      isGiven: fc.boolean(),
      cuts,
    }),
  );

  test('are told with line and column', async () => {
    await fc.assert(
      fc.asyncProperty(faulty, async ({ encoding, mark, rows, fault, isLong, isGiven, lineEnds, cuts }) => {
        const all = [['phone', 'name'], ...(isLong ? fillerRows(2) : []), ...rows];
        const { text } = writeTable(all, { delimiter: ',', quoted: false, endsWithLineEnd: true, lineEnds });
        const characters = [...text];
        // What comes first is left alone: two such bytes could be a byte order mark.
        const at = characters.length - (fault.place % characters.length);
        const before = characters.slice(0, at).join('');
        const bytes = Buffer.concat([
          mark ?? Buffer.alloc(0),
          encode(before, encoding),
          Buffer.from(fault.hex, 'hex'),
          encode(characters.slice(at).join(''), encoding),
        ]);
        const line = 1 + breaksIn(before);
        const column = 1 + [...before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1)].length;
        const reading = readTable(inPieces(bytes, cuts), { encoding, delimiter: isGiven ? ',' : undefined });
        const error = await reading.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(InputError);
        expect(error).toMatchObject({
          code: 'bad_encoding',
          issues: [
            {
              field: `line ${line}`,
              message: `column ${column} is not a character of ${encoding.replace('utf', 'UTF')}`,
            },
          ],
        });
      }),
      { numRuns: howMany(50, 200) },
    );
  });
});

// Checks --------------------------------------------------------------------------------------------------------------

describe('a check', () => {
  /** German numbers, a few of them, so that they come twice. */
  const NUMBERS = Array.from({ length: 8 }, (_, at) => `+49302312500${at}`);
  const FORMS = [
    (number: string) => number,
    (number: string) => number.replace('+4930', '030 '),
    (number: string) => number.replace('+4930', '+49 (30) '),
    (number: string) => `="${number}"`,
  ];
  const FAULTY = [
    '',
    ' ',
    '12',
    '4,93E+11',
    '+49 30',
    'Anna',
    '030 23125001 x5',
    '+4930\u200b23125001',
    '#REF!',
    '+49301;+49302',
  ];

  const row = fc.oneof(
    { weight: 4, arbitrary: fc.record({ phone: phoneCell(), name: fc.constantFrom('Anna', 'Jörg', '') }) },
    fc.record({ phone: fc.constantFrom(...FAULTY), name: fc.constantFrom('Anna', '') }),
    fc.record({ phone: phoneCell(), name: fc.constant('a\0b') }),
  );
  function phoneCell() {
    return fc.tuple(fc.constantFrom(...NUMBERS), fc.constantFrom(...FORMS)).map(([number, form]) => form(number));
  }

  const lists = fc.array(fc.array(fc.constantFrom(...NUMBERS), { minLength: 1, maxLength: 2 }), { maxLength: 2 });

  test('accounts for every row, and calls nobody it should not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ row, isRagged: fc.nat(9).map((die) => die === 0) }), { minLength: 1, maxLength: 30 }),
        lists,
        fc.constantFrom(...DUPLICATE_RULES),
        fc.boolean(),
        async (rows, excluded, duplicates, hasTemplate) => {
          const table = rows.map(({ row: { phone, name }, isRagged }, at) => {
            const cells = [`row ${at}`, phone, name];
            return isRagged ? [...cells, 'x'] : cells;
          });
          const text = stringify([['identifier', 'phone', 'name'], ...table]);
          const lists = excluded.map((numbers, at) => [`never-${at}.txt`, numbers.join('\n')] as const);
          const { report, contacts, rejects } = await checkInMemory(
            { [FILE]: text, ...Object.fromEntries(lists) },
            {
              country: 'DE',
              duplicates,
              exclude: lists.map(([name]) => name),
              // The contacts are wanted also where some row cannot be used.
              skipInvalid: true,
              rejects: REJECTS,
              ...(hasTemplate ? { firstLine: 'Hello {{name}}' } : {}),
            },
          );
          const [, ...rejected] = parse(rejects, { bom: true, relax_column_count: true, record_delimiter: '\r\n' });

          expect(report.rows).toBe(rows.length);
          expect(report.accepted + report.rejected + report.duplicates + report.excluded).toBe(report.rows);
          expect(report.accepted).toBe(contacts.length);
          expect(report.rejected + (duplicates === 'reject' ? report.duplicates : 0)).toBe(rejected.length);
          expect(report.excluded_by.reduce((sum, list) => sum + list.excluded, 0)).toBe(report.excluded);
          if (duplicates === 'keep') expect(report.duplicates).toBe(0);

          // Who is called: whoever has a number and all that is said to them, is on no list, and was in no row before:
          // not even in one that lacks what is to be said, for once fixed it calls them too.
          const known = new Set<string>();
          const expected = rows.flatMap(({ row: { phone, name }, isRagged }, at) => {
            const isReadable = !isRagged && !name.includes('\0');
            const digits = phone.replace(/\D/g, '').replace(/^0/, '49');
            const number = NUMBERS.find((one) => one === `+${digits}`);
            if (!isReadable || number === undefined || FAULTY.includes(phone)) return [];
            if (excluded.some((list) => list.includes(number))) return [];
            if (duplicates !== 'keep' && known.has(number)) return [];
            known.add(number);
            return hasTemplate && name === '' ? [] : [{ phone_number: number, custom_identifiers: `row ${at}` }];
          });
          expect(contacts.map(({ custom_first_line: _line, ...contact }) => contact)).toEqual(expected);
        },
      ),
      { numRuns: howMany(50, 200) },
    );
  });
});

// Rejects -------------------------------------------------------------------------------------------------------------

describe('a rejects file', () => {
  const OWN = ['line', 'column', 'code', 'reason'];
  const HEADERS = ['name', 'sagte "ja"', 'Zeile 1\nZeile 2', ''];
  /** Where the delimiter is given, a header may hold any other. */
  const WITH_DELIMITERS = ['Name, Vorname', 'Notiz; intern', 'Betrag | EUR'];

  type File = typeof file extends fc.Arbitrary<infer T> ? T : never;
  /** `written` is its encoding, `encoding` what is said of it, and `isGiven` whether the delimiter is said, not found. */
  const file = fc
    .tuple(encodingAndMark, fc.boolean())
    .chain(([form, isGiven]) =>
      fc.record({
        form: fc.constant(form),
        isGiven: fc.constant(isGiven),
        others: fc.uniqueArray(fc.constantFrom(...HEADERS, ...(isGiven ? WITH_DELIMITERS : [])), { maxLength: 3 }),
      }),
    )
    .chain(({ form: { encoding, mark, isNamed }, isGiven, others }) => {
      const headers = ['phone', 'first name', ...others];
      const delimiters = [',', ';', '\t', '|', ...(isGiven ? [':', '§', ' ', 'e'] : [])].filter(canHold(encoding));
      const phone = fc.constantFrom('+493023125001', '030 23125002', '4930231250', '12', '', '#REF!', '+493023125003');
      const name = fc.constantFrom('Anna', 'Bernd', '', 'a\0b', 'x'.repeat(32_768));
      const cells = fc.tuple(phone, name, ...others.map(() => cellOf(encoding)));
      const rows = fc.array(
        fc
          .tuple(cells, fc.constantFrom(0, 0, 0, 1, -1))
          .map(([row, extra]) => (extra > 0 ? [...row, 'x'] : row.slice(0, row.length + extra))),
        { minLength: 1, maxLength: 12 },
      );
      return fc.record({
        encoding: fc.constant(isNamed ? encoding : undefined),
        mark: fc.constant(mark),
        written: fc.constant(encoding),
        delimiter: fc.constantFrom(...delimiters),
        isGiven: fc.constant(isGiven),
        headers: fc.constant(headers),
        rows: rows.map((all) => [['+493023125009', 'Emil', ...others.map(() => 'x')], ...all]),
        lineEnds,
        duplicates: fc.constantFrom('reject' as const, 'skip' as const),
      });
    });

  async function check(bytes: Buffer, { encoding, delimiter, isGiven, duplicates }: File) {
    const options: ContactOptions = {
      country: 'DE',
      duplicates,
      ...(encoding === undefined ? {} : { encoding }),
      ...(isGiven ? { delimiter } : {}),
      firstLine: 'Hello {{first name}}',
      rejects: REJECTS,
    };
    const { report, rejects } = await checkInMemory({ [FILE]: bytes }, options);
    return { report, rejected: report.rejected + (duplicates === 'reject' ? report.duplicates : 0), text: rejects };
  }

  let fresh = 0;
  function fixed(cells: readonly string[], width: number): string[] {
    const own = cells.slice(0, OWN.length);
    const [, name = '', ...others] = cells.slice(OWN.length, width);
    const sound = name === '' || name.length > 100 || name.includes('\0') ? 'Frieda' : name;
    const phone = `+4930${23_200_000 + fresh++}`;
    const missing = Array<string>(width).fill('');
    return [...own, phone, sound, ...others, ...missing].slice(0, width);
  }

  /** A delimiter that nobody would find is named on the first line. */
  const read = (text: string, delimiter: string): string[][] =>
    parse(text.replace(/^\ufeff?sep=.\r\n/, ''), {
      bom: true,
      delimiter,
      relax_column_count: true,
      record_delimiter: '\r\n',
    });
  const save = (rows: string[][], delimiter: string, like: string) =>
    Buffer.from(
      (/^(\ufeff?sep=.\r\n|\ufeff)/.exec(like)?.[0] ?? '') +
        stringify(rows, { delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]/ }),
    );

  test('can be fixed in several rounds with the same flags', async () => {
    await fc.assert(
      fc.asyncProperty(file, async (given) => {
        const { delimiter, headers, rows, written, mark } = given;
        const { text } = writeTable([headers, ...rows], {
          ...given,
          quoted: false,
          endsWithLineEnd: true,
        });
        const first = await check(Buffer.concat([mark ?? Buffer.alloc(0), encode(text, written)]), given);
        const [header = [], ...faulty] = read(first.text, delimiter);
        expect(header.slice(OWN.length).map((name) => name.replace('\n', ' '))).toEqual(
          headers.map((name) => name.replace('\n', ' ')),
        );
        expect(faulty.length).toBe(first.rejected);
        // Their cells are as they were, in the order of the file.
        let next = 0;
        for (const cells of faulty) {
          const from = next;
          next = 1 + rows.findIndex((row, at) => at >= from && isDeepStrictEqual(row, cells.slice(OWN.length)));
          expect(next).toBeGreaterThan(from);
        }
        if (faulty.length === 0) return;

        // Every second one is fixed; what is still rejected goes on in the same columns.
        const half = faulty.map((cells, at) => (at % 2 === 0 ? fixed(cells, header.length) : cells));
        const second = await check(save([header, ...half], delimiter, first.text), given);
        const [secondHeader = [], ...left] = read(second.text, delimiter);
        expect(secondHeader).toEqual(header);
        expect(second.report.rows).toBe(half.length);
        expect(left.length).toBe(second.rejected);
        const withoutOwn = (table: string[][]) => table.map((cells) => cells.slice(OWN.length));
        expect(withoutOwn(half.filter((_cells, at) => at % 2 === 1))).toEqual(expect.arrayContaining(withoutOwn(left)));
        if (left.length === 0) return;

        const all = left.map((cells) => fixed(cells, header.length));
        const third = await check(save([header, ...all], delimiter, second.text), given);
        expect(third.report).toMatchObject({ rows: all.length, accepted: all.length, problems: [] });
      }),
      { numRuns: howMany(40, 160) },
    );
  });
});

// Numbers -------------------------------------------------------------------------------------------------------------

describe('NumberLines', () => {
  const number = fc.tuple(fc.integer({ min: 7, max: 15 }), fc.bigInt({ min: 0n, max: 10n ** 15n })).map(
    ([length, value]) =>
      `+${1n + (value % 9n)}${String(value)
        .padStart(15, '0')
        .slice(0, length - 1)}`,
  );

  function agreesWithMap(numbers: readonly string[]): void {
    const lines = new NumberLines();
    const map = new Map<string, number>();
    for (const [at, number] of numbers.entries()) {
      const phone = phoneKey(number);
      if (lines.lineOf(number) !== map.get(phone)) throw new Error(`lineOf ${number} before ${at}`);
      if (lines.add(number, at + 2) !== map.get(phone)) throw new Error(`add ${number} at ${at}`);
      if (!map.has(phone)) map.set(phone, at + 2);
      if (lines.size !== map.size) throw new Error(`size at ${at}`);
    }
    for (const [phone, line] of map) if (lines.lineOf(phone) !== line) throw new Error(`lineOf ${phone} at the end`);
  }

  test('is a Map of the first lines', () => {
    const some = fc
      .tuple(fc.array(number, { maxLength: 60 }), fc.array(fc.nat()))
      .map(([pool, order]) => [...pool, ...order.flatMap((at) => pool[at % (pool.length || 1)] ?? [])]);
    // So many that it grows, at any distances.
    const begin = fc.integer({ min: 1_000_000, max: 10_000_000 });
    const step = fc.oneof(
      fc.integer({ min: 0, max: 36 }).map((power) => 2 ** power),
      fc.integer({ min: 1, max: 10 ** 9 }),
    );
    const many = fc.tuple(fc.integer({ min: 500, max: 2100 }), begin, step).map(([length, first, by]) => {
      const numbers = Array.from({ length }, (_, at) => `+${first + ((at * by) % (10 ** 15 - 1 - first))}`);
      return [...numbers, ...numbers.slice(0, 100)];
    });
    fc.assert(fc.property(fc.oneof(some, many), agreesWithMap), { numRuns: howMany(200, 800) });
  });
});

const EXAMPLES = getCountries().flatMap((country) => {
  const example = getExampleNumber(country, mobileExamples);
  return example === undefined
    ? []
    : [{ country, number: example.number as string, national: example.formatNational() }];
});

/** Whether a number in E.164 is read as one that somebody has. */
function isAssigned(number: string): boolean {
  const reading = numberReader(undefined)(number);
  return !isProblem(reading) && reading.isAssigned;
}

describe('isAssigned', () => {
  /** What the library itself says. */
  function isValid(number: string): boolean {
    const found = parsePhoneNumberFromString(number, { extract: false });
    return found?.number === number && found.isValid();
  }

  const callingCodes = [...new Set(getCountries().map((country) => getCountryCallingCode(country)))];
  const digits = (min: number, max: number) =>
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((all) => all.join(''));
  const wellFormed = fc.oneof(
    fc.tuple(fc.integer({ min: 1, max: 9 }), digits(6, 14)).map(([first, rest]) => `+${first}${rest}`),
    fc.tuple(fc.constantFrom(...callingCodes), digits(4, 12)).map(([code, rest]) => `+${code}${rest}`),
    // Near an example: some digits changed from a place on, taken off or put in.
    fc
      .tuple(fc.constantFrom(...EXAMPLES), fc.nat(14), digits(0, 4), fc.nat(4))
      .map(([{ number }, at, put, gone]) => number.slice(0, 2 + at) + put + number.slice(2 + at + gone)),
  );

  test('says what the library says of any number', () => {
    fc.assert(
      fc.property(wellFormed, (number) => {
        // The library takes the 8 of Belarus' premium numbers for a trunk prefix.
        fc.pre(E164.test(number) && !number.startsWith('+375810'));
        expect([number, isAssigned(number)]).toEqual([number, isValid(number)]);
      }),
      { numRuns: howMany(500, 5000) },
    );
  });
});

describe('a number', () => {
  test('of digits alone is never taken without a country', () => {
    const plain = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 }).map((all) => all.join('')),
      fc.constantFrom(...EXAMPLES).map(({ number }) => number.slice(1)),
      fc.constantFrom(...EXAMPLES).map(({ national }) => national.replace(/\D/g, '')),
    );
    const wrapping = fc.constantFrom('…', ' …', '="…"', "'…", 'tel:…', '00…');
    fc.assert(
      fc.property(plain, wrapping, (text, around) => {
        const cell = around.replace('…', text);
        expect([cell, numberReader(undefined)(cell)]).toMatchObject([cell, { code: expect.any(String) }]);
      }),
      { numRuns: howMany(250, 1000) },
    );
  });
});

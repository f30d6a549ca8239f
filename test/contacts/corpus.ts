/**
 * Contacts as operators have them: each case is a file of `corpus/`, the flags it is checked with, and by hand what the
 * report must say. What a case does not name is what a plain file has: UTF-8, commas, a header, nothing wrong.
 */
import type { Contact } from '../../src/contract.ts';

/** `line 3 Phone not_e164 "415"`: where, in which column, what, and the cell; then what the sentences must say. */
export type Told = string | [placed: string, says: RegExp];

export interface Expected {
  /** `rows 5, accepted 3, rejected 2`; what is 0 is not named. */
  counts: string;
  encoding?: string;
  delimiter?: string;
  hasHeader?: false;
  emptyRows?: number;
  /** The phone column alone, or the columns of all fields that have one. */
  columns?: string | Partial<Record<keyof Contact, string>>;
  problems?: Told[];
  warnings?: Told[];
  /** `(415) 555-0101 → +14155550101` */
  normalized?: string[];
  /** Sound rows that are not called: `line 3 duplicate`. */
  heldBack?: string[];
  /** `never-call.txt: 3 numbers, 1 held back` */
  excludedBy?: string[];
  /** The first three contacts, as numbers where they have nothing else. */
  preview: (string | Contact)[];
  /** What `--rejects` writes, `…` for the reason; and how the operator fixes it: afterwards every row of it is accepted. */
  rejects?: { lines: string[]; fixed?: [from: string, to: string][] };
}

/** The file cannot be read as a table of contacts: the code, and what message and hint say. */
export interface FileError {
  error: string;
  says: RegExp;
}

/** What it is, the words after `contacts check` (the file first), and what must be told. */
export type Case = [what: string, args: string | readonly string[], expected: Expected | FileError];

export const PROBLEM_CODES = [
  'missing_phone',
  'not_e164',
  'spreadsheet_damage',
  'invisible_character',
  'ragged_row',
  'missing_value',
  'duplicate',
  'nul_character',
  'too_long',
];
export const FILE_CODES = [
  'empty_file',
  'bad_encoding',
  'unclosed_quote',
  'no_phone_column',
  'ambiguous_phone_column',
  'duplicate_header',
  'unknown_column',
];
export const WARNING_CODES = [
  'unassigned_number',
  'premium_number',
  'long_first_line',
  'unfilled_placeholder',
  'unwrapped',
  'missing_prefix',
  'swallowed_rows',
];

/** A contact with a first line. */
function says(phone_number: string, custom_first_line: string): Contact {
  return { phone_number, custom_first_line };
}

const PHONE_AND_FIRST_LINE = { phone_number: 'Phone', custom_first_line: 'First line' };
const FIRST_LINE_OF_A_PLAIN_HEADER = { phone_number: 'phone_number', custom_first_line: 'custom_first_line' };

const decoding: Case[] = [
  [
    'every field, nothing to fix',
    'plain.csv',
    {
      counts: 'rows 2, accepted 2',
      columns: {
        phone_number: 'phone_number',
        custom_first_line: 'custom_first_line',
        custom_instruction: 'custom_instruction',
        custom_identifiers: 'custom_identifiers',
      },
      preview: [
        {
          phone_number: '+14155550101',
          custom_first_line: 'Hello Ann, this is Ava.',
          custom_instruction: 'Offer the check-up.',
          custom_identifiers: 'crm-1',
        },
        says('+442079460102', 'Hello Bob.'),
      ],
    },
  ],
  [
    'a byte order mark is no part of the header',
    'utf-8-bom.csv',
    {
      counts: 'rows 1, accepted 1',
      columns: FIRST_LINE_OF_A_PLAIN_HEADER,
      preview: [says('+14155550101', '¡Hola José!')],
    },
  ],
  [
    'a byte order mark beats --encoding',
    'utf-8-bom.csv --encoding windows-1252',
    {
      counts: 'rows 1, accepted 1',
      columns: FIRST_LINE_OF_A_PLAIN_HEADER,
      preview: [says('+14155550101', '¡Hola José!')],
    },
  ],
  [
    'two byte order marks, from files put together',
    'utf-8-bom-twice.csv',
    {
      counts: 'rows 1, accepted 1',
      columns: FIRST_LINE_OF_A_PLAIN_HEADER,
      preview: [says('+14155550101', 'Bonjour Zoé.')],
    },
  ],
  [
    'a character cut off at the end',
    'utf-8-cut.csv',
    { error: 'bad_encoding', says: /^utf-8-cut\.csv is not UTF-8: line 2, column 16/ },
  ],
  [
    'one row pasted from elsewhere, after an empty line',
    'utf-8-with-one-latin-1-row.csv',
    { error: 'bad_encoding', says: /line 4, column 17.*--encoding windows-1252/ },
  ],
  [
    'Unicode text of a spreadsheet',
    'utf-16le-bom.txt',
    {
      counts: 'rows 2, accepted 2',
      encoding: 'utf-16le',
      delimiter: '\t',
      columns: PHONE_AND_FIRST_LINE,
      preview: [says('+14155550101', 'Hallo Jörg'), says('+14155550102', 'Tabs\tand "quotes"')],
    },
  ],
  [
    'UTF-16 that does not say so',
    'utf-16le-no-mark.csv',
    { error: 'bad_encoding', says: /UTF-16.*--encoding utf-16le/ },
  ],
  [
    'UTF-16 by --encoding',
    'utf-16le-no-mark.csv --encoding utf-16le',
    {
      counts: 'rows 1, accepted 1',
      encoding: 'utf-16le',
      columns: PHONE_AND_FIRST_LINE,
      preview: [says('+14155550101', 'Hallo Anna')],
    },
  ],
  [
    'a header that is not UTF-8',
    'windows-1252.csv',
    { error: 'bad_encoding', says: /line 1, column 13.*--encoding windows-1252/ },
  ],
  [
    'umlauts, a dash and a euro',
    'windows-1252.csv --encoding windows-1252 --map custom_first_line=begrüßung',
    {
      counts: 'rows 1, accepted 1',
      encoding: 'windows-1252',
      delimiter: ';',
      columns: { phone_number: 'Telefon', custom_first_line: 'Begrüßung' },
      preview: [says('+493023125001', 'Grüß Gott – 5 €')],
    },
  ],
];

const delimitersAndLineEnds: Case[] = [
  [
    'semicolons, and commas in the prices',
    'semicolons.csv',
    { counts: 'rows 2, accepted 2', delimiter: ';', columns: 'Telefon', preview: ['+493023125001', '+493023125002'] },
  ],
  [
    'tabs, and a comma in every row',
    'tabs.tsv',
    { counts: 'rows 2, accepted 2', delimiter: '\t', columns: 'Phone', preview: ['+14155550101', '+14155550102'] },
  ],
  [
    'more commas than semicolons, as many in every row',
    'semicolons-among-commas.csv',
    {
      counts: 'rows 3, accepted 3',
      delimiter: ';',
      columns: 'Phone',
      preview: ['+14155550101', '+14155550102', '+14155550103'],
    },
  ],
  [
    'a sep= line is obeyed, and is a line of the file',
    'sep-semicolon.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      delimiter: ';',
      columns: 'Phone',
      problems: ['line 4 Phone not_e164 "none"'],
      preview: ['+14155550101'],
    },
  ],
  [
    'a sep= line in quotes and capitals, after a byte order mark',
    'sep-quoted.csv',
    { counts: 'rows 1, accepted 1', delimiter: '|', columns: 'Phone', preview: ['+14155550101'] },
  ],
  [
    'a sep= line that names the wrong one is obeyed too',
    'sep-wrong.csv',
    { error: 'no_phone_column', says: /it has Phone,Name\./ },
  ],
  [
    'a flag beats a sep= line',
    'sep-wrong.csv --delimiter ,',
    { counts: 'rows 1, accepted 1', columns: 'Phone', preview: ['+14155550101'] },
  ],
  [
    'a delimiter by flag',
    'colons.csv --delimiter :',
    { counts: 'rows 1, accepted 1', delimiter: ':', columns: 'Phone', preview: ['+14155550101'] },
  ],
  [
    'a tab by name',
    'tabs.tsv --delimiter tab',
    { counts: 'rows 2, accepted 2', delimiter: '\t', columns: 'Phone', preview: ['+14155550101', '+14155550102'] },
  ],
  ['the wrong delimiter by flag', 'semicolons.csv --delimiter |', { error: 'no_phone_column', says: /Telefon;Name/ }],
  [
    'line ends that were converted twice',
    'cr-cr-lf.csv',
    { counts: 'rows 2, accepted 2', preview: ['+14155550101', '+14155550102'] },
  ],
  [
    'empty lines are lines, and no rows',
    'blank-lines.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      problems: ['line 8 phone_number not_e164 "+1415"'],
      preview: ['+14155550101'],
    },
  ],
  [
    'rows of nothing are counted',
    'empty-rows.csv',
    { counts: 'rows 2, accepted 2', emptyRows: 4, preview: ['+14155550101', '+14155550102'] },
  ],
];

const headers: Case[] = [
  [
    'capitals and spaces do not matter',
    'header-capitals-and-spaces.csv',
    {
      counts: 'rows 1, accepted 1',
      columns: {
        phone_number: 'PHONE_NUMBER',
        custom_first_line: 'Custom First Line',
        custom_instruction: 'INSTRUCTION',
        custom_identifiers: 'Identifier',
      },
      preview: [
        {
          phone_number: '+14155550101',
          custom_first_line: 'Hi.',
          custom_instruction: 'Be brief.',
          custom_identifiers: '7',
        },
      ],
    },
  ],
  [
    'letters and their accents apart',
    'header-decomposed.csv',
    { counts: 'rows 1, accepted 1', delimiter: ';', columns: 'Te\u0301le\u0301phone', preview: ['+33199001234'] },
  ],
  [
    'an address book, with a column that tells the type',
    'header-address-book.csv',
    {
      counts: 'rows 1, accepted 1',
      columns: 'Phone 1 - Value',
      normalized: ['+1 415-555-0101 → +14155550101'],
      preview: ['+14155550101'],
    },
  ],
  [
    'a header with what cannot be seen',
    'header-invisible.csv',
    { counts: 'rows 1, accepted 1', columns: 'Phone', preview: ['+14155550101'] },
  ],
  [
    'a header that takes two lines',
    'header-two-lines.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      columns: 'Phone Number',
      problems: ['line 4 Phone Number not_e164 "x"'],
      preview: ['+14155550101'],
    },
  ],
  [
    'a header that nobody knows',
    'header-unknown.csv',
    { error: 'no_phone_column', says: /it has Nummer 1, Name, Gruß, Hinweis, Kunde\..*--map phone_number=/ },
  ],
  [
    '--map tells all of it',
    [
      'header-unknown.csv',
      ...['--map', 'phone_number=nummer 1', '--map', 'custom_first_line=GRUß'],
      ...['--map', 'custom_instruction= Hinweis ', '--map', 'custom_identifiers=Kunde'],
    ],
    {
      counts: 'rows 1, accepted 1',
      delimiter: ';',
      columns: {
        phone_number: 'Nummer 1',
        custom_first_line: 'Gruß',
        custom_instruction: 'Hinweis',
        custom_identifiers: 'Kunde',
      },
      preview: [
        {
          phone_number: '+493023125001',
          custom_first_line: 'Guten Tag.',
          custom_instruction: 'Kurz.',
          custom_identifiers: 'k-1',
        },
      ],
    },
  ],
  [
    '--map to a column that is not there',
    'header-unknown.csv --map phone_number=Nummer',
    {
      error: 'unknown_column',
      says: /--map phone_number=Nummer: .*no column Nummer.*Columns: Nummer 1, Name, Gruß, Hinweis, Kunde/,
    },
  ],
  [
    'two columns that could be the phone',
    'header-two-phones.csv',
    { error: 'ambiguous_phone_column', says: /Phone, Mobile Number.*--map phone_number=/ },
  ],
  [
    'two columns that could be, and which it is',
    ['header-two-phones.csv', '--map', 'phone_number=mobile number'],
    { counts: 'rows 1, accepted 1', columns: 'Mobile Number', preview: ['+14155550102'] },
  ],
  [
    'two columns, one of them for something else',
    'header-two-phones.csv --map custom_identifiers=Phone',
    {
      counts: 'rows 1, accepted 1',
      columns: { phone_number: 'Mobile Number', custom_identifiers: 'Phone' },
      preview: [{ phone_number: '+14155550102', custom_identifiers: '+14155550101' }],
    },
  ],
  [
    'two columns that could be the phone, one as in the interface',
    'header-two-phones-one-exact.csv',
    { error: 'ambiguous_phone_column', says: /phone_number, Telephone/ },
  ],
  [
    'all fields first, as in the interface, whatever follows',
    'header-all-fields-first.csv',
    {
      counts: 'rows 1, accepted 1',
      columns: {
        phone_number: 'phone_number',
        custom_first_line: 'custom_first_line',
        custom_instruction: 'custom_instruction',
        custom_identifiers: 'custom_identifiers',
      },
      preview: [says('+14155550101', 'Hello.')],
    },
  ],
  ['one name twice', 'header-duplicate.csv', { error: 'duplicate_header', says: /two columns named Note/ }],
  [
    'one name in two spellings',
    'header-duplicate-capitals.csv',
    { error: 'duplicate_header', says: /two columns named NOTE/ },
  ],
  [
    'one name, its accent apart',
    'header-duplicate-decomposed.csv',
    { error: 'duplicate_header', says: /two columns named/ },
  ],
  [
    'two columns that could be the first line',
    'header-two-first-lines.csv',
    { error: 'duplicate_header', says: /First line, custom_first_line.*--map custom_first_line="First line"/ },
  ],
  [
    'two columns that could be the first line, and which it is',
    ['header-two-first-lines.csv', '--map', 'custom_first_line=First line'],
    { counts: 'rows 1, accepted 1', columns: PHONE_AND_FIRST_LINE, preview: [says('+14155550101', 'Hi.')] },
  ],
  [
    'columns without a name',
    'header-unnamed.csv',
    { counts: 'rows 2, accepted 2', columns: 'Phone', preview: ['+14155550101', '+14155550102'] },
  ],
  [
    'a title above the header',
    'header-below-a-title.csv',
    { error: 'no_phone_column', says: /it has Customers of autumn 2026/ },
  ],
  [
    'several columns and no header',
    'header-missing.csv',
    { error: 'no_phone_column', says: /begins with a number where the header should be/ },
  ],
  [
    '300 columns, the phone the last',
    'columns-300.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      columns: 'Phone',
      problems: [['line 3 Phone ragged_row ""', /299 .*300/]],
      preview: ['+14155550101'],
    },
  ],
  [
    '300 columns, none the phone',
    'columns-300-no-phone.csv',
    { error: 'no_phone_column', says: /it has c1, c2, .* \(300\)/ },
  ],
  [
    'a column of numbers and no header',
    'numbers-only.txt',
    {
      counts: 'rows 4, accepted 2, rejected 1, duplicates 1',
      hasHeader: false,
      columns: 'column 1',
      problems: ['line 3 column 1 not_e164 "+1415"', ['line 4 column 1 duplicate "+14155550101"', /on line 1/]],
      preview: ['+14155550101', '+14155550102'],
    },
  ],
  [
    'national numbers and no header',
    'numbers-only-national.txt --country US',
    {
      counts: 'rows 2, accepted 2',
      hasHeader: false,
      columns: 'column 1',
      normalized: ['(415) 555-0101 → +14155550101', '415.555.0102 → +14155550102'],
      preview: ['+14155550101', '+14155550102'],
    },
  ],
  [
    'no header, and the first number damaged',
    'numbers-only-damaged-first.txt',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      hasHeader: false,
      columns: 'column 1',
      problems: ['line 1 column 1 spreadsheet_damage "1.41556E+10"'],
      preview: ['+14155550102'],
    },
  ],
  [
    'no header, and the first number between what cannot be seen',
    'numbers-only-invisible-first.txt',
    {
      counts: 'rows 2, accepted 2',
      hasHeader: false,
      columns: 'column 1',
      warnings: [['line 1 column 1 unwrapped "\u202a+14155550101\u202c"', /U\+202A and U\+202C were removed/]],
      normalized: ['\u202a+14155550101\u202c → +14155550101'],
      preview: ['+14155550101', '+14155550102'],
    },
  ],
  [
    'no header, and the numbers wrapped',
    'numbers-only-wrapped.txt',
    {
      counts: 'rows 2, accepted 2',
      hasHeader: false,
      columns: 'column 1',
      warnings: ['line 1 column 1 unwrapped "tel:+1-415-555-0101"', 'line 2 column 1 unwrapped "\'+14155550102"'],
      normalized: ['tel:+1-415-555-0101 → +14155550101', "'+14155550102 → +14155550102"],
      preview: ['+14155550101', '+14155550102'],
    },
  ],
];

const numbers: Case[] = [
  [
    'E.164 is kept, spaces around it or not',
    'numbers-kept.csv',
    { counts: 'rows 3, accepted 3', preview: ['+14155550101', '+442079460101', '+493023125001'] },
  ],
  [
    'international numbers as people write them',
    'numbers-formatted.csv',
    {
      counts: 'rows 6, accepted 6',
      delimiter: ';',
      columns: 'Phone',
      normalized: [
        '+1 (415) 555-0101 → +14155550101',
        '+1.415.555.0102 → +14155550102',
        '+44 20 7946 0101 → +442079460101',
        '+49-30-23125001 → +493023125001',
        '+1–415–555–0103 → +14155550103',
        '+44 (0)20 7946 0102 → +442079460102',
      ],
      preview: ['+14155550101', '+14155550102', '+442079460101'],
    },
  ],
  [
    'national numbers of the United States',
    'numbers-us.csv --country US',
    {
      counts: 'rows 9, accepted 7, rejected 2',
      delimiter: ';',
      columns: 'Phone',
      problems: ['line 9 Phone not_e164 "555-0108"', 'line 10 Phone spreadsheet_damage "44 20 7946 0109"'],
      normalized: [
        '(415) 555-0101 → +14155550101',
        '4155550102 → +14155550102',
        '14155550103 → +14155550103',
        '1-415-555-0104 → +14155550104',
        '415.555.0105 → +14155550105',
        '011 44 20 7946 0106 → +442079460106',
      ],
      preview: ['+14155550101', '+14155550102', '+14155550103'],
    },
  ],
  [
    'national numbers of no country',
    'numbers-us.csv',
    {
      counts: 'rows 9, accepted 1, rejected 8',
      delimiter: ';',
      columns: 'Phone',
      problems: [
        ['line 2 Phone not_e164 "(415) 555-0101"', /--country/],
        ['line 3 Phone not_e164 "4155550102"', /--country/],
        ['line 4 Phone spreadsheet_damage "14155550103"', /lost its \+.*\+14155550103/],
        'line 5 Phone spreadsheet_damage "1-415-555-0104"',
        'line 6 Phone not_e164 "415.555.0105"',
        'line 7 Phone not_e164 "011 44 20 7946 0106"',
        'line 9 Phone not_e164 "555-0108"',
        'line 10 Phone spreadsheet_damage "44 20 7946 0109"',
      ],
      preview: ['+442079460107'],
    },
  ],
  [
    'national numbers of Germany',
    'numbers-de.csv --country de',
    {
      counts: 'rows 10, accepted 9, rejected 1',
      delimiter: ';',
      columns: 'Telefon',
      problems: ['line 11 Telefon not_e164 "030 23125010 (privat)"'],
      normalized: [
        '030 23125001 → +493023125001',
        '(030) 23125-002 → +493023125002',
        '030/23125003 → +493023125003',
        '0049 30 23125004 → +493023125004',
        '004930/23125005 → +493023125005',
        '49 30 23125006 → +493023125006',
        '493023125007 → +493023125007',
        '+49 30 23125008 → +493023125008',
        '0044 20 7946 0109 → +442079460109',
      ],
      preview: ['+493023125001', '+493023125002', '+493023125003'],
    },
  ],
  [
    'national numbers of the United Kingdom',
    'numbers-gb.csv --country GB',
    {
      counts: 'rows 5, accepted 4, rejected 1',
      columns: 'Phone',
      problems: ['line 6 Phone not_e164 "020 7946 010"'],
      normalized: [
        '020 7946 0101 → +442079460101',
        '(020) 7946-0102 → +442079460102',
        '0044 20 7946 0103 → +442079460103',
        '442079460104 → +442079460104',
      ],
      preview: ['+442079460101', '+442079460102', '+442079460103'],
    },
  ],
  [
    'national numbers of France',
    'numbers-fr.csv --country FR',
    {
      counts: 'rows 5, accepted 4, rejected 1',
      delimiter: ';',
      columns: 'Téléphone',
      problems: ['line 6 Téléphone not_e164 "01 99 00 12"'],
      normalized: [
        '01 99 00 12 34 → +33199001234',
        '01.99.00.12.35 → +33199001235',
        '0033199001236 → +33199001236',
        '33 1 99 00 12 37 → +33199001237',
      ],
      preview: ['+33199001234', '+33199001235', '+33199001236'],
    },
  ],
  [
    'national numbers of Australia, and its prefix for abroad',
    'numbers-au.csv --country AU',
    {
      counts: 'rows 4, accepted 4',
      columns: 'Phone',
      normalized: [
        '0491 570 156 → +61491570156',
        '(02) 5550 1234 → +61255501234',
        '0011 1 415 555 0101 → +14155550101',
        '61491570157 → +61491570157',
      ],
      preview: ['+61491570156', '+61255501234', '+14155550101'],
    },
  ],
  [
    'what may be national or lack its +',
    'numbers-ambiguous.csv --country DE',
    {
      counts: 'rows 3, accepted 1, rejected 2',
      delimiter: ';',
      columns: 'Telefon',
      problems: [
        ['line 2 Telefon not_e164 "49 221 4710123"', /\+49492214710123 or \+492214710123/],
        ['line 3 Telefon not_e164 "492214710124"', /\+49492214710124 or \+492214710124/],
      ],
      normalized: ['0221 4710125 → +492214710125'],
      preview: ['+492214710125'],
    },
  ],
  [
    'what spreadsheets and address books wrap around',
    'numbers-wrapped.csv',
    {
      counts: 'rows 4, accepted 4',
      columns: 'Phone',
      warnings: [
        ['line 2 Phone unwrapped "=\\"+14155550101\\""', /="…"/],
        ['line 3 Phone unwrapped "\'+14155550102"', /'/],
        ['line 4 Phone unwrapped "tel:+1-415-555-0103"', /tel:/],
        ['line 5 Phone unwrapped "TEL: +14155550104"', /tel:/],
      ],
      normalized: [
        '="+14155550101" → +14155550101',
        "'+14155550102 → +14155550102",
        'tel:+1-415-555-0103 → +14155550103',
        'TEL: +14155550104 → +14155550104',
      ],
      preview: ['+14155550101', '+14155550102', '+14155550103'],
    },
  ],
  [
    'what is damaged inside a wrapping',
    'numbers-wrapped-and-damaged.csv',
    {
      counts: 'rows 4, rejected 4',
      columns: 'Phone',
      problems: [
        ['line 2 Phone spreadsheet_damage "=\\"1.41556E+10\\""', /scientific notation/],
        ['line 3 Phone spreadsheet_damage "\'14155550102"', /lost its \+/],
        ['line 4 Phone spreadsheet_damage "tel:14155550103.0"', /decimal/],
        ['line 5 Phone invisible_character "=\\"+1415\u200b5550104\\""', /U\+200B/],
      ],
      preview: [],
    },
  ],
  ...['', ' --country US'].map(
    (country): Case => [
      'numbers rounded to powers of ten',
      `numbers-scientific.csv${country}`,
      {
        counts: 'rows 4, rejected 4',
        delimiter: ';',
        columns: 'Phone',
        problems: [
          ['line 2 Phone spreadsheet_damage "1.41556E+10"', /scientific notation.*text/],
          ['line 3 Phone spreadsheet_damage "4,42079E+11"', /scientific notation/],
          ['line 4 Phone spreadsheet_damage "+1.41556E+10"', /scientific notation/],
          ['line 5 Phone spreadsheet_damage "4.93023e11"', /scientific notation/],
        ],
        preview: [],
      },
    ],
  ),
  [
    'numbers that lost their +',
    'numbers-lost-plus.csv',
    {
      counts: 'rows 4, rejected 4',
      columns: 'Phone',
      problems: [
        ['line 2 Phone spreadsheet_damage "14155550101"', /lost its \+.*\+14155550101/],
        ['line 3 Phone spreadsheet_damage "442079460102"', /lost its \+.*\+442079460102/],
        ['line 4 Phone spreadsheet_damage "493023125003"', /lost its \+.*\+493023125003/],
        ['line 5 Phone not_e164 "4155550104"', /--country/],
      ],
      preview: [],
    },
  ],
  [
    'numbers that lost their +, some of them of this country',
    'numbers-lost-plus.csv --country US',
    {
      counts: 'rows 4, accepted 2, rejected 2',
      columns: 'Phone',
      problems: [
        ['line 3 Phone spreadsheet_damage "442079460102"', /lost its \+.*\+442079460102/],
        ['line 4 Phone spreadsheet_damage "493023125003"', /lost its \+.*\+493023125003/],
      ],
      normalized: ['14155550101 → +14155550101', '4155550104 → +14155550104'],
      preview: ['+14155550101', '+14155550104'],
    },
  ],
  ...['', ' --country US'].map(
    (country): Case => [
      'numbers that became decimals',
      `numbers-decimal.csv${country}`,
      {
        counts: 'rows 4, rejected 4',
        delimiter: ';',
        columns: 'Phone',
        problems: [
          ['line 2 Phone spreadsheet_damage "14155550101.0"', /decimal/],
          ['line 3 Phone spreadsheet_damage "4155550102,00"', /decimal/],
          ['line 4 Phone spreadsheet_damage "+14155550103.0"', /decimal/],
          ['line 5 Phone spreadsheet_damage "4155550104.0"', /decimal/],
        ],
        preview: [],
      },
    ],
  ),
  [
    "a spreadsheet's errors",
    'numbers-sheet-errors.csv',
    {
      counts: 'rows 3, rejected 3',
      columns: 'Phone',
      problems: [
        ['line 2 Phone spreadsheet_damage "#N/A"', /spreadsheet/],
        'line 3 Phone spreadsheet_damage "#REF!"',
        'line 4 Phone spreadsheet_damage "###########"',
      ],
      preview: [],
    },
  ],
  [
    'what cannot be seen is named: around a number it is taken off, between two digits nobody knows what it stands for',
    'numbers-invisible.csv --country US',
    {
      counts: 'rows 8, accepted 5, rejected 3',
      columns: 'Phone',
      problems: [
        ['line 5 Phone invisible_character "+1415\u00ad5550104"', /U\+00AD/],
        ['line 7 Phone invisible_character "+1415\\t5550105"', /U\+0009/],
        ['line 9 Phone invisible_character "+1415\\n5550107"', /U\+000A/],
      ],
      warnings: [
        ['line 2 Phone unwrapped "+1\u00a0415\u00a0555\u00a00101"', /U\+00A0/],
        ['line 3 Phone unwrapped "+14155550102\u200b"', /U\+200B/],
        ['line 4 Phone unwrapped "\u202a+14155550103\u202c"', /U\+202A/],
        ['line 6 Phone unwrapped "+33\u202f1\u202f99\u202f00\u202f12\u202f34"', /U\+202F/],
        ['line 8 Phone unwrapped "\ufeff+14155550106"', /U\+FEFF/],
      ],
      normalized: [
        '+1\u00a0415\u00a0555\u00a00101 → +14155550101',
        '+14155550102\u200b → +14155550102',
        '\u202a+14155550103\u202c → +14155550103',
        '+33\u202f1\u202f99\u202f00\u202f12\u202f34 → +33199001234',
        '\ufeff+14155550106 → +14155550106',
      ],
      preview: ['+14155550101', '+14155550102', '+14155550103'],
    },
  ],
  [
    'digits of other scripts are named',
    'numbers-foreign-digits.csv --country US',
    {
      counts: 'rows 4, rejected 4',
      columns: 'Phone',
      problems: [
        ['line 2 Phone invisible_character "+१४१५५५५०१०१"', /१ \(U\+0967\).*0 to 9/],
        ['line 3 Phone invisible_character "+٤٤٢٠٧٩٤٦٠١٠١"', /٤ \(U\+0664\)/],
        ['line 4 Phone invisible_character "+１４１５５５５０１０２"', /１ \(U\+FF11\)/],
        ['line 5 Phone invisible_character "+1415555०103"', /० \(U\+0966\)/],
      ],
      preview: [],
    },
  ],
  ...['', ' --country US'].map(
    (country): Case => [
      'what is no number, or more than one',
      `numbers-not-numbers.csv${country}`,
      {
        counts: 'rows 12, rejected 12',
        delimiter: ';',
        columns: 'Phone',
        problems: [
          'line 2 Phone not_e164 "N/A"',
          'line 3 Phone not_e164 "-"',
          'line 4 Phone not_e164 "ask Ann"',
          'line 5 Phone not_e164 "+1415555O101"',
          'line 6 Phone not_e164 "+14155550101 ext. 5"',
          'line 7 Phone not_e164 "+14155550101x5"',
          'line 8 Phone not_e164 "+14155550101 / +14155550102"',
          'line 9 Phone not_e164 "+12"',
          'line 10 Phone not_e164 "+1234567890123456"',
          'line 11 Phone not_e164 "+0123456789"',
          'line 12 Phone not_e164 "++14155550101"',
          'line 13 Phone not_e164 "001 415 555 0101"',
        ],
        preview: [],
      },
    ],
  ),
  [
    'well-formed, but nobody can have it',
    'numbers-unassigned.csv',
    {
      counts: 'rows 6, accepted 6',
      columns: 'Phone',
      warnings: [
        ['line 2 Phone unassigned_number "+15555550100"', /\+15555550100/],
        'line 3 Phone unassigned_number "+999123456789"',
        'line 4 Phone unassigned_number "+1234567"',
        'line 5 Phone unassigned_number "+123456789012345"',
        'line 6 Phone unassigned_number "+1 555 555 0101"',
      ],
      normalized: ['+1 555 555 0101 → +15555550101'],
      preview: ['+15555550100', '+999123456789', '+1234567'],
    },
  ],
  [
    'no number at all',
    'missing-phone.csv',
    {
      counts: 'rows 3, accepted 1, rejected 2',
      problems: ['line 2 phone_number missing_phone ""', 'line 3 phone_number missing_phone "  "'],
      preview: ['+14155550101'],
    },
  ],
];

const TEMPLATED = { counts: 'rows 5, accepted 5', columns: 'Phone' };

const templates: Case[] = [
  [
    'columns, fallbacks and values that look like columns',
    [
      'templates.csv',
      ...['--first-line', 'Hello {{First name|there}}, from {{ CITY | town }}?'],
      ...['--instruction', 'Ask {{first name|}}', '--identifier', '{{Phone}}/{{city|none}}'],
    ],
    {
      ...TEMPLATED,
      warnings: [
        ['line 3 --first-line unfilled_placeholder "Hello {{City}}, from Ulm?"', /\{\{City\}\} was left/],
        'line 3 --instruction unfilled_placeholder "Ask {{City}}"',
      ],
      preview: [
        {
          phone_number: '+14155550101',
          custom_first_line: 'Hello Ann, from Bonn?',
          custom_instruction: 'Ask Ann',
          custom_identifiers: '+14155550101/Bonn',
        },
        {
          phone_number: '+14155550102',
          custom_first_line: 'Hello {{City}}, from Ulm?',
          custom_instruction: 'Ask {{City}}',
          custom_identifiers: '+14155550102/Ulm',
        },
        {
          phone_number: '+14155550103',
          custom_first_line: 'Hello there, from Köln?',
          custom_instruction: 'Ask ',
          custom_identifiers: '+14155550103/Köln',
        },
      ],
    },
  ],
  [
    'an empty value without a fallback',
    ['templates.csv', '--first-line', 'Hello {{First name}}.'],
    {
      counts: 'rows 5, accepted 3, rejected 2',
      columns: 'Phone',
      problems: [
        ['line 4 First name missing_value ""', /--first-line.*First name.*\{\{First name\|/],
        'line 6 First name missing_value "  "',
      ],
      warnings: ['line 3 --first-line unfilled_placeholder "Hello {{City}}."'],
      preview: [
        says('+14155550101', 'Hello Ann.'),
        says('+14155550102', 'Hello {{City}}.'),
        says('+14155550104', 'Hello Cy.'),
      ],
    },
  ],
  [
    'empty values of several templates',
    ['templates.csv', '--instruction', 'Ask {{First name}}.', '--identifier', '{{City}}'],
    {
      counts: 'rows 5, accepted 2, rejected 3',
      columns: 'Phone',
      problems: [
        ['line 4 First name missing_value ""', /--instruction/],
        ['line 5 City missing_value ""', /--identifier/],
        'line 6 First name missing_value "  "',
        'line 6 City missing_value "  "',
      ],
      warnings: ['line 3 --instruction unfilled_placeholder "Ask {{City}}."'],
      preview: [
        { phone_number: '+14155550101', custom_instruction: 'Ask Ann.', custom_identifiers: 'Bonn' },
        { phone_number: '+14155550102', custom_instruction: 'Ask {{City}}.', custom_identifiers: 'Ulm' },
      ],
    },
  ],
  [
    'a column that is not there',
    ['templates.csv', '--first-line', 'Hello {{Surname}}.'],
    { error: 'unknown_column', says: /--first-line \{\{Surname\}\}.*no column Surname.*Phone, First name, City/ },
  ],
  [
    'a column that is not there, which no fallback excuses',
    ['templates.csv', '--identifier', '{{Id|none}}'],
    { error: 'unknown_column', says: /--identifier.*no column Id/ },
  ],
  [
    'a faulty number and an empty value in one row',
    ['rejects-mixed.csv', '--country', 'DE', '--instruction', 'Mention {{Notiz}}.'],
    {
      counts: 'rows 6, accepted 2, rejected 3, duplicates 1',
      delimiter: ';',
      columns: 'Telefon',
      problems: [
        'line 3 Telefon spreadsheet_damage "4,9302E+11"',
        'line 4 Telefon missing_phone ""',
        'line 4 Notiz missing_value ""',
        'line 5 Telefon duplicate "+493023125001"',
        'line 7 Notiz ragged_row ""',
      ],
      preview: [
        { phone_number: '+493023125001', custom_instruction: 'Mention sound.' },
        { phone_number: '+493023125005', custom_instruction: 'Mention no name.' },
      ],
    },
  ],
  [
    'first lines of 50, 51 and 53 words',
    'first-line-long.csv',
    {
      counts: 'rows 3, accepted 3',
      columns: PHONE_AND_FIRST_LINE,
      warnings: [
        [`line 3 First line long_first_line "${'word '.repeat(8)}…"`, /51 words.*50/],
        [`line 4 First line long_first_line "${'word '.repeat(8)}…"`, /53 words/],
      ],
      preview: [
        says('+14155550101', words(50)),
        says('+14155550102', `${words(50)} more`),
        says('+14155550103', `${words(50)}\nmore  and more`),
      ],
    },
  ],
  [
    'a first line that its values make too long',
    ['templates.csv', '--first-line', `${words(49)} {{City|in town}}`],
    {
      ...TEMPLATED,
      warnings: [
        [`line 5 --first-line long_first_line "${'word '.repeat(8)}…"`, /51 words/],
        [`line 6 --first-line long_first_line "${'word '.repeat(8)}…"`, /51 words/],
      ],
      preview: [
        says('+14155550101', `${words(49)} Bonn`),
        says('+14155550102', `${words(49)} Ulm`),
        says('+14155550103', `${words(49)} Köln`),
      ],
    },
  ],
  [
    'a first line of several lines',
    'first-line-several-lines.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      columns: PHONE_AND_FIRST_LINE,
      problems: ['line 4 Phone not_e164 "+1415"'],
      preview: [says('+14155550101', 'Hello,\r\nthis is "Ava".')],
    },
  ],
];

function words(count: number): string {
  return Array(count).fill('word').join(' ');
}

const DUPLICATES: Told[] = [
  ['line 4 Phone duplicate "+14155550101"', /on line 2 already.*--duplicates skip/],
  ['line 6 Phone duplicate "+14155550101"', /on line 2 already/],
];
const NO_NUMBER = 'line 7 Phone not_e164 "x"';

const leftOut: Case[] = [
  ...['', ' --duplicates reject', ' --skip-invalid'].map(
    (flags): Case => [
      'a number that comes thrice is called once',
      `duplicates.csv${flags}`,
      {
        counts: 'rows 6, accepted 3, rejected 1, duplicates 2',
        columns: 'Phone',
        problems: [...DUPLICATES, NO_NUMBER],
        preview: ['+14155550101', '+14155550102', '+14155550103'],
      },
    ],
  ),
  ...['', ' --skip-invalid'].map(
    (flags): Case => [
      'duplicates that are skipped are held back, not at fault',
      `duplicates.csv --duplicates skip${flags}`,
      {
        counts: 'rows 6, accepted 3, rejected 1, duplicates 2',
        columns: 'Phone',
        problems: [NO_NUMBER],
        heldBack: ['line 4 duplicate', 'line 6 duplicate'],
        preview: ['+14155550101', '+14155550102', '+14155550103'],
      },
    ],
  ),
  [
    'duplicates that are kept are called twice',
    'duplicates.csv --duplicates keep',
    {
      counts: 'rows 6, accepted 5, rejected 1',
      columns: 'Phone',
      problems: [NO_NUMBER],
      preview: ['+14155550101', '+14155550102', '+14155550101'],
    },
  ],
  [
    'one number in several forms is one number',
    'duplicates-in-other-forms.csv --country US',
    {
      counts: 'rows 5, accepted 2, duplicates 3',
      columns: 'Phone',
      problems: [
        'line 3 Phone duplicate "+14155550101"',
        'line 4 Phone duplicate "1-415-555-0101"',
        'line 6 Phone duplicate "+442079460101"',
      ],
      normalized: ['(415) 555-0101 → +14155550101', '0114420 7946 0101 → +442079460101'],
      preview: ['+14155550101', '+442079460101'],
    },
  ],
  [
    'duplicates alone, skipped, are no reason to stop',
    'duplicates-in-other-forms.csv --country US --duplicates skip',
    {
      counts: 'rows 5, accepted 2, duplicates 3',
      columns: 'Phone',
      normalized: ['(415) 555-0101 → +14155550101', '0114420 7946 0101 → +442079460101'],
      heldBack: ['line 3 duplicate', 'line 4 duplicate', 'line 6 duplicate'],
      preview: ['+14155550101', '+442079460101'],
    },
  ],
  [
    'a rejected row and the same number again: once fixed, it would call the same person',
    ['duplicates-of-rejected.csv', '--first-line', 'Hi {{Name}}.'],
    {
      counts: 'rows 2, rejected 1, duplicates 1',
      columns: 'Phone',
      problems: ['line 2 Name missing_value ""', 'line 3 Phone duplicate "+14155550101"'],
      preview: [],
    },
  ],
  [
    'numbers never to call, as text',
    'to-exclude.csv --country US --exclude never-call.txt',
    {
      counts: 'rows 7, accepted 2, rejected 1, duplicates 1, excluded 3',
      columns: 'Phone',
      problems: ['line 7 Phone duplicate "+14155550104"', 'line 8 Phone not_e164 "x"'],
      normalized: ['(415) 555-0102 → +14155550102'],
      heldBack: ['line 2 excluded', 'line 4 excluded', 'line 5 excluded'],
      excludedBy: ['never-call.txt: 3 numbers, 3 held back'],
      preview: ['+14155550102', '+14155550104'],
    },
  ],
  [
    'numbers never to call, as a table with two columns of them',
    'to-exclude.csv --country US --skip-invalid --exclude never-call.csv',
    {
      counts: 'rows 7, accepted 1, rejected 1, duplicates 1, excluded 4',
      columns: 'Phone',
      problems: ['line 5 Phone duplicate "+14155550103"', 'line 8 Phone not_e164 "x"'],
      heldBack: ['line 2 excluded', 'line 3 excluded', 'line 6 excluded', 'line 7 excluded'],
      excludedBy: ['never-call.csv: 4 numbers, 4 held back'],
      preview: ['+14155550103'],
    },
  ],
  [
    'two lists, the first that holds a number holds it back',
    'to-exclude.csv --country US --exclude never-call.txt --exclude never-call.csv',
    {
      counts: 'rows 7, rejected 1, excluded 6',
      columns: 'Phone',
      problems: ['line 8 Phone not_e164 "x"'],
      heldBack: [2, 3, 4, 5, 6, 7].map((line) => `line ${line} excluded`),
      excludedBy: ['never-call.txt: 3 numbers, 3 held back', 'never-call.csv: 4 numbers, 3 held back'],
      preview: [],
    },
  ],
  [
    'a list in UTF-16, and duplicates skipped',
    'to-exclude.csv --duplicates skip --exclude never-call-utf-16le.txt',
    {
      counts: 'rows 7, accepted 2, rejected 2, duplicates 2, excluded 1',
      columns: 'Phone',
      problems: ['line 3 Phone not_e164 "(415) 555-0102"', 'line 8 Phone not_e164 "x"'],
      heldBack: ['line 2 excluded', 'line 5 duplicate', 'line 7 duplicate'],
      excludedBy: ['never-call-utf-16le.txt: 1 numbers, 1 held back'],
      preview: ['+14155550103', '+14155550104'],
    },
  ],
  [
    'a list that is not understood would let somebody be called',
    'to-exclude.csv --country US --exclude never-call-damaged.csv',
    { error: 'invalid_input', says: /^never-call-damaged\.csv: 1 entry.*line 3: .*scientific notation/ },
  ],
  [
    'a list of national numbers of no country',
    'plain.csv --exclude never-call.txt',
    { error: 'invalid_input', says: /^never-call\.txt: 1 entry.*line 3: .*415-555-0103/ },
  ],
  [
    'a list without numbers',
    'to-exclude.csv --exclude never-call-no-phone.csv',
    { error: 'no_phone_column', says: /^never-call-no-phone\.csv has no column/ },
  ],
  ...['', ' --skip-invalid'].map(
    (flags): Case => [
      'every kind of row that is left out, to be fixed',
      ['rejects-mixed.csv', '--country', 'DE', '--first-line', 'Hallo {{Vorname}}.', ...flags.trim().split(' ')].filter(
        (word) => word !== '',
      ),
      {
        counts: 'rows 6, accepted 1, rejected 4, duplicates 1',
        delimiter: ';',
        columns: 'Telefon',
        problems: [
          'line 3 Telefon spreadsheet_damage "4,9302E+11"',
          'line 4 Telefon missing_phone ""',
          'line 5 Telefon duplicate "+493023125001"',
          'line 6 Vorname missing_value ""',
          'line 7 Notiz ragged_row ""',
        ],
        preview: [says('+493023125001', 'Hallo Anna.')],
        rejects: {
          lines: [
            'line;column;code;reason;Telefon;Vorname;Notiz',
            '3;Telefon;spreadsheet_damage;…;4,9302E+11;Bernd;"a;b"',
            '4;Telefon;missing_phone;…;;Carla;',
            '5;Telefon;duplicate;…;+493023125001;Anna;twice',
            '6;Vorname;missing_value;…;+493023125005;;no name',
            '7;Notiz;ragged_row;…;+493023125006;Dora',
          ],
          fixed: [
            [';4,9302E+11;', ';030 23125002;'],
            [';;Carla;', ';+493023125003;Carla;'],
            [';+493023125001;Anna;', ';+493023125004;Anna;'],
            [';+493023125005;;', ';+493023125005;Eve;'],
            [';+493023125006;Dora', ';+493023125006;Dora;'],
          ],
        },
      },
    ],
  ),
  [
    'rejects of a file without a header have one',
    'rejects-no-header.txt --skip-invalid',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      hasHeader: false,
      columns: 'column 1',
      problems: ['line 2 column 1 spreadsheet_damage "14155550102"'],
      preview: ['+14155550101'],
      rejects: {
        lines: ['line,column,code,reason,phone_number', '2,column 1,spreadsheet_damage,…,14155550102'],
        fixed: [[',14155550102', ',+14155550102']],
      },
    },
  ],
  [
    'rejects of a file with columns of the same names',
    'rejects-own-columns.csv',
    {
      counts: 'rows 1, rejected 1',
      problems: ['line 2 phone_number spreadsheet_damage "14155550101"'],
      preview: [],
      rejects: {
        lines: [
          'reject_line,reject_column,reject_code,reject_reason,line,phone_number,code',
          '2,phone_number,spreadsheet_damage,…,7,14155550101,blue',
        ],
        fixed: [[',14155550101,', ',+14155550101,']],
      },
    },
  ],
  [
    'rejects of rejects tell the new faults, not the old ones',
    'rejects-again.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      columns: 'Phone',
      problems: ['line 3 Phone missing_phone ""'],
      preview: ['+14155550101'],
      rejects: {
        lines: ['line,column,code,reason,Phone,Name', '3,Phone,missing_phone,…,,"Doe, Bob"'],
        fixed: [[',,"Doe', ',+14155550102,"Doe']],
      },
    },
  ],
  [
    'rejects of another encoding say that they are UTF-8',
    'rejects-windows-1252.csv --encoding windows-1252',
    {
      counts: 'rows 1, rejected 1',
      encoding: 'windows-1252',
      delimiter: ';',
      columns: 'Telefon',
      problems: ['line 2 Telefon spreadsheet_damage "493023125001"'],
      preview: [],
      rejects: {
        lines: ['\ufeffline;column;code;reason;Telefon;Name', '2;Telefon;spreadsheet_damage;…;493023125001;Jörg'],
        fixed: [[';493023125001;', ';+493023125001;']],
      },
    },
  ],
  [
    'rejects keep quotes, line ends and spaces',
    'rejects-quotes.csv',
    {
      counts: 'rows 2, rejected 2',
      delimiter: '\t',
      columns: 'Phone',
      problems: ['line 2 Phone spreadsheet_damage "14155550101"', 'line 4 Phone spreadsheet_damage "14155550102"'],
      preview: [],
      rejects: {
        lines: [
          'line\tcolumn\tcode\treason\tPhone\tNote',
          '2\tPhone\tspreadsheet_damage\t…\t14155550101\t"two ""quotes"",\na line end"',
          '4\tPhone\tspreadsheet_damage\t…\t14155550102\t  spaces  ',
        ],
        fixed: [
          ['\t14155550101\t', '\t+14155550101\t'],
          ['\t14155550102\t', '\t+14155550102\t'],
        ],
      },
    },
  ],
  [
    'no rejects, of a file without faults',
    'numbers-kept.csv',
    {
      counts: 'rows 3, accepted 3',
      preview: ['+14155550101', '+442079460101', '+493023125001'],
      rejects: { lines: ['line,column,code,reason,phone_number,note'] },
    },
  ],
];

const edges: Case[] = [
  ['no bytes', 'empty.csv', { error: 'empty_file', says: /^empty\.csv is empty/ }],
  ['a byte order mark', 'bom-only.csv', { error: 'empty_file', says: /is empty/ }],
  ['a byte order mark of UTF-16', 'utf-16-bom-only.csv', { error: 'empty_file', says: /is empty/ }],
  ['empty lines', 'blank-only.csv', { error: 'empty_file', says: /is empty/ }],
  ['a sep= line', 'sep-only.csv', { error: 'empty_file', says: /is empty/ }],
  ['a header', 'header-only.csv', { error: 'empty_file', says: /has a header and no contacts/ }],
  [
    'a header and rows of nothing',
    'header-and-empty-rows.csv',
    { error: 'empty_file', says: /has a header and no contacts/ },
  ],
  [
    'quotes, delimiters and line ends within cells',
    'quotes.csv',
    {
      counts: 'rows 3, accepted 2, rejected 1',
      columns: FIRST_LINE_OF_A_PLAIN_HEADER,
      problems: ['line 6 phone_number not_e164 "x"'],
      preview: [says('+14155550101', 'Hello,\nAnn\r\nDoe'), '+14155550102'],
    },
  ],
  [
    'a CR within a cell is a line end too',
    'quotes-around-cr.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      problems: ['line 4 phone_number not_e164 "x"'],
      preview: ['+14155550101'],
    },
  ],
  [
    'a quote that is never closed',
    'quote-unclosed.csv',
    { error: 'unclosed_quote', says: /line 3: a quote is opened .* never closed/ },
  ],
  [
    'a quote that is the last byte, after a cell of two lines',
    'quote-unclosed-last.csv',
    { error: 'unclosed_quote', says: /line 4: a quote is opened .* never closed/ },
  ],
  [
    'a quote that the next row seems to close',
    'quote-unclosed-then-another.csv',
    { error: 'unclosed_quote', says: /line 2: text follows a closing quote/ },
  ],
  [
    'a quote inside a cell',
    'quote-inside-cell.csv',
    { error: 'unclosed_quote', says: /line 2: a quote stands inside a cell.*double every quote/ },
  ],
  [
    'quotes with backslashes',
    'quote-backslash.csv',
    { error: 'unclosed_quote', says: /line 3: text follows a closing quote/ },
  ],
  [
    'too few cells and too many',
    'ragged.csv',
    {
      counts: 'rows 5, accepted 2, rejected 3',
      problems: [
        ['line 3 note ragged_row ""', /2 .*3/],
        ['line 4 name ragged_row ""', /1 .*3/],
        ['line 5  ragged_row ""', /4 .*3.*quotes/],
      ],
      preview: ['+14155550101', '+14155550105'],
    },
  ],
  [
    'a comma too many at the end',
    'ragged-trailing-commas.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      problems: ['line 2  ragged_row ""'],
      preview: ['+14155550102'],
    },
  ],
  [
    'NUL in cells',
    'nul-in-cell.csv',
    {
      counts: 'rows 3, accepted 1, rejected 2',
      problems: [
        ['line 2 name nul_character "A\\u0000nn"', /NUL/],
        'line 3 phone_number nul_character "+1415\\u00005550102"',
      ],
      preview: ['+14155550103'],
    },
  ],
  ['NUL in the header', 'nul-in-header.csv', { error: 'nul_character', says: /NUL characters in its header/ }],
  [
    'the mark that ends files of DOS',
    'control-z.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      problems: ['line 3 name ragged_row ""'],
      preview: ['+14155550101'],
    },
  ],
  [
    'a cell as long as cells can be, and a longer one',
    'long-cells.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      columns: 'Phone',
      problems: [[`line 3 Name too_long "${'y'.repeat(40)}…"`, /32768.*32767/]],
      preview: ['+14155550101'],
    },
  ],
  [
    'a line of totals',
    'footer.csv',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      emptyRows: 1,
      problems: ['line 4 phone_number not_e164 "Total: 1"'],
      preview: ['+14155550101'],
    },
  ],
  [
    'a header in the midst, from files put together',
    'header-repeated.csv',
    {
      counts: 'rows 3, accepted 2, rejected 1',
      problems: ['line 3 phone_number not_e164 "phone_number"'],
      preview: ['+14155550101', '+14155550102'],
    },
  ],
];

/** What once went wrong, or would ring somebody else's phone. */
const hardLessons: Case[] = [
  [
    'numbers whose owner earns by the call',
    'numbers-premium.csv --country DE',
    {
      counts: 'rows 3, accepted 3',
      columns: 'Telefon',
      warnings: [
        ['line 2 Telefon premium_number "0900 3123456"', /\+499003123456 is a premium-rate number/],
        ['line 4 Telefon premium_number "+448712345678"', /earns/],
      ],
      normalized: ['0900 3123456 → +499003123456', '030 23125001 → +493023125001'],
      preview: ['+499003123456', '+493023125001', '+448712345678'],
    },
  ],
  [
    'what has two readings, is a date, an amount or two numbers is rejected',
    'numbers-two-readings.csv --country DE',
    {
      counts: 'rows 15, rejected 15',
      columns: 'Telefon',
      problems: [
        ['line 2 Telefon spreadsheet_damage "43 1 5550101"', /lost its \+.*\+4315550101/],
        ['line 3 Telefon spreadsheet_damage "33 1 99 00 12 34"', /lost its \+.*\+33199001234/],
        ['line 4 Telefon spreadsheet_damage "20.11.2026"', /date/],
        ['line 5 Telefon spreadsheet_damage "02.11.2026"', /date/],
        ['line 6 Telefon spreadsheet_damage "2026-11-20"', /date/],
        ['line 7 Telefon spreadsheet_damage "23125.50"', /decimal/],
        ['line 8 Telefon spreadsheet_damage "030 23125001.0"', /decimal/],
        ['line 9 Telefon spreadsheet_damage "+49 30 23125001.0"', /decimal/],
        ['line 10 Telefon not_e164 "030 23125001/2"', /two numbers/],
        ['line 11 Telefon not_e164 "030 23125001 (1)"', /two numbers/],
        ['line 12 Telefon not_e164 "+493023125001/2"', /two numbers/],
        'line 13 Telefon not_e164 "-23124982"',
        ['line 14 Telefon not_e164 "+4903023125001"', /Write \+493023125001/],
        ['line 15 Telefon invisible_character "＋493023125001"', /U\+FF0B/],
        ['line 16 Telefon not_e164 "+1 1 415 555 0101"', /Write \+14155550101/],
      ],
      preview: [],
    },
  ],
  [
    'two numbers in a cell, short dates, and numbers of other countries that lost their +',
    'numbers-two-in-a-cell.csv --country DE',
    {
      counts: 'rows 9, rejected 9',
      columns: 'Telefon',
      problems: [
        ['line 2 Telefon not_e164 "+49 30 12345/67890"', /two numbers/],
        ['line 3 Telefon not_e164 "040 12345/67890"', /two numbers/],
        ['line 4 Telefon not_e164 "030/12345/67890"', /two numbers/],
        ['line 5 Telefon not_e164 "+1 415 555 0100 - 23"', /two numbers/],
        ['line 6 Telefon not_e164 "+14155550100-0101"', /too long or too short/],
        ['line 7 Telefon spreadsheet_damage "01-02-03"', /date/],
        ['line 8 Telefon spreadsheet_damage "12.05.24"', /date/],
        ['line 9 Telefon spreadsheet_damage "1 415 555 0100"', /lost its \+/],
        ['line 10 Telefon spreadsheet_damage "12684641234"', /lost its \+/],
      ],
      preview: [],
    },
  ],
  [
    'doubtful entries of a list',
    'plain.csv --exclude list-doubtful.txt',
    { error: 'invalid_input', says: /2 entries are not understood.*line 1: .*two numbers.*line 2: .*two numbers/s },
  ],
  [
    'a number in a column of a list that is not known to hold any',
    'plain.csv --exclude list-other-column.csv',
    { error: 'invalid_input', says: /line 2: \+14155550102 stands in a column/ },
  ],
  [
    'a list without a number',
    'plain.csv --exclude list-no-number.csv',
    { error: 'empty_file', says: /holds no number/ },
  ],
  [
    'ways to write a number that have one reading',
    'numbers-own-forms.csv --country DE',
    {
      counts: 'rows 6, accepted 6',
      columns: 'Telefon',
      normalized: [
        '(+49) 30 23125001 → +493023125001',
        '030/23125002 → +493023125002',
        '0043 1 5550103 → +4315550103',
        '3023125004 → +493023125004',
        "'tel:+493023125005 → +493023125005",
        '+49 (0)30 23125006 → +493023125006',
      ],
      warnings: [
        ['line 5 Telefon missing_prefix "3023125004"', /without its 0/],
        ['line 6 Telefon unwrapped "\'tel:+493023125005"', /leading ' and tel:/],
      ],
      preview: ['+493023125001', '+493023125002', '+4315550103'],
    },
  ],
  [
    'well-formed, national or not, and assigned to nobody',
    'numbers-gb-fictional.csv --country GB',
    {
      counts: 'rows 2, accepted 2',
      columns: 'Phone',
      normalized: ['07700 900123 → +447700900123', '+44 7700 900124 → +447700900124'],
      warnings: ['line 2 Phone unassigned_number "07700 900123"', 'line 3 Phone unassigned_number "+44 7700 900124"'],
      preview: ['+447700900123', '+447700900124'],
    },
  ],
  [
    'a number guarded by a formula, with and without the quotes of RFC 4180',
    'formula-unquoted.csv',
    {
      counts: 'rows 3, accepted 3',
      columns: 'Phone',
      normalized: ['="+14155550101" → +14155550101', '="+14155550102" → +14155550102', '=+14155550103 → +14155550103'],
      warnings: [
        'line 2 Phone unwrapped "=\\"+14155550101\\""',
        'line 3 Phone unwrapped "=\\"+14155550102\\""',
        'line 4 Phone unwrapped "=+14155550103"',
      ],
      preview: ['+14155550101', '+14155550102', '+14155550103'],
    },
  ],
  [
    'a list with a row too short holds nobody back silently',
    'plain.csv --exclude list-ragged.csv',
    { error: 'invalid_input', says: /^list-ragged\.csv: 1 entry.*line 3: 1 cell/ },
  ],
  [
    'a list with two numbers on a line',
    'plain.csv --exclude list-two-on-a-line.txt',
    { error: 'invalid_input', says: /1 entry.*line 2: 2 cells/ },
  ],
  [
    'a list whose first number stands between what cannot be seen holds it back all the same',
    'plain.csv --exclude list-invisible.txt',
    {
      counts: 'rows 2, accepted 1, excluded 1',
      columns: {
        phone_number: 'phone_number',
        custom_first_line: 'custom_first_line',
        custom_instruction: 'custom_instruction',
        custom_identifiers: 'custom_identifiers',
      },
      heldBack: ['line 2 excluded'],
      excludedBy: ['list-invisible.txt: 2 numbers, 1 held back'],
      preview: [says('+442079460102', 'Hello Bob.')],
    },
  ],
  [
    'every column of a list that could be the phone counts',
    'header-plain-one.csv --exclude list-two-columns.csv',
    {
      counts: 'rows 1, excluded 1',
      heldBack: ['line 2 excluded'],
      excludedBy: ['list-two-columns.csv: 2 numbers, 1 held back'],
      preview: [],
    },
  ],
  ['a second phone, by number', 'phone-2.csv', { error: 'ambiguous_phone_column', says: /Phone, Phone 2.*--map/ }],
  [
    'a second phone, by place',
    'telefon-privat.csv',
    { error: 'ambiguous_phone_column', says: /Telefon privat.*--map/ },
  ],
  [
    'what is said of a phone is no phone',
    'phone-type.csv',
    { counts: 'rows 1, accepted 1', columns: 'Phone', preview: ['+14155550101'] },
  ],
  [
    'a header as programs write them',
    'mobile-number-camel.csv',
    { counts: 'rows 1, accepted 1', columns: 'mobileNumber', preview: ['+14155550101'] },
  ],
  [
    'one ragged row does not change the delimiter',
    'delimiter-one-ragged.csv',
    {
      counts: 'rows 3, accepted 2, rejected 1',
      delimiter: ';',
      columns: 'Phone',
      problems: ['line 2  ragged_row ""'],
      preview: ['+14155550102', '+14155550103'],
    },
  ],
  ['a header alone, with semicolons', 'header-only-semicolon.csv', { error: 'empty_file', says: /no contacts/ }],
  ['a workbook', 'workbook.xlsx', { error: 'bad_encoding', says: /Excel workbook.*CSV UTF-8/ }],
  [
    'rows that two stray quotes swallowed',
    'swallowed.csv',
    {
      counts: 'rows 2, accepted 2',
      columns: FIRST_LINE_OF_A_PLAIN_HEADER,
      warnings: [
        ['line 2 custom_first_line swallowed_rows "Hi Bob\\n+14155550102,Hi Ann\\n+14155550103,…"', /stray|quote/],
      ],
      preview: [
        says('+14155550101', 'Hi Bob\n+14155550102,Hi Ann\n+14155550103,Hi Cid'),
        says('+14155550104', 'Hi Dan'),
      ],
    },
  ],
  [
    'what a spreadsheet could not compute, or nobody can see, is not said',
    ['spoken-errors.csv', '--first-line', 'Hi {{Name|there}}'],
    {
      counts: 'rows 3, accepted 3',
      columns: 'Phone',
      preview: [says('+14155550101', 'Hi there'), says('+14155550102', 'Hi there'), says('+14155550103', 'Hi Cid')],
    },
  ],
  [
    'a duplicate that comes back from the rejects as it was is one still',
    'rejects-duplicate.csv',
    {
      counts: 'rows 3, accepted 2, duplicates 1',
      columns: 'phone_number',
      problems: [['line 2 phone_number duplicate "+14155550101"', /was rejected as a duplicate/]],
      preview: ['+14155550105', '+14155550106'],
    },
  ],
  [
    'the rejects of a file that names its delimiter name it too',
    'separator-caret.csv --skip-invalid',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      delimiter: '^',
      problems: ['line 4 phone_number not_e164 "+1415"'],
      preview: ['+14155550101'],
      rejects: {
        lines: ['sep=^', 'line^column^code^reason^phone_number^note', '4^phone_number^not_e164^…^+1415^2'],
        fixed: [['^+1415^', '^+14155550102^']],
      },
    },
  ],
  [
    'a list of numbers whose first one is damaged has no header all the same',
    'first-row-damaged.txt',
    {
      counts: 'rows 2, accepted 1, rejected 1',
      hasHeader: false,
      columns: 'column 1',
      problems: ['line 1 column 1 not_e164 "+14155550101 x5"'],
      preview: ['+14155550102'],
    },
  ],
];

export const CORPUS: Record<string, Case[]> = {
  decoding,
  'delimiters and line ends': delimitersAndLineEnds,
  headers,
  numbers,
  templates,
  'what is left out': leftOut,
  'the edges of CSV': edges,
  'hard lessons': hardLessons,
};

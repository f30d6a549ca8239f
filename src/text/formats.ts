/** Items as rows of text in any format, some at a time. A format is one entry of `FORMATS`. */
import { BYTE_ORDER_MARK, oneLine, SPREADSHEET, toCsv, tooLongForCells } from './csv.ts';
import { originalOf, picked, writeJson } from './json.ts';
import { masked } from './redact.ts';

type Item = Record<string, unknown>;

export interface RowLayout {
  format: RowFormat;
  /** The columns of formats that have any; the first is what is left in a list of ids. */
  columns: readonly string[];
  /** The chosen ones in their place. Without them, the JSON formats keep whatever an item has. */
  fields?: readonly string[] | undefined;
  hasHeader: boolean;
  /** For a spreadsheet: with a byte order mark, and with no cell that it would run or misread. CSV only. */
  isExcel?: boolean;
  /** Of a CSV; a comma by default. */
  delimiter?: string | undefined;
  /** For a workbook: the name of its sheet, the columns of times, and the name of the machine's zone. */
  sheet?: SheetForm;
  /** What begins and ends the JSON document around its items; by default they are an array. */
  around?: { begin: string; end: string };
  /** Masks the key in a text. */
  redact(text: string): string;
}

export interface SheetForm {
  name: string;
  times: ReadonlySet<string>;
  zone: string;
}

interface Format {
  /** What the names of its files end in, the usual ending first; none for what is never a file. */
  endings: readonly string[];
  /** Whether it shows columns, and nothing else of an item. */
  isFlat: boolean;
  /** `before`: how many items have gone before these. */
  rows(items: readonly Item[], layout: RowLayout, before: number): string;
  /** What follows so many items. */
  end?(count: number, layout: RowLayout): string;
}

const ARRAY = { begin: '[', end: ']' };

export const FORMATS = {
  json: {
    endings: ['json'],
    isFlat: false,
    rows: (items, layout, before) =>
      items.map((item, at) => `${before + at === 0 ? beginning(layout) : ',\n'}${toJson(item, layout)}`).join(''),
    end: (count, { around = ARRAY }) => `${count === 0 ? around.begin : '\n'}${around.end}\n`,
  },
  ndjson: { endings: ['ndjson', 'jsonl'], isFlat: false, rows: eachOnALine(toJson) },
  csv: {
    endings: ['csv'],
    isFlat: true,
    rows: csvRows,
    end: (count, layout) => (count === 0 ? csvRows([], layout, 0) : ''),
  },
  tsv: {
    endings: [],
    isFlat: true,
    rows: eachOnALine((item, { columns, fields = columns }) => fields.map((name) => oneLine(item[name])).join('\t')),
  },
  ids: { endings: [], isFlat: false, rows: eachOnALine((item, { columns: [id = ''] }) => oneLine(item[id])) },
  // A file of bytes, which is made of these lines when all are there: see `workbook/write-workbook.ts`.
  xlsx: { endings: ['xlsx'], isFlat: true, rows: eachOnALine((item) => writeJson(item)) },
} satisfies Record<string, Format>;

export type RowFormat = keyof typeof FORMATS;
/** Those that can be printed. */
export const ROW_FORMATS = (Object.keys(FORMATS) as RowFormat[]).filter((name) => name !== 'xlsx');
/** Those of files, the most usual first. */
export const FILE_FORMATS: RowFormat[] = ['csv', 'xlsx', 'ndjson', 'json'];

function beginning({ around = ARRAY }: RowLayout): string {
  return `${around.begin}\n`;
}

function toJson(item: Item, { fields }: RowLayout): string {
  return writeJson(fields === undefined ? item : picked(item, fields));
}

function eachOnALine(line: (item: Item, layout: RowLayout) => string): Format['rows'] {
  return (items, layout) => items.map((item) => `${line(item, layout)}\n`).join('');
}

function csvRows(items: readonly Item[], layout: RowLayout, before: number): string {
  const { columns, fields = columns, hasHeader, isExcel = false, delimiter } = layout;
  const lines = toCsv(items, fields, hasHeader && before === 0, isExcel ? SPREADSHEET : undefined, delimiter);
  return isExcel && before === 0 ? BYTE_ORDER_MARK + lines : lines;
}

export class RowWriter {
  readonly #layout: RowLayout;
  /** Items so far. */
  count: number;
  /** Texts that a spreadsheet cuts off. */
  cut = 0;

  /** `written`: how many items are in the file already; if there are any, no header follows. */
  constructor(layout: RowLayout, written = 0) {
    this.#layout = layout;
    this.count = written;
  }

  /** The text that these items add. */
  async rows(read: readonly Item[]): Promise<string> {
    if (read.length === 0) return '';
    const { format, isExcel, redact } = this.#layout;
    const items = read.map(originalOf);
    const rowsOf = (shown: readonly Item[]) => FORMATS[format].rows(shown, this.#layout, this.count);
    const text = rowsOf(items);
    const safe = redact(text) === text ? text : rowsOf(items.map((item) => masked(item, redact)));
    this.count += items.length;
    if (isExcel) this.cut += tooLongForCells(items);
    return safe;
  }

  async end(): Promise<string> {
    const { end }: Format = FORMATS[this.#layout.format];
    return end === undefined ? '' : end(this.count, this.#layout);
  }
}

/**
 * Items → a workbook (`.xlsx`). Texts stay texts, whatever they look like: no cell is a formula, and no number loses a digit. Times
 * become dates of a zone, which is named in the header.
 */
import { parseInstant } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { plainText } from '../csv.ts';
import type { RowLayout, SheetForm } from '../formats.ts';
import { DAY, HOUR, MINUTE } from '../units.ts';
import { widthOf } from '../width.ts';
import { columnName } from './column-name.ts';
import { type NewPart, zipped } from './zip-writer.ts';

type Item = Record<string, unknown>;

export interface WorkbookLayout extends Pick<RowLayout, 'columns' | 'fields' | 'hasHeader' | 'redact'> {
  sheet: SheetForm;
}

/** How many items there were, and how many texts a cell cannot hold: these are cut off. */
export interface Written {
  count: number;
  cut: number;
}

/** Rows of the longest sheet; what is more goes into another. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const LONGEST_CELL = 32_767;
/** Columns are as wide as the first rows need, in characters, within these limits. */
const MEASURED_ROWS = 200;
const NARROWEST = 8;
const WIDEST = 50;
const DATE_WIDTH = 20;

/** The styles, by their places in the part that describes them. */
const NUMBER = 0;
const TEXT = 1;
const TIME = 2;
const HEADER = 3;

/** The file, some bytes at a time. Throws UsageError if there are more columns than a sheet has. */
export async function* workbookOf(
  items: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  layout: WorkbookLayout,
): AsyncGenerator<Buffer, Written> {
  const writer = new SheetWriter(layout);
  yield* zipped(partsOf(items, writer, layout));
  return writer.written;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

async function* partsOf(
  items: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  writer: SheetWriter,
  { sheet, redact }: WorkbookLayout,
): AsyncGenerator<NewPart, void> {
  const batches = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let sheets = 0;
  try {
    do yield { name: `xl/worksheets/sheet${++sheets}.xml`, content: writer.sheet(batches) };
    while (writer.hasMore);
  } finally {
    await batches.return?.();
  }
  const each = Array.from({ length: sheets }, (_, at) => at + 1);
  const title = (at: number) => text(redact(at === 1 ? sheet.name : `${sheet.name} ${at}`));
  const link = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const links = (all: string[]) =>
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${TYPE}.${type}+xml"/>`;
  const made: Record<string, string> = {
    'xl/styles.xml': STYLES,
    'xl/workbook.xml':
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
      `${each.map((at) => `<sheet name="${title(at)}" sheetId="${at}" r:id="rId${at}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links([
      ...each.map((at) => link(`rId${at}`, 'worksheet', `worksheets/sheet${at}.xml`)),
      link(`rId${sheets + 1}`, 'styles', 'styles.xml'),
    ]),
    '_rels/.rels': links([link('rId1', 'officeDocument', 'xl/workbook.xml')]),
    '[Content_Types].xml':
      `${HEAD}<Types xmlns="${PACKAGE}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Default Extension="xml" ContentType="application/xml"/>' +
      `${override('workbook', 'sheet.main')}${override('styles', 'styles')}` +
      `${each.map((at) => override(`worksheets/sheet${at}`, 'worksheet')).join('')}</Types>`,
  };
  for (const [name, content] of Object.entries(made)) yield { name, content: [content] };
}

/** A cell of text keeps its format, so that what is typed into it later stays text as well. */
const STYLES =
  `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1">` +
  '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4">' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

class SheetWriter {
  readonly #layout: WorkbookLayout;
  readonly #fields: readonly string[];
  readonly #times: ReadonlySet<string>;
  readonly #names: readonly string[];
  readonly #columns: readonly string[];
  #rest: readonly Item[] = [];
  #isDone = false;
  #widths: string | undefined;
  readonly written: Written = { count: 0, cut: 0 };

  constructor(layout: WorkbookLayout) {
    this.#layout = layout;
    const { columns, fields = columns, redact } = layout;
    const { times, zone } = layout.sheet;
    if (fields.length > MAX_COLUMNS) {
      const most = MAX_COLUMNS.toLocaleString('en-US');
      throw new UsageError(
        `A sheet has at most ${most} columns, and ${fields.length.toLocaleString('en-US')} are to be written.`,
        {
          hint: 'Choose fewer columns, or write a CSV.',
        },
      );
    }
    this.#fields = fields;
    this.#times = times;
    this.#names = fields.map((name) => redact(times.has(name) ? `${name} (${zone})` : name));
    this.#columns = fields.map((_, at) => columnName(at));
  }

  get hasMore(): boolean {
    return !this.#isDone || this.#rest.length > 0;
  }

  /** One sheet of the items that are left, as XML. */
  async *sheet(batches: Iterator<readonly Item[]> | AsyncIterator<readonly Item[]>): AsyncGenerator<string, void> {
    const { hasHeader } = this.#layout;
    await this.#read(batches);
    this.#widths ??= this.#measured();
    const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
    yield `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
      `${hasHeader ? pane : ''}</sheetView></sheetViews>${this.#widths}<sheetData>`;
    let row = 0;
    if (hasHeader)
      yield this.#row(
        ++row,
        this.#names.map((name, at) => this.#text(name, `${this.#columns[at]}1`, HEADER)),
      );
    while (this.#rest.length > 0 && row < MAX_ROWS) {
      const fitting = this.#rest.slice(0, MAX_ROWS - row);
      yield fitting.map((item) => this.#item(item, ++row)).join('');
      this.written.count += fitting.length;
      this.#rest = this.#rest.slice(fitting.length);
      await this.#read(batches);
    }
    const filter = hasHeader ? `<autoFilter ref="A1:${this.#columns.at(-1) ?? 'A'}${Math.max(row, 1)}"/>` : '';
    yield `</sheetData>${filter}</worksheet>`;
  }

  async #read(batches: Iterator<readonly Item[]> | AsyncIterator<readonly Item[]>): Promise<void> {
    while (this.#rest.length === 0 && !this.#isDone) {
      const next = await batches.next();
      if (next.done) this.#isDone = true;
      else this.#rest = next.value;
    }
  }

  /** The widths of the columns, as the first items need them. */
  #measured(): string {
    const first = this.#rest.slice(0, MEASURED_ROWS);
    const widths = this.#fields.map((name, at) => {
      const texts = first.map((item) => plainText(item[name]).slice(0, WIDEST));
      const needed = Math.max(
        widthOf(this.#names[at] ?? '') + 2,
        this.#times.has(name) ? DATE_WIDTH : 0,
        ...texts.map(widthOf),
      );
      return Math.max(NARROWEST, Math.min(WIDEST, needed)) + 1;
    });
    const each = widths.map((width, at) => {
      const style = this.#times.has(this.#fields[at] ?? '') ? TIME : TEXT;
      return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1" style="${style}"/>`;
    });
    return each.length === 0 ? '' : `<cols>${each.join('')}</cols>`;
  }

  #row(row: number, cells: string[]): string {
    return `<row r="${row}">${cells.join('')}</row>`;
  }

  #item(item: Item, row: number): string {
    return this.#row(
      row,
      this.#fields.map((name, at) => {
        const value = item[name];
        if (value === null || value === undefined || value === '') return '';
        const place = `${this.#columns[at]}${row}`;
        if (typeof value === 'number') return this.#number(value, place);
        if (typeof value === 'string' && this.#times.has(name)) return this.#time(value, place);
        return this.#text(plainText(value), place, TEXT);
      }),
    );
  }

  #number(value: number, place: string): string {
    const written = String(value);
    const isShown = Number.isFinite(value) && this.#layout.redact(written) === written;
    return isShown ? `<c r="${place}" s="${NUMBER}"><v>${written}</v></c>` : this.#text(written, place, TEXT);
  }

  #time(value: string, place: string): string {
    const instant = parseInstant(value);
    const serial = instant?.hasOffset && !isShownTwice(instant.epochMs) ? serialOf(instant.epochMs) : -1;
    // A time without a zone stays as it is written, and so does one that no date can say.
    return serial < 1 ? this.#text(value, place, TEXT) : `<c r="${place}" s="${TIME}"><v>${serial}</v></c>`;
  }

  #text(value: string, place: string, style: number): string {
    let shown = this.#layout.redact(value);
    if (shown.length > LONGEST_CELL) {
      this.written.cut++;
      shown = shown.slice(0, LONGEST_CELL).replace(/[\ud800-\udbff]$/, '');
    }
    const space = /^\s|\s$|[\n\t]| {2}/.test(shown) ? ' xml:space="preserve"' : '';
    return `<c r="${place}" s="${style}" t="inlineStr"><is><t${space}>${text(shown)}</t></is></c>`;
  }
}

/** The day of the epoch, as spreadsheets count days. */
const EPOCH_DAY = 25_569;

/** By how much the clocks of this machine's zone are behind UTC. */
function behindAt(epochMs: number): number {
  return new Date(epochMs).getTimezoneOffset() * MINUTE;
}

/** Whether they show the same at another instant too, as they do when summer ends. */
function isShownTwice(epochMs: number): boolean {
  const behind = behindAt(epochMs);
  return [-CHANGED_WITHIN, CHANGED_WITHIN].some((away) => {
    const other = behindAt(epochMs + away);
    return other !== behind && behindAt(epochMs + other - behind) === other;
  });
}

/** More than any clocks are put back. */
const CHANGED_WITHIN = 3 * HOUR;

/** What they show at an instant, in days, to the second. */
function serialOf(epochMs: number): number {
  const shown = Math.round(epochMs / 1000) * 1000 - behindAt(epochMs);
  return shown / DAY + EPOCH_DAY;
}

/** The others, which XML has no way to write, and what is written in their place. */
const UNWRITABLE = /(?![\n\t])\p{Cc}|[\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/gu;
const MARKS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as XML. A character that XML cannot hold is written as `_x0007_`, so that a spreadsheet has it all the same. */
function text(value: string): string {
  if (!/[^\x20-\x7e\n\t]|[&<>"_]/.test(value)) return value;
  return value
    .toWellFormed()
    .replace(UNWRITABLE, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>"]/g, (mark) => MARKS[mark] ?? mark);
}

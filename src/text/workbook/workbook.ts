/** A workbook (`.xlsx`) → its sheets, and the rows of one, as its spreadsheet shows them. A formula is never calculated. */
import { posix } from 'node:path';
import { columnName } from './column-name.ts';
import { builtInFormat, GENERAL, shownNumber } from './shown-number.ts';
import { type Attributes, readWhole, readXml } from './xml.ts';
import { badWorkbook, ZipParts } from './zip-parts.ts';

/** Bytes: of what describes the workbook, of its texts, which are kept in memory, and of a sheet, which is not. */
const LIMITS = { description: 16 << 20, texts: 256 << 20, sheet: 1024 << 20 };
/** Those of the widest and longest sheet. */
const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;
/** Texts that are kept in memory. */
const MAX_TEXTS = 5_000_000;
/** Characters of a cell that are kept: a cell has at most 32,767, and whoever reads this many refuses it. */
const KEPT = 1 << 17;
/** Cells of rows that come at once, the empty ones between others included: few bytes may name cells that are far apart. */
const MAX_AT_ONCE = 2_000_000;

export interface Sheet {
  name: string;
  isHidden: boolean;
  part: string;
}

export interface SheetRow {
  cells: string[];
  /** The number of the row in the sheet, from 1. */
  line: number;
  isHidden: boolean;
}

/** Cells that are one: `A2:B3`, and the last row of them. */
export interface Merged {
  cells: string;
  lastLine: number;
}

/** What whoever reads rows may be told beside them. */
export interface Told {
  /** Columns that are not seen, counted from 0; told before the first row. */
  hidden?: (columns: { first: number; last: number }) => void;
  /** Told behind the last row. */
  merged?: (cells: Merged) => void;
}

export class Workbook {
  readonly sheets: readonly Sheet[];
  readonly #parts: ZipParts;
  readonly #source: string;
  readonly #texts: readonly string[];
  /** The format of each style. */
  readonly #formats: readonly string[];
  readonly #is1904: boolean;
  /** Whether whoever opens it must calculate all formulas: what stands there was written by a program that cannot. */
  readonly #isStale: boolean;

  private constructor(parts: ZipParts, source: string, read: Awaited<ReturnType<typeof describe>>) {
    this.#parts = parts;
    this.#source = source;
    this.sheets = read.sheets;
    this.#texts = read.texts;
    this.#formats = read.formats;
    this.#is1904 = read.is1904;
    this.#isStale = read.isStale;
  }

  /** `source` is the file's name, for messages. Throws InputError. */
  static async open(bytes: Buffer, source: string): Promise<Workbook> {
    const parts = new ZipParts(bytes, source);
    return new Workbook(parts, source, await describe(parts, source));
  }

  /** The rows that have cells, some at a time. Throws InputError. */
  async *rows({ part, name }: Sheet, told: Told = {}): AsyncGenerator<SheetRow[], void> {
    const reader = new SheetReader({
      ...{ texts: this.#texts, formats: this.#formats, is1904: this.#is1904, isStale: this.#isStale, told },
      refused: (place, what, hint) => badWorkbook(this.#source, `has ${what} in ${place} of its sheet ${name}`, hint),
    });
    for await (const _ of readXml(this.#parts, { part, limit: LIMITS.sheet, source: this.#source }, reader)) {
      const rows = reader.taken();
      if (rows.length > 0) yield rows;
    }
  }
}

// What describes it --------------------------------------------------------------------------------------------------

async function describe(parts: ZipParts, source: string) {
  const isOther = (name: string) => parts.has(name);
  if (isOther('content.xml'))
    throw badWorkbook(source, 'is an OpenDocument spreadsheet', 'Save it as .xlsx, or as CSV UTF-8.');
  if (!parts.has('_rels/.rels')) throw badWorkbook(source, 'is a zip file, and no workbook', 'Name a .xlsx or a CSV.');
  const root = [...(await linksOf('', parts, source)).values()].find(({ type }) => type.endsWith('/officeDocument'));
  const main = root?.part ?? '';
  if (main.endsWith('.bin')) throw badWorkbook(source, 'is a binary workbook', 'Save it as .xlsx, or as CSV UTF-8.');
  if (!/xl\/|workbook/.test(main)) throw badWorkbook(source, 'is no workbook', 'Name a .xlsx or a CSV.');
  const links = await linksOf(main, parts, source);
  const { found, is1904, isStale } = await sheetsOf(main, parts, source);
  const sheets = found.flatMap(({ name, state, id }): Sheet[] => {
    const link = links.get(id);
    if (link === undefined) throw badWorkbook(source, `is a damaged workbook: its sheet ${name} is missing`);
    // A sheet may be a chart.
    return link.type.endsWith('/worksheet') ? [{ name, isHidden: state !== 'visible', part: link.part }] : [];
  });
  const partOf = (type: string) => [...links.values()].find((link) => link.type.endsWith(type))?.part;
  const [texts, styles] = [partOf('/sharedStrings'), partOf('/styles')];
  return {
    ...{ sheets, is1904, isStale },
    texts: texts === undefined ? [] : await textsOf(texts, parts, source),
    formats: styles === undefined ? [] : await formatsOf(styles, parts, source),
  };
}

interface Link {
  type: string;
  part: string;
}

/** What a part refers to, by the ids that it uses. */
async function linksOf(from: string, parts: ZipParts, source: string): Promise<Map<string, Link>> {
  const folder = posix.dirname(from);
  const part = posix.join(folder, '_rels', `${posix.basename(from)}.rels`);
  const links = new Map<string, Link>();
  await readWhole(
    parts,
    { part, limit: LIMITS.description, source },
    {
      open(name, { Id = '', Type = '', Target = '', TargetMode }) {
        if (name !== 'Relationship' || TargetMode === 'External') return;
        links.set(Id, {
          type: Type,
          part: posix
            .join('/', folder, Target.startsWith('/') ? posix.relative(`/${folder}`, Target) : Target)
            .slice(1),
        });
      },
    },
  );
  return links;
}

async function sheetsOf(part: string, parts: ZipParts, source: string) {
  const found: { name: string; state: string; id: string }[] = [];
  let is1904 = false;
  let isStale = false;
  await readWhole(
    parts,
    { part, limit: LIMITS.description, source },
    {
      open(tag, attributes) {
        if (tag === 'workbookPr') is1904 = isTrue(attributes.date1904);
        if (tag === 'calcPr') isStale = isTrue(attributes.fullCalcOnLoad);
        if (tag !== 'sheet') return;
        const id = Object.entries(attributes).find(([key]) => /:id$/.test(key))?.[1] ?? '';
        // On one line, because messages name it.
        const name = (attributes.name ?? '').replace(/\s/g, ' ');
        found.push({ name, state: attributes.state ?? 'visible', id });
      },
    },
  );
  return { found, is1904, isStale };
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** The texts that cells refer to. Their parts may be formatted differently; how they are pronounced is left out. */
async function textsOf(part: string, parts: ZipParts, source: string): Promise<string[]> {
  const texts: string[] = [];
  const text = new RichText();
  await readWhole(
    parts,
    { part, limit: LIMITS.texts, source },
    {
      open(name) {
        if (name === 'si') text.begin();
        else text.open(name);
      },
      close(name) {
        if (name !== 'si') return text.close(name);
        if (texts.push(text.end()) > MAX_TEXTS) throw badWorkbook(source, 'holds more texts than any list of contacts');
      },
      text: (piece) => text.add(piece),
    },
  );
  return texts;
}

async function formatsOf(part: string, parts: ZipParts, source: string): Promise<string[]> {
  const own = new Map<number, string>();
  const formats: string[] = [];
  let isOfCells = false;
  await readWhole(
    parts,
    { part, limit: LIMITS.description, source },
    {
      open(name, { numFmtId, formatCode }) {
        const id = Number(numFmtId ?? 0);
        if (name === 'numFmt' && formatCode !== undefined) own.set(id, formatCode);
        if (name === 'cellXfs') isOfCells = true;
        if (name === 'xf' && isOfCells) formats.push(own.get(id) ?? builtInFormat(id));
      },
      close(name) {
        if (name === 'cellXfs') isOfCells = false;
      },
    },
  );
  return formats;
}

class RichText {
  #text = '';
  #isText = false;
  #isPronounced = false;

  begin(): void {
    this.#text = '';
  }

  open(name: string): void {
    if (name === 't') this.#isText = !this.#isPronounced;
    if (name === 'rPh') this.#isPronounced = true;
  }

  close(name: string): void {
    if (name === 't') this.#isText = false;
    if (name === 'rPh') this.#isPronounced = false;
  }

  add(piece: string): void {
    if (this.#isText && this.#text.length < KEPT) this.#text += piece;
  }

  end(): string {
    return unescaped(this.#text);
  }
}

/** A character that XML cannot hold is written as `_x0007_`; half of one is none. */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .toWellFormed();
}

// A sheet ------------------------------------------------------------------------------------------------------------

interface SheetParts {
  texts: readonly string[];
  formats: readonly string[];
  is1904: boolean;
  isStale: boolean;
  told: Told;
  /** The error of what is wrong at a place: `what` completes "has … in". */
  refused(place: string, what: string, hint?: string): Error;
}

class SheetReader {
  readonly #parts: SheetParts;
  #rows: SheetRow[] = [];
  #atOnce = 0;
  #row: SheetRow = { cells: [], line: 0, isHidden: false };
  #column = -1;
  #type = 'n';
  #style = 0;
  #value = '';
  #isValue = false;
  #hasFormula = false;
  #hasValue = false;
  readonly #inline = new RichText();

  constructor(parts: SheetParts) {
    this.#parts = parts;
  }

  /** The rows since the last call. */
  taken(): SheetRow[] {
    const taken = this.#rows;
    this.#rows = [];
    this.#atOnce = 0;
    return taken;
  }

  open = (name: string, attributes: Attributes): void => {
    if (name === 'c') this.#beginCell(attributes);
    else if (name === 'v') {
      this.#isValue = true;
      this.#hasValue = true;
    } else if (name === 'f') this.#hasFormula = true;
    else if (name === 'row') this.#beginRow(attributes);
    else if (name === 'is') this.#inline.begin();
    else if (name === 'mergeCell') this.#merge(attributes.ref ?? '');
    else if (name === 'col' && isTrue(attributes.hidden)) {
      this.#parts.told.hidden?.({ first: Number(attributes.min) - 1, last: Number(attributes.max) - 1 });
    } else this.#inline.open(name);
  };

  close = (name: string): void => {
    if (name === 'c') this.#endCell();
    else if (name === 'v') this.#isValue = false;
    else if (name === 'row') this.#rows.push(this.#row);
    else if (name === 'is') {
      this.#value = this.#inline.end();
      this.#hasValue = true;
    } else this.#inline.close(name);
  };

  text = (piece: string): void => {
    if (!this.#isValue) this.#inline.add(piece);
    else if (this.#value.length < KEPT) this.#value += piece;
  };

  #beginRow({ r, hidden }: Attributes): void {
    const line = r === undefined ? this.#row.line + 1 : Number(r);
    if (!(Number.isInteger(line) && line > this.#row.line && line <= MAX_ROWS)) {
      throw this.#parts.refused(`row ${r}`, 'a row in the wrong place');
    }
    this.#row = { cells: [], line, isHidden: isTrue(hidden) };
    this.#column = -1;
  }

  #beginCell({ r, t = 'n', s }: Attributes): void {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (!(column > this.#column && column < MAX_COLUMNS)) throw this.#refused('a cell in the wrong place');
    this.#column = column;
    this.#type = t;
    this.#style = s === undefined ? 0 : Number(s);
    this.#value = '';
    this.#hasFormula = false;
    this.#hasValue = false;
  }

  #endCell(): void {
    const { cells } = this.#row;
    // Programs that cannot calculate write a formula with an empty value. As the result of one, only a text is ever empty.
    const isEmpty = !this.#hasValue || (this.#value === '' && this.#type !== 'str');
    if (this.#hasFormula && (isEmpty || this.#parts.isStale)) {
      throw this.#refused(
        `a formula ${isEmpty ? 'without a stored value' : 'that has not been calculated'}`,
        'Open it in a spreadsheet, which calculates it, and save it.',
      );
    }
    if (isEmpty) return;
    this.#atOnce += this.#column + 1 - cells.length;
    if (this.#atOnce > MAX_AT_ONCE)
      throw this.#refused('one of many cells far from all others', 'Delete the columns between.');
    while (cells.length < this.#column) cells.push('');
    cells.push(this.#shown());
  }

  #shown(): string {
    const value = this.#value;
    switch (this.#type) {
      case 's': {
        const text = /^\d+$/.test(value) ? this.#parts.texts[Number(value)] : undefined;
        if (text === undefined) throw this.#refused('a text that is not there');
        return text;
      }
      case 'str':
        return unescaped(value);
      case 'b':
        return value === '1' ? 'TRUE' : 'FALSE';
      case 'n':
        return this.#number(value);
      default:
        // A text in its cell, an error such as #N/A, or a date as text.
        return value;
    }
  }

  #number(text: string): string {
    const value = NUMBER.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(value)) throw this.#refused('a number that is none');
    return shownNumber(value, this.#parts.formats[this.#style] ?? GENERAL, this.#parts.is1904);
  }

  #merge(cells: string): void {
    this.#parts.told.merged?.({ cells, lastLine: Number(/\d+$/.exec(cells)?.[0] ?? 0) });
  }

  #refused(what: string, hint?: string): Error {
    return this.#parts.refused(`cell ${columnName(this.#column)}${this.#row.line}`, what, hint);
  }
}

/** What else JavaScript takes for a number, such as 0x10, no spreadsheet does. */
const NUMBER = /^[-+]?[\d.]+(E[-+]?\d+)?$/i;

const A = 64;

/** `C5` → 2; -1 if it is no cell. */
function columnOf(cell: string): number {
  let column = 0;
  let at = 0;
  for (; at < cell.length; at++) {
    const letter = cell.charCodeAt(at) - A;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}

/** A sheet of a workbook → a table. What a person sees in it, and cannot mean for sure, is refused. */
import { InputError } from '../../errors.ts';
import { csvLine } from '../../text/csv.ts';
import { type Merged, type Sheet, type SheetRow, type Told, Workbook } from '../../text/workbook/workbook.ts';
import { badWorkbook } from '../../text/workbook/zip-parts.ts';
import { linesAboveHeader, textsIn } from './first-rows.ts';
import { isBlank, MAX_COLUMNS, type Row, tooWide } from './rows.ts';
import { nothingIn, requireHeaderHere, type Table, type TableOptions } from './table.ts';

/** Bytes of a file: a longer list than a sheet can hold. */
const LARGEST = 256 << 20;
/** Rows that are looked through for a header. */
const SAMPLE_ROWS = 60;

/** Old workbooks, and those with a password, are files of this kind; the latter name a part like this. */
const PASSWORD = Buffer.from('EncryptedPackage', 'utf16le');

/** Throws InputError: `bad_workbook`, and `several_sheets` or `unknown_sheet`, each with the names of the sheets. */
export async function openSheet(
  bytes: AsyncIterable<Buffer>,
  source: string,
  { sheet: asked, headerLine = 1, isUnderstood }: TableOptions,
): Promise<Table> {
  const workbook = await Workbook.open(await requireWorkbook(bytes, source), source);
  const sheet = await chooseSheet(workbook, asked, source);
  const merged: Merged[] = [];
  const hidden: { first: number; last: number }[] = [];
  const told: Told = { merged: (cells) => merged.push(cells), hidden: (columns) => hidden.push(columns) };
  const rows = filledRows(workbook.rows(sheet, told), headerLine);
  const first: SheetRow[] = [];
  while (first.length < SAMPLE_ROWS) {
    const next = await rows.next();
    if (next.done) break;
    first.push(...next.value);
  }
  return {
    ...{ encoding: 'utf-8', isMarked: true, delimiter: ',', sheet: sheet.name, linesAbove: headerLine - 1 },
    headerBelow: (fewest) => headerBelow(first, (cells) => textsIn(cells) >= fewest && isUnderstood(cells)),
    async *rows() {
      const [header] = first;
      if (header === undefined) throw nothingIn(source, headerLine);
      requireHeaderHere(header, headerLine, source);
      const width = header.cells.length;
      if (width > MAX_COLUMNS) throw tooWide(source, header.line, `has ${width} cells`);
      const asRow = ({ cells, line, isHidden }: SheetRow): Row => {
        if (isHidden) throw hiddenRow(source, sheet, line);
        while (cells.length < width) cells.push('');
        return { cells, line };
      };
      yield first.map(asRow);
      for await (const batch of rows) yield batch.map(asRow);
      const unclear = merged.find(({ lastLine }) => lastLine >= header.line);
      if (unclear !== undefined) throw mergedCells(source, sheet, unclear);
    },
    emptyRows: () => 0,
    isHidden: (at) => hidden.some(({ first, last }) => first <= at && at <= last),
  };
}

/** All of the file. */
async function requireWorkbook(bytes: AsyncIterable<Buffer>, source: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of bytes) {
    pieces.push(piece);
    size += piece.length;
    if (size > LARGEST)
      throw badWorkbook(source, `is a workbook of more than ${LARGEST >> 20} MB`, 'Save the sheet as CSV UTF-8.');
  }
  const whole = Buffer.concat(pieces);
  if (whole.toString('latin1', 0, 2) === 'PK') return whole;
  if (whole.includes(PASSWORD)) throw badWorkbook(source, 'is protected with a password', 'Save it without one.');
  throw badWorkbook(source, 'is an old Excel workbook (.xls)', 'Save it as .xlsx, or as CSV UTF-8.');
}

/** The one that is named, whether hidden or not; else the only one that is seen and holds any text. */
async function chooseSheet(workbook: Workbook, asked: string | undefined, source: string): Promise<Sheet> {
  const { sheets } = workbook;
  if (asked !== undefined) {
    // No two have names that differ only in their capitals.
    const plain = (name: string) => name.trim().toLowerCase();
    const named = sheets.find(({ name }) => name === asked) ?? sheets.find(({ name }) => plain(name) === plain(asked));
    if (named !== undefined) return named;
    throw new InputError(`${source} has no sheet ${asked}.`, {
      code: 'unknown_sheet',
      hint: `It has ${namesOf(sheets)}.`,
    });
  }
  const filled: Sheet[] = [];
  for (const sheet of sheets) if (await hasText(workbook, sheet)) filled.push(sheet);
  const seen = filled.filter(({ isHidden }) => !isHidden);
  const [only] = seen;
  if (only === undefined) {
    if (filled.length === 0) throw new InputError(`${source} is empty.`, { code: 'empty_file' });
    throw severalSheets(`${source} has nothing in a sheet that is seen, and hides ${namesOf(filled)}.`, filled);
  }
  if (seen.length === 1) return only;
  throw severalSheets(`${source} has ${seen.length} sheets with something in them: ${namesOf(seen)}.`, seen);
}

function severalSheets(message: string, sheets: readonly Sheet[]): InputError {
  const names = sheets.map(({ name }) => name);
  return new InputError(message, { code: 'several_sheets', reason: { kind: 'several_sheets', sheets: names } });
}

function namesOf(sheets: readonly Sheet[]): string {
  return sheets.map(({ name, isHidden }) => `"${name}"${isHidden ? ' (hidden)' : ''}`).join(', ');
}

async function hasText(workbook: Workbook, sheet: Sheet): Promise<boolean> {
  for await (const rows of workbook.rows(sheet)) if (rows.some(({ cells }) => !isBlank(cells))) return true;
  return false;
}

/** Those from the line of the header on that hold any text, each without the empty cells at its end; at least one at a time. */
async function* filledRows(batches: AsyncIterable<SheetRow[]>, headerLine: number): AsyncGenerator<SheetRow[], void> {
  for await (const rows of batches) {
    const filled = rows.filter(({ cells, line }) => line >= headerLine && !isBlank(cells));
    for (const { cells } of filled) while (cells.at(-1)?.trim() === '') cells.pop();
    if (filled.length > 0) yield filled;
  }
}

/** The line of what looks like the header, below the first row. */
function headerBelow([top, ...rows]: readonly SheetRow[], isHeader: (cells: string[]) => boolean): number | undefined {
  if (top === undefined) return undefined;
  let text = csvLine(top.cells.map(onOneLine));
  let { line } = top;
  for (const row of rows) {
    text += '\r\n'.repeat(row.line - line - 1) + csvLine(row.cells.map(onOneLine));
    line = row.line;
  }
  const above = linesAboveHeader(Buffer.from(text), [','], isHeader);
  return above === undefined ? undefined : top.line + above;
}

function onOneLine(cell: string): string {
  return cell.replace(/[\r\n]+/g, ' ');
}

function hiddenRow(source: string, { name }: Sheet, line: number): InputError {
  const hint = 'Show all rows, and delete those that are not to be called; or copy what is seen into a new workbook.';
  return badWorkbook(source, `hides row ${line} of its sheet ${name}, and perhaps others`, hint);
}

function mergedCells(source: string, { name }: Sheet, { cells }: Merged): InputError {
  const hint = 'Unmerge them, and fill in each cell: which rows a merged one is for is not known.';
  return badWorkbook(source, `merges the cells ${cells} of its sheet ${name}`, hint);
}

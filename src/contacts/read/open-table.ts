/** The bytes of a file → a table: its encoding, its delimiter, and its rows. */
import { InputError } from '../../errors.ts';
import { decode } from './decode.ts';
import { DELIMITERS, findDelimiter, linesAboveHeader, SAMPLE_BYTES, separatorLine, textsIn } from './first-rows.ts';
import { continued, gather, withoutLines } from './lines.ts';
import { readRows } from './rows.ts';
import { nothingIn, requireHeaderHere, type Table, type TableOptions } from './table.ts';

/** Bytes by which a workbook is recognised: zip files, and those of older programs. */
const START = 4;
const WORKBOOKS = [Buffer.from('PK\x03\x04'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];

function isWorkbook(start: Buffer): boolean {
  return WORKBOOKS.some((beginning) => start.subarray(0, START).equals(beginning));
}

/** `source` is the file's name, for messages. */
export async function openTable(bytes: AsyncIterable<Buffer>, source: string, options: TableOptions): Promise<Table> {
  const chunks = bytes[Symbol.asyncIterator]();
  const start = await gather(chunks, START);
  const file = continued(start, chunks);
  if (isWorkbook(start)) return (await import('./workbook.ts')).openSheet(file, source, options);
  if (options.sheet !== undefined) throw new InputError(`${source} is not a workbook, and has no sheets.`);
  const { encoding, isMarked, pieces } = await decode(file, source, options.encoding);
  const beginning = await gather(pieces, SAMPLE_BYTES);
  const separator = separatorLine(beginning);
  const lineBehind = separator === undefined ? 1 : 2;
  const { headerLine = 1, isUnderstood } = options;
  const firstLine = Math.max(lineBehind, headerLine);
  const lines = withoutLines(continued(beginning.subarray(separator?.bytes ?? 0), pieces), firstLine - lineBehind);
  const text = await gather(lines, SAMPLE_BYTES);
  const named = options.delimiter ?? separator?.delimiter;
  const delimiter = named ?? findDelimiter(text.subarray(0, SAMPLE_BYTES), isUnderstood);
  let emptyRows = 0;
  const rowText = { source, delimiter, firstLine };
  return {
    encoding,
    isMarked,
    delimiter,
    linesAbove: headerLine - 1,
    headerBelow(fewestCells) {
      const delimiters = named === undefined ? DELIMITERS : [named];
      const isHeader = (cells: string[]) => textsIn(cells) >= fewestCells && isUnderstood(cells);
      const above = linesAboveHeader(text.subarray(0, SAMPLE_BYTES), delimiters, isHeader);
      return above === undefined ? undefined : firstLine + above;
    },
    async *rows() {
      let isFirst = true;
      for await (const batch of readRows(continued(text, lines), rowText, () => emptyRows++)) {
        const [first] = batch;
        if (first === undefined) continue;
        if (isFirst) requireHeaderHere(first, headerLine, source);
        isFirst = false;
        yield batch;
      }
      if (isFirst) throw nothingIn(source, headerLine);
    },
    emptyRows: () => emptyRows,
  };
}

/** Lines of files whose first bytes were committed: those are known to be whole lines. Throws system errors. */
import { FileError } from '../../errors.ts';
import { type FileSystem, fileError, openToRead, quietly, readFully } from '../../storage/files/file-system.ts';
import { eachLineEnd, NEWLINE, readLines } from '../../storage/files/json-lines.ts';
import { parsed } from '../../text/json.ts';
import { formIn } from '../../text/kept-rows.ts';
import { damaged, type OriginalRows } from '../store.ts';

/** Most lines are shorter. */
const LAST_LINE_BYTES = 1 << 13;

/** Where each line of a file's first `end` bytes begins, and `end`; undefined if they are not whole lines. */
export function linePlaces(fs: FileSystem, path: string, end: number): Float64Array | undefined {
  if (end === 0) return new Float64Array(1);
  if (fs.statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const places = [0];
  eachLineEnd(fs, path, end, (at) => places.push(at));
  return places.at(-1) === end ? new Float64Array(places) : undefined;
}

/** The line that ends at byte `end` of a file, without its line break; undefined if none does. */
export function lineBefore(fs: FileSystem, path: string, end: number): string | undefined {
  if (fs.statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const fd = openToRead(fs, path);
  try {
    for (let wanted = Math.min(LAST_LINE_BYTES, end); ; wanted = Math.min(wanted * 2, end)) {
      const bytes = Buffer.allocUnsafe(wanted);
      if (readFully(fs, fd, bytes, end - wanted) < wanted || bytes.at(-1) !== NEWLINE) return undefined;
      const start = bytes.lastIndexOf(NEWLINE, -2) + 1;
      if (start > 0 || wanted === end) return bytes.toString('utf8', start, wanted - 1);
    }
  } finally {
    quietly(() => fs.closeSync(fd));
  }
}

/**
 * What the lines of a file say from one byte to another, which are known to be whole lines, and where each ends. Throws FileError
 * where they are not, or say nothing to `parse`.
 */
export function* committedValues<T>(
  fs: FileSystem,
  path: string,
  start: number,
  end: number,
  parse: (json: string) => T | undefined,
): Generator<{ value: T; end: number }, void> {
  let place = start;
  for (const line of start < end ? readLines(fs, path, { start, number: 1 }, end) : []) {
    if (!line.isWhole) break;
    const value = parse(line.text);
    if (value === undefined) throw damaged(`${path} has a line that is none of its own`);
    place += line.length;
    yield { value, end: place };
  }
  if (place < end) throw damaged(`${path} has ${place} bytes of whole lines, but ${end} were committed`);
}

/** Of a file that keeps original rows. Throws FileError if it does not hold `count` of them. */
export function readRows(fs: FileSystem, path: string, count: number): OriginalRows {
  const lines = countLines(fs, path);
  const { columns, form } = columnsIn(fs, path);
  if (lines !== count + 1) throw rowsDamaged(path, `it holds ${Math.max(0, lines - 1)} rows for ${count} contacts`);
  return { columns, form, rows: { [Symbol.iterator]: () => rowsIn(fs, path, columns.length) } };
}

/** Whole lines of a file. */
export function countLines(fs: FileSystem, path: string): number {
  let lines = 0;
  eachLineEnd(fs, path, undefined, () => lines++);
  return lines;
}

function columnsIn(fs: FileSystem, path: string): Pick<OriginalRows, 'columns' | 'form'> {
  for (const { text } of readLines(fs, path)) {
    const kept = parsed(text);
    const columns = (kept as { columns?: unknown } | null | undefined)?.columns;
    if (isTexts(columns)) return { columns, form: formIn(kept) };
    break;
  }
  throw rowsDamaged(path, 'its first line does not name the columns');
}

function* rowsIn(fs: FileSystem, path: string, width: number): Generator<string[], void> {
  try {
    for (const { text, number } of readLines(fs, path)) {
      if (number === 1) continue;
      const cells = parsed(text);
      if (!isTexts(cells) || cells.length !== width)
        throw rowsDamaged(path, `line ${number} is not a row of ${width} cells`);
      yield cells;
    }
  } catch (error) {
    throw fileError(error, 'read', path);
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((cell) => typeof cell === 'string');
}

function rowsDamaged(path: string, why: string): FileError {
  return new FileError(`${path} is damaged: ${why}.`, {
    code: 'rows_damaged',
    hint: 'The original columns are lost; move the file away to go on without them.',
  });
}

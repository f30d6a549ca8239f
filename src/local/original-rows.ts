/**
 * Files with the original rows of a table: the columns on the first line, then the cells of a row on each. Throws system
 * errors, and FileErrors.
 */
import { FileError } from '../errors.ts';
import { type FileSystem, fileError } from '../storage/files/file-system.ts';
import { eachLineEnd, readLines } from '../storage/files/json-lines.ts';
import { parsed } from '../text/parsed.ts';

/** The rows as they were in the file. */
export interface OriginalRows {
  columns: string[];
  /** Throws FileError at a damaged line. Can be gone through more than once. */
  rows: Iterable<string[]>;
}

/** The content of such a file. */
export function* linesOf({ columns, rows }: OriginalRows): Generator<Buffer> {
  yield Buffer.from(`${JSON.stringify({ columns })}\n`);
  for (const cells of rows) yield Buffer.from(`${JSON.stringify(cells)}\n`);
}

/** Throws FileError if the file does not hold `count` rows. */
export function readRows(fs: FileSystem, path: string, count: number): OriginalRows {
  const lines = countLines(fs, path);
  const columns = columnsIn(fs, path);
  if (lines !== count + 1) throw damaged(path, `it holds ${Math.max(0, lines - 1)} rows for ${count} contacts`);
  return { columns, rows: { [Symbol.iterator]: () => rowsIn(fs, path, columns.length) } };
}

/** Whole lines of a file. */
export function countLines(fs: FileSystem, path: string): number {
  let lines = 0;
  eachLineEnd(fs, path, undefined, () => lines++);
  return lines;
}

function columnsIn(fs: FileSystem, path: string): string[] {
  for (const { text } of readLines(fs, path)) {
    const columns = (parsed(text) as { columns?: unknown } | null | undefined)?.columns;
    if (isTexts(columns)) return columns;
    break;
  }
  throw damaged(path, 'its first line does not name the columns');
}

function* rowsIn(fs: FileSystem, path: string, width: number): Generator<string[], void> {
  try {
    for (const { text, number } of readLines(fs, path)) {
      if (number === 1) continue;
      const cells = parsed(text);
      if (!isTexts(cells) || cells.length !== width)
        throw damaged(path, `line ${number} is not a row of ${width} cells`);
      yield cells;
    }
  } catch (error) {
    throw fileError(error, 'read', path);
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((cell) => typeof cell === 'string');
}

function damaged(path: string, why: string): FileError {
  return new FileError(`${path} is damaged: ${why}.`, {
    code: 'rows_damaged',
    hint: 'The original columns are lost; move the file away to go on without them.',
  });
}

/** The files that commands write: the flags that name them, their formats, and what both mean together. */
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { either, type GlobalFlags, isFileName, OUTPUT_FORMATS, outputFormat } from '../../cli/flags/global.ts';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import { filled, oneOf } from '../../cli/flags/values.ts';
import type { Io } from '../../cli/terminal/io.ts';
import type { Context } from '../../context.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import type { CommandLine } from '../../settings/command-line.ts';
import { FILE_FORMATS, FORMATS, type RowFormat } from '../../text/formats.ts';
import { counted } from '../../text/numbers.ts';

export interface FileFlags {
  out?: string;
  excel?: true;
}

export const OUT = [
  '--out <file>',
  'the file to write, replaced in one step at the end; - for standard output',
  filled,
] as const;
export const EXCEL = [
  '--excel',
  'a CSV for spreadsheets: with a byte order mark, no formulas, every digit kept',
] as const;

export function addFileFlags(command: PlainCommand): PlainCommand {
  return command.option(...OUT).earlier('--format <format>', '--output', oneOf(FILE_FORMATS));
}

/** `-o calls.csv` names the file, as in other tools; `-o csv` is a format. Throws UsageError if two files are named. */
export function takeFileNames(command: PlainCommand): PlainCommand {
  let named: string | undefined;
  const output = command.options.find(({ long }) => long === '--output');
  const isWorkbook = (text: string) => text === 'xlsx';
  const read = (text: string) => (isFileName(text) ? undefined : isWorkbook(text) ? text : outputFormat(text));
  output?.argParser(Object.assign(read, { choices: OUTPUT_FORMATS }));
  command.on('option:output', (text: string) => {
    if (!isFileName(text)) return;
    named = text;
    // As if the flag were not there: commander has made its value an empty text.
    command.setOptionValueWithSource('output', undefined, 'default');
  });
  return command.hook('preAction', () => {
    const { out } = command.opts();
    if (named === undefined) return;
    if (out !== undefined) throw new UsageError(`Two files are named: --out ${out}, and -o ${named}.`);
    command.setOptionValue('out', named);
  });
}

export const NO_JQ_OF_FILES = '--jq filters what is printed, not what is written to a file: leave out --out or --jq.';

/**
 * The format from `--output`, else from the name of the file, else from `--json`, which also makes errors JSON. Throws UsageError
 * for a format that files do not have, or if the name means one that is not supported.
 */
export function exportFormat(out: string, { json, jq, output }: GlobalFlags): RowFormat {
  if (jq !== undefined && out !== '-') throw new UsageError(NO_JQ_OF_FILES);
  const format = FILE_FORMATS.find((name) => name === output);
  const isNamed = out !== '-' && endingOf(out) !== '';
  const fromName = isNamed ? formatOfName(out) : undefined;
  if (output !== undefined && format === undefined) {
    throw new UsageError(`An export cannot be ${output}.`, { hint: `Use -o ${either(FILE_FORMATS)}.` });
  }
  if (format === undefined && isNamed && fromName === undefined) {
    const names = either(FILE_FORMATS.map((name) => name.toUpperCase()));
    throw new UsageError(`--out ${out}: an export is ${names}, not .${endingOf(out)}.`, {
      hint: `End the name in ${either(FILE_FORMATS.map((name) => `.${name}`))}, or use -o ${either(FILE_FORMATS)}.`,
    });
  }
  const decided = format ?? fromName ?? (json ? 'json' : 'csv');
  if (decided === 'xlsx' && out === '-') throw new UsageError('A workbook is a file: name it with --out results.xlsx.');
  return decided;
}

export function noteCut(cut: number, out: string, format: string, io: Io): void {
  if (cut === 0) return;
  const where = format === 'xlsx' ? 'it is cut off there. A CSV has' : `${out === '-' ? 'the CSV' : out} has`;
  io.warn(`${counted(cut, 'text is', 'texts are')} longer than a spreadsheet's cell; ${where} all of it.`);
}

/** The part of a file name after its last dot, in lower case; empty if there is no dot. */
function endingOf(path: string): string {
  return /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** The format that a file's name asks for; undefined if the name does not say. */
export function formatOfName(path: string): RowFormat | undefined {
  const ending = endingOf(path);
  return FILE_FORMATS.find((name) => FORMATS[name].endings.some((one) => one === ending));
}

/** Well-known endings: a file with one of them is opened by the program for that ending. */
const KNOWN = new Set(
  'csv tsv txt json ndjson jsonl html htm xml md pdf xls xlsx xlsm ods doc docx zip gz parquet'.split(' '),
);

/**
 * Throws UsageError if a file's name stands for another format than `what` will be written, such as `a CSV`. `endings` are
 * those of the format, the usual one first.
 */
export function requireNameFor(what: string, endings: readonly string[], path: string, flag: string): void {
  const ending = endingOf(path);
  if (!KNOWN.has(ending) || endings.includes(ending)) return;
  throw new UsageError(`${flag} ${path}: the output is ${what}, not .${ending}.`, {
    hint: `Name it ${path.slice(0, -ending.length)}${endings[0]}.`,
  });
}

/** Throws UsageError if a list of contacts would have a wrong name, or replace what it must not. */
export function requireOwnCsv(path: string, flag: string, line: CommandLine): void {
  requireNameFor('a CSV', ['csv', 'tsv', 'txt'], path, flag);
  line.requireFree(path);
}

/** Characters or bytes that are gathered before they are written. */
const GATHERED = 1 << 18;

type Pieces<P, R> = Iterator<P, R> | AsyncIterator<P, R>;

/**
 * `out` is the file's name, or `-`, which takes texts alone. `pieces` is told a path beside the file for what is kept meanwhile;
 * undefined for standard output. Returns what the pieces return at their end. Throws InterruptedError and FileErrors.
 */
export async function writePieces<R>(
  pieces: (beside?: string) => Pieces<string | Buffer, R>,
  out: string,
  context: Context,
): Promise<R> {
  if (out === '-') return write(pieces(), (content) => context.io.data(content.toString()), context);
  const { writingFile } = await import('../../storage/files/in-progress.ts');
  return writingFile(out, context.line, (file) =>
    write(pieces(file.beside), async (content) => file.write(content), context),
  );
}

async function write<R>(
  pieces: Pieces<string | Buffer, R>,
  put: (content: string | Buffer) => Promise<void>,
  { signal }: Context,
): Promise<R> {
  let text = '';
  let written = 0;
  try {
    for (let next = await pieces.next(); ; next = await pieces.next()) {
      if (next.done === true) {
        await put(text);
        return next.value;
      }
      written += next.value.length;
      if (typeof next.value === 'string') text += next.value;
      else await put(next.value);
      if (written < GATHERED) continue;
      await put(text);
      text = '';
      written = 0;
      // Without this an interrupt would never arrive.
      await nextTurn();
      if (signal.aborted) throw new InterruptedError();
    }
  } finally {
    await pieces.return?.();
  }
}

/** Throws UsageError. Where others may write `paths` into rows they are compared as texts alone: nothing looks at the files. */
export async function requireNotMadeFrom(out: string, paths: readonly string[], context: Context): Promise<void> {
  const isOthers = paths.length > 0 && (await context.register.rows()).isShared;
  context.line.requireFree(out, isOthers ? paths.filter((path) => resolve(path) === resolve(out)) : paths);
}

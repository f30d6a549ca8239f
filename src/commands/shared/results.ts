/** What came of each contact: as a table for a person, or written in any format. */
import {
  addedColumns,
  type ContactResult,
  type ContactRow,
  lastResult,
  resultsAsText,
  resultsAsWorkbook,
  rowOf,
  wanted,
} from '../../campaigns/results.ts';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import { listOf, words } from '../../cli/flags/values.ts';
import type { Io } from '../../cli/terminal/io.ts';
import { chooseFormat, columnAndOrder, inOrder, requireFields, showTable } from '../../cli/terminal/output.ts';
import { type Encoding, encodingNamed } from '../../contacts/rules.ts';
import type { Context } from '../../context.ts';
import {
  CONTACT_STATES,
  type ContactState,
  FORMER_STATES,
  LAST_RESULTS,
  RETRY_RESULTS,
  type RetryResult,
} from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { BYTE_ORDER_MARK } from '../../text/csv.ts';
import type { FileForm } from '../../text/kept-rows.ts';
import { counted } from '../../text/numbers.ts';
import { machineZone } from '../../text/time.ts';
import {
  addFileFlags,
  EXCEL,
  exportFormat,
  type FileFlags,
  noteCut,
  requireNotMadeFrom,
  writePieces,
} from './output-file.ts';
import { SeenLabels } from './seen-labels.ts';
import { spareMemory } from './spare-memory.ts';

interface Results {
  /** Files that what was called came from: none of them may be replaced. */
  madeFrom: readonly string[];
  /** Whose they are: the first fields of the JSON document. */
  of: Record<string, number | string | null>;
  /** The columns of the file, and what is added to every result beyond the usual. */
  columns: readonly string[];
  /** How the CSV was written that the contacts came from, if that is known: one for a spreadsheet is written alike. */
  form?: FileForm | undefined;
  more?: readonly ('transcript' | 'next_call')[] | undefined;
  /** The rows of the file, of which the first tells which columns hold the number. */
  rows(): AsyncIterable<ContactRow>;
  /** In the order of the file. `beside`: a path beside the file that is written, for what is kept meanwhile. */
  results(wants: ReturnType<typeof wanted>, beside?: string): AsyncIterable<ContactResult>;
}

export interface WantedFlags {
  state?: string[];
  result?: string[];
}

export const STATE = [
  '--state <list>',
  `contacts in these states only, of ${CONTACT_STATES.join(', ')}`,
  // Last results, as versions before had them: of those who were not reached.
  listOf<ContactState | RetryResult>(CONTACT_STATES, {
    ...FORMER_STATES,
    ...Object.fromEntries(RETRY_RESULTS.map((result) => [result, result])),
  }),
] as const;

export const RESULT = [
  '--result <list>',
  `contacts with these last results only: ${LAST_RESULTS.join(', ')}, …`,
  Object.assign((text: string) => words(text), { choices: LAST_RESULTS }),
] as const;

/**
 * Which contacts are wanted, by `wants`; and at the end, what there is instead of words that nobody had. `usual`: the states where
 * no flag names any.
 */
export function readWanted({ state, result }: WantedFlags, { io, notes }: Context, usual?: ContactState[]) {
  const isWanted = wanted({ state: state ?? usual, result });
  // Of a former state that is a last result now, nothing is known here.
  const states = state?.every((one) => isContactState(one)) ? state : undefined;
  const seen = new SeenLabels('contact', { state: states, result }, notes.redact);
  const wants: typeof isWanted = (outcome) => {
    seen.add({ state: outcome.state, result: lastResult(outcome) ?? '' });
    return isWanted(outcome);
  };
  return { wants, noteUnknown: () => seen.inWords().forEach((text) => void io.note(text)) };
}

const isContactState = (name: string) => CONTACT_STATES.some((state) => state === name);

type ResultsFormat = ReturnType<typeof resultsFormat>;

export function addResultsFlags(command: PlainCommand): PlainCommand {
  return addFileFlags(command.option(...STATE).option(...RESULT)).option(...EXCEL);
}

/** Throws UsageError if flags contradict each other. */
export function resultsFormat({ out, excel }: FileFlags, context: Context) {
  const asked = chooseFormat(context);
  const isOfFile = out !== undefined || excel || context.flags.output === 'xlsx';
  const chosen = isOfFile ? exportFormat(out ?? '-', context.flags) : asked;
  if (excel && chosen !== 'csv') throw new UsageError(`--excel is for CSV, not ${chosen}.`);
  return chosen;
}

/** Throws UsageError for an unknown field, InterruptedError, FileError. */
export async function showResults(
  given: Results,
  format: ResultsFormat,
  options: FileFlags & WantedFlags,
  context: Context,
): Promise<void> {
  const { out = '-', excel } = options;
  const { madeFrom, of, columns, more } = given;
  const { io, flags } = context;
  const added = addedColumns(columns, more);
  const known = [...new Set(['phone_number', 'custom_identifiers', ...columns, ...added.values()])];
  requireFields(flags.fields, known);
  if (flags.sort !== undefined) columnAndOrder(flags.sort, known);
  const { wants, noteUnknown } = readWanted(options, context);
  const inFileOrder = (beside?: string) => given.results(wants, beside);
  const results = flags.sort === undefined ? inFileOrder : sorted;
  async function* sorted(beside?: string) {
    const all: ContactResult[] = [];
    for await (const result of inFileOrder(beside)) all.push(result);
    yield* inOrder(flags, all, known, (result) => rowOf(result, columns, added));
  }
  spareMemory();
  if (format === 'table') {
    await showAsTable({ ...given, results }, known, added, context);
    return noteUnknown();
  }
  if (out !== '-') await requireNotMadeFrom(out, madeFrom, context);
  const layout = {
    ...{ format, of, columns, added, fields: flags.fields, hasHeader: !flags.noHeader, isExcel: excel === true },
    delimiter: excel ? given.form?.delimiter : undefined,
    redact: (text: string) => io.redactor.redact(text),
  };
  const isWorkbook = format === 'xlsx';
  const zone = isWorkbook ? machineZone(await context.clock.now()) : '';
  const pieces = (beside?: string) => {
    const encoding = encodingNamed(given.form?.encoding ?? '');
    if (!isWorkbook) {
      const texts = resultsAsText(results(beside), layout);
      return excel && out !== '-' && encoding !== undefined ? inEncoding(texts, encoding, io) : texts;
    }
    return resultsAsWorkbook(results(beside), { ...layout, zone });
  };
  const { count, cut } = await writePieces(pieces, out, context);
  noteCut(cut, out, format, io);
  if (out !== '-') io.note(`${counted(count, 'contact')} written to ${out}.`);
  noteUnknown();
}

/** The texts in the encoding of a file. What it has no character for is told: a spreadsheet shows a question mark. */
async function* inEncoding<R>(texts: AsyncGenerator<string, R>, encoding: Encoding, io: Io): AsyncGenerator<Buffer, R> {
  const { default: iconv } = await import('iconv-lite');
  const isUnicode = encoding.startsWith('utf');
  let hasLost = false;
  let next = await texts.next();
  for (; !next.done; next = await texts.next()) {
    const text = isUnicode ? next.value : next.value.replace(BYTE_ORDER_MARK, '');
    const bytes = iconv.encode(text, encoding);
    hasLost ||= !isUnicode && iconv.decode(bytes, encoding) !== text;
    yield bytes;
  }
  if (hasLost) io.warn(`${encoding} lacks some characters, which became ?. A workbook (.xlsx) has all of them.`);
  return next.value;
}

// A table: who it is, and what came of it -------------------------------------------------------------------------------

/** In the order of the table, and the most important first. */
const SHOWN = ['state', 'last_result', 'attempts', 'last_outcome', 'last_call', 'next_call'] as const;
const MOST_IMPORTANT = ['state', 'last_result', 'last_outcome', 'last_call'] as const;

async function showAsTable(
  { columns, rows, results }: Pick<Results, 'columns' | 'rows'> & { results(): AsyncIterable<ContactResult> },
  known: readonly string[],
  added: ReturnType<typeof addedColumns>,
  context: Context,
): Promise<void> {
  const { flags, clock } = context;
  const { value: first } = await rows()[Symbol.asyncIterator]().next();
  const own = first === undefined ? [] : ownColumns(columns, first);
  const named = (fields: readonly (keyof ContactResult)[]) => fields.flatMap((field) => added.get(field) ?? []);
  const fields = flags.fields ?? ['phone_number', ...own, ...named(SHOWN)];
  // A table is gone through several times: of a long list only what is shown fits into memory.
  const shown: Record<string, unknown>[] = [];
  for await (const result of results()) {
    const row = rowOf(result, columns, added);
    shown.push(Object.fromEntries(fields.map((field) => [field, row[field]])));
  }
  await showTable(context, shown, fields, {
    columns: known,
    importance: ['phone_number', ...named(MOST_IMPORTANT), ...own, ...named(SHOWN)],
    now: await clock.now(),
    empty: 'There are no contacts to show.',
  });
}

/** Columns of the file that are shown, besides the number. */
const MOST = 2;
/** They are long, and do not tell who somebody is. */
const TEXTS: ReadonlySet<string> = new Set(['custom_first_line', 'custom_instruction']);
/** So many digits at the end make a number the same. */
const SAME_DIGITS = 6;

/** The first columns of a file that do not hold the number, which is shown anyway. */
function ownColumns(columns: readonly string[], { contact, cells }: ContactRow): string[] {
  const number = contact.phone_number.slice(-SAME_DIGITS);
  const isNumber = (cell: string) => cell.replace(/\D/g, '').endsWith(number);
  return columns.filter((name, at) => !TEXTS.has(name) && !isNumber(cells[at] ?? '')).slice(0, MOST);
}

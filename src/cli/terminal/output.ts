/** How results are shown: as a table on a terminal, as tab-separated values in a pipe, or as --output says. */
import { isObject } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { withoutControls } from '../../text/controls.ts';
import { oneLine } from '../../text/csv.ts';
import { type RowFormat, RowWriter } from '../../text/formats.ts';
import { originalOf, picked, writeJson } from '../../text/json.ts';
import { sortedBy } from '../../text/sorting.ts';
import { padded, widthOf, wrap } from '../../text/width.ts';
import { connectionFlags, type GlobalFlags, type OutputFormat } from '../flags/global.ts';
import type { Io } from './io.ts';
import { type Column, layOutTable, painted } from './table.ts';
import { colourOf, headingOf, inWords, isRight, isWhole, type Wording } from './words.ts';

type Item = Record<string, unknown>;

/** Where results go, and what the flags of every command say of them. */
export interface Shown {
  io: Io;
  flags: GlobalFlags;
}

interface ListShape {
  /** Every documented column; the first is the one that `-o ids` prints. */
  columns: readonly string[];
  /** The columns of a table and of tab-separated values; all if left out. */
  brief?: readonly string[];
  /** The columns of a table, if they differ. */
  screen?: readonly string[];
  /** The columns of a table that stay longest where it is narrow, the most important first. By default, the first ones. */
  importance?: readonly string[];
  /** The service's clock, in milliseconds since the epoch: with it, times in a table also tell how far they are from it. */
  now?: number;
  /** What is said to a person if the list is empty, and what to do next. */
  empty?: string;
}

/**
 * Prints a list response, `key` being the field with the items: `json` shows the response as it came, every other format its items,
 * one on each line.
 */
export async function printList(shown: Shown, response: Item, key: string, shape: ListShape): Promise<void> {
  const { io, flags } = shown;
  const found = (response[key] as Item[]).map(originalOf);
  const items = inOrder(flags, found, [...new Set([...shape.columns, ...found.flatMap(Object.keys)])], (item) => item);
  const format = chooseFormat(shown);
  const columns = chooseColumns(flags, items, shape, format);
  if (format === 'json') {
    const picks = flags.fields === undefined ? items : items.map((item) => picked(item, columns));
    await printJson(io, { ...originalOf(response), [key]: picks });
  } else if (format === 'table') {
    await showTable(shown, items, columns, shape);
  } else {
    await printRows(shown, items, format === 'ids' ? shape.columns : columns, format);
  }
}

interface RecordOptions {
  /** The field that `-o ids` prints, if it has a value; by default the first. */
  idColumn?: string;
  /** As in a list. */
  now?: number;
}

/** Prints a single result: `field<TAB>value` lines in a pipe, words on a terminal. */
export async function printRecord(shown: Shown, read: Item, options: RecordOptions = {}): Promise<void> {
  const { io, flags } = shown;
  const record = originalOf(read);
  const all = Object.keys(record);
  const format = chooseFormat(shown);
  const columns = chooseColumns(flags, [record], { columns: all }, format);
  if (format === 'json') {
    await printJson(io, flags.fields === undefined ? record : picked(record, columns));
  } else if (format === 'table') {
    // That it succeeded, a person sees by the rest.
    const isSaid = record.success === true && flags.fields === undefined && columns.length > 1;
    await showRecord(io, record, isSaid ? columns.filter((name) => name !== 'success') : columns, options);
  } else if (format === 'tsv') {
    await io.data(columns.map((name) => `${oneLine(name)}\t${oneLine(record[name])}\n`).join(''));
  } else if (format !== 'ids') {
    await printRows(shown, [record], columns, format);
  } else {
    const id = options.idColumn ?? all[0] ?? '';
    if (oneLine(record[id]) !== '') await printRows(shown, [record], [id], format);
  }
}

/** The format of `--json` or `-o`, or the usual one for a terminal or a pipe. */
export function chooseFormat({ io, flags }: Shown): OutputFormat {
  if (flags.json) return 'json';
  return flags.output ?? (io.stdoutIsTerminal ? 'table' : 'tsv');
}

/** Whether a result is laid out for a person: as a table, and not reduced to chosen fields. */
export function isForPerson(shown: Shown): boolean {
  return chooseFormat(shown) === 'table' && shown.flags.fields === undefined;
}

function chooseColumns(
  { fields }: GlobalFlags,
  items: readonly Item[],
  { columns, brief = columns, screen = brief }: ListShape,
  format: OutputFormat,
): readonly string[] {
  if (fields === undefined) return format === 'table' ? screen : format === 'tsv' ? brief : columns;
  const known = new Set([...columns, ...items.flatMap(Object.keys)]);
  requireFields(fields, [...known]);
  return fields;
}

/** Throws UsageError if `--fields` names an unknown field. */
export function requireFields(fields: readonly string[] | undefined, known: readonly string[]): void {
  const unknown = fields?.filter((name) => !known.includes(name)) ?? [];
  if (unknown.length === 0) return;
  throw new UsageError(`--fields: unknown ${unknown.join(', ')}.`, { hint: `Fields: ${known.join(', ')}.` });
}

/** The items as `--sort` wants them, by what `rowOf` shows of them. Throws UsageError for an unknown column. */
export function inOrder<T>(
  { sort }: GlobalFlags,
  items: readonly T[],
  known: readonly string[],
  rowOf: (item: T) => Item,
): readonly T[] {
  if (sort === undefined) return items;
  const [column, order] = columnAndOrder(sort, known);
  return sortedBy(items, (item) => rowOf(item)[column], order === 'desc');
}

/** Says where not the whole list was sorted: the largest of a page are not the largest of all. */
export function noteIfPart({ io, flags }: Shown, isWhole: boolean): void {
  if (flags.sort !== undefined && !isWhole) io.note('Sorted within this page only: --all sorts the whole list.');
}

/** Throws UsageError for an unknown column. A column may have a colon in its name. */
export function columnAndOrder(sort: string, known: readonly string[]): [column: string, order: string] {
  if (known.includes(sort)) return [sort, 'asc'];
  const [, column = sort, order = 'asc'] = /^(.*):(asc|desc)$/s.exec(sort) ?? [];
  if (known.includes(column)) return [column, order];
  throw new UsageError(`--sort: unknown ${column}.`, { hint: `Columns: ${known.join(', ')}.` });
}

/** Prints an object as JSON, as it came. */
export async function printJson(io: Io, value: object): Promise<void> {
  await io.data(`${writeJson(io.redactor.mask(originalOf(value)), 2)}\n`);
}

export function toJsonLine({ redactor }: Io, value: unknown): string {
  return `${writeJson(redactor.mask(value))}\n`;
}

async function printRows(
  { io, flags: { fields, noHeader } }: Shown,
  items: readonly Item[],
  columns: readonly string[],
  format: RowFormat,
): Promise<void> {
  const shown = format === 'ids' ? { columns } : { columns, fields };
  const writer = new RowWriter({ ...shown, format, hasHeader: !noHeader, redact: (text) => io.redactor.redact(text) });
  await io.data((await writer.rows(items)) + (await writer.end()));
}

/** A value laid out for a person: on one line, without anything that controls a terminal. */
export function cell(value: unknown): string {
  return withoutControls(oneLine(value));
}

// For a person ---------------------------------------------------------------------------------------------------------

/** Characters of a table that are written together. */
const GATHERED = 1 << 13;

/** Shows the items as a table; they are gone through several times, and so need not be in memory together. */
export async function showTable(
  { io, flags }: Shown,
  items: Iterable<Item>,
  columns: readonly string[],
  { columns: known, importance = columns, now, empty = 'There is nothing to show.' }: ListShape,
): Promise<void> {
  const wording = wordingOf(io, now);
  let isEmpty = true;
  const numbers = new Set<string>();
  const withText = new Set<string>();
  for (const item of items) {
    isEmpty = false;
    for (const field of columns) {
      if (typeof item[field] === 'number') numbers.add(field);
      if (!withText.has(field) && inWords(field, item[field], wording) !== '') withText.add(field);
    }
  }
  if (isEmpty) return io.note(empty);
  const all = columns.map((field) => columnOf(field, numbers.has(field), wording));
  const filled = all.filter(({ field }) => withText.has(field));
  const table = layOutTable(
    items,
    // A column without any value only takes room, unless it was asked for.
    flags.fields === undefined && filled.length > 0 ? filled : all,
    {
      room: io.stdoutIsTerminal && flags.fields === undefined ? io.columns : undefined,
      importance,
      hasHeader: !flags.noHeader,
      hasColors: io.colorsStdout,
      mark: io.isAscii && io.stdoutIsTerminal ? '...' : '…',
    },
  );
  let text = '';
  for (const line of table.lines) {
    text += line;
    if (text.length < GATHERED) continue;
    await io.screen(text);
    text = '';
  }
  await io.screen(text);
  // What only the table has, nothing else shows.
  const hidden = table.hidden.filter((field) => known.includes(field));
  if (hidden.length === 0) return;
  const missing = `Not shown: ${hidden.join(', ')} (--fields or -o json shows them).`;
  io.note(wrap(missing, io.columns).join('\n'));
}

function columnOf(field: string, isNumber: boolean, wording: Wording): Column<Item> {
  return {
    field,
    // A key is masked before it is put in words: with another first letter, nobody would know it.
    heading: headingOf(wording.redact(field)),
    isRight: isNumber || isRight(field),
    mayShrink: !isNumber && !isWhole(field),
    show: (item) => inWords(field, item[field], wording),
    colour: (item) => colourOf(field, item[field]),
  };
}

function wordingOf(io: Io, now: number | undefined): Wording {
  return { now: now ?? io.now(), isRelative: now !== undefined, redact: (text) => io.redactor.redact(text) };
}

/** Words of a value are kept whole down to this width; below it, the terminal breaks the lines. */
const NARROWEST_VALUE = 16;

async function showRecord(io: Io, record: Item, columns: readonly string[], { now }: RecordOptions): Promise<void> {
  const wording = wordingOf(io, now);
  const names = columns.map((field) => headingOf(wording.redact(field)));
  const width = names.reduce((widest, name) => Math.max(widest, widthOf(name)), 0);
  const room = io.columns - width - 2;
  const lines = columns.flatMap((field, at) => {
    const value = inWords(field, record[field], wording);
    // Of counts by label, each stays with its label. What has no spaces, such as an address, is easier to copy in one piece.
    const mayWrap = io.stdoutIsTerminal && room >= NARROWEST_VALUE && value.includes(' ');
    const parts = mayWrap ? wrap(value, room, isObject(record[field]) ? value.split(/(?<=,) /) : undefined) : [value];
    const colour = io.colorsStdout ? colourOf(field, record[field]) : undefined;
    return parts.map((part, line) => {
      return `${padded(line === 0 ? (names[at] ?? '') : '', width)}  ${painted(part, colour)}`.trimEnd();
    });
  });
  await io.screen(lines.map((line) => `${line}\n`).join(''));
}

/** `command` without the flags that choose the service, which are added; `then` is what it does, in a few words. */
export function suggestNext({ io, flags }: Shown, command: string, then?: string): void {
  if (!io.stdoutIsTerminal || !io.stderrIsTerminal || !isForPerson({ io, flags })) return;
  io.note(`Next: ${command}${connectionFlags(flags)}${then === undefined ? '' : ` (${then})`}`);
}

const NAMES = 12;
/** Columns below which a value stands under its name. */
const NARROWEST_FACT = 20;

/**
 * Lines that fit the terminal that standard error is, if it is one. Facts without a value are left out; a text of several lines
 * keeps them.
 */
export function factLines(facts: Record<string, unknown>, io: Io): string[] {
  return factLinesIn(facts, io.stderrIsTerminal ? io.columns : Number.POSITIVE_INFINITY);
}

/** The same in so many columns. */
export function factLinesIn(facts: Record<string, unknown>, columns: number): string[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const texts = typeof value === 'string' ? value.split(/\r\n|[\r\n]/).map(cell) : [cell(value)];
    if (texts.join('') === '') return [];
    const width = columns - NAMES - 2;
    const lines = (room: number) => texts.flatMap((text) => wrap(text, room));
    if (width < NARROWEST_FACT) return [`${name}:`, ...lines(columns - 2).map((line) => `  ${line}`)];
    return lines(width).map((line, at) => `${padded(at === 0 ? name : '', NAMES)} ${line}`);
  });
}

/** How results are shown: as a table on a terminal, as tab-separated values in a pipe, or as --output says. */

import { UsageError } from '../errors.ts';
import type { GlobalFlags, OutputFormat } from '../flags/global.ts';
import { withoutControls } from '../text/controls.ts';
import { plainText, toCsv } from '../text/csv.ts';
import { objectOf, writeJson } from '../text/json.ts';
import { originalOf } from '../text/original.ts';
import { padded, widthOf } from '../text/width.ts';
import type { Io } from './io.ts';

type Item = Record<string, unknown>;

export interface ListShape {
  /** The field of the response that holds the items. */
  key: string;
  /** Every documented column; the first is the one that `-o ids` prints. */
  columns: readonly string[];
  /** The columns of a table and of tab-separated values; all if left out. */
  brief?: readonly string[];
}

/** Prints a list response: `json` shows the response as it came, every other format its items, one on each line. */
export async function printList(io: Io, flags: GlobalFlags, response: Item, shape: ListShape): Promise<void> {
  const items = (response[shape.key] as Item[]).map(originalOf);
  const format = chooseFormat(io, flags);
  const columns = chooseColumns(flags, items, shape, format);
  if (format === 'json') {
    const shown = flags.fields === undefined ? items : items.map((item) => pickFields(item, columns));
    await printJson(io, { ...originalOf(response), [shape.key]: shown });
  } else if (format === 'table') {
    await io.styled(await renderTable(io, flags, items, columns));
  } else {
    await printRows(io, flags, items, columns, format, shape.columns[0] ?? '');
  }
}

/** Prints a single result: `field<TAB>value` lines in a pipe, aligned on a terminal, only `idColumn` for `-o ids`. */
export async function printRecord(io: Io, flags: GlobalFlags, read: Item, idColumn?: string): Promise<void> {
  const record = originalOf(read);
  const all = Object.keys(record);
  const format = chooseFormat(io, flags);
  const columns = chooseColumns(flags, [record], { key: '', columns: all }, format);
  if (format === 'json') {
    await printJson(io, flags.fields === undefined ? record : pickFields(record, columns));
  } else if (format === 'table') {
    const names = columns.map(cell);
    const width = names.reduce((widest, name) => Math.max(widest, widthOf(name)), 0);
    await io.data(columns.map((name, at) => `${padded(names[at] ?? '', width)}  ${cell(record[name])}\n`).join(''));
  } else if (format === 'tsv') {
    await io.data(columns.map((name) => `${oneLine(name)}\t${oneLine(record[name])}\n`).join(''));
  } else {
    await printRows(io, flags, [record], columns, format, idColumn ?? all[0] ?? '');
  }
}

/** The format of `--json` or `-o`, or the usual one for a terminal or a pipe. */
export function chooseFormat(io: Io, flags: GlobalFlags): OutputFormat {
  if (flags.json) return 'json';
  return flags.output ?? (io.stdoutIsTerminal ? 'table' : 'tsv');
}

/** Whether a result is laid out for a person: as a table, and not reduced to chosen fields. */
export function isForPerson(io: Io, flags: GlobalFlags): boolean {
  return chooseFormat(io, flags) === 'table' && flags.fields === undefined;
}

function chooseColumns(
  { fields }: GlobalFlags,
  items: readonly Item[],
  { columns, brief }: ListShape,
  format: OutputFormat,
): readonly string[] {
  if (fields === undefined) return brief !== undefined && (format === 'table' || format === 'tsv') ? brief : columns;
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

function pickFields(item: Item, columns: readonly string[]): Item {
  return objectOf(columns.map((name) => [name, item[name] ?? null]));
}

/** Prints an object as JSON, as it came. */
export async function printJson(io: Io, value: object): Promise<void> {
  await io.data(`${writeJson(io.redactor.mask(originalOf(value)), 2)}\n`);
}

export function toJsonLine({ redactor }: Io, value: unknown): string {
  return `${writeJson(redactor.mask(value))}\n`;
}

async function printRows(
  io: Io,
  flags: GlobalFlags,
  items: readonly Item[],
  columns: readonly string[],
  format: 'ndjson' | 'csv' | 'tsv' | 'ids',
  idColumn: string,
): Promise<void> {
  if (format === 'csv') return io.data(await toCsv(items, columns, !flags.noHeader));
  const line = {
    ndjson: (item: Item) => toJsonLine(io, flags.fields === undefined ? item : pickFields(item, columns)),
    tsv: (item: Item) => `${columns.map((name) => oneLine(item[name])).join('\t')}\n`,
    ids: (item: Item) => `${oneLine(item[idColumn])}\n`,
  }[format];
  await io.data(items.map(line).join(''));
}

/** A value as one line of text: tabs and line breaks become spaces, the rest is unchanged. */
export function oneLine(value: unknown): string {
  return plainText(value).replace(/[\t\n\r]/g, ' ');
}

/** A value laid out for a person: on one line, without anything that controls a terminal. */
export function cell(value: unknown): string {
  return withoutControls(oneLine(value));
}

export const BORDERLESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** The library passes the rows of a table as function arguments, whose number is limited. */
const ROWS_OF_A_TABLE = 10_000;

async function renderTable(
  io: Io,
  flags: GlobalFlags,
  items: readonly Item[],
  columns: readonly string[],
): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const bold = (text: string) => (io.colorsStdout ? `\u001b[1m${text}\u001b[22m` : text);
  let head = flags.noHeader ? [] : columns.map((name) => bold(cell(name.toUpperCase())));
  let text = '';
  for (let at = 0; at === 0 || at < items.length; at += ROWS_OF_A_TABLE) {
    const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
    const table = new Table({ chars: BORDERLESS, style, head });
    for (const item of items.slice(at, at + ROWS_OF_A_TABLE)) table.push(columns.map((name) => cell(item[name])));
    for (const line of table.toString().split('\n')) text += `${line.trimEnd()}\n`;
    head = [];
  }
  return text;
}

/** How results are shown. On a terminal a table; piped, tab-separated values; or what --output asks for. */
import { plainText, toCsv } from './csv.ts';
import { UsageError } from './errors.ts';
import type { Io } from './io.ts';
import type { GlobalFlags, OutputFormat } from './settings.ts';

type Item = Record<string, unknown>;

export interface ListShape {
  /** The response's key that holds the items. */
  key: string;
  /** Every column the interface documents; the first is the one that `-o ids` prints. */
  columns: readonly string[];
  /** The columns of a table and of tab-separated values; all of them where left out. */
  brief?: readonly string[];
}

/** Prints a list response: `json` shows the response as it is, every other format its items, one a line. */
export async function printList(io: Io, flags: GlobalFlags, response: Item, shape: ListShape): Promise<void> {
  const items = response[shape.key] as Item[];
  const format = chooseFormat(io, flags);
  const columns = chooseColumns(flags, items, shape, format);
  if (format === 'json') {
    const shown =
      flags.fields === undefined
        ? response
        : { ...response, [shape.key]: items.map((item) => pickFields(item, columns)) };
    await printJson(io, shown);
  } else if (format === 'table') {
    await io.data(await renderTable(io, flags, items, columns));
  } else {
    await printRows(io, flags, items, columns, format, shape.columns[0] ?? '');
  }
}

/** Prints a single result: `field<TAB>value` lines when piped, aligned on a terminal, `idColumn` alone for `-o ids`. */
export async function printRecord(io: Io, flags: GlobalFlags, record: Item, idColumn?: string): Promise<void> {
  const all = Object.keys(record);
  const format = chooseFormat(io, flags);
  const columns = chooseColumns(flags, [record], { key: '', columns: all }, format);
  if (format === 'json') {
    await printJson(io, flags.fields === undefined ? record : pickFields(record, columns));
  } else if (format === 'table') {
    const width = Math.max(...columns.map((name) => name.length));
    await io.data(columns.map((name) => `${name.padEnd(width)}  ${cell(record[name])}\n`).join(''));
  } else if (format === 'tsv') {
    await io.data(columns.map((name) => `${name}\t${cell(record[name])}\n`).join(''));
  } else {
    await printRows(io, flags, [record], columns, format, idColumn ?? all[0] ?? '');
  }
}

/** `--json` and `-o`, or what suits the place where the output goes. */
export function chooseFormat(io: Io, flags: GlobalFlags): OutputFormat {
  if (flags.json) return 'json';
  return flags.output ?? (io.stdoutIsTerminal ? 'table' : 'tsv');
}

function chooseColumns(
  { fields }: GlobalFlags,
  items: readonly Item[],
  { columns, brief }: ListShape,
  format: OutputFormat,
): readonly string[] {
  if (fields === undefined) return brief !== undefined && (format === 'table' || format === 'tsv') ? brief : columns;
  const known = new Set([...columns, ...items.flatMap(Object.keys)]);
  const unknown = fields.filter((name) => !known.has(name));
  if (unknown.length === 0) return fields;
  throw new UsageError(`--fields: unknown ${unknown.join(', ')}.`, { hint: `Fields: ${[...known].join(', ')}.` });
}

function pickFields(item: Item, columns: readonly string[]): Item {
  return Object.fromEntries(columns.map((name) => [name, item[name] ?? null]));
}

/** Prints a value as JSON. */
export async function printJson(io: Io, value: unknown): Promise<void> {
  await io.data(`${JSON.stringify(io.redactor.mask(value), null, 2)}\n`);
}

export function toJsonLine({ redactor }: Io, value: unknown): string {
  return `${JSON.stringify(redactor.mask(value))}\n`;
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
    tsv: (item: Item) => `${columns.map((name) => cell(item[name])).join('\t')}\n`,
    ids: (item: Item) => `${cell(item[idColumn])}\n`,
  }[format];
  await io.data(items.map(line).join(''));
}

/** A value as one line of text: nothing in it can break a row or command a terminal. */
export function cell(value: unknown): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return plainText(value).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}

const BORDERLESS = {
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

async function renderTable(
  io: Io,
  flags: GlobalFlags,
  items: readonly Item[],
  columns: readonly string[],
): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const bold = (text: string) => (io.colorsStdout ? `\u001b[1m${text}\u001b[22m` : text);
  const table = new Table({
    chars: BORDERLESS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    head: flags.noHeader ? [] : columns.map((name) => bold(name.toUpperCase())),
  });
  for (const item of items) table.push(columns.map((name) => cell(item[name])));
  const lines = table.toString().split('\n');
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

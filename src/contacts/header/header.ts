/** The first row of a table → where each field comes from. A file that is only a list of numbers has no header. */
import { InputError } from '../../errors.ts';
import { textsIn, withHeaderLine } from '../read/first-rows.ts';
import { continued } from '../read/lines.ts';
import type { Row } from '../read/rows.ts';
import type { Table } from '../read/table.ts';
import type { ContactRules } from '../rules.ts';
import { type Columns, findColumns, type Mapping } from './columns.ts';
import { type BoundTemplate, bindTemplate } from './template.ts';

type HeaderRules = Pick<ContactRules, 'mapping' | 'templates' | 'headerLine'>;

/** A table, and where each field of a contact comes from. */
export interface Headed {
  columns: Columns;
  /** For the fields that come from a template. */
  templates: readonly BoundTemplate[];
  /** The line of the first row. */
  headerLine: number;
  /** The cells of the header, as in the file; undefined if it has none. */
  header: readonly string[] | undefined;
  /** The rows of data. */
  rows: AsyncGenerator<Row[]>;
}

/** Throws InputError, with one of the file codes, if the first row is not a usable header. `source` is the file's name. */
export async function readHeader(table: Table, options: HeaderRules, source: string): Promise<Headed> {
  const rows = table.rows();
  try {
    const { value: batch = [] } = await rows.next();
    const [first, ...below] = batch as Row[];
    if (first === undefined) throw new Error('a table without rows is refused when it is read');
    const { cells, line } = first;
    const columns = findColumns(cells, options.mapping, source);
    requireSeen(columns, options.mapping, table, source);
    if (options.headerLine === undefined && textsIn(cells) === 1) requireNoTitle(table, line, source);
    if (options.headerLine !== undefined && !columns.hasHeader) {
      throw new InputError(`${source} has a number on line ${line}, where the header should be.`, {
        code: 'no_phone_column',
        hint:
          'Give the line with the names of the columns. ' +
          'A plain list of numbers needs no header, and must have nothing above it.',
      });
    }
    return {
      columns,
      templates: options.templates.map((template) => bindTemplate(template, columns.headers, source)),
      headerLine: line,
      header: columns.hasHeader ? cells : undefined,
      rows: continued(columns.hasHeader ? below : [first, ...below], rows),
    };
  } catch (error) {
    await rows.return(undefined);
    throw withHeaderLine(error, table, (line) => ({ reason: { kind: 'header_below', line } }));
  }
}

/** Whether a row is a usable header: this decides between possible delimiters. */
export function isUnderstood(header: string[], mapping: Mapping): boolean {
  try {
    return findColumns(header, mapping, '').hasHeader;
  } catch (error) {
    // With two possible phone columns, the delimiter was still the right one.
    return error instanceof InputError && error.code === 'ambiguous_phone_column';
  }
}

/** A column that nobody named and nobody sees may hold what was meant to be left out. */
function requireSeen({ at, headers }: Columns, mapping: Mapping, table: Table, source: string): void {
  for (const [field, column] of Object.entries(at)) {
    if (mapping[field as keyof Mapping] !== undefined || !table.isHidden?.(column)) continue;
    const hint = 'Show it if it is meant. If not, delete it, or copy what is seen into a new workbook.';
    const what = `hides the column ${headers[column]}, from which ${field} would come`;
    throw new InputError(`${source} ${what}.`, { code: 'bad_workbook', hint });
  }
}

/** A single text in the first row is a title if a header with several texts follows. */
function requireNoTitle(table: Table, line: number, source: string): void {
  const below = table.headerBelow(2);
  if (below === undefined) return;
  throw new InputError(`${source} has a single text on line ${line}, and line ${below} looks like the header.`, {
    code: 'no_phone_column',
    reason: { kind: 'header_below', line: below, orLine: line },
  });
}

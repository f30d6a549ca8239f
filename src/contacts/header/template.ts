/** Texts with `{{column}}` and `{{column|fallback}}`, filled from the cells of a row. */
import { UsageError } from '../../errors.ts';
import { SHEET_ERROR } from '../problems.ts';
import { columnAt, type Field, unknownColumn } from './columns.ts';

/** The fields that a template can fill. */
export type TemplateField = Exclude<Field, 'phone_number'>;

export interface Template {
  field: TemplateField;
  /** What messages call it. */
  name: string;
  /** As it was given. */
  text: string;
}

/** At most one per field. */
export type Templates = readonly Template[];

const PLACEHOLDER = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g;

/** Throws UsageError if the braces are not placeholders. `name` is what messages call the template. */
export function parseTemplate(text: string, field: TemplateField, name: string): Template {
  const isNamed = [...text.matchAll(PLACEHOLDER)].every(([, column = '']) => column.trim() !== '');
  if (isNamed && !/\{\{|\}\}/.test(text.replace(PLACEHOLDER, ' '))) return { field, name, text };
  throw new UsageError(`${name}: ${JSON.stringify(text)} is not a template.`, {
    hint: 'Write {{column}}, or {{column|what to say if it is empty}}.',
  });
}

/** A template for the columns of one table. */
export interface BoundTemplate {
  field: TemplateField;
  name: string;
  /** The text of a row, and the headers of empty cells without a fallback. */
  render: (cells: readonly string[]) => { text: string; missing: string[] };
}

/** Throws InputError `unknown_column` if a placeholder names a column that does not exist. `source` is the file's name. */
export function bindTemplate(
  { field, name, text }: Template,
  headers: readonly string[],
  source: string,
): BoundTemplate {
  const places = new Map<string, number>();
  for (const [, column = ''] of text.matchAll(PLACEHOLDER)) {
    const at = columnAt(headers, column);
    if (at === undefined) throw unknownColumn(`${name} {{${column.trim()}}}`, column.trim(), headers, source);
    places.set(column, at);
  }
  const render: BoundTemplate['render'] = (cells) => {
    const missing: string[] = [];
    const filled = text.replace(PLACEHOLDER, (_whole, column: string, fallback?: string) => {
      const at = places.get(column) as number;
      const value = textOf(cells[at] ?? '') ?? fallback?.trim();
      if (value === undefined) missing.push(headers[at] ?? '');
      return value ?? '';
    });
    return { text: filled, missing };
  };
  return { field, name, render };
}

/** The text of a cell; undefined if nothing in it is visible, or if it is a spreadsheet's error. */
function textOf(cell: string): string | undefined {
  const value = cell.trim();
  return /^[\s\p{Cf}]*$/u.test(value) || SHEET_ERROR.test(value) ? undefined : value;
}

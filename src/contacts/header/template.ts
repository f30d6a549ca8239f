/** Texts with `{{column}}` and `{{column|fallback}}`, filled from the cells of a row. */
import { UsageError } from '../../errors.ts';
import { columnAt, type Field, unknownColumn } from './columns.ts';

/** The fields that a template can fill. */
export type TemplateField = Exclude<Field, 'phone_number'>;

interface Placeholder {
  column: string;
  fallback: string | undefined;
}

/** Texts and placeholders alternate; a text is first and last. */
export interface Template {
  field: TemplateField;
  /** What messages call it. */
  name: string;
  /** As it was given. */
  text: string;
  texts: readonly string[];
  placeholders: readonly Placeholder[];
}

/** At most one per field. */
export type Templates = readonly Template[];

const PLACEHOLDER = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g;

/** Throws UsageError if the braces are not placeholders. `name` is what messages call the template. */
export function parseTemplate(text: string, field: TemplateField, name: string): Template {
  const placeholders: Placeholder[] = [];
  const texts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, column = '', fallback] = match;
    texts.push(text.slice(end, match.index));
    placeholders.push({ column: column.trim(), fallback: fallback?.trim() });
    end = match.index + whole.length;
  }
  texts.push(text.slice(end));
  if (texts.some((part) => /\{\{|\}\}/.test(part)) || placeholders.some(({ column }) => column === '')) {
    throw new UsageError(`${name}: ${JSON.stringify(text)} is not a template.`, {
      hint: 'Write {{column}}, or {{column|what to say if it is empty}}.',
    });
  }
  return { field, name, text, texts, placeholders };
}

/** The text of a row, and the headers of empty cells without a fallback. */
export interface Rendered {
  text: string;
  missing: string[];
}

/** A template for the columns of one table. */
export interface BoundTemplate {
  field: TemplateField;
  name: string;
  render: (cells: readonly string[]) => Rendered;
}

/** Throws InputError `unknown_column` if a placeholder names a column that does not exist. `source` is the file's name. */
export function bindTemplate(template: Template, headers: readonly string[], source: string): BoundTemplate {
  const { field, name, texts, placeholders } = template;
  const bound = placeholders.map(({ column, fallback }) => {
    const at = columnAt(headers, column);
    if (at === undefined) throw unknownColumn(`${name} {{${column}}}`, column, headers, source);
    return { at, fallback };
  });
  const render = (cells: readonly string[]): Rendered => {
    const missing: string[] = [];
    let text = texts[0] ?? '';
    for (const [index, { at, fallback }] of bound.entries()) {
      const value = textOf(cells[at] ?? '') ?? fallback;
      if (value === undefined) missing.push(headers[at] ?? '');
      text += (value ?? '') + (texts[index + 1] ?? '');
    }
    return { text, missing };
  };
  return { field, name, render };
}

/** The text of a cell; undefined if nothing in it is visible, or if it is a spreadsheet's error. */
function textOf(cell: string): string | undefined {
  const value = cell.trim();
  return /^[\s\p{Cf}]*$|^#(N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!)$/u.test(value) ? undefined : value;
}

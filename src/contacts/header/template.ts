/** Texts with `{{column}}` and `{{column|fallback}}`, filled from the cells of a row. */
import { UsageError } from '../../errors.ts';
import { columnAt, type Field, unknownColumn } from './columns.ts';

/** The fields that a template can fill, and the flag of each. */
export const TEMPLATE_FLAGS = {
  custom_first_line: '--first-line',
  custom_instruction: '--instruction',
  custom_identifiers: '--identifier',
} as const satisfies Partial<Record<Field, string>>;
export type TemplateField = keyof typeof TEMPLATE_FLAGS;

interface Placeholder {
  column: string;
  fallback: string | undefined;
}

/** Texts and placeholders alternate; a text is first and last. */
export interface Template {
  field: TemplateField;
  /** As it was given. */
  text: string;
  texts: readonly string[];
  placeholders: readonly Placeholder[];
}

/** At most one per field. */
export type Templates = readonly Template[];

const PLACEHOLDER = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g;

/** Throws UsageError if the braces are not placeholders. */
export function parseTemplate(text: string, field: TemplateField): Template {
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
    throw new UsageError(`${TEMPLATE_FLAGS[field]}: ${JSON.stringify(text)} is not a template.`, {
      hint: 'Write {{column}}, or {{column|what to say if it is empty}}.',
    });
  }
  return { field, text, texts, placeholders };
}

/** The text of a row, and the headers of empty cells without a fallback. */
export interface Rendered {
  text: string;
  missing: string[];
}

/** A template for the columns of one table. */
export interface BoundTemplate {
  field: TemplateField;
  render: (cells: readonly string[]) => Rendered;
}

/** Throws InputError `unknown_column` if a placeholder names a column that does not exist. `source` is the file's name. */
export function bindTemplate(template: Template, headers: readonly string[], source: string): BoundTemplate {
  const { field, texts, placeholders } = template;
  const bound = placeholders.map(({ column, fallback }) => {
    const at = columnAt(headers, column);
    if (at === undefined) throw unknownColumn(`${TEMPLATE_FLAGS[field]} {{${column}}}`, column, headers, source);
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
  return { field, render };
}

/** The text of a cell; undefined if nothing in it is visible, or if it is a spreadsheet's error. */
function textOf(cell: string): string | undefined {
  const value = cell.trim();
  return /^[\s\p{Cf}]*$|^#(N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!)$/u.test(value) ? undefined : value;
}

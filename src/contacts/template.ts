/** Texts with `{{column}}` and `{{column|fallback}}`, filled from the cells of a row. */
import { UsageError } from '../errors.ts';
import { columnAt, unknownColumn } from './columns.ts';

interface Slot {
  column: string;
  fallback: string | undefined;
}

/** Texts and slots in turn, a text first and last. */
export interface Template {
  /** As it was given. */
  text: string;
  texts: readonly string[];
  slots: readonly Slot[];
}

const SLOT = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g;

/** Throws UsageError where braces do not make a slot. `flag` is named in it. */
export function parseTemplate(text: string, flag: string): Template {
  const slots: Slot[] = [];
  const texts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(SLOT)) {
    const [whole, column = '', fallback] = match;
    texts.push(text.slice(end, match.index));
    slots.push({ column: column.trim(), fallback: fallback?.trim() });
    end = match.index + whole.length;
  }
  texts.push(text.slice(end));
  if (texts.some((part) => /\{\{|\}\}/.test(part)) || slots.some(({ column }) => column === '')) {
    throw new UsageError(`${flag}: ${JSON.stringify(text)} is no template.`, {
      hint: 'Write {{column}}, or {{column|what to say where it is empty}}.',
    });
  }
  return { text, texts, slots };
}

/** The text of a row, and the headers of the cells that are empty and have no fallback. */
export interface Rendered {
  text: string;
  missing: string[];
}

/** Throws InputError `unknown_column` where a slot names no column of the table. */
export function bindTemplate(
  { texts, slots }: Template,
  headers: readonly string[],
  { flag, source }: { flag: string; source: string },
): (cells: readonly string[]) => Rendered {
  const bound = slots.map(({ column, fallback }) => {
    const at = columnAt(headers, column);
    if (at === undefined) throw unknownColumn(`${flag} {{${column}}}`, column, headers, source);
    return { at, fallback };
  });
  return (cells) => {
    const missing: string[] = [];
    let text = texts[0] ?? '';
    for (const [index, { at, fallback }] of bound.entries()) {
      const value = said(cells[at] ?? '') ?? fallback;
      if (value === undefined) missing.push(headers[at] ?? '');
      text += (value ?? '') + (texts[index + 1] ?? '');
    }
    return { text, missing };
  };
}

/** Undefined where a cell holds nothing to say: no text, nothing but what cannot be seen, or a spreadsheet's error. */
function said(cell: string): string | undefined {
  const value = cell.trim();
  return /^[\s\p{Cf}]*$|^#(N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!)$/u.test(value) ? undefined : value;
}

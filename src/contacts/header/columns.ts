/** The header of a table → which cell holds which field of a contact. An ambiguous header is an error. */
import { type Contact, contact as contactSchema } from '../../contract.ts';
import { InputError } from '../../errors.ts';
import { looksLikeNumber } from '../../text/phone.ts';
import { couldBePhone, plainHeader } from './phone-words.ts';

export type Field = keyof Contact;

/** The fields of a contact, in the interface's order. */
export const FIELDS = Object.keys(contactSchema.shape) as Field[];
const PHONE = 'phone_number' satisfies Field;
/** The name of the only column of a file without a header. */
const NO_HEADER = 'column 1';

export interface Columns {
  /** As in the file, trimmed; `column 1` if there is no header. */
  headers: readonly string[];
  hasHeader: boolean;
  /** The index of the column of each field that has one. */
  at: Readonly<Partial<Record<Field, number>>>;
}

/** A column that was chosen for a field, by its header. */
export interface ChosenColumn {
  column: string;
  /** What messages call the choice. */
  name: string;
}

export type Mapping = Readonly<Partial<Record<Field, ChosenColumn>>>;

/** Throws InputError: `duplicate_header`, `unknown_column`, `no_phone_column`, `ambiguous_phone_column`. */
export function findColumns(first: readonly string[], mapping: Mapping, source: string): Columns {
  const headers = first.map(tidy);
  if (headers.some((header) => header.includes('\0'))) {
    const reason = { kind: 'nul_in_header' } as const;
    throw new InputError(`${source} has NUL characters in its header.`, { code: 'nul_character', reason });
  }
  const named = mapping[PHONE]?.column ?? NO_HEADER;
  if (isHeaderless(first) && folded(named) === NO_HEADER) {
    return { headers: [NO_HEADER], hasHeader: false, at: { [PHONE]: 0 } };
  }
  requireDistinct(headers, source);
  const at: Partial<Record<Field, number>> = {};
  for (const field of FIELDS) {
    const chosen = mapping[field];
    const index = chosen === undefined ? findField(field, headers, mapping, source) : columnAt(headers, chosen.column);
    if (chosen !== undefined && index === undefined) throw unknownColumn(chosen.name, chosen.column, headers, source);
    if (index !== undefined) at[field] = index;
  }
  if (at[PHONE] === undefined) throw noPhoneColumn(headers, source);
  return { headers, hasHeader: true, at };
}

/** The columns that may hold a phone number. */
export function phoneColumns(headers: readonly string[]): number[] {
  return headers.flatMap((header, at) => (couldBePhone(header) ? [at] : []));
}

/** Whether two columns cannot stand in one file. */
export function sameColumn(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

/** The index of the column of that name, ignoring case; undefined if there is none. */
export function columnAt(headers: readonly string[], name: string): number | undefined {
  const at = headers.map(folded).indexOf(folded(name));
  return at === -1 ? undefined : at;
}

export function unknownColumn(where: string, name: string, headers: readonly string[], source: string): InputError {
  return new InputError(`${where}: ${source} has no column ${name}.`, {
    code: 'unknown_column',
    hint: `Columns: ${listed(headers)}.`,
  });
}

/** Whether the first row is data, not a header: a single cell that holds a number. */
export function isHeaderless(first: readonly string[]): boolean {
  return first.length === 1 && looksLikeNumber(first[0] ?? '');
}

function findField(field: Field, headers: readonly string[], mapping: Mapping, source: string): number | undefined {
  if (namesAllFields(headers)) return FIELDS.indexOf(field);
  const candidates = field === PHONE ? phoneColumns(headers) : ownColumns(field, headers);
  // A column that was chosen for a field is not used for another.
  const taken = new Set(Object.values(mapping).map(({ column }) => columnAt(headers, column)));
  const [only, second] = candidates.filter((at) => !taken.has(at));
  if (second === undefined) return only;
  const names = candidates.map((at) => headers[at] ?? '');
  throw new InputError(`${source} has ${names.length} columns that could be the ${field}: ${listed(names)}.`, {
    code: field === PHONE ? 'ambiguous_phone_column' : 'duplicate_header',
    reason: { kind: 'several_columns', field, first: names[0] ?? '' },
  });
}

/** A header that begins with all fields, spelled and ordered as in the interface, leaves no choice, whatever follows. */
function namesAllFields(headers: readonly string[]): boolean {
  return FIELDS.every((field, at) => headers[at] === field);
}

/** Columns named like the field: `custom_first_line`, `Custom First Line`, `First line`; `identifier` for `identifiers`. */
function ownColumns(field: Field, headers: readonly string[]): number[] {
  const singular = (text: string) => plainHeader(text).replace(/s$/, '');
  const name = singular(field);
  const known = [name, name.replace('custom ', '')];
  return headers.flatMap((header, at) => (known.includes(singular(header)) ? [at] : []));
}

function requireDistinct(headers: readonly string[], source: string): void {
  const seen = new Set<string>();
  for (const header of headers) {
    const name = folded(header);
    if (name !== '' && seen.has(name)) {
      const hint = 'Rename one of them.';
      throw new InputError(`${source} has two columns named ${header}.`, { code: 'duplicate_header', hint });
    }
    seen.add(name);
  }
}

function noPhoneColumn(headers: readonly string[], source: string): InputError {
  const code = 'no_phone_column';
  if (headers.some(looksLikeNumber)) {
    return new InputError(`${source} begins with a number where the header should be.`, {
      code,
      hint: `Put a line above with the names of the columns, such as ${FIELDS.slice(0, 2).join(', ')}.`,
    });
  }
  return new InputError(`${source} has no column that is known to hold the phone number; it has ${listed(headers)}.`, {
    code,
    reason: { kind: code },
  });
}

const MAX_LISTED = 20;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).map((name) => name || '(no name)');
  return shown.join(', ') + (names.length > MAX_LISTED ? `, … (${names.length})` : '');
}

function tidy(header: string): string {
  return header
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(/\s+/g, ' ');
}

function folded(name: string): string {
  return tidy(name).normalize('NFC').toLowerCase();
}

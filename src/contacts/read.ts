/** A contacts file: bytes → contacts, each fault with its line, and nothing sent while there is one. */
import { CsvError, parse } from 'csv-parse/sync';
import { type Contact, contact as contactSchema, E164 } from '../contract.ts';
import { InputError, type Issue } from '../errors.ts';

/** The columns that the service knows, by header name. */
const FIELDS = Object.keys(contactSchema.shape) as (keyof Contact)[];

interface Row {
  record: string[];
  info: { lines: number };
}

/** Throws InputError naming every faulty line. `source` is the file's name, for messages. */
export function readContacts(bytes: Uint8Array, source: string): Contact[] {
  const rows = readRows(decode(bytes, source), source);
  const [header, ...body] = rows;
  if (header === undefined) throw new InputError(`${source} is empty.`, { code: 'empty_file' });
  const columns = findColumns(header.record, source);
  if (body.length === 0) throw new InputError(`${source} has a header and no contacts.`, { code: 'empty_file' });

  const issues: Issue[] = [];
  const lineOfNumber = new Map<string, number>();
  const contacts = body.map(({ record, info: { lines: line } }) => {
    const found = readContact(record, columns, header.record.length);
    const earlier = lineOfNumber.get(found.contact.phone_number);
    if (found.fault !== undefined) issues.push({ field: `line ${line}`, message: found.fault });
    else if (earlier !== undefined) {
      issues.push({ field: `line ${line}`, message: `${found.contact.phone_number} is on line ${earlier} already` });
    } else lineOfNumber.set(found.contact.phone_number, line);
    return found.contact;
  });
  if (issues.length === 0) return contacts;
  throw new InputError(`${source}: ${issues.length} of ${body.length} rows cannot be used; nothing was sent.`, {
    issues,
  });
}

function decode(bytes: Uint8Array, source: string): string {
  try {
    // The decoder takes a byte order mark off by itself.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InputError(`${source} is not UTF-8.`, { code: 'bad_encoding', hint: 'Save it as CSV UTF-8.', cause });
  }
}

function readRows(text: string, source: string): Row[] {
  try {
    return parse(text, {
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    }) as unknown as Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const code = error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'unclosed_quote' : 'invalid_csv';
    throw new InputError(`${source} cannot be read as CSV: ${error.message}.`, { code, cause: error });
  }
}

function findColumns(header: string[], source: string): Map<keyof Contact, number> {
  const columns = new Map<keyof Contact, number>();
  const names = header.map((name) => name.trim().toLowerCase());
  for (const field of FIELDS) {
    const at = names.indexOf(field);
    if (at === -1) continue;
    if (names.lastIndexOf(field) !== at) {
      throw new InputError(`${source} has two columns named ${field}.`, { code: 'duplicate_header' });
    }
    columns.set(field, at);
  }
  if (columns.has('phone_number')) return columns;
  throw new InputError(`${source} has no column phone_number; it has ${names.join(', ')}.`, {
    code: 'no_phone_column',
    hint: `Name the columns ${FIELDS.join(', ')}.`,
  });
}

function readContact(
  record: string[],
  columns: Map<keyof Contact, number>,
  width: number,
): { contact: Contact; fault: string | undefined } {
  const contact: Contact = { phone_number: '' };
  for (const [field, at] of columns) {
    const value = record[at]?.trim() ?? '';
    if (value !== '') contact[field] = value;
  }
  const number = contact.phone_number;
  let fault: string | undefined;
  if (record.length !== width) fault = `${record.length} cells, where the header has ${width}`;
  else if (number === '') fault = 'no phone number';
  else if (!E164.test(number)) fault = `${JSON.stringify(number)} is not an E.164 number, like +14155550100`;
  return { contact, fault };
}

/** A contacts file: bytes → contacts, each fault with its line, and nothing sent while there is one. */
import { isUtf8 } from 'node:buffer';
import { CsvError, type Options, parse } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';
import { type Contact, contact as contactSchema, E164 } from '../contract.ts';
import { InputError, type Issue } from '../errors.ts';

/** The columns that the service knows, by header name. */
const FIELDS = Object.keys(contactSchema.shape) as (keyof Contact)[];

/** Which cell of a row holds which field. */
type Columns = readonly { field: keyof Contact; at: number }[];

/** Throws InputError naming every faulty line. `source` is the file's name, for messages. */
export async function readContacts(bytes: Buffer, source: string): Promise<Contact[]> {
  if (!isUtf8(bytes)) {
    throw new InputError(`${source} is not UTF-8.`, { code: 'bad_encoding', hint: 'Save it as CSV UTF-8.' });
  }
  try {
    const rows = new Rows(source);
    await eachRow(bytes, (cells) => rows.add(cells, 0));
    // Counting lines makes the reading half as fast again: it is done over only for who must be told of one.
    return rows.hasFaults ? readWithLines(bytes, source) : rows.contacts();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const code = error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'unclosed_quote' : 'invalid_csv';
    throw new InputError(`${source} cannot be read as CSV: ${error.message}.`, { code, cause: error });
  }
}

function csvOptions(bytes: Buffer): Options {
  return {
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // Every delimiter is tried at every character: where there is no CR, that is two fewer.
    record_delimiter: bytes.includes('\r') ? ['\r\n', '\n', '\r'] : ['\n'],
  };
}

/** Bytes that the parser is given at a time. */
const CHUNK_BYTES = 1 << 16;

/** A million rows of cells never stand in memory: each is handed on as it is read. */
function eachRow(bytes: Buffer, take: (cells: string[]) => void): Promise<void> {
  const parser = parse(csvOptions(bytes));
  return new Promise((resolve, reject) => {
    parser.on('data', take).on('end', resolve).on('error', reject);
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) parser.write(bytes.subarray(at, at + CHUNK_BYTES));
    parser.end();
  });
}

/** The same reading, with the line on which each row ends. */
function readWithLines(bytes: Buffer, source: string): Contact[] {
  const rows = new Rows(source);
  parseSync(bytes, {
    ...csvOptions(bytes),
    on_record: (cells: string[], { lines }) => {
      rows.add(cells, lines);
      return null;
    },
  });
  return rows.contacts();
}

/** The rows so far: a header, then contacts and the faults that were found. */
class Rows {
  readonly #source: string;
  readonly #contacts: Contact[] = [];
  readonly #issues: Issue[] = [];
  readonly #lineOfNumber = new Map<string, number>();
  #columns: Columns | undefined;
  #width = 0;
  #count = 0;

  constructor(source: string) {
    this.#source = source;
  }

  add(cells: string[], line: number): void {
    if (this.#columns === undefined) {
      this.#columns = findColumns(cells, this.#source);
      this.#width = cells.length;
      return;
    }
    this.#count++;
    const contact = readContact(cells, this.#columns);
    const fault = this.#faultOf(contact.phone_number, cells.length);
    if (fault === undefined) {
      this.#lineOfNumber.set(contact.phone_number, line);
      this.#contacts.push(contact);
    } else {
      this.#issues.push({ field: `line ${line}`, message: fault });
    }
  }

  get hasFaults(): boolean {
    return this.#issues.length > 0;
  }

  contacts(): Contact[] {
    if (this.#columns === undefined) throw new InputError(`${this.#source} is empty.`, { code: 'empty_file' });
    if (this.#count === 0) {
      throw new InputError(`${this.#source} has a header and no contacts.`, { code: 'empty_file' });
    }
    if (this.#issues.length === 0) return this.#contacts;
    const faulty = `${this.#issues.length} of ${this.#count} rows cannot be used`;
    throw new InputError(`${this.#source}: ${faulty}; nothing was sent.`, { issues: this.#issues });
  }

  #faultOf(number: string, cells: number): string | undefined {
    if (cells !== this.#width) return `${cells} cells, where the header has ${this.#width}`;
    if (number === '') return 'no phone number';
    if (!E164.test(number)) return `${JSON.stringify(number)} is not an E.164 number, like +14155550100`;
    const earlier = this.#lineOfNumber.get(number);
    return earlier === undefined ? undefined : `${number} is on line ${earlier} already`;
  }
}

function findColumns(header: string[], source: string): Columns {
  const names = header.map((name) => name.trim().toLowerCase());
  const columns = FIELDS.flatMap((field) => {
    const at = names.indexOf(field);
    if (names.lastIndexOf(field) !== at) {
      throw new InputError(`${source} has two columns named ${field}.`, { code: 'duplicate_header' });
    }
    return at === -1 ? [] : [{ field, at }];
  });
  if (columns.some(({ field }) => field === 'phone_number')) return columns;
  throw new InputError(`${source} has no column phone_number; it has ${names.join(', ')}.`, {
    code: 'no_phone_column',
    hint: `Name the columns ${FIELDS.join(', ')}.`,
  });
}

function readContact(cells: string[], columns: Columns): Contact {
  const contact: Contact = { phone_number: '' };
  for (const { field, at } of columns) {
    const value = cells[at]?.trim() ?? '';
    if (value !== '') contact[field] = value;
  }
  return contact;
}

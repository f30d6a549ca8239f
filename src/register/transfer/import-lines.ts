/** The lines of an exported register, checked one by one: a file is taken over as a whole, or not at all. */
import { createHash } from 'node:crypto';
import { E164 } from '../../contract.ts';
import { InputError } from '../../errors.ts';
import { calledBy } from '../called.ts';
import { isRefused } from '../history.ts';
import type { Earlier } from '../ledger.ts';
import { type EndedLine, lineOf, type SentCampaign, type SentLine } from '../lines.ts';
import { type ExportCounts, FORMAT } from './export-lines.ts';

/** A request of another machine. The numbers of entries are those of that machine. */
export interface Foreign {
  sent: SentLine;
  ended: EndedLine | undefined;
  /** Whether the original rows of its contacts follow it. */
  hasRows?: true;
}

export function earlierOf({ sent, ended }: Foreign): Earlier {
  return ended === undefined ? { sent } : { sent, outcome: ended.outcome, answer: ended.answer };
}

/** The fields that a line can have, one of which it has. */
type Fields = Partial<
  Record<'vagent_register' | 'request' | 'ended' | 'contact' | 'columns' | 'row' | 'end' | 'sha256', unknown>
>;

/** The contacts of the last request, as far as they were read. */
interface Open {
  sent: SentCampaign;
  foreign: Foreign;
  numbers: number[];
  /** Undefined until the columns were read. */
  columns: number | undefined;
  rows: number;
}

export class ImportCheck {
  readonly requests: Foreign[] = [];
  readonly #name: string;
  readonly #entries = new Set<number>();
  readonly #counts: ExportCounts = { requests: 0, contacts: 0, rows: 0 };
  /** Of all lines before the last. */
  readonly #hash = createHash('sha256');
  #line = 0;
  #open: Open | undefined;
  #isEnded = false;

  /** `name` is the file's, for messages. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Throws InputError if the line cannot stand here. */
  take(text: string): void {
    this.#line++;
    const fields = this.#fieldsOf(text);
    if (this.#line === 1) this.#begin(fields);
    else if (this.#isEnded) throw this.#wrong('follows the last line');
    else if (fields.request !== undefined) this.#request(fields);
    else if (fields.contact !== undefined) this.#contact(fields.contact);
    else if (fields.columns !== undefined) this.#columns(fields.columns);
    else if (fields.row !== undefined) this.#row(fields.row);
    else if (fields.end !== undefined) this.#end(fields);
    else {
      const hint = 'It may be from a newer version: update vagent. Nothing was taken over.';
      throw this.#wrong('is of a kind that this vagent does not know', hint);
    }
    if (!this.#isEnded) this.#hash.update(`${text}\n`);
  }

  /** Throws InputError if the file ends too early. */
  finish(): void {
    if (this.#line === 0) throw this.#foreign();
    if (this.#isEnded) return;
    throw new InputError(`${this.#name} was cut off: its last line, with the counts, is missing.`, {
      code: 'cut_off',
      hint: 'Export it again. Nothing was taken over.',
    });
  }

  #fieldsOf(text: string): Fields {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    } catch {
      // Reported below.
    }
    if (this.#line === 1) throw this.#foreign();
    throw this.#wrong('is damaged: it is not a JSON object');
  }

  #begin({ vagent_register }: Fields): void {
    if (typeof vagent_register !== 'number') throw this.#foreign();
    if (vagent_register === FORMAT) return;
    throw new InputError(`${this.#name} has format ${vagent_register}, which this vagent does not read (${FORMAT}).`, {
      code: 'export_too_new',
      hint: 'Update vagent.',
    });
  }

  #request({ request, ended }: Fields): void {
    this.#closeContacts();
    const sent = lineOf(request);
    const end = ended === undefined ? undefined : lineOf(ended);
    if (sent?.event !== 'sent' || (end !== undefined && (end.event !== 'ended' || end.entry !== sent.entry))) {
      throw this.#wrong('is damaged: it is not a request');
    }
    if (this.#entries.has(sent.entry)) throw this.#wrong(`repeats entry ${sent.entry}`);
    this.#entries.add(sent.entry);
    this.#counts.requests++;
    const foreign: Foreign = { sent, ended: end as EndedLine | undefined };
    this.requests.push(foreign);
    if (sent.operation !== 'createCampaign' || sent.forgotten !== undefined || isRefused(earlierOf(foreign))) return;
    this.#open = { sent, foreign, numbers: [], columns: undefined, rows: 0 };
  }

  #contact(contact: unknown): void {
    const open = this.#open;
    const number = String((contact as { phone_number?: unknown } | null)?.phone_number);
    if (open === undefined || open.columns !== undefined || open.numbers.length === open.sent.contacts.count) {
      throw this.#wrong('is a contact where there should be none');
    }
    if (!E164.test(number)) throw this.#wrong('is damaged: it is not a contact');
    open.numbers.push(Number(number.slice(1)));
    this.#counts.contacts++;
  }

  #columns(columns: unknown): void {
    const open = this.#open;
    if (open === undefined || open.columns !== undefined || !isTexts(columns)) {
      throw this.#wrong('is damaged: it does not name the columns of the contacts above');
    }
    open.columns = columns.length;
  }

  #row(row: unknown): void {
    const open = this.#open;
    if (open?.columns === undefined || !isTexts(row) || row.length !== open.columns) {
      throw this.#wrong('is damaged: it is not a row of the columns above');
    }
    open.rows++;
    this.#counts.rows++;
  }

  /** All contacts of a request are there, and its rows if it has any. */
  #closeContacts(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const { sent, foreign, numbers, columns, rows } = open;
    const { count, numbers_sha256 } = sent.contacts;
    const name = `campaign ${JSON.stringify(sent.request.campaign_name)}`;
    if (numbers.length !== count) throw this.#wrong(`comes after ${numbers.length} of ${count} contacts of ${name}`);
    if (calledBy(Float64Array.from(numbers)).numbersSha256 !== numbers_sha256) {
      throw this.#wrong(`comes after contacts that are not those of ${name}`);
    }
    if (columns !== undefined && rows !== count) throw this.#wrong(`comes after ${rows} of ${count} rows of ${name}`);
    if (columns !== undefined) foreign.hasRows = true;
  }

  #end({ end: counts, sha256 }: Fields): void {
    this.#closeContacts();
    const told = counts as Partial<ExportCounts> | null;
    const { requests, contacts, rows } = this.#counts;
    if (told?.requests !== requests || told.contacts !== contacts || told.rows !== rows) {
      throw this.#wrong('counts other lines than there are: some are missing or were added');
    }
    if (this.#hash.digest('hex') !== sha256) {
      throw new InputError(
        `${this.#name} was changed after it was exported: the hash in its last line is of another text.`,
        {
          code: 'export_damaged',
          hint: 'Export it again. Nothing was taken over.',
        },
      );
    }
    this.#isEnded = true;
  }

  #wrong(what: string, hint = 'Export it again. Nothing was taken over.'): InputError {
    return new InputError(`${this.#name}: line ${this.#line} ${what}.`, { code: 'export_damaged', hint });
  }

  #foreign(): InputError {
    return new InputError(`${this.#name} is not an exported register.`, { code: 'not_an_export' });
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((cell) => typeof cell === 'string');
}

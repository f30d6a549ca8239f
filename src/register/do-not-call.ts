/**
 * Whom nobody calls: the phones whose people opted out. Nothing of that service calls them again, whatever the operator
 * allows and whatever organization they said it to, because the people who are called do not see the organization.
 * Throws FileErrors.
 */
import type { Contact, Sent } from '../contract.ts';
import { InputError, UnavailableError } from '../errors.ts';
import { NO_ROWS, type Rows, type Sql } from '../storage/database/sql.ts';
import { plural } from '../text/numbers.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { numbersOf } from './ringing.ts';
import { serviceKey } from './service-key.ts';
import { addRows, askAbout } from './tables.ts';

/** Outcomes after which a number is never called again. */
export const OPT_OUT_LABELS: readonly string[] = ['do_not_call', 'opted_out'];

/** Labels are the service's own: `Do not call` and `do_not_call` are one. */
export function isOptOut(outcome: string, labels: readonly string[] = OPT_OUT_LABELS): boolean {
  const label = plain(outcome);
  return label !== '' && labels.some((wanted) => plain(wanted) === label);
}

const PLAIN = /^[a-z0-9]+(?:_[a-z0-9]+)*$/;

function plain(label: string): string {
  if (PLAIN.test(label)) return label;
  return label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');
}

/** For whom requests are made, and where. */
export interface Target {
  /** The base URL, or of the local engine the key of its store. */
  service: string;
  isLocal: boolean;
  organizationId: number;
}

export class OptedOut {
  readonly #rows: Rows;
  readonly #target: Target;
  readonly #systemNow: () => number;
  readonly #key: string;
  /** Where the list is kept, for messages. */
  readonly location: string;

  /** Whoever is added was told the organization. `systemNow`: milliseconds since the epoch. */
  constructor({ rows, target, systemNow }: { rows: Rows; target: Target; systemNow: () => number }) {
    this.#rows = rows;
    this.#target = target;
    this.#systemNow = systemNow;
    this.#key = target.isLocal ? target.service : serviceKey(target.service);
    this.location = rows.location;
  }

  /** Keys of phones (`phoneKeyOfDigits`), with what others have added by now. */
  async phones(): Promise<ReadonlySet<number>> {
    const found = await this.#rows.read((sql) =>
      sql.all<{ phone: number }>('select phone from opted_out where service_key = $1', [this.#key]),
    );
    return new Set(found.map(({ phone }) => phone));
  }

  /** Those of `phones` who opted out, rising. Nobody else is read. */
  async among(phones: readonly number[], sql?: Sql): Promise<number[]> {
    if (sql === undefined) return await this.#rows.read((inside) => this.among(phones, inside));
    const text =
      'select phone from opted_out where phone in (select value from numbers($1) as list) and service_key = $2';
    const found: number[] = [];
    for await (const page of askAbout<{ phone: number }>(sql, phones, text, this.#key))
      for (const { phone } of page) found.push(phone);
    return found.sort((one, other) => one - other);
  }

  /** Durable when it resolves. Those that are known already stay as they are. */
  async add(phones: Iterable<number>): Promise<void> {
    const wanted = [...new Set(phones)];
    if (wanted.length === 0) return;
    const known = await this.among(wanted);
    if (known.length === wanted.length) return;
    const row = { service_key: this.#key, organization_id: this.#target.organizationId, since: this.#systemNow() };
    const fresh = wanted.map((phone) => ({ ...row, phone }));
    await this.#rows.write((sql) => addRows(sql, 'opted_out', fresh, 'on conflict do nothing'));
  }

  /**
   * For an organization of the local engine whose calls were deleted: nobody has told it anything yet. Durable when it
   * resolves.
   */
  async beginAnew(): Promise<void> {
    if (await this.#rows.read(async (sql) => sql === NO_ROWS)) return;
    const { changeKeys } = await import('./once.ts');
    const ofIt = 'where service_key = $1 and organization_id = $2';
    const values = [this.#key, this.#target.organizationId];
    await this.#rows.write(async (sql) => {
      await sql.run(`delete from opted_out ${ofIt}`, values);
      await changeKeys(sql, `delete from once_keys ${ofIt}`, values);
    });
  }
}

/** The error code where somebody opted out. */
export const DO_NOT_CALL = 'do_not_call';

/** Phones that a sentence names. */
const NAMED = 3;

/**
 * Throws InputError if a request would call somebody who has opted out by now, UnavailableError if it is a wave of a
 * plan, and FileErrors if that is not known.
 */
export async function refuseOptedOut(sent: Sent, list: OptedOut, isWave = false, sql?: Sql): Promise<void> {
  const numbers = numbersOf(sent);
  const out = new Set(await list.among(numbers.map(phoneKeyOfNumber), sql));
  if (out.size === 0) return;
  if (isWave) throw mustBeChosenAnew('Somebody opted out');
  const refused = numbers.filter((number) => out.has(phoneKeyOfNumber(number)));
  const { length } = numbers;
  const named = refused.slice(0, NAMED).join(', ');
  const more = refused.length > NAMED ? ` and ${refused.length - NAMED} more` : '';
  const who = length === 1 ? named : `${refused.length} of ${length} contacts (${named}${more})`;
  throw new InputError(`${who} ${plural(refused.length, 'has', 'have')} opted out of calls. Nothing was sent.`, {
    code: DO_NOT_CALL,
    hint: `Nothing overrides that. The list of those who opted out is in ${list.location}.`,
  });
}

/** The error code of a wave that must be chosen anew. */
export const CHOOSE_ANEW = 'register_grew';

/** `what` happened while it was chosen: the beginning of a sentence. */
export function mustBeChosenAnew(what: string): UnavailableError {
  return new UnavailableError(`${what} while the wave was chosen. Nothing was sent.`, { code: CHOOSE_ANEW });
}

/** The contacts that are not among those who opted out (`OptedOut.phones`): the same array if nobody is. */
export function withoutThose(out: ReadonlySet<number>, contacts: readonly Contact[]): readonly Contact[] {
  if (out.size === 0) return contacts;
  const left = contacts.filter(({ phone_number }) => !out.has(phoneKeyOfNumber(phone_number)));
  return left.length === contacts.length ? contacts : left;
}

/**
 * The register: what was sent to real services, kept so that nobody is called twice. A request is there, durably,
 * before it is sent, and is completed after it has ended. The guards are asked in the transaction that records it, and
 * one such transaction follows the other: so of two programs with the same contacts, one sees the other's request.
 * Throws FileErrors.
 */
import { callsContacts, ringingOperations } from '../contract.ts';
import type { FileError } from '../errors.ts';
import type { Rows, Sql } from '../storage/database/sql.ts';
import { fieldsIn, parsed, textsIn } from '../text/json.ts';
import { type FileForm, formIn } from '../text/kept-rows.ts';
import {
  type CalledContacts,
  deleteContacts,
  insertContacts,
  type KeptContact,
  readContacts,
  readIdentifiers,
  readPhones,
} from './contact-rows.ts';
import { changeKeys } from './once.ts';
import { dropRedialsOf, keepRedial, type NewRedial } from './redials.ts';
import { lastEntry, unknownPhones } from './repeats.ts';
import { endRow, insertRequest, requestIn } from './request-rows.ts';
import {
  byTime,
  type Ended,
  type History,
  historyOf,
  type Intent,
  isCampaign,
  isRefused,
  type Past,
  type SentCampaign,
} from './requests.ts';
import { leftOf, nameOf, only } from './ringing.ts';
import { serviceKey } from './service-key.ts';
import { changing, pagesOf } from './tables.ts';

/** Of those who record requests, or lists to call people again, one does so at a time. */
const LOCK = 'requests';

export interface Beginning {
  /** Throws if the request must not be sent. Returns the last entry of what was recorded before; 0 if nothing was. */
  guard: (sql: Sql) => Promise<number>;
  callees?: CalledContacts | undefined;
  /** What else is recorded with it. */
  withIntent?: ((sql: Sql, entry: number) => Promise<void>) | undefined;
}

/** With one operation, this is the very condition of the index of campaigns; a second one would need another index. */
const ARE_CAMPAIGNS = `(${ringingOperations
  .filter(callsContacts)
  .map((operation) => `operation = '${nameOf(operation)}'`)
  .join(' or ')})`;

interface Wanted {
  /** By its base URL, in whatever spelling; all if it is not given. */
  service?: string;
  organizationId?: number | undefined;
  areCampaigns?: boolean;
}

/** Requests in the order of their entries. */
export interface Found {
  requests: Past[];
  /** The error of a row that cannot be read: it may stand for any request. */
  damage: FileError | undefined;
}

export class Register {
  readonly #rows: Rows;
  readonly #systemNow: () => number;

  /** `systemNow`: milliseconds since the epoch. */
  constructor({ rows, systemNow }: { rows: Rows; systemNow: () => number }) {
    this.#rows = rows;
    this.#systemNow = systemNow;
  }

  /** Records what is about to be sent, and returns its entry. If it throws, nothing must be sent. */
  async begin(intent: Intent, { guard, callees, withIntent }: Beginning): Promise<number> {
    return await this.#rows.write(async (sql) => {
      const entry = (await guard(sql)) + 1;
      await insertRequest(sql, entry, intent, { at: this.now(), rows: callees?.rows });
      if (callees !== undefined) await insertContacts(sql, entry, callees);
      await withIntent?.(sql, entry);
      return entry;
    }, LOCK);
  }

  /** Records the outcome. If the contacts were certainly not called, they are removed. */
  async end(entry: number, ended: Ended, withReply?: (sql: Sql, ended: Ended) => Promise<void>): Promise<void> {
    const [text, values] = changing('requests', { entry }, endRow(ended, this.now()), 'outcome is null');
    if (withReply === undefined && !isRefused(ended)) return void (await this.#rows.put(text, values));
    await this.#rows.write(async (sql) => {
      await sql.run(text, values);
      if (isRefused(ended)) await deleteContacts(sql, [entry]);
      await withReply?.(sql, ended);
    });
  }

  /** All of it at one moment. */
  async read<T>(body: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#rows.read(body);
  }

  /** The last entry; 0 if there is none. */
  async lastEntry(): Promise<number> {
    return await this.#rows.read(lastEntry);
  }

  /** Requests, also refused and forgotten ones. */
  async requests(wanted: Wanted = {}): Promise<Found> {
    const { service, organizationId, areCampaigns } = wanted;
    const found: Found = { requests: [], damage: undefined };
    const isThere = service === undefined ? 'true' : 'service_key = $1';
    const where = areCampaigns ? `${isThere} and ${ARE_CAMPAIGNS}` : isThere;
    const values = service === undefined ? [] : [serviceKey(service)];
    await this.#rows.read(async (sql) => {
      for await (const page of pagesOf(sql, 'requests', ['entry'], { where, values }))
        for (const row of page) {
          if (organizationId !== undefined && row.organization_id !== organizationId) continue;
          try {
            found.requests.push(requestIn(row));
          } catch (error) {
            found.damage ??= error as FileError;
          }
        }
    });
    return found;
  }

  /** All that was, or may have been, carried out for an organization of a service. */
  async history(service: string, organizationId: number): Promise<History & Pick<Found, 'damage'>> {
    const { requests, damage } = await this.requests({ service, organizationId });
    return { ...historyOf(requests), damage };
  }

  /** The campaigns that were sent to a service and not refused, newest first, for one organization or for all. */
  async campaigns(
    service: string,
    organizationId: number | undefined,
  ): Promise<{ campaigns: Past<SentCampaign>[]; damage: FileError | undefined }> {
    const { requests, damage } = await this.requests({ service, organizationId, areCampaigns: true });
    const campaigns = requests.filter(isCampaign).filter((campaign) => !isRefused(campaign));
    return { campaigns: campaigns.sort(byTime).reverse(), damage };
  }

  /** Those that were kept with a campaign, one by one, in the order in which they were sent. */
  contactsOf(sent: SentCampaign): AsyncGenerator<KeptContact, void> {
    return readContacts(this.#rows, sent);
  }

  /** The columns of the file of a campaign's contacts, and how it was written; undefined if its rows were not kept. */
  async columnsOf({ entry }: SentCampaign): Promise<{ names: string[]; form: FileForm | undefined } | undefined> {
    const [row] = await this.#rows.read((sql) =>
      sql.all<{ columns: unknown }>('select columns from requests where entry = $1', [entry]),
    );
    const kept = parsed(row?.columns);
    const names = textsIn(kept) ?? textsIn(fieldsIn(kept)?.columns);
    return names && { names, form: formIn(kept) };
  }

  /** Keys of the phones (`phoneKeyOfDigits`) that a campaign calls, in the order of sending; a number may come twice. */
  phonesOf(sent: SentCampaign): Promise<Float64Array> {
    return readPhones(this.#rows, sent);
  }

  /** The same with the identifiers, by which calls are told apart; undefined for a contact without one. */
  async keysOf(sent: SentCampaign) {
    const phones = await this.phonesOf(sent);
    const identifiers = await readIdentifiers(this.#rows, sent);
    return { phones, identifierOf: (row: number) => identifiers[row] };
  }

  /** Keys of phones that requests of unknown outcome call, for every organization of a service. */
  async unknownPhones(service: string): Promise<Set<number>> {
    return await this.#rows.read((sql) => unknownPhones(sql, service));
  }

  /** Another text whenever something was recorded since. */
  async stamp(): Promise<string> {
    const [row] = await this.#rows.read((sql) =>
      sql.all<{ entries: number; ended: number }>(
        'select max(entry) as entries, count(outcome) + count(forgotten_at) as ended from requests',
      ),
    );
    return `${row?.entries} ${row?.ended}`;
  }

  /** What came of a campaign that is over, so that nobody reads its calls again to list it. Counts alone. */
  async keepSummary(entry: number, summary: string): Promise<void> {
    await this.#rows.put(...changing('requests', { entry }, { summary }));
  }

  /**
   * Removes what the register says of people in the requests that are chosen, with everything that is kept for them, and returns
   * the entries.
   */
  async forget(isChosen: (request: Past) => boolean): Promise<Set<number>> {
    const { requests, damage } = await this.requests();
    if (damage !== undefined) throw damage;
    const chosen = requests.filter((request) => request.sent.forgotten === undefined && isChosen(request));
    const entries = new Set(chosen.map(({ sent: { entry } }) => entry));
    if (entries.size === 0) return entries;
    await this.#rows.write(async (sql) => {
      await deleteContacts(sql, [...entries]);
      await forgetRequests(sql, chosen, this.now());
      await dropRedialsOf(sql, entries);
      const ofThem = 'entry in (select value from numbers($1) as list)';
      await changeKeys(sql, `update once_keys set request_sha256 = '', reply = null where ${ofThem}`, [
        JSON.stringify([...entries]),
      ]);
    }, LOCK);
    await this.#rows.purge();
    return entries;
  }

  /** Keeps a list of people to call again before it is handed out. */
  async keepRedial(redial: NewRedial): Promise<void> {
    await this.#rows.write((sql) => keepRedial(sql, redial), LOCK);
  }

  /** This machine's time in milliseconds since the epoch. */
  now(): number {
    return this.#systemNow();
  }
}

// What is left of a request that was forgotten: that it was sent, when, by whom and with what outcome; nobody's number ----

/** Fields of an answer that say nothing of the people who are called: that to a call may have the number in any of its own. */
const ANSWER = ['success', 'campaign_id', 'campaign_name', 'status', 'total_contacts', 'code'];

/** `at` is when they are forgotten, in milliseconds since the epoch. The hash of a few numbers would give them away. */
async function forgetRequests(sql: Sql, requests: readonly Past[], at: number): Promise<void> {
  for (const { sent, answer } of requests) {
    const reply = answer === undefined ? null : JSON.stringify(only(answer, ANSWER));
    const gone = { phone: null, numbers_sha256: '', file_sha256: null, columns: null };
    const left = { forgotten_at: at, request: JSON.stringify(leftOf(sent)), reply, ...gone };
    await sql.run(...changing('requests', { entry: sent.entry }, left));
  }
}

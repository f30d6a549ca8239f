/**
 * `plans/<n>/`: the folder of a plan. Its contacts never change; all else follows from `journal.jsonl`, which has what happened in
 * groups that were written together. All lines of a group but the last have `"more":true`; one that was cut off does not count.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { FIRST_INSTANT, LAST_INSTANT } from '../../contract.ts';
import { FileError } from '../../errors.ts';
import { oldContacts, oldRows } from '../../register/before/bring-over.ts';
import { bytesOf, inPages, isCount, linesOf, type OldFiles } from '../../register/before/old-files.ts';
import { addRows, changing, type Row } from '../../register/tables.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { fieldsIn, parsed } from '../../text/json.ts';
import { parseEvent, parseHead, parseRecorded } from '../rows/parse.ts';
import { planRow } from '../rows/plans.ts';
import { addStates, eventRow, STOPPED } from '../rows/stored-plan.ts';
import { applyEvent, newPosition } from '../rules/apply.ts';
import type { PlanEvent } from '../rules/events.ts';
import type { LoadedPlan, Plan } from '../rules/plan.ts';
import { ROW_STATES, Roster, type RowState } from '../rules/roster.ts';
import { dialsOf } from '../rules/rules.ts';

/** Bytes of a contact in `contacts.bin`: its phone, the index of its place, and six that are not used. */
const STATIC_BYTES = 16;
const PLACE_AT = 8;
const FOLDER = 'plans';
const FORMAT = 2;
/** How a line of the journal ends that is not the last of its group. */
const MORE = ',"more":true}';

export async function bringPlans(old: OldFiles, sql: Sql): Promise<void> {
  for (const name of await old.names(FOLDER)) {
    if (/^[1-9]\d{0,14}$/.test(name)) await bringPlan(old, sql, Number(name));
  }
}

async function bringPlan(old: OldFiles, sql: Sql, planId: number): Promise<void> {
  const names = await old.names(`${FOLDER}/${planId}`);
  if (names.has('forgotten')) return await addRows(sql, 'plans', [{ ...FORGOTTEN, plan_id: planId }]);
  const reading = new OldPlan(old, planId, names);
  try {
    await reading.bring(sql);
  } catch (error) {
    // Whatever somebody has written there is no bug of ours.
    if (error instanceof TypeError || error instanceof RangeError) throw reading.damaged('plan.json', 'is no plan');
    throw error;
  }
}

const FORGOTTEN: Row = {
  ...{ plan_name: '', service: '', organization_id: 0, created_at: 0, version: 0 },
  ...{ plan: '{}', state: 'forgotten', position: '{}', counts: '{}' },
};

interface Root {
  plan: Plan;
  /** Bytes of the journal, and the contacts in each state then. */
  applied: number;
  counts: Record<RowState, number>;
  /** The crc32 of `contacts.bin`. */
  sum: number | undefined;
}

class OldPlan {
  readonly #old: OldFiles;
  readonly #planId: number;
  readonly #names: ReadonlySet<string>;

  constructor(old: OldFiles, planId: number, names: ReadonlySet<string>) {
    this.#old = old;
    this.#planId = planId;
    this.#names = names;
  }

  /** How far the call log was read, and what was said last, are left out: it is read, or said, once more. */
  async bring(sql: Sql): Promise<void> {
    for (const name of ['plan.json', 'contacts.bin', 'contacts.jsonl', 'journal.jsonl']) this.#require(name);
    const root = this.#root(String(await bytesOf(this.#old, this.#path('plan.json'))));
    const { plan, sum } = root;
    const fixed = await bytesOf(this.#old, this.#path('contacts.bin'));
    if (fixed.length !== plan.contacts * STATIC_BYTES || (sum !== undefined && crc32(fixed) !== sum))
      throw this.damaged('contacts.bin', 'is not as it was written');
    const roster = new Roster(plan.contacts, dialsOf(plan.rules));
    const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.length);
    for (let row = 0; row < plan.contacts; row++)
      roster.put(row, view.getFloat64(row * STATIC_BYTES, true), view.getUint16(row * STATIC_BYTES + PLACE_AT, true));
    const loaded: LoadedPlan = { plan, position: newPosition(), roster, windows: { windowAt: () => undefined } };
    await addRows(sql, 'plans', [planRow({ ...loaded, counts: roster.counts }, 0)]);
    await this.#bringPeople(sql, loaded);
    const told = this.#names.has('told.json')
      ? fieldsIn(parsed(await bytesOf(this.#old, this.#path('told.json'))))
      : undefined;
    const { version, toldVersion } = await this.#bringEvents(sql, loaded, root, told?.journal);
    await addStates(sql, plan.plan_id, roster);
    const { state, position, counts } = planRow({ ...loaded, counts: roster.counts }, version);
    const now = { state, position, counts, version, stop_wish: await this.#stopWish(plan) };
    await sql.run(...changing('plans', { plan_id: plan.plan_id }, now));
    // Where it is older than the journal, entries are attributed anew.
    const entries = toldVersion === version ? JSON.stringify(told?.entries ?? null) : 'null';
    if (readable(() => parseRecorded(plan, entries)) !== undefined)
      await addRows(sql, 'plan_told', [{ plan_id: plan.plan_id, told: entries }]);
  }

  #root(text: string): Root {
    const root = fieldsIn(parsed(text));
    if (root?.format !== FORMAT || checkedJson(text.trimEnd()) === undefined || !isCount(root.applied))
      throw this.damaged('plan.json', 'is not as it was written');
    const [plan, position, counts] = [root.plan, root.position, root.counts].map((part) => JSON.stringify(part));
    const row = { plan, position, counts, version: 0, stop_wish: null, log_position: null };
    const head = readable(() => parseHead(this.#planId, row));
    if (head === undefined) throw this.damaged('plan.json', 'is no plan');
    const sum = fieldsIn(root.sums)?.contacts;
    return { plan: head.plan, counts: head.counts, applied: root.applied, sum: isCount(sum) ? sum : undefined };
  }

  /** A line that has become another contact's must never be sent in its name. */
  async #bringPeople(sql: Sql, { plan, roster }: LoadedPlan): Promise<void> {
    const { plan_id, contacts, places, columns } = plan;
    if (columns !== undefined) this.#require('rows.jsonl');
    const rows = columns && (await oldRows(this.#old, this.#path('rows.jsonl')));
    const hash = createHash('sha256');
    let count = 0;
    const take = (contact: Row | undefined, row: number, text: string): Row => {
      hash.update(text);
      count++;
      const place = row < contacts ? roster.placeOf(row) : places.length;
      if (contact === undefined || place >= places.length || contact.phone !== roster.phoneOf(row))
        throw this.damaged('contacts.jsonl', `has on line ${count} another contact than was written`);
      return { ...contact, plan_id, row, place };
    };
    const contactsFile = this.#path('contacts.jsonl');
    for await (const page of oldContacts(this.#old, contactsFile, rows, take)) await addRows(sql, 'plan_people', page);
    await rows?.requireEnd();
    if (count !== contacts || hash.digest('hex') !== (plan as { contacts_sha256?: unknown }).contacts_sha256)
      throw this.damaged('contacts.jsonl', 'is not as it was written');
  }

  /**
   * How many there are, and how many of them in `toldUntil` bytes, if that is where one ends. All are applied to `loaded`; where
   * those that were `applied` for sure end, in bytes, the contacts must be in as many states as were counted.
   */
  async #bringEvents(sql: Sql, loaded: LoadedPlan, { applied, counts }: Root, toldUntil: unknown) {
    const damaged = (why: string) => this.damaged('journal.jsonl', why);
    let [count, read, end] = [0, 0, -1];
    let toldVersion: number | undefined;
    const endsAt = (bytes: number) => {
      end = bytes;
      if (end === toldUntil) toldVersion = count;
      if (end !== applied || ROW_STATES.every((state) => loaded.roster.counts[state] === counts[state])) return;
      throw damaged('does not lead to the states of the contacts that plan.json counts');
    };
    endsAt(0);
    const lines = linesOf(this.#old, this.#path('journal.jsonl'));
    async function* rows(): AsyncGenerator<Row, void> {
      let group: PlanEvent[] = [];
      for await (const text of lines) {
        if (!text.endsWith('\n')) return;
        const json = checkedJson(text.slice(0, -1), read);
        const event = json === undefined ? undefined : readable(() => parseEvent(loaded.plan, count, json));
        if (event === undefined) throw damaged(`has a line that is no event, ${read} bytes after its beginning`);
        read += Buffer.byteLength(text);
        group.push(event);
        if (json?.endsWith(MORE)) continue;
        for (const one of group) {
          applyEvent(one, loaded, count);
          yield eventRow(loaded.plan.plan_id, count++, one);
        }
        group = [];
        endsAt(read);
      }
    }
    for await (const page of inPages(rows())) await addRows(sql, 'plan_events', page);
    if (end < applied) throw damaged(`ends after ${end} bytes, but ${applied} were written`);
    return { version: count, toldVersion };
  }

  /** Somebody wants it to stop; without content it is a wish all the same. */
  async #stopWish({ createdAt }: Plan): Promise<string | null> {
    if (!this.#names.has('stop.json')) return null;
    const { at, reason, isForGood } = fieldsIn(parsed(await bytesOf(this.#old, this.#path('stop.json')))) ?? {};
    const isSound = typeof at === 'number' && at >= FIRST_INSTANT && at <= LAST_INSTANT && typeof reason === 'string';
    const wish = isSound ? { at, reason } : { at: createdAt, reason: STOPPED };
    return JSON.stringify({ ...wish, ...(isSound && isForGood === true && { isForGood }) });
  }

  #require(name: string): void {
    if (!this.#names.has(name)) throw this.damaged(name, 'is missing');
  }

  #path(name: string): string {
    return `${FOLDER}/${this.#planId}/${name}`;
  }

  /** `why` says it of the file. */
  damaged(name: string, why: string): FileError {
    const given = this.#old.nameOf(this.#path('forgotten'));
    return new FileError(`Plan ${this.#planId} is damaged: ${this.#old.nameOf(this.#path(name))} ${why}.`, {
      code: 'plan_damaged',
      hint:
        `Put the file back as it was. If that cannot be done, an empty file ${given} gives the plan and its results up for good. ` +
        'Nothing was brought over, and nobody is called until then.',
    });
  }
}

const CHECK = ',"check":"';
const CHECK_LENGTH = `${CHECK}00000000"}`.length;

/**
 * The JSON of an object without its last field, a sum over its text: a disk that turns a bit must not turn the hours of
 * calls. Undefined if it is not what was written `at` this byte of its file.
 */
function checkedJson(text: string, at = 0): string | undefined {
  const body = text.slice(0, -CHECK_LENGTH);
  const sum = crc32(body, at % 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  return text.slice(-CHECK_LENGTH) === `${CHECK}${sum}"}` ? `${body}}` : undefined;
}

/** What today's rows would be read as; undefined if they could not be. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

/** `plans/<n>/`: the folder of a plan. Its contacts never change; all else follows from its journal. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { FIRST_INSTANT, LAST_INSTANT } from '../../contract.ts';
import { FileError } from '../../errors.ts';
import { oldContacts, oldRows } from '../../register/before/contacts.ts';
import { inPages, isCount, type OldFiles, textOf } from '../../register/before/old-files.ts';
import { addRows, type Row } from '../../register/tables.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { fieldsIn, parsed } from '../../text/parsed.ts';
import { parseHead, parseReading, parseTold } from '../rows/parse.ts';
import { planRow } from '../rows/plans.ts';
import { addStates } from '../rows/stored-plan.ts';
import { newPosition } from '../rules/apply.ts';
import type { LoadedPlan, Plan } from '../rules/plan.ts';
import { CONTACT_STATES, type ContactState, Roster } from '../rules/roster.ts';
import { dialsOf } from '../rules/rules.ts';
import { bringEvents, checkedJson, readable } from './events.ts';

/** Bytes of a contact in `contacts.bin`: its phone, the index of its place, and six that are not used. */
const STATIC_BYTES = 16;
const PLACE_AT = 8;
const FOLDER = 'plans';
const FORMAT = 2;

export async function bringPlans(old: OldFiles, sql: Sql): Promise<void> {
  for (const name of await old.names(FOLDER)) {
    if (/^[1-9]\d{0,14}$/.test(name)) await bringPlan(old, sql, Number(name));
  }
}

async function bringPlan(old: OldFiles, sql: Sql, planId: number): Promise<void> {
  const names = await old.names(`${FOLDER}/${planId}`);
  if (names.has('forgotten')) return await addRows(sql, 'plans', [forgotten(planId)]);
  const reading = new OldPlan(old, planId, names);
  try {
    await reading.bring(sql);
  } catch (error) {
    // Whatever somebody has written there is no bug of ours.
    if (error instanceof TypeError || error instanceof RangeError) throw reading.damaged('plan.json', 'is no plan');
    throw error;
  }
}

function forgotten(plan_id: number): Row {
  const is = { plan_id, plan_name: '', service: '', organization_id: 0, created_at: 0, version: 0 };
  return { ...is, plan: '{}', state: 'forgotten', position: '{}', counts: '{}' };
}

interface Root {
  plan: Plan;
  /** Bytes of the journal, and the contacts in each state then. */
  applied: number;
  counts: Record<ContactState, number>;
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

  async bring(sql: Sql): Promise<void> {
    const { plan, applied, counts, sum } = this.#root(await this.#text('plan.json'));
    const { plan_id: planId } = plan;
    for (const name of ['contacts.bin', 'contacts.jsonl', 'journal.jsonl']) this.#require(name);
    const fixed = await this.#old.bytes(this.#path('contacts.bin'));
    if (fixed.length !== plan.contacts * STATIC_BYTES || (sum !== undefined && crc32(fixed) !== sum))
      throw this.damaged('contacts.bin', 'is not as it was written');
    const roster = new Roster(plan.contacts, dialsOf(plan.rules));
    const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.length);
    for (let row = 0; row < plan.contacts; row++)
      roster.put(row, view.getFloat64(row * STATIC_BYTES, true), view.getUint16(row * STATIC_BYTES + PLACE_AT, true));
    const loaded: LoadedPlan = { plan, position: newPosition(), roster, hours: { openingAt: () => undefined } };
    await addRows(sql, 'plans', [planRow({ ...loaded, counts: roster.counts }, 0)]);
    await this.#bringPeople(sql, loaded);
    const told = fieldsIn(parsed(await this.#optional('told.json')));
    const journal = { path: this.#path('journal.jsonl'), damaged: (why: string) => this.damaged('journal.jsonl', why) };
    const events = await bringEvents(this.#old, sql, loaded, {
      ...journal,
      applied,
      toldUntil: told?.journal,
      onApplied: () => this.#requireCounts(roster, counts),
    });
    await addStates(sql, planId, roster, roster.takeChanged());
    const small = [await this.#logPosition(), await this.#stop(loaded), this.#json(await this.#optional('halt.json'))];
    const now = planRow({ ...loaded, counts: roster.counts }, events.count);
    await sql.run(
      `update plans set state = $2, position = $3, counts = $4, version = $5, log_position = $6, stop_wish = $7, halt_said = $8
         where plan_id = $1`,
      [planId, now.state, now.position, now.counts, now.version, ...small],
    );
    // Where it is older than the journal, entries are told apart anew.
    const entries = events.told === events.count ? JSON.stringify(told?.entries ?? null) : 'null';
    if (readable(() => parseTold(plan, entries)) !== undefined)
      await addRows(sql, 'plan_told', [{ plan_id: planId, told: entries }]);
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
    const lines = this.#old.lines(this.#path('contacts.jsonl'));
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
    for await (const page of inPages(oldContacts(lines, rows, take))) await addRows(sql, 'plan_people', page);
    await rows?.requireEnd();
    if (count !== contacts || hash.digest('hex') !== (plan as { contacts_sha256?: unknown }).contacts_sha256)
      throw this.damaged('contacts.jsonl', 'is not as it was written');
  }

  #requireCounts(roster: Roster, counts: Record<ContactState, number>): void {
    if (CONTACT_STATES.every((state) => roster.counts[state] === counts[state])) return;
    throw this.damaged('journal.jsonl', 'does not lead to the states of the contacts that plan.json counts');
  }

  /** It only saves time: one that cannot be read is none. */
  async #logPosition(): Promise<string | null> {
    const text = this.#json(await this.#optional('log.json'));
    return readable(() => parseReading(this.#planId, text)) === undefined ? null : text;
  }

  /** Somebody wants it to stop; without content it is a wish all the same. */
  async #stop({ plan }: LoadedPlan): Promise<string | null> {
    if (!this.#names.has('stop.json')) return null;
    const { at, reason, isForGood } = fieldsIn(parsed(await this.#optional('stop.json'))) ?? {};
    const isSound = typeof at === 'number' && at >= FIRST_INSTANT && at <= LAST_INSTANT && typeof reason === 'string';
    const wish = isSound ? { at, reason } : { at: plan.createdAt, reason: 'It was stopped with plan stop.' };
    return JSON.stringify({ ...wish, ...(isSound && isForGood === true && { isForGood }) });
  }

  #json(text: string): string | null {
    return fieldsIn(parsed(text)) === undefined ? null : text.trim();
  }

  async #optional(name: string): Promise<string> {
    return this.#names.has(name) ? await textOf(this.#old, this.#path(name)) : '';
  }

  async #text(name: string): Promise<string> {
    this.#require(name);
    return await textOf(this.#old, this.#path(name));
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
      hint: `Put the file back as it was. If that cannot be done, an empty file ${given} gives the plan and its results up for good. Nothing was brought over, and nobody is called until then.`,
    });
  }
}

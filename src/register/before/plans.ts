/** `plans/<n>/`: the folder of a plan. Its contacts never change; all else follows from its journal. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { FIRST_INSTANT, LAST_INSTANT } from '../../contract.ts';
import type { Sql, Value } from '../../database/sql.ts';
import { FileError } from '../../errors.ts';
import { newPosition } from '../../plans/apply.ts';
import type { LoadedPlan, Plan } from '../../plans/plan.ts';
import { CONTACT_STATES, Roster, recordBytes, STATIC_BYTES } from '../../plans/roster.ts';
import { parseHead, parseReading, parseTold } from '../../plans/rows/parse.ts';
import { dialsOf } from '../../plans/rules.ts';
import { fieldsIn, parsed } from '../../text/parsed.ts';
import { checkedJson } from './check.ts';
import { contactIn, contactRow, OldRows } from './contacts.ts';
import { bringEvents } from './events.ts';
import { type OldFiles, readable, textOf } from './old-files.ts';
import { isCount } from './old-lines.ts';

const FOLDER = 'plans';
const FORMAT = 2;

export async function bringPlans(old: OldFiles, sql: Sql): Promise<void> {
  for (const name of await old.names(FOLDER)) {
    if (/^[1-9]\d{0,14}$/.test(name)) await bringPlan(old, sql, Number(name));
  }
}

async function bringPlan(old: OldFiles, sql: Sql, planId: number): Promise<void> {
  const names = await old.names(`${FOLDER}/${planId}`);
  if (names.has('forgotten')) return await sql.insert('plans', COLUMNS, [forgotten(planId)]);
  const reading = new OldPlan(old, planId, names);
  try {
    await reading.bring(sql);
  } catch (error) {
    // Whatever somebody has written there is no bug of ours.
    if (error instanceof TypeError || error instanceof RangeError) throw reading.damaged('plan.json', 'is no plan');
    throw error;
  }
}

const COLUMNS = [
  ...['plan_id', 'plan_name', 'service', 'organization_id', 'created_at', 'plan', 'state', 'position', 'counts'],
  ...['version', 'log_position', 'stop_wish', 'halt_said'],
];
const PEOPLE = ['plan_id', 'row', 'phone', 'number', 'first_line', 'instruction', 'identifiers', 'place', 'cells'];
const STATES = ['plan_id', 'row', 'state', 'attempts', 'wave', 'recalled', 'marks', 'due', 'dials'];
const STATES_AT_ONCE = 10_000;

function forgotten(planId: number): Value[] {
  return [planId, '', '', 0, 0, '{}', 'forgotten', '{}', '{}', 0, null, null, null];
}

interface Root {
  plan: Plan;
  /** Bytes of the journal, and the contacts in each state then. */
  applied: number;
  counts: Record<string, number>;
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
    const dials = dialsOf(plan.rules);
    const roster = new Roster(fixed, new Uint8Array(plan.contacts * recordBytes(dials)), dials);
    const loaded: LoadedPlan = { plan, position: newPosition(), roster, hours: { openingAt: () => undefined } };
    const version = 0;
    await sql.insert('plans', COLUMNS, [[...this.#row(loaded, version), null, null, null]]);
    await this.#bringPeople(sql, loaded);
    const told = fieldsIn(parsed(await this.#optional('told.json')));
    const journal = { path: this.#path('journal.jsonl'), damaged: (why: string) => this.damaged('journal.jsonl', why) };
    const events = await bringEvents(this.#old, sql, loaded, {
      ...journal,
      applied,
      toldUntil: told?.journal,
      onApplied: () => this.#requireCounts(roster, counts),
    });
    for (let from = 0; from < roster.size; from += STATES_AT_ONCE)
      await sql.insert('plan_states', STATES, statesOf(planId, roster, from, from + STATES_AT_ONCE));
    const small = [await this.#logPosition(), await this.#stop(loaded), this.#json(await this.#optional('halt.json'))];
    await sql.run(
      `update plans set state = $2, position = $3, counts = $4, version = $5, log_position = $6, stop_wish = $7, halt_said = $8
         where plan_id = $1`,
      [planId, ...this.#row(loaded, events.count).slice(6), ...small],
    );
    // Where it is older than the journal, entries are told apart anew.
    const entries = events.told === events.count ? JSON.stringify(told?.entries ?? null) : 'null';
    if (readable(() => parseTold(plan, entries)) !== undefined)
      await sql.insert('plan_told', ['plan_id', 'told'], [[planId, entries]]);
  }

  #row({ plan, position, roster }: LoadedPlan, version: number): Value[] {
    const { plan_id, plan_name, service, organization_id, createdAt } = plan;
    const is = [plan_id, plan_name, service, organization_id, Math.floor(createdAt), JSON.stringify(plan)];
    return [...is, position.state, JSON.stringify(position), JSON.stringify(roster.counts), version];
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
    const { plan_id: planId, contacts, places, columns } = plan;
    const path = this.#path('contacts.jsonl');
    if (columns !== undefined) this.#require('rows.jsonl');
    const rows = columns === undefined ? undefined : await OldRows.open(this.#old, this.#path('rows.jsonl'));
    const hash = createHash('sha256');
    let row = 0;
    for await (const lines of this.#old.lines(path)) {
      const page: Value[][] = [];
      for (const text of lines) {
        hash.update(text);
        const contact = contactIn(text);
        const of = contact === undefined ? undefined : contactRow(contact);
        if (
          of === undefined ||
          row >= contacts ||
          of[0] !== roster.phoneOf(row) ||
          roster.placeOf(row) >= places.length
        )
          throw this.damaged('contacts.jsonl', `has on line ${row + 1} another contact than was written`);
        page.push([planId, row, ...of, roster.placeOf(row), (await rows?.next()) ?? null]);
        row++;
      }
      await sql.insert('plan_people', PEOPLE, page);
    }
    await rows?.requireEnd();
    if (row !== contacts || hash.digest('hex') !== (plan as { contacts_sha256?: unknown }).contacts_sha256)
      throw this.damaged('contacts.jsonl', 'is not as it was written');
  }

  #requireCounts(roster: Roster, counts: Record<string, number>): void {
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

/** Of contacts that were ever touched. */
function* statesOf(planId: number, roster: Roster, from: number, until: number): Generator<Value[], void> {
  for (let row = from; row < Math.min(until, roster.size); row++) {
    const { numbers, dials } = roster.recordOf(row);
    if ([...numbers, ...dials].some((number) => number !== 0)) yield [planId, row, ...numbers, JSON.stringify(dials)];
  }
}

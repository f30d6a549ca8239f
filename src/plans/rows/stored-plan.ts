/**
 * A plan in its rows. Reading takes no lock and writes nothing. A change is a group of events, written in one transaction with all
 * that follows from them, and known to be made from what was read last: so of two machines one is told that the other was there.
 * Whoever changes the plan holds its lock, for as long as a service is asked in between. Throws FileErrors.
 */

import { FileError, NotFoundError } from '../../errors.ts';
import { addRows, type Row } from '../../register/tables.ts';
import type { Rows, Sql, Value } from '../../storage/database/sql.ts';
import { fieldsIn, parsed } from '../../text/parsed.ts';
import { SECOND } from '../../text/units.ts';
import type { KeptReading } from '../log/hear-again.ts';
import { type ToldEntries, toldValues } from '../log/kept-entry.ts';
import { applyEvent } from '../rules/apply.ts';
import { hoursOf } from '../rules/calendar.ts';
import type { PlanEvent } from '../rules/events.ts';
import { cancelled } from '../rules/halts.ts';
import { isGoingOn, isOver, type LoadedPlan } from '../rules/plan.ts';
import type { Roster } from '../rules/roster.ts';
import { undamaged } from './damage.ts';
import { PlanHistory } from './history.ts';
import { type Head, type HeadRow, parseHead, parseTold, requireReadable, type StopWish } from './parse.ts';
import { PlanPeople } from './people.ts';
import { readRoster } from './read-roster.ts';

/** What changes of a plan, without its contacts. */
export interface Snapshot {
  /** How many events it has. */
  version: number;
  /** When plan run was last there, by the clock of its machine, in milliseconds since the epoch. */
  ranAt: number | undefined;
  isStopWanted: boolean;
}

/** What the last look at the call log left. */
export interface LastLook {
  /** Undefined where it was never read. */
  reading: KeptReading | undefined;
  told: ToldEntries;
}

/** What a look leaves; without a `reading` the place in the log stays what it was. */
interface Looked extends LastLook {
  /** By the clock of this machine, in milliseconds since the epoch. */
  ranAt: number;
}

/** Why a plan is stopped, if nothing else is known. */
export const STOPPED = 'It was stopped with plan stop.';
/** Milliseconds that `change` waits for another process, unless it is told. */
const LOCK_TIMEOUT = 10 * SECOND;
const HEAD = `select plan, position, counts, version, stop_wish, log_position from plans
  where plan_id = $1 and state <> 'forgotten'`;

export class StoredPlan {
  readonly planId: number;
  readonly #rows: Rows;
  readonly #command: string;

  /** `command`: what this process is doing, for others who wait for the lock. */
  constructor({ rows, planId, command }: { rows: Rows; planId: number; command: string }) {
    this.planId = planId;
    this.#rows = rows;
    this.#command = command;
  }

  /** The plan as it is now. Throws NotFoundError if there is none, and FileError, `plan_damaged` if its rows do not fit. */
  async load(): Promise<LoadedPlan> {
    return await this.#rows.read((sql) => loadPlan(sql, this.planId));
  }

  /**
   * Runs `body` while nobody else can change the plan; it works on what it is given, and commits events. Waits at most
   * `timeoutMs` for another process. A wish to stop that was left is fulfilled first.
   */
  async change<T>(body: (session: PlanSession) => Promise<T>, timeoutMs = LOCK_TIMEOUT): Promise<T> {
    return await this.holding(timeoutMs, async () => {
      const { head, loaded } = await this.#rows.read((sql) => readPlan(sql, this.planId));
      const session = new PlanSession(this, this.#rows, loaded, head.version);
      if (head.wish !== undefined) await this.#fulfil(head.wish, session);
      return await body(session);
    });
  }

  async holding<T>(timeoutMs: number, body: () => Promise<T>): Promise<T> {
    const options = { timeoutMs, command: this.#command, what: `Plan ${this.planId}` };
    return await this.#rows.holding(`plan ${this.planId}`, options, body);
  }

  /** From now on nobody begins a wave of it; durable when it resolves. The next `change` makes it `stopped`, or `cancelled`. */
  async requestStop(wish: StopWish): Promise<void> {
    const isWeaker = wish.isForGood ? '' : ' and stop_wish is null';
    await this.#rows.put(`update plans set stop_wish = $2 where plan_id = $1${isWeaker}`, [
      this.planId,
      JSON.stringify(wish),
    ]);
  }

  /** Whether somebody wants it, in a transaction: whoever comes to want it afterwards waits until that has ended. */
  async isStopWantedIn(sql: Sql): Promise<boolean> {
    const text = 'update plans set stop_wish = stop_wish where plan_id = $1 returning stop_wish';
    const [row] = await sql.all<{ stop_wish: unknown }>(text, [this.planId]);
    return row?.stop_wish !== null;
  }

  /** Throws NotFoundError. */
  async snapshot(): Promise<Snapshot> {
    const text = `select version, ran_at, stop_wish from plans where plan_id = $1 and state <> 'forgotten'`;
    const [row] = await this.#rows.read((sql) =>
      sql.all<{ version: number; ran_at: number | null; stop_wish: unknown }>(text, [this.planId]),
    );
    if (row === undefined) throw noPlan(this.planId);
    return { version: row.version, ranAt: row.ran_at ?? undefined, isStopWanted: row.stop_wish !== null };
  }

  async lastLook({ plan }: LoadedPlan): Promise<LastLook> {
    return await this.#rows.read(async (sql) => {
      const { reading } = await readHead(sql, this.planId);
      const [row] = await sql.all<{ told: unknown }>('select told from plan_told where plan_id = $1', [this.planId]);
      return { reading, told: parseTold(plan, row?.told) };
    });
  }

  /** When it was last said why it calls nobody, and why; undefined if it never was, or that cannot be read. */
  async haltSaid(): Promise<{ at?: unknown; reason?: unknown } | undefined> {
    const text = 'select halt_said from plans where plan_id = $1';
    const [row] = await this.#rows.read((sql) => sql.all<{ halt_said: unknown }>(text, [this.planId]));
    return fieldsIn(parsed(row?.halt_said));
  }

  /** A failure is not reported: it is said again then. */
  async keepHaltSaid(said: { at: number; reason: string }): Promise<void> {
    try {
      await this.#rows.put('update plans set halt_said = $2 where plan_id = $1', [this.planId, JSON.stringify(said)]);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
  }

  /** The contacts, as they will be sent. */
  peopleOf({ plan }: Pick<LoadedPlan, 'plan'>): PlanPeople {
    return new PlanPeople(this.#rows, plan);
  }

  /** What happened. */
  historyOf({ plan }: Pick<LoadedPlan, 'plan'>): PlanHistory {
    return new PlanHistory(this.#rows, plan);
  }

  async #fulfil({ wish, text }: NonNullable<Head['wish']>, session: PlanSession): Promise<void> {
    const { at, reason, isForGood } = wish;
    const { position, roster } = session.loaded;
    const { state } = position;
    await session.write(async (sql) => {
      if (!isOver(state) && isForGood) await session.commitIn(sql, cancelled(roster, at, reason));
      else if (isGoingOn(state)) await session.commitIn(sql, [{ event: 'stopped', at, reason }]);
      // Not one that somebody has come to have since.
      await sql.run('update plans set stop_wish = null where plan_id = $1 and stop_wish = $2', [this.planId, text]);
    });
  }
}

/** The plan as it is in a transaction. */
export async function loadPlan(sql: Sql, planId: number): Promise<LoadedPlan> {
  return (await readPlan(sql, planId)).loaded;
}

async function readPlan(sql: Sql, planId: number): Promise<{ head: Head; loaded: LoadedPlan }> {
  const head = await readHead(sql, planId);
  const { plan, position, reading } = head;
  const roster = await readRoster(sql, plan);
  const hours = undamaged(planId, 'a time zone of it', () => hoursOf(plan.rules, plan.places));
  const loaded: LoadedPlan = { plan, position, roster, hours };
  const ahead = reading?.ahead ?? plan.clockAhead;
  if (ahead !== undefined) loaded.ahead = ahead;
  return { head, loaded };
}

async function readHead(sql: Sql, planId: number): Promise<Head> {
  const [row] = await sql.all<HeadRow>(HEAD, [planId]);
  if (row === undefined) throw noPlan(planId);
  return parseHead(planId, row);
}

export function noPlan(planId: number): NotFoundError {
  return new NotFoundError(`There is no plan ${planId}.`, { code: 'plan_not_found' });
}

// Changes ------------------------------------------------------------------------------------------------------------

/** The error code of a change that another machine was ahead of. */
export const PLAN_CHANGED = 'plan_changed';

const STATE_COLUMNS = ['state', 'attempts', 'wave', 'recalled', 'marks', 'due', 'dials'];
const OVER_OLD = `on conflict (plan_id, row) do update set ${STATE_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** A change of a plan, by the one process that holds its lock. */
export class PlanSession {
  readonly stored: StoredPlan;
  readonly loaded: LoadedPlan;
  readonly #rows: Rows;
  #version: number;
  #failure: unknown;

  constructor(stored: StoredPlan, rows: Rows, loaded: LoadedPlan, version: number) {
    this.stored = stored;
    this.#rows = rows;
    this.loaded = loaded;
    this.#version = version;
  }

  /**
   * Makes events part of the plan, all or none, and applies them to `loaded`; durable, and known to all, when it resolves. Throws
   * FileErrors; then nothing was changed, and the session is over.
   */
  async commit(events: readonly PlanEvent[]): Promise<void> {
    if (events.length > 0) await this.write((sql) => this.commitIn(sql, events));
  }

  /** Several of them with what is asked in between, all or none. `body` must wait for nothing but the database. */
  async write<T>(body: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    const before = this.#version;
    try {
      return await this.#rows.write(body);
    } catch (error) {
      // What is in memory may now be ahead of what is kept.
      if (this.#version !== before) this.#failure = error;
      throw error;
    }
  }

  /** The same as `commit` inside a transaction; if that fails afterwards, the session is over. */
  async commitIn(sql: Sql, events: readonly PlanEvent[], looked?: Looked): Promise<void> {
    const { loaded } = this;
    const { plan_id } = loaded.plan;
    const before = this.#version;
    this.#version += events.length;
    for (const [at, event] of events.entries()) applyEvent(event, loaded, before + at);
    const { position, roster } = loaded;
    requireReadable(loaded);
    const columns: Record<string, Value> = {
      state: position.state,
      position: JSON.stringify(position),
      counts: JSON.stringify(roster.counts),
      version: this.#version,
      ...(looked !== undefined && { ran_at: looked.ranAt }),
      ...(looked?.reading !== undefined && { log_position: JSON.stringify(looked.reading) }),
    };
    const sets = Object.keys(columns).map((name, at) => `${name} = $${at + 3}`);
    const changed = await sql.run(
      `update plans set ${sets.join(', ')} where plan_id = $1 and version = $2 and state <> 'forgotten'`,
      [plan_id, before, ...Object.values(columns)],
    );
    if (changed === 0) {
      throw new FileError(`Another machine has changed plan ${plan_id} meanwhile: nothing of this counts.`, {
        code: PLAN_CHANGED,
        hint: 'Run it again.',
      });
    }
    await addRows(sql, 'plan_events', eventRows(plan_id, before, events));
    await addStates(sql, plan_id, roster, roster.takeChanged());
    if (looked === undefined) return;
    const told = JSON.stringify(Array.from(looked.told.values(), toldValues));
    await addRows(sql, 'plan_told', [{ plan_id, told }], 'on conflict (plan_id) do update set told = excluded.told');
  }
}

// Of tens of thousands, each is made when it is written.

function* eventRows(planId: number, first: number, events: readonly PlanEvent[]): Generator<Row, void> {
  for (const [at, event] of events.entries()) yield eventRow(planId, first + at, event);
}

export function eventRow(plan_id: number, number: number, event: PlanEvent): Row {
  const row = 'row' in event ? event.row : null;
  const wave = 'wave' in event ? event.wave : null;
  return { plan_id, number, happened_at: event.at, event: event.event, row, wave, data: JSON.stringify(event) };
}

/** Of these contacts, instead of what was written of them before. */
export async function addStates(sql: Sql, planId: number, roster: Roster, rows: Iterable<number>): Promise<void> {
  await sql.insert('plan_states', ['plan_id', 'row', ...STATE_COLUMNS], stateRows(planId, roster, rows), OVER_OLD);
}

function* stateRows(planId: number, roster: Roster, rows: Iterable<number>): Generator<Value[], void> {
  for (const row of rows) {
    const { numbers, dials } = roster.recordOf(row);
    yield [planId, row, ...numbers, JSON.stringify(dials)];
  }
}

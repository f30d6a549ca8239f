/**
 * A plan in its rows. Reading takes no lock and writes nothing. A change is a group of events, written in one transaction with all
 * that follows from them, and known to be made from what was read last: so of two machines one learns that the other was there.
 * Whoever changes the plan holds its lock, for as long as a service is asked in between. Throws FileErrors.
 */
import { FileError, NotFoundError } from '../../errors.ts';
import { addRows, changing, type Row } from '../../register/tables.ts';
import type { Rows, Sql, Value } from '../../storage/database/sql.ts';
import { fieldsIn, parsed } from '../../text/json.ts';
import { HOUR, SECOND } from '../../text/units.ts';
import type { KeptReading } from '../log/hear-again.ts';
import { type RecordedEntries, recordedValues } from '../log/kept-entry.ts';
import { applyEvent } from '../rules/apply.ts';
import { callingWindowsOf } from '../rules/calendar.ts';
import type { PlanEvent } from '../rules/events.ts';
import { cancelled } from '../rules/halts.ts';
import { isGoingOn, isOver, type LoadedPlan } from '../rules/plan.ts';
import type { Roster } from '../rules/roster.ts';
import {
  type Head,
  type HeadRow,
  parseHead,
  parseRecorded,
  requireReadable,
  type StopWish,
  undamaged,
} from './parse.ts';
import { readRoster } from './read-roster.ts';

/** What reading the call log leaves. */
export interface LogRecord {
  /** Undefined where it was never read, or where its place in the log stays what it was. */
  reading: KeptReading | undefined;
  recorded: RecordedEntries;
}

/** Why a plan is stopped, if nothing else is known. */
export const STOPPED = 'It was stopped with plan stop.';
/** Milliseconds that another process is waited for. */
const LOCK_TIMEOUT = 10 * SECOND;
/** Milliseconds: a day, and what a daily run may be too early. */
const SAID_FOR = 23 * HOUR;

export class StoredPlan {
  readonly planId: number;
  readonly rows: Rows;
  readonly #command: string;

  /** `command`: what this process is doing, for others who wait for the lock. */
  constructor({ rows, planId, command }: { rows: Rows; planId: number; command: string }) {
    this.planId = planId;
    this.rows = rows;
    this.#command = command;
  }

  /** The plan as it is now. Throws NotFoundError if there is none, and FileError, `plan_damaged` if its rows do not fit. */
  async load(): Promise<LoadedPlan> {
    return await this.rows.read((sql) => loadPlan(sql, this.planId));
  }

  /**
   * Runs `body` while nobody else can change the plan; it works on what is in the session, and commits events. Waits at most
   * `timeoutMs` for another process. A wish to stop that was left is fulfilled first.
   */
  async change<T>(body: (session: PlanSession) => Promise<T>, timeoutMs = LOCK_TIMEOUT): Promise<T> {
    return await this.holding(async () => {
      const { head, loaded } = await this.rows.read((sql) => readPlan(sql, this.planId));
      const session = new PlanSession(this, loaded, head.version);
      if (head.wish !== undefined) await fulfil(head.wish, session);
      return await body(session);
    }, timeoutMs);
  }

  async holding<T>(body: () => Promise<T>, timeoutMs = LOCK_TIMEOUT): Promise<T> {
    const options = { timeoutMs, command: this.#command, what: `Plan ${this.planId}` };
    return await this.rows.holding(`plan ${this.planId}`, options, body);
  }

  /** From now on nobody begins a wave of it; durable when it resolves. The next `change` makes it `stopped`, or `cancelled`. */
  async requestStop(wish: StopWish): Promise<void> {
    const isWeaker = wish.isForGood ? '' : ' and stop_wish is null';
    await this.#set('stop_wish', wish, isWeaker);
  }

  /** Whether somebody wants it, in a transaction: whoever comes to want it afterwards waits until that has ended. */
  async isStopWantedIn(sql: Sql): Promise<boolean> {
    const text = 'update plans set stop_wish = stop_wish where plan_id = $1 returning stop_wish';
    const [row] = await sql.all<{ stop_wish: unknown }>(text, [this.planId]);
    return row?.stop_wish !== null;
  }

  /**
   * How many events it has, when plan run was last there, by the clock of its machine in milliseconds since the epoch, and whether
   * somebody wants it to stop. Throws NotFoundError.
   */
  async snapshot(): Promise<{ version: number; ranAt: number | undefined; isStopWanted: boolean }> {
    type Found = { version: number; ran_at: number | null; stop_wish: unknown };
    const row = await this.rows.read((sql) => headOf<Found>(sql, this.planId, 'version, ran_at, stop_wish'));
    return { version: row.version, ranAt: row.ran_at ?? undefined, isStopWanted: row.stop_wish !== null };
  }

  async logRecord({ plan }: LoadedPlan): Promise<LogRecord> {
    return await this.rows.read(async (sql) => {
      const { reading } = parseHead(this.planId, await headOf(sql, this.planId));
      const [row] = await sql.all<{ told: unknown }>('select told from plan_told where plan_id = $1', [this.planId]);
      return { reading, recorded: parseRecorded(plan, row?.told) };
    });
  }

  /**
   * Whether whoever asks has to say that it calls nobody for this reason: nobody has for a day. Of two who ask at once one says it.
   * Where that cannot be kept, it is said again.
   */
  async isHaltToSay(reason: string, at: number): Promise<boolean> {
    const text = 'select halt_said from plans where plan_id = $1';
    const [row] = await this.rows.read((sql) => sql.all<{ halt_said: string | null }>(text, [this.planId]));
    const last = fieldsIn(parsed(row?.halt_said));
    const age = typeof last?.at === 'number' ? at - last.at : Number.POSITIVE_INFINITY;
    if (last?.reason === reason && age >= 0 && age < SAID_FOR) return false;
    const keep = "update plans set halt_said = $2 where plan_id = $1 and coalesce(halt_said, '') = $3";
    const values = [this.planId, JSON.stringify({ at, reason }), row?.halt_said ?? ''];
    return await this.rows
      .write((sql) => sql.run(keep, values))
      .then(
        (changed) => changed > 0,
        (error: unknown) => {
          if (!(error instanceof FileError)) throw error;
          return true;
        },
      );
  }

  async #set(column: string, value: object, and = ''): Promise<void> {
    const text = `update plans set ${column} = $2 where plan_id = $1${and}`;
    await this.rows.put(text, [this.planId, JSON.stringify(value)]);
  }
}

async function fulfil({ at, reason, isForGood, text }: NonNullable<Head['wish']>, session: PlanSession): Promise<void> {
  const { plan, position, roster } = session.loaded;
  const { state } = position;
  await session.write(async (sql) => {
    if (!isOver(state) && isForGood) await session.commitIn(sql, cancelled(roster, at, reason));
    else if (isGoingOn(state)) await session.commitIn(sql, [{ event: 'stopped', at, reason }]);
    // Not one that somebody has come to have since.
    const { plan_id } = plan;
    await sql.run('update plans set stop_wish = null where plan_id = $1 and stop_wish = $2', [plan_id, text]);
  });
}

/** The plan as it is in a transaction. */
export async function loadPlan(sql: Sql, planId: number): Promise<LoadedPlan> {
  return (await readPlan(sql, planId)).loaded;
}

async function readPlan(sql: Sql, planId: number): Promise<{ head: Head; loaded: LoadedPlan }> {
  const head = parseHead(planId, await headOf(sql, planId));
  const { plan, position, reading } = head;
  const roster = await readRoster(sql, plan);
  const windows = undamaged(planId, 'a time zone of it', () => callingWindowsOf(plan.rules, plan.places));
  const ahead = reading?.ahead ?? plan.clockAhead;
  return { head, loaded: { plan, position, roster, windows, ...(ahead !== undefined && { ahead }) } };
}

const HEAD = 'plan, position, counts, version, stop_wish, log_position';

async function headOf<Found = HeadRow>(sql: Sql, planId: number, columns = HEAD): Promise<Found> {
  const text = `select ${columns} from plans where plan_id = $1 and state <> 'forgotten'`;
  const [row] = await sql.all<Found>(text, [planId]);
  if (row === undefined) throw noPlan(planId);
  return row;
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
  #version: number;
  #failure: unknown;

  constructor(stored: StoredPlan, loaded: LoadedPlan, version: number) {
    this.stored = stored;
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
      return await this.stored.rows.write(body);
    } catch (error) {
      // What is in memory may now be ahead of what is kept.
      if (this.#version !== before) this.#failure = error;
      throw error;
    }
  }

  /**
   * The same as `commit` inside a transaction; if that fails afterwards, the session is over. `read`: with what is known of the log
   * from then on, and when it was read, by the clock of this machine, in milliseconds since the epoch.
   */
  async commitIn(sql: Sql, events: readonly PlanEvent[], read?: LogRecord & { ranAt?: number }): Promise<void> {
    const { loaded } = this;
    const { plan_id } = loaded.plan;
    const before = this.#version;
    this.#version += events.length;
    for (const [at, event] of events.entries()) applyEvent(event, loaded, before + at);
    const { position, roster } = loaded;
    const isEdited = events.some(({ event }) => event === 'edited');
    requireReadable(loaded, isEdited);
    const columns = {
      state: position.state,
      position: JSON.stringify(position),
      counts: JSON.stringify(roster.counts),
      version: this.#version,
      ...(isEdited && { plan: JSON.stringify(loaded.plan) }),
      ...(read?.ranAt !== undefined && { ran_at: read.ranAt }),
      ...(read?.reading !== undefined && { log_position: JSON.stringify(read.reading) }),
    };
    const isThere = "state <> 'forgotten'";
    if ((await sql.run(...changing('plans', { plan_id, version: before }, columns, isThere))) === 0) {
      throw new FileError(`Another machine has changed plan ${plan_id} meanwhile: nothing of this counts.`, {
        code: PLAN_CHANGED,
        hint: 'Run it again.',
      });
    }
    await addRows(sql, 'plan_events', eventRows(plan_id, before, events));
    await addStates(sql, plan_id, roster);
    if (read === undefined) return;
    const told = JSON.stringify(Array.from(read.recorded.values(), recordedValues));
    await addRows(sql, 'plan_told', [{ plan_id, told }], 'on conflict (plan_id) do update set told = excluded.told');
  }
}

/** Of tens of thousands, each is made when it is written. */
function* eventRows(planId: number, first: number, events: readonly PlanEvent[]): Generator<Row, void> {
  for (const [at, event] of events.entries()) yield eventRow(planId, first + at, event);
}

export function eventRow(plan_id: number, number: number, event: PlanEvent): Row {
  const row = 'row' in event ? event.row : null;
  const wave = 'wave' in event ? event.wave : null;
  return { plan_id, number, happened_at: event.at, event: event.event, row, wave, data: JSON.stringify(event) };
}

/** Of the contacts that have changed, instead of what was written of them before. */
export async function addStates(sql: Sql, planId: number, roster: Roster): Promise<void> {
  await sql.insert('plan_states', ['plan_id', 'row', ...STATE_COLUMNS], stateRows(planId, roster), OVER_OLD);
}

function* stateRows(planId: number, roster: Roster): Generator<Value[], void> {
  for (const row of roster.takeChanged()) {
    const { numbers, dials } = roster.recordOf(row);
    yield [planId, row, ...numbers, JSON.stringify(dials)];
  }
}

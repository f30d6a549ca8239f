/** A change of a plan, by the one process that holds its lock. */
import type { Rows, Sql, Value } from '../../database/sql.ts';
import { FileError } from '../../errors.ts';
import { applyEvent } from '../apply.ts';
import type { PlanEvent } from '../events.ts';
import type { KeptReading } from '../log/log-position.ts';
import { type ToldEntries, toldValues } from '../log/told-entries.ts';
import type { LoadedPlan } from '../plan.ts';
import type { Roster } from '../roster.ts';
import { requireReadable } from './parse.ts';

/** What a look at the call log leaves beside the events. */
export interface Looked {
  /** Undefined if the place in the log stays what it was. */
  reading: KeptReading | undefined;
  told: ToldEntries;
  /** By the clock of this machine, in milliseconds since the epoch. */
  ranAt: number;
}

/** The error code of a change that another machine was ahead of. */
export const PLAN_CHANGED = 'plan_changed';

const EVENT_COLUMNS = ['plan_id', 'number', 'happened_at', 'event', 'row', 'wave', 'data'];
const STATE_COLUMNS = ['state', 'attempts', 'wave', 'recalled', 'marks', 'due', 'dials'];
const OVER_OLD = `on conflict (plan_id, row) do update set ${STATE_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`;

export class PlanSession {
  readonly loaded: LoadedPlan;
  readonly #rows: Rows;
  #version: number;
  #failure: unknown;

  constructor(rows: Rows, loaded: LoadedPlan, version: number) {
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
    await sql.insert('plan_events', EVENT_COLUMNS, eventRows(plan_id, before, events));
    await sql.insert('plan_states', ['plan_id', 'row', ...STATE_COLUMNS], stateRows(plan_id, roster), OVER_OLD);
    if (looked === undefined) return;
    const told = [[plan_id, JSON.stringify(Array.from(looked.told.values(), toldValues))]];
    const over = 'on conflict (plan_id) do update set told = excluded.told';
    await sql.insert('plan_told', ['plan_id', 'told'], told, over);
  }
}

// Of tens of thousands, each is made when it is written.

function* eventRows(planId: number, first: number, events: readonly PlanEvent[]): Generator<Value[], void> {
  for (const [at, event] of events.entries()) {
    const of = ['row' in event ? event.row : null, 'wave' in event ? event.wave : null];
    yield [planId, first + at, event.at, event.event, ...of, JSON.stringify(event)];
  }
}

function* stateRows(planId: number, roster: Roster): Generator<Value[], void> {
  for (const row of roster.takeChanged()) {
    const { numbers, dials } = roster.recordOf(row);
    yield [planId, row, ...numbers, JSON.stringify(dials)];
  }
}

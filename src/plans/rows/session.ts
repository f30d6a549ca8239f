/** A change of a plan, by the one process that holds its lock. */

import { FileError } from '../../errors.ts';
import { addRows, type Row } from '../../register/tables.ts';
import type { Rows, Sql, Value } from '../../storage/database/sql.ts';
import type { KeptReading } from '../log/hear-again.ts';
import { type ToldEntries, toldValues } from '../log/known-entries.ts';
import { applyEvent } from '../rules/apply.ts';
import type { PlanEvent } from '../rules/events.ts';
import type { LoadedPlan } from '../rules/plan.ts';
import type { Roster } from '../rules/roster.ts';
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

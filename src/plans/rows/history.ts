/** What happened to a plan, read from its events some at a time. Throws FileErrors. */
import type { Rows, Sql, Value } from '../../storage/database/sql.ts';
import { type Called, type EventOf, type PlanEvent, type Revised, rowsOf } from '../rules/events.ts';
import type { OpenWave, Plan } from '../rules/plan.ts';
import type { Roster } from '../rules/roster.ts';
import { damaged } from './damage.ts';
import { parseEvent } from './parse.ts';

interface EventRow {
  number: number;
  row: number | null;
  event: string;
  data: unknown;
}

type Kind = PlanEvent['event'];

/** Events that are read together. */
const PAGE = 5_000;
const CALLS: readonly Kind[] = ['called', 'revised'];

export class PlanHistory {
  readonly #rows: Rows;
  readonly #plan: Plan;

  constructor(rows: Rows, plan: Plan) {
    this.#rows = rows;
    this.#plan = plan;
  }

  /** Those of some kinds, or all, in their order. */
  async *events<K extends Kind = Kind>(...kinds: K[]): AsyncGenerator<EventOf<K>, void> {
    const ofKinds = kinds.length === 0 ? '' : ` and event in (${quoted(kinds)})`;
    // There are few that are not of a contact, and an index has them.
    const ofPlan = kinds.length > 0 && kinds.every((kind) => OF_PLAN.has(kind)) ? ' and row is null' : '';
    const from = { where: `number > $2${ofPlan}${ofKinds} order by number`, after: [-1] };
    for await (const row of this.#pages(from, ({ number }) => [number])) yield this.#event(row) as EventOf<K>;
  }

  /** For each contact that was called, in their order, its calls in the order of their times. */
  async *callsOfContacts(): AsyncGenerator<readonly [row: number, calls: readonly Called[]], void> {
    const where = `row is not null and (row, number) > ($2, $3) and event in (${quoted(CALLS)}) order by row, number`;
    let of = -1;
    let events: (Called | Revised)[] = [];
    for await (const found of this.#pages({ where, after: [-1, -1] }, ({ row, number }) => [row as number, number])) {
      if (found.row !== of) {
        if (events.length > 0) yield [of, callsOf(events)];
        [of, events] = [found.row as number, []];
      }
      events.push(this.#event(found) as Called);
    }
    if (events.length > 0) yield [of, callsOf(events)];
  }

  /** The events of a query, some at a time; `next` is the place after which the next ones are. */
  async *#pages(
    { where, after }: { where: string; after: number[] },
    next: (last: EventRow) => number[],
  ): AsyncGenerator<EventRow, void> {
    for (let place = after; ; ) {
      const found = await this.#ask(`${where} limit ${PAGE}`, place);
      yield* found;
      if (found.length < PAGE) return;
      place = next(found.at(-1) as EventRow);
    }
  }

  /** How many calls of each wave were seen. */
  async callsByWave(): Promise<Map<number, number>> {
    const text = `select wave, count(*) as calls from plan_events
      where plan_id = $1 and event = 'called' and wave is not null group by wave`;
    const found = await this.#rows.read((sql) => sql.all<{ wave: number; calls: number }>(text, [this.#plan.plan_id]));
    return new Map(found.map(({ wave, calls }) => [wave, calls]));
  }

  /** The calls of some contacts that the plan was told of, in a transaction of a change. */
  async countedIn(sql: Sql, rows: readonly number[]): Promise<Map<number, Counted>> {
    if (rows.length === 0) return new Map();
    const text = `select number, row, event, data from plan_events
      where plan_id = $2 and row is not null and row in (select value from numbers($1) as list)
      and event in ('called', 'others') order by row, number`;
    const found = await sql.all<EventRow>(text, [JSON.stringify(rows), this.#plan.plan_id]);
    return countedCalls(found.map((row) => this.#event(row)));
  }

  /**
   * For each status that the service's interface does not name the contacts whose last call has it, and has not changed since:
   * whether they were reached is not known.
   */
  async unclearByStatus(roster: Pick<Roster, 'isUnclear'>): Promise<Map<string, number[]>> {
    const statuses = new Map<number, string>();
    for await (const { row, status } of this.events('unclear')) statuses.set(row, status);
    const rows = new Map<string, number[]>();
    for (const [row, status] of statuses)
      if (roster.isUnclear(row)) rows.set(status, [...(rows.get(status) ?? []), row]);
    return rows;
  }

  /** The rows of a wave, in the order in which they are called. */
  async rowsOfWave({ wave, journalAt }: Pick<OpenWave, 'wave' | 'journalAt'>): Promise<number[]> {
    const [found] = await this.#ask('number = $2', [journalAt]);
    const event = found && this.#event(found);
    if (event?.event === 'handed' && event.wave === wave) return [...rowsOf(event.rows)];
    throw damaged(this.#plan.plan_id, `event ${journalAt} is not that of wave ${wave}`);
  }

  async #ask(where: string, values: Value[]): Promise<EventRow[]> {
    const text = `select number, row, event, data from plan_events where plan_id = $1 and ${where}`;
    return await this.#rows.read((sql) => sql.all<EventRow>(text, [this.#plan.plan_id, ...values]));
  }

  #event({ number, row, event: kind, data }: EventRow): PlanEvent {
    const event = parseEvent(this.#plan, number, data);
    if (event.event === kind && ('row' in event ? event.row : null) === row) return event;
    throw damaged(this.#plan.plan_id, `event ${number} is not what its columns say`);
  }
}

const OF_PLAN: ReadonlySet<Kind> = new Set<Kind>([
  ...(['handed', 'answered', 'unseen', 'excluded', 'left', 'resumed'] as const),
  ...(['stopped', 'waiting', 'cancelled', 'done'] as const),
]);

function quoted(kinds: readonly Kind[]): string {
  return kinds.map((kind) => `'${kind}'`).join(', ');
}

/** The instants of calls, and whose they were. */
type Counted = Map<number, 'own' | 'others'>;

/** The calls that events tell of, by contact. */
function countedCalls(events: Iterable<PlanEvent>): Map<number, Counted> {
  const counted = new Map<number, Counted>();
  for (const event of events) {
    if (event.event !== 'called' && event.event !== 'others') continue;
    const calls: Counted = counted.get(event.row) ?? new Map();
    counted.set(event.row, calls);
    if (event.event === 'called') calls.set(event.at, 'own');
    else if (!calls.has(event.at)) calls.set(event.at, 'others');
  }
  return counted;
}

/** In the order of their times; a contact has one call at an instant. */
function callsOf(events: readonly (Called | Revised)[]): readonly Called[] {
  const calls = new Map<number, Called>();
  for (const event of events) {
    if (event.event === 'called') calls.set(event.at, event);
    else if (calls.has(event.at)) calls.set(event.at, calledAnew(event));
  }
  return [...calls.values()].sort((one, other) => one.at - other.at);
}

function calledAnew({ was: _, ...revised }: Revised): Called {
  return { ...revised, event: 'called' };
}

/** What happened to a plan, read from its events some at a time. Throws FileErrors. */
import type { Rows, Sql, Value } from '../../storage/database/sql.ts';
import { type Called, type EventOf, type PlanEvent, type Revised, rowsOf } from '../rules/events.ts';
import type { LoadedPlan, OpenWave, Plan } from '../rules/plan.ts';
import { damaged, parseEvent } from './parse.ts';

interface EventRow {
  number: number;
  row: number | null;
  event: string;
  data: unknown;
}

type Kind = PlanEvent['event'];

/** Events that are read together. */
const PAGE = 5_000;

/** Those of some kinds, or all, in their order. */
export async function* eventsOf<K extends Kind = Kind>(
  rows: Rows,
  plan: Plan,
  ...kinds: K[]
): AsyncGenerator<EventOf<K>, void> {
  const ofKinds = kinds.length === 0 ? '' : ` and event in (${kinds.map((kind) => `'${kind}'`).join(', ')})`;
  // There are few that are not of a contact, and an index has them.
  const ofPlan = kinds.length > 0 && !kinds.some((kind) => kind in OF_CONTACT) ? ' and row is null' : '';
  const from = { where: `number > $2${ofPlan}${ofKinds} order by number`, after: [-1] };
  for await (const found of pages(rows, plan, from, ({ number }) => [number])) yield eventIn(plan, found) as EventOf<K>;
}

type OfContact = Extract<PlanEvent, { row: number }>['event'];
const OF_CONTACT: Record<OfContact, true> = { called: true, revised: true, others: true, unclear: true };

/** For each contact that was called, in their order, its calls in the order of their times. */
export async function* callsOfContacts(
  rows: Rows,
  plan: Plan,
): AsyncGenerator<readonly [row: number, calls: readonly Called[]], void> {
  const where = `row is not null and (row, number) > ($2, $3) and event in ('called', 'revised') order by row, number`;
  let of = -1;
  let events: (Called | Revised)[] = [];
  const placeOf = ({ row, number }: EventRow) => [row as number, number];
  for await (const found of pages(rows, plan, { where, after: [-1, -1] }, placeOf)) {
    if (found.row !== of) {
      if (events.length > 0) yield [of, callsOf(events)];
      [of, events] = [found.row as number, []];
    }
    events.push(eventIn(plan, found) as Called);
  }
  if (events.length > 0) yield [of, callsOf(events)];
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

/** How many calls of each wave were seen. */
export async function callsByWave(rows: Rows, { plan_id }: Plan): Promise<Map<number, number>> {
  const text = `select wave, count(*) as calls from plan_events
    where plan_id = $1 and event = 'called' and wave is not null group by wave`;
  const found = await rows.read((sql) => sql.all<{ wave: number; calls: number }>(text, [plan_id]));
  return new Map(found.map(({ wave, calls }) => [wave, calls]));
}

/** The instants of calls, and who made them. */
type Counted = Map<number, 'own' | 'others'>;

/** The calls of some contacts that the plan has recorded, in a transaction of a change. */
export async function countedIn(sql: Sql, plan: Plan, wanted: readonly number[]): Promise<Map<number, Counted>> {
  const counted = new Map<number, Counted>();
  if (wanted.length === 0) return counted;
  const text = `select number, row, event, data from plan_events
    where plan_id = $2 and row is not null and row in (select value from numbers($1) as list)
    and event in ('called', 'others') order by row, number`;
  for (const found of await sql.all<EventRow>(text, [JSON.stringify(wanted), plan.plan_id])) {
    const event = eventIn(plan, found) as EventOf<'called' | 'others'>;
    const calls: Counted = counted.get(event.row) ?? new Map();
    counted.set(event.row, calls);
    if (event.event === 'called') calls.set(event.at, 'own');
    else if (!calls.has(event.at)) calls.set(event.at, 'others');
  }
  return counted;
}

/**
 * For each status that the service's interface does not name the contacts whose last call has it, and has not changed since:
 * whether they were reached is not known.
 */
export async function unclearByStatus(rows: Rows, { plan, roster }: LoadedPlan): Promise<Map<string, number[]>> {
  const statuses = new Map<number, string>();
  for await (const { row, status } of eventsOf(rows, plan, 'unclear')) statuses.set(row, status);
  const found = new Map<string, number[]>();
  for (const [row, status] of statuses)
    if (roster.isUnclear(row)) found.set(status, [...(found.get(status) ?? []), row]);
  return found;
}

/** The rows of a wave, in the order in which they are called. */
export async function rowsOfWave(
  rows: Rows,
  plan: Plan,
  { wave, journalAt }: Pick<OpenWave, 'wave' | 'journalAt'>,
): Promise<number[]> {
  const [found] = await ask(rows, plan, 'number = $2', [journalAt]);
  const event = found && eventIn(plan, found);
  if (event?.event === 'handed' && event.wave === wave) return [...rowsOf(event.rows)];
  throw damaged(plan.plan_id, `event ${journalAt} is not that of wave ${wave}`);
}

/** The events of a query, some at a time; `next` is the place after which the next ones are. */
async function* pages(
  rows: Rows,
  plan: Plan,
  { where, after }: { where: string; after: number[] },
  next: (last: EventRow) => number[],
): AsyncGenerator<EventRow, void> {
  for (let place = after; ; ) {
    const found = await ask(rows, plan, `${where} limit ${PAGE}`, place);
    yield* found;
    if (found.length < PAGE) return;
    place = next(found.at(-1) as EventRow);
  }
}

async function ask(rows: Rows, { plan_id }: Plan, where: string, values: Value[]): Promise<EventRow[]> {
  const text = `select number, row, event, data from plan_events where plan_id = $1 and ${where}`;
  return await rows.read((sql) => sql.all<EventRow>(text, [plan_id, ...values]));
}

function eventIn(plan: Plan, { number, row, event: kind, data }: EventRow): PlanEvent {
  const event = parseEvent(plan, number, data);
  if (event.event === kind && ('row' in event ? event.row : null) === row) return event;
  throw damaged(plan.plan_id, `event ${number} is not what its columns say`);
}

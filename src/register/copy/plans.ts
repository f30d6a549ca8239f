/**
 * Plans that are not there are added, with another number if theirs is taken. One that is there, by its name, its service and the moment it was
 * made, is replaced if more has happened to it here.
 */
import type { Sql, Value } from '../../database/sql.ts';
import { FileError } from '../../errors.ts';
import { fieldsIn, parsed } from '../../text/parsed.ts';
import { serviceKey } from '../service-key.ts';
import { add, lastOf, pagesOf, type Row } from './pages.ts';

export interface CopiedPlans {
  added: number;
  known: number;
  updated: number;
}

interface Match {
  planId: number;
  /** The number there. */
  there: number;
  createdAt: Value;
  /** What is to be done: nothing if more has happened to it there. */
  act: 'add' | 'replace' | 'leave';
}

export class PlanMatches {
  readonly all: readonly Match[];

  constructor(all: readonly Match[]) {
    this.all = all;
  }

  /** The number there of a plan by which a request was sent; undefined if it is not one of these. */
  numberOf(planId: number, createdAt: number): number | undefined {
    return this.all.find((match) => match.planId === planId && match.createdAt === createdAt)?.there;
  }
}

const HEADS = `select plan_id, plan_name, service, organization_id, created_at, version from plans where state <> 'forgotten' order by plan_id`;

export async function matchPlans(from: Sql, to: Sql): Promise<PlanMatches> {
  const there = new Map((await to.all<Row>(HEADS)).map((row) => [keyOf(row), row]));
  const taken = new Set((await to.all<Row>('select plan_id from plans')).map(({ plan_id }) => plan_id));
  let last = Math.max(await lastOf(to, 'plans', 'plan_id'), await lastOf(from, 'plans', 'plan_id'));
  const matches = (await from.all<Row>(HEADS)).map((row): Match => {
    const planId = Number(row.plan_id);
    const known = there.get(keyOf(row));
    const createdAt = row.created_at ?? null;
    if (known === undefined) return { planId, there: taken.has(planId) ? ++last : planId, createdAt, act: 'add' };
    const isAhead = Number(row.version) > Number(known.version);
    return { planId, there: Number(known.plan_id), createdAt, act: isAhead ? 'replace' : 'leave' };
  });
  return new PlanMatches(matches);
}

function keyOf({ plan_name, service, organization_id, created_at }: Row): string {
  return JSON.stringify([plan_name, serviceKey(String(service)), organization_id, created_at]);
}

/** What belongs to a plan, and by what it is ordered. What only saves reading the call log once more is left out. */
const PARTS = { plan_people: 'row', plan_states: 'row', plan_events: 'number' };

/** `entries`: the number there of each entry of the register. */
export async function copyPlans(
  from: Sql,
  to: Sql,
  { all }: PlanMatches,
  entries: ReadonlyMap<number, number>,
): Promise<CopiedPlans> {
  for (const match of all.filter(({ act }) => act !== 'leave')) {
    const { planId, there } = match;
    if (match.act === 'replace') await remove(to, there);
    const [head] = await from.all<Row>('select * from plans where plan_id = $1', [planId]);
    await add(to, 'plans', [headThere(head ?? {}, there, entries)]);
    const of = { where: 'plan_id = $1', values: [planId] };
    for (const [table, by] of Object.entries(PARTS)) {
      for await (const page of pagesOf(from, table, [by], of)) {
        const rows = page.map((row) => ({ ...row, plan_id: there }));
        await add(to, table, table === 'plan_events' ? rows.map((row) => eventThere(row, entries)) : rows);
      }
    }
  }
  const count = (act: Match['act']) => all.filter((match) => match.act === act).length;
  return { added: count('add'), known: all.length - count('add'), updated: count('replace') };
}

async function remove(to: Sql, planId: number): Promise<void> {
  for (const table of [...Object.keys(PARTS).reverse(), 'plan_told', 'plans'])
    await to.run(`delete from ${table} where plan_id = $1`, [planId]);
}

function headThere(head: Row, planId: number, entries: ReadonlyMap<number, number>): Row {
  const plan = objectIn(head.plan, head);
  const position = objectIn(head.position, head);
  const open = Array.isArray(position.open) ? position.open.map((wave) => entryThere(wave, entries)) : position.open;
  return {
    ...head,
    plan_id: planId,
    plan: JSON.stringify({ ...plan, plan_id: planId }),
    position: JSON.stringify({ ...position, open }),
    log_position: null,
  };
}

function eventThere(row: Row, entries: ReadonlyMap<number, number>): Row {
  if (row.event !== 'handed') return row;
  return { ...row, data: JSON.stringify(entryThere(objectIn(row.data, row), entries)) };
}

/** A wave with the number of its request there. */
function entryThere(wave: unknown, entries: ReadonlyMap<number, number>): unknown {
  const entry = (wave as { entry?: unknown } | null)?.entry;
  return typeof entry === 'number' ? { ...(wave as object), entry: entries.get(entry) } : wave;
}

function objectIn(json: unknown, { plan_id }: Row): Record<string, unknown> {
  const fields = fieldsIn(parsed(json));
  if (fields !== undefined) return fields;
  throw new FileError(`Plan ${plan_id} is damaged: it is not what was written. Nothing was copied.`, {
    code: 'plan_damaged',
    hint: 'plan forget, by force, removes it and its results for good.',
  });
}

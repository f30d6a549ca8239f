/**
 * Copies all that a register and its plans hold to another place, in one transaction, and merges it there: what is
 * known on one side is known afterwards on both. Plans that are not there are added, with another number if theirs is
 * taken. One that is there, by its name, its service and the moment it was made, is replaced if more has happened to it
 * here. The source is read at one moment, in pages. Lists of people to call again last a day, and are left out: then
 * the guards are as strict as without them. Throws FileErrors; then nothing was changed.
 */
import { FileError } from '../../errors.ts';
import { type CopiedRequests, copyOptedOut, copyRequests } from '../../register/copy-requests.ts';
import { copyKeys } from '../../register/once.ts';
import { serviceKey } from '../../register/service-key.ts';
import { addRows, lastOf, pagesOf, type Row } from '../../register/tables.ts';
import type { Rows, Sql, Value } from '../../storage/database/sql.ts';
import { fieldsIn, parsed } from '../../text/json.ts';
import { removeParts } from './plans.ts';

export interface Copied {
  requests: CopiedRequests;
  plans: { added: number; known: number; updated: number };
}

export async function copyRegister(source: Rows, target: Rows): Promise<Copied> {
  return await target.write(
    async (to) =>
      await source.read(async (from) => {
        await copyOptedOut(from, to);
        const matches = await matchPlans(from, to);
        const { entries, ...requests } = await copyRequests(from, to, (plan) => thereOf(matches, plan));
        await copyKeys(from, to, entries);
        return { requests, plans: await copyPlans(from, to, matches, entries) };
      }),
    'requests',
  );
}

interface Match {
  planId: number;
  /** The number there. */
  there: number;
  createdAt: Value;
  /** What is to be done: nothing if more has happened to it there. */
  act: 'add' | 'replace' | 'leave';
}

/** The number there of the plan by which a request was sent; undefined if it is not one of these. */
function thereOf(matches: readonly Match[], { plan_id, plan_created_at }: Row): number | undefined {
  return matches.find(({ planId, createdAt }) => planId === plan_id && createdAt === plan_created_at)?.there;
}

const HEADS = `select plan_id, plan_name, service, organization_id, created_at, version from plans
  where state <> 'forgotten' order by plan_id`;

async function matchPlans(from: Sql, to: Sql): Promise<Match[]> {
  const there = new Map((await to.all<Row>(HEADS)).map((row) => [keyOf(row), row]));
  const taken = new Set((await to.all<Row>('select plan_id from plans')).map(({ plan_id }) => plan_id));
  let last = Math.max(await lastOf(to, 'plans', 'plan_id'), await lastOf(from, 'plans', 'plan_id'));
  return (await from.all<Row>(HEADS)).map((row): Match => {
    const planId = Number(row.plan_id);
    const known = there.get(keyOf(row));
    const createdAt = row.created_at ?? null;
    if (known === undefined) return { planId, there: taken.has(planId) ? ++last : planId, createdAt, act: 'add' };
    const isAhead = Number(row.version) > Number(known.version);
    return { planId, there: Number(known.plan_id), createdAt, act: isAhead ? 'replace' : 'leave' };
  });
}

function keyOf({ plan_name, service, organization_id, created_at }: Row): string {
  return JSON.stringify([plan_name, serviceKey(String(service)), organization_id, created_at]);
}

/** What belongs to a plan, and by what it is ordered. What only saves reading the call log once more is left out. */
const PARTS = { plan_people: 'row', plan_states: 'row', plan_events: 'number' };

/** `entries`: the number there of each entry of the register. */
async function copyPlans(
  from: Sql,
  to: Sql,
  matches: readonly Match[],
  entries: ReadonlyMap<number, number>,
): Promise<Copied['plans']> {
  for (const { planId, there, act } of matches) {
    if (act === 'leave') continue;
    if (act === 'replace') {
      await removeParts(to, there);
      await to.run('delete from plans where plan_id = $1', [there]);
    }
    const [head = {}] = await from.all<Row>('select * from plans where plan_id = $1', [planId]);
    await addRows(to, 'plans', [headThere(head, there, entries)]);
    for (const [table, by] of Object.entries(PARTS)) {
      const pages = pagesOf(from, table, [by], { where: 'plan_id = $1', values: [planId] });
      for await (const page of pages)
        await addRows(
          to,
          table,
          page.map((row) => partThere(row, there, entries)),
        );
    }
  }
  const count = (act: Match['act']) => matches.filter((match) => match.act === act).length;
  return { added: count('add'), known: matches.length - count('add'), updated: count('replace') };
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

function partThere(row: Row, plan_id: number, entries: ReadonlyMap<number, number>): Row {
  if (row.event !== 'handed') return { ...row, plan_id };
  return { ...row, plan_id, data: JSON.stringify(entryThere(objectIn(row.data, row), entries)) };
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
    reason: { kind: 'plan_damaged', planId: Number(plan_id) },
  });
}

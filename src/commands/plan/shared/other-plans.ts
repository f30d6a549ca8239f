/** Whom of a new plan's contacts other plans may still call: two plans over one list would ring everybody twice. */
import type { LeaveOut } from '../../../contacts/check-file.ts';
import type { Context } from '../../../context.ts';
import type { Contact } from '../../../contract.ts';
import type { Sql } from '../../../database/sql.ts';
import { FileError, NotFoundError, UsageError } from '../../../errors.ts';
import type { LoadedPlan, Plan } from '../../../plans/plan.ts';
import type { ContactState } from '../../../plans/roster.ts';
import { listPlans } from '../../../plans/rows/plans.ts';
import { loadPlan } from '../../../plans/rows/stored-plan.ts';
import { HAD, SharedPhones, TO_CALL } from '../../../plans/shared-phones.ts';
import { cell } from '../../../terminal/output.ts';
import { isOfSameService } from './same-service.ts';

/** Throws UsageError if a plan of the same service and organization that is not over has any of them. */
export async function requireInNoOtherPlan(
  contacts: readonly Contact[],
  context: Context,
  looked: Pick<Looked, 'known' | 'sql'> = {},
): Promise<void> {
  const others = await lookAtOthers(contacts, context, looked);
  const { shared, who, plans } = inWords(contacts, others);
  if (shared === 0) return;
  const where = others.counts.size === 1 ? `${plans}, which may still call` : `plans that may still call: ${plans}`;
  throw new UsageError(`${who} in ${where}. Nothing was written.`, {
    code: 'in_other_plan',
    reason: { kind: 'was_sent' },
  });
}

/** Which of them such plans have yet to call, or are calling, as a sentence; undefined if none. */
export async function inPlansThatMayCall(contacts: readonly Contact[], context: Context): Promise<string | undefined> {
  const others = await lookAtOthers(contacts, context, { states: TO_CALL });
  const { shared, who, plans } = inWords(contacts, others);
  if (shared === 0) return undefined;
  const where =
    others.counts.size === 1 ? `${plans}, which may call them too` : `plans that may call them too: ${plans}`;
  return `${who} also in ${where}.`;
}

/** The contacts that no such plan has. */
export async function withoutOtherPlans(
  contacts: readonly Contact[],
  context: Context,
): Promise<Awaited<ReturnType<LeaveOut>>> {
  const { shared, counts, nameOf, planOf } = await lookAtOthers(contacts, context);
  const leftOut = [...counts].map(([planId, excluded]) => ({
    file: nameOf(planId),
    numbers: planOf(planId).contacts,
    excluded,
  }));
  return { contacts: counts.size === 0 ? contacts : shared.rest(), leftOut };
}

interface Looked {
  /** Plans that are not looked at. */
  known?: (planId: number) => boolean;
  /** Whom of a plan. */
  states?: ReadonlySet<ContactState>;
  /** The transaction in which it is asked, if there is one. */
  sql?: Sql;
}

async function lookAtOthers(
  contacts: readonly Contact[],
  context: Context,
  { known = () => false, states = HAD, sql }: Looked = {},
) {
  const shared = new SharedPhones(contacts);
  const plans = new Map<number, Plan>();
  for await (const { plan, roster } of othersThatMayCall(context, { known, sql })) {
    plans.set(plan.plan_id, plan);
    shared.find(plan.plan_id, roster, states);
  }
  const planOf = (planId: number) => plans.get(planId) as Plan;
  return {
    shared,
    counts: shared.counts(),
    planOf,
    nameOf: (planId: number) => `plan ${planId} ${JSON.stringify(cell(planOf(planId).plan_name))}`,
  };
}

/** How many of the contacts such plans have, and which plans these are. */
function inWords({ length }: readonly Contact[], { counts, nameOf }: Awaited<ReturnType<typeof lookAtOthers>>) {
  const shared = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const named = [...counts].map(([planId, count]) =>
    counts.size === 1 ? nameOf(planId) : `${nameOf(planId)} (${count})`,
  );
  return { shared, who: `${shared} of ${length} contacts ${shared === 1 ? 'is' : 'are'}`, plans: named.join(', ') };
}

/** One at a time: each may have a million contacts. What a damaged plan may do is not known, which is told. */
async function* othersThatMayCall(
  context: Context,
  { known, sql }: { known: (planId: number) => boolean; sql: Sql | undefined },
): AsyncGenerator<LoadedPlan, void> {
  const { io } = context;
  const rows = await context.rows();
  const read = async <T>(body: (sql: Sql) => Promise<T>) => (sql === undefined ? rows.read(body) : body(sql));
  for (const { planId, loaded, damage } of await read(listPlans)) {
    if (known(planId)) continue;
    if (loaded !== undefined && (!isOfSameService(loaded.plan, context.settings) || isOver(loaded))) continue;
    try {
      if (damage !== undefined) throw damage;
      yield await read((asked) => loadPlan(asked, planId));
    } catch (error) {
      // It was forgotten in this moment.
      if (error instanceof NotFoundError) continue;
      if (!(error instanceof FileError)) throw error;
      io.warn(`it is not known whether plan ${planId} calls some of these contacts too: ${error.message}`);
    }
  }
}

function isOver({ position: { state } }: Pick<LoadedPlan, 'position'>): boolean {
  return state === 'done' || state === 'cancelled';
}

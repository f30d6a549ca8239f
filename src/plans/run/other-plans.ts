/** Other plans of a service: whom of a new plan's contacts they may still call, and what their rules take for an opt-out. */
import type { Contact } from '../../contract.ts';
import { FileError, NotFoundError, UsageError } from '../../errors.ts';
import { isOptOut } from '../../register/do-not-call.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { withoutControls } from '../../text/controls.ts';
import { plural } from '../../text/numbers.ts';
import { phonesAmong } from '../rows/people.ts';
import { listPlans } from '../rows/plans.ts';
import { HAD, SharedPhones, TO_CALL } from '../rows/shared-phones.ts';
import { loadPlan } from '../rows/stored-plan.ts';
import { isOver, type LoadedPlan, type Plan } from '../rules/plan.ts';
import type { ContactState } from '../rules/roster.ts';
import { isOfSameService, type PlanPorts } from './ports.ts';

type AskPorts = Pick<PlanPorts, 'register' | 'notes'>;

/**
 * Throws UsageError if a plan of the same service and organization that is not over has any of them: two plans over one list would
 * call everybody twice.
 */
export async function requireInNoOtherPlan(
  contacts: readonly Contact[],
  ports: AskPorts,
  asked: Pick<Asked, 'known' | 'sql'> = {},
): Promise<void> {
  const others = await othersWith(contacts, ports, asked);
  const { shared, who, plans } = inWords(contacts, others);
  if (shared === 0) return;
  const where = others.counts.size === 1 ? `${plans}, which may still call` : `plans that may still call: ${plans}`;
  throw new UsageError(`${who} in ${where}. Nothing was written.`, {
    code: 'in_other_plan',
    reason: { kind: 'was_sent' },
  });
}

/** Which of them such plans have yet to call, or are calling, as a sentence; undefined if none. */
export async function inPlansThatMayCall(contacts: readonly Contact[], ports: AskPorts): Promise<string | undefined> {
  const others = await othersWith(contacts, ports, { states: TO_CALL });
  const { shared, who, plans } = inWords(contacts, others);
  if (shared === 0) return undefined;
  const where =
    others.counts.size === 1 ? `${plans}, which may call them too` : `plans that may call them too: ${plans}`;
  return `${who} also in ${where}.`;
}

/** The contacts that no such plan has, and how many each has. */
export async function withoutOtherPlans(contacts: readonly Contact[], ports: AskPorts) {
  const { shared, counts, nameOf, planOf } = await othersWith(contacts, ports);
  const leftOut = [...counts].map(([planId, excluded]) => ({
    file: nameOf(planId),
    numbers: planOf(planId).contacts,
    excluded,
  }));
  return { contacts: counts.size === 0 ? contacts : shared.rest(), leftOut };
}

interface Asked {
  /** Plans that are not asked. */
  known?: (planId: number) => boolean;
  /** Whom of a plan. */
  states?: ReadonlySet<ContactState>;
  /** The transaction in which it is asked, if there is one. */
  sql?: Sql;
}

async function othersWith(
  contacts: readonly Contact[],
  ports: AskPorts,
  { known = () => false, states = HAD, sql }: Asked = {},
) {
  const shared = new SharedPhones(contacts);
  const plans = new Map<number, Plan>();
  for await (const { plan, roster } of othersThatMayCall(ports, { known, sql })) {
    plans.set(plan.plan_id, plan);
    shared.find(plan.plan_id, roster, states);
  }
  const planOf = (planId: number) => plans.get(planId) as Plan;
  const nameOf = (planId: number) => `plan ${planId} ${JSON.stringify(onOneLine(planOf(planId).plan_name))}`;
  return { shared, counts: shared.counts(), planOf, nameOf };
}

function onOneLine(name: string): string {
  return withoutControls(name.replace(/[\t\n\r]/g, ' '));
}

/** How many of the contacts such plans have, and which plans these are. */
function inWords({ length }: readonly Contact[], { counts, nameOf }: Awaited<ReturnType<typeof othersWith>>) {
  const shared = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const named = [...counts].map(([planId, count]) =>
    counts.size === 1 ? nameOf(planId) : `${nameOf(planId)} (${count})`,
  );
  return { shared, who: `${shared} of ${length} contacts ${plural(shared, 'is', 'are')}`, plans: named.join(', ') };
}

/** One at a time: each may have a million contacts. What a damaged plan may do is not known, which is told. */
async function* othersThatMayCall(
  { register, notes }: AskPorts,
  { known, sql }: { known: (planId: number) => boolean; sql: Sql | undefined },
): AsyncGenerator<LoadedPlan, void> {
  const rows = await register.rows();
  const read = async <T>(body: (sql: Sql) => Promise<T>) => (sql === undefined ? rows.read(body) : body(sql));
  for (const { planId, loaded, damage } of await read(listPlans)) {
    if (known(planId)) continue;
    if (loaded !== undefined && (!isOfSameService(loaded.plan, register.target()) || isOver(loaded.position.state)))
      continue;
    try {
      if (damage !== undefined) throw damage;
      yield await read((asked) => loadPlan(asked, planId));
    } catch (error) {
      // It was forgotten in this moment.
      if (error instanceof NotFoundError) continue;
      if (!(error instanceof FileError)) throw error;
      notes.warn(`it is not known whether plan ${planId} calls some of these contacts too: ${error.message}`);
    }
  }
}

/** Collects from the log the phones that opted out by the rules of a plan, or by those of another plan that has them. */
export class OptOutsHeard {
  readonly #plan: Plan;
  readonly #others: readonly Plan[];
  readonly #out = new Set<number>();
  /** Phones that opted out for some other plan, if it has them, by the plan. */
  readonly #heard = new Map<number, Set<number>>();

  private constructor(plan: Plan, others: readonly Plan[]) {
    this.#plan = plan;
    this.#others = others;
  }

  static async of(plan: Plan, { register }: Pick<PlanPorts, 'register'>): Promise<OptOutsHeard> {
    const listed = await (await register.rows()).read(listPlans);
    const isOther = (other: Plan) => other.plan_id !== plan.plan_id && isOfSameService(other, register.target());
    const hasOthers = ({ rules }: Plan) => rules.optOut.some((outcome) => !isOptOut(outcome, plan.rules.optOut));
    const others = listed.flatMap(({ loaded }) => loaded?.plan ?? []);
    return new OptOutsHeard(
      plan,
      others.filter((other) => isOther(other) && hasOthers(other)),
    );
  }

  /** Whoever's call it was: somebody who does not want to be called is not called by a plan either. */
  hear(phone: number, outcome: string): void {
    if (isOptOut(outcome, this.#plan.rules.optOut)) {
      this.#out.add(phone);
      return;
    }
    for (const { plan_id, rules } of this.#others) {
      if (!isOptOut(outcome, rules.optOut)) continue;
      const phones = this.#heard.get(plan_id) ?? new Set();
      this.#heard.set(plan_id, phones.add(phone));
    }
  }

  async phones({ register }: Pick<PlanPorts, 'register'>): Promise<ReadonlySet<number>> {
    const rows = await register.rows();
    const out = new Set(this.#out);
    for (const [planId, phones] of this.#heard)
      for (const phone of await phonesAmong(rows, planId, [...phones])) out.add(phone);
    return out;
  }
}

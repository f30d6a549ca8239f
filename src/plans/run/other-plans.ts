/** Other plans of a service: whom of a new plan's contacts they may still call, and what their rules take for an opt-out. */
import type { Contact } from '../../contract.ts';
import { FileError, NotFoundError, UsageError } from '../../errors.ts';
import { isOptOut } from '../../register/do-not-call.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { withoutControls } from '../../text/controls.ts';
import { counted, plural } from '../../text/numbers.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import { placeIn } from '../../text/search.ts';
import { phonesAmong } from '../rows/people.ts';
import { listPlans } from '../rows/plans.ts';
import { loadPlan } from '../rows/stored-plan.ts';
import { isOver, type LoadedPlan, type Plan } from '../rules/plan.ts';
import type { RowState } from '../rules/roster.ts';
import { isOfSameService, type PlanPorts } from './ports.ts';

type AskPorts = Pick<PlanPorts, 'register' | 'notes'>;

/** Of those whom a plan has called, or may call. */
const HAD: ReadonlySet<RowState> = new Set(['new', 'handed', 'again', 'reached', 'exhausted', 'unseen']);
/** Of those who are, or may be, called by a plan that goes on. */
const TO_CALL: ReadonlySet<RowState> = new Set(['new', 'handed', 'again']);

/**
 * Throws UsageError if a plan of the same service and organization that is not over has any of them: two plans over one list would
 * call everybody twice.
 */
export async function requireInNoOtherPlan(
  contacts: readonly Contact[],
  ports: AskPorts,
  asked: Pick<Asked, 'known' | 'sql'> = {},
): Promise<void> {
  const { others } = await othersWith(contacts, ports, asked);
  if (others.length === 0) return;
  throw new UsageError(`${inWords(contacts, others, 'in', 'may still call')} Nothing was written.`, {
    code: 'in_other_plan',
    reason: { kind: 'was_sent' },
  });
}

/** Which of them such plans have yet to call, or are calling, as a sentence; undefined if none. */
export async function inPlansThatMayCall(contacts: readonly Contact[], ports: AskPorts): Promise<string | undefined> {
  const { others } = await othersWith(contacts, ports, { states: TO_CALL });
  return others.length === 0 ? undefined : inWords(contacts, others, 'also in', 'may call them too');
}

/** The contacts that no such plan has, and how many each has. */
export async function withoutOtherPlans(contacts: readonly Contact[], ports: AskPorts) {
  const { others, rest } = await othersWith(contacts, ports);
  const leftOut = others.map(({ plan, count }) => ({ file: nameOf(plan), numbers: plan.contacts, excluded: count }));
  return { contacts: rest, leftOut };
}

interface Asked {
  /** Plans that are not asked. */
  known?: (planId: number) => boolean;
  /** Whom of a plan. */
  states?: ReadonlySet<RowState>;
  /** The transaction in which it is asked, if there is one. */
  sql?: Sql;
}

/** A plan, and how many of the contacts it has; one that several have counts for the first of them. */
type Other = { plan: Plan; count: number };

/** The contacts that no other plan has, and the plans that have some. A million contacts take some twenty megabytes. */
async function othersWith(
  contacts: readonly Contact[],
  ports: AskPorts,
  { known = () => false, states = HAD, sql }: Asked = {},
): Promise<{ others: Other[]; rest: Contact[] }> {
  const phones = Float64Array.from(contacts, ({ phone_number }) => phoneKeyOfNumber(phone_number)).sort();
  /** For each of `phones` the number of the first plan that has it; 0 if none has. */
  const planOf = new Float64Array(contacts.length);
  const others = new Map<number, Other>();
  for await (const { plan, roster } of othersThatMayCall(ports, known, sql)) {
    others.set(plan.plan_id, { plan, count: 0 });
    for (let row = 0; row < roster.size; row++) {
      const at = states.has(roster.stateOf(row)) ? placeIn(phones, roster.phoneOf(row)) : -1;
      if (at !== -1 && planOf[at] === 0) planOf[at] = plan.plan_id;
    }
  }
  const found = new Set<Other>();
  const rest = contacts.filter(({ phone_number }) => {
    const other = others.get(planOf[placeIn(phones, phoneKeyOfNumber(phone_number))] as number);
    if (other === undefined) return true;
    other.count += 1;
    found.add(other);
    return false;
  });
  return { others: [...found], rest };
}

function nameOf({ plan_id, plan_name }: Plan): string {
  return `plan ${plan_id} ${JSON.stringify(withoutControls(plan_name.replace(/[\t\n\r]/g, ' ')))}`;
}

/** How many of the contacts such plans have, and which plans these are. */
function inWords({ length }: readonly Contact[], others: readonly Other[], where: string, doing: string): string {
  const shared = others.reduce((sum, { count }) => sum + count, 0);
  const [only, ...more] = others.map(({ plan, count }) =>
    others.length === 1 ? nameOf(plan) : `${nameOf(plan)} (${count})`,
  );
  const plans = more.length === 0 ? `${only}, which ${doing}` : `plans that ${doing}: ${[only, ...more].join(', ')}`;
  return `${shared} of ${counted(length, 'contact')} ${plural(shared, 'is', 'are')} ${where} ${plans}.`;
}

/** One at a time: each may have a million contacts. What a damaged plan may do is not known, which is said. */
async function* othersThatMayCall(
  { register, notes }: AskPorts,
  known: (planId: number) => boolean,
  sql: Sql | undefined,
): AsyncGenerator<LoadedPlan, void> {
  const rows = await register.rows();
  const read = async <T>(body: (sql: Sql) => Promise<T>) => (sql === undefined ? rows.read(body) : body(sql));
  const mayCall = ({ plan, position }: Pick<LoadedPlan, 'plan' | 'position'>) =>
    isOfSameService(plan, register.target()) && !isOver(position.state);
  for (const { planId, loaded, damage } of await read(listPlans)) {
    if (known(planId) || (loaded !== undefined && !mayCall(loaded))) continue;
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
export async function optOutsHeard(plan: Plan, { register }: Pick<PlanPorts, 'register'>) {
  const rows = await register.rows();
  const isOther = (other: Plan) => other.plan_id !== plan.plan_id && isOfSameService(other, register.target());
  const hasOthers = ({ rules }: Plan) => rules.optOut.some((outcome) => !isOptOut(outcome, plan.rules.optOut));
  const plans = (await rows.read(listPlans)).flatMap(({ loaded }) => loaded?.plan ?? []);
  const others = plans.filter((other) => isOther(other) && hasOthers(other));
  const out = new Set<number>();
  /** Phones that opted out for some other plan, if it has them, by the plan. */
  const heard = new Map(others.map(({ plan_id }) => [plan_id, new Set<number>()]));
  return {
    /** Whoever's call it was: somebody who does not want to be called is not called by a plan either. */
    hear(phone: number, outcome: string): void {
      if (isOptOut(outcome, plan.rules.optOut)) out.add(phone);
      else for (const { plan_id, rules } of others) if (isOptOut(outcome, rules.optOut)) heard.get(plan_id)?.add(phone);
    },
    async phones(): Promise<ReadonlySet<number>> {
      for (const [planId, phones] of heard) {
        if (phones.size > 0) for (const phone of await phonesAmong(rows, planId, [...phones])) out.add(phone);
      }
      return out;
    },
  };
}

/** What the work on plans needs, and whose time and whose service that is. Times are milliseconds since the epoch. */
import { InputError, UsageError } from '../../errors.ts';
import type { Ports } from '../../register/ports.ts';
import { serviceKey } from '../../register/service-key.ts';
import { isoTime } from '../../text/iso.ts';
import { MINUTE } from '../../text/units.ts';
import { areApart, type Clocks, clocksAt } from '../rules/clocks.ts';
import type { LoadedPlan, Plan } from '../rules/plan.ts';
import { MARGIN } from '../rules/rules.ts';

export interface PlanPorts extends Ports {
  /** The local engine's store, even where a remote service is meant. */
  readonly store: {
    key(): string;
    /** The same for people. */
    name(): string;
  };
  /** The lists of numbers never to call that plans name by their paths. */
  readonly lists: {
    /** Reads one of them. `country`: ISO code of the country of numbers in national form. Throws InputError and FileError. */
    read(path: string, country?: string, encoding?: string): Promise<{ lineOf(number: string): number | undefined }>;
    /** The folder in which is kept which of them this machine's operator has named. */
    folder(): string;
  };
  /** Is told of new calls by a status that the service's interface does not name: how many, by status. */
  onUnclear(planId: number, calls: ReadonlyMap<string, number>): void;
}

/** Throws UsageError if another service, organization or store is meant than those of the plan: it calls by no other. */
export function requireSameService(plan: Plan, { register, store }: Pick<PlanPorts, 'register' | 'store'>): void {
  const target = register.target();
  if (isOfSameService(plan, target)) return;
  const nameOf = (isLocal: boolean, service: string, of: number) =>
    `${isLocal ? `the simulator in ${service}` : service}, organization ${of}`;
  const { isLocal, service, organizationId } = target;
  const isInSameStore = plan.isLocal && isLocal && service === plan.service;
  const own = nameOf(plan.isLocal, plan.service, plan.organization_id);
  const meant = nameOf(isLocal, isLocal ? store.name() : service, organizationId);
  throw new UsageError(`Plan ${plan.plan_id} is one of ${own}, but this means ${meant}. Nothing was sent.`, {
    reason: {
      kind: 'plan_elsewhere',
      isLocal: plan.isLocal,
      organizationId: isInSameStore ? plan.organization_id : undefined,
    },
  });
}

type Target = ReturnType<PlanPorts['register']['target']>;

/** Whether a plan is one of the service, or the store, and the organization that are meant. */
export function isOfSameService(plan: Plan, { isLocal, service, organizationId }: Target): boolean {
  if (plan.isLocal !== isLocal || plan.organization_id !== organizationId) return false;
  return isLocal ? service === plan.service : serviceKey(service) === serviceKey(plan.service);
}

// The time by which a plan goes: that of the service, which places the calls. ---------------------------------------------

/** From such a difference of the clocks on it is said. */
const WORTH_SAYING = 2 * MINUTE;

/** An instant. */
export interface Moment extends Clocks {
  /** By the service's clock. */
  now: number;
}

/** The time after the service has replied. Throws InputError, with the `consequence`, if the clocks are too far apart. */
export async function serviceNow(
  plan: Pick<Plan, 'isLocal'>,
  { notes, clock }: Pick<PlanPorts, 'notes' | 'clock'>,
  consequence = 'Nothing was sent.',
): Promise<Moment> {
  const clocks = clocksNow(plan, clock);
  if (plan.isLocal) return { ...clocks, now: await clock.now() };
  const now = clock.byAnswers();
  if (now === undefined) {
    notes.note('The service does not say what time it is: the clock of this machine counts.');
    return { ...clocks, now: clocks.own };
  }
  const times = `it is ${isoTime(now)} for the service, and ${isoTime(clocks.own)} for this machine`;
  if (areApart(clocks)) {
    throw new InputError(`The clocks are more than ${MARGIN / MINUTE} minutes apart: ${times}. ${consequence}`, {
      code: 'clock_off',
      hint:
        'Set the clock of this machine by the time of the network, or tell the service that its own is wrong, ' +
        'and run this again.',
    });
  }
  if (Math.abs(clocks.ahead) > WORTH_SAYING)
    notes.warn(`${times}: people are called in hours that are open by both clocks.`);
  return { ...clocks, now };
}

/** By the last reply of the service. The local engine's clock is moved at will, and is compared with none. */
export function clocksNow({ isLocal }: Pick<Plan, 'isLocal'>, clock: PlanPorts['clock']): Clocks {
  return clocksAt(clock.system(), isLocal ? undefined : clock.byAnswers());
}

/** By the clock of the plan's local engine or of its service, as far as that is known without asking. */
export async function clockOf(
  { plan: { isLocal, service }, ahead = 0 }: Pick<LoadedPlan, 'plan' | 'ahead'>,
  { store, clock, local }: Pick<PlanPorts, 'store' | 'clock' | 'local'>,
): Promise<number> {
  if (!isLocal || store.key() !== service) return clock.system() + ahead;
  const { timeline } = await local.engine();
  return (await timeline.read()).now;
}

/** The time by which a plan goes: that of the service, which places the calls. Milliseconds since the epoch. */
import { InputError } from '../../errors.ts';
import { isoTime } from '../../text/iso.ts';
import { MINUTE } from '../../text/units.ts';
import { areApart, type Clocks, clocksAt } from '../rules/clocks.ts';
import type { LoadedPlan, Plan } from '../rules/plan.ts';
import { MARGIN } from '../rules/rules.ts';
import type { PlanPorts } from './ports.ts';

/** From such a difference of the clocks on it is told. */
const TOLD = 2 * MINUTE;

/** An instant. */
export interface Moment extends Clocks {
  /** By the service's clock. */
  now: number;
}

/** The time after the service has replied. Throws InputError, with the `consequence`, if the clocks are too far apart for hours. */
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
  if (Math.abs(clocks.ahead) > TOLD) notes.warn(`${times}: people are called in hours that are open by both clocks.`);
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

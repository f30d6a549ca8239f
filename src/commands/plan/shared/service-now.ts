/** The time by which a plan goes: that of the service, which places the calls. */
import type { Context } from '../../../context.ts';
import { InputError } from '../../../errors.ts';
import { areApart, type Clocks, clocksAt } from '../../../plans/clocks.ts';
import type { Plan } from '../../../plans/plan.ts';
import { MARGIN } from '../../../plans/rules.ts';

const MINUTE = 60_000;
const TOLD = 2 * MINUTE;

/** An instant, in milliseconds since the epoch. */
export interface Moment extends Clocks {
  /** By the service's clock. */
  now: number;
}

/**
 * The time after the service has answered. Throws InputError, with what came of it then, if the clocks are so far apart that hours mean
 * nothing.
 */
export async function serviceNow(
  plan: Pick<Plan, 'isLocal'>,
  context: Context,
  consequence = 'Nothing was sent.',
): Promise<Moment> {
  const { io, serviceClock } = context;
  const clocks = clocksNow(plan, context);
  if (plan.isLocal) return { ...clocks, now: await serviceClock.now() };
  const now = serviceClock.byAnswers();
  if (now === undefined) {
    io.note('The service does not say what time it is: the clock of this machine counts.');
    return { ...clocks, now: clocks.own };
  }
  const times = `it is ${iso(now)} for the service, and ${iso(clocks.own)} for this machine`;
  if (areApart(clocks)) {
    throw new InputError(`The clocks are more than ${MARGIN / MINUTE} minutes apart: ${times}. ${consequence}`, {
      code: 'clock_off',
      hint: 'Set the clock of this machine by the time of the network, or tell the service that its own is wrong, and run this again.',
    });
  }
  if (Math.abs(clocks.ahead) > TOLD) io.warn(`${times}: people are called in hours that are open by both clocks.`);
  return { ...clocks, now };
}

/** By the last answer of the service. The local engine's clock is moved at will, and is compared with none. */
export function clocksNow({ isLocal }: Pick<Plan, 'isLocal'>, { serviceClock, systemNow }: Context): Clocks {
  return clocksAt(systemNow(), isLocal ? undefined : serviceClock.byAnswers());
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** The time by which a plan goes: that of the service, which places the calls. */
import type { Context } from '../../../context.ts';
import { InputError } from '../../../errors.ts';
import type { Plan } from '../../../plans/plan.ts';

const MINUTE = 60_000;
const TOLD = 5 * MINUTE;
const REFUSED = 60 * MINUTE;

/**
 * Milliseconds since the epoch, after the service has answered. Throws InputError if the clock of this machine is so far off
 * that one of the two must be wrong.
 */
export async function serviceNow({ isLocal }: Plan, { io, serviceClock, systemNow }: Context): Promise<number> {
  if (isLocal) return serviceClock.now();
  const now = serviceClock.byAnswers();
  if (now === undefined) {
    io.note('The service does not say what time it is: the clock of this machine counts.');
    return systemNow();
  }
  const ahead = now - systemNow();
  if (Math.abs(ahead) <= TOLD) return now;
  const times = `it is ${iso(now)} for the service, and ${iso(systemNow())} for this machine`;
  if (Math.abs(ahead) <= REFUSED) {
    io.warn(`${times}: the service’s time counts.`);
    return now;
  }
  throw new InputError(`The clocks are more than an hour apart: ${times}. Nothing was sent.`, {
    code: 'clock_off',
    hint: 'Set the clock of this machine, or ask the service about its own: nobody can say when people would be called.',
  });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

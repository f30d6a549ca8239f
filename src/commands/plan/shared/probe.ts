/** `plan create --probe`: a plan of one call to whoever makes it, which shows how the service keeps to what it is told. */

import { complete } from '../../../cli/terminal/prompt.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { DEFAULTS } from '../../../plans/rules/rules.ts';
import { parseWindow } from '../../../plans/rules/window.ts';
import { MINUTE } from '../../../text/units.ts';
import { readPhone } from '../../shared/phone.ts';
import { askActiveAgent, askCallingNumber } from '../../shared/questions.ts';
import { type PlanOptions, type ReadPlan, readCallers, targetOf } from './read-plan.ts';

/** Long enough for the call to be seen to wait for its time. */
const AHEAD = 5 * MINUTE;
const ALL_DAY = parseWindow('00:00-24:00');

export async function readProbe(options: PlanOptions, context: Context): Promise<ReadPlan> {
  const { probe = '', contacts, window } = options;
  if (contacts !== undefined) throw new UsageError('--probe is instead of contacts: it calls one number, your own.');
  if (window !== undefined) throw new UsageError('--probe has no --window: it is called five minutes from now.');
  const { io, settings } = context;
  const country = options.country ?? settings.profile()?.country;
  const where = { country, hasCountryFlag: true };
  const phone_number = await readPhone(probe, { place: '--probe', ...where }, io);
  const from = options.from && (await readCallers(options.from, country, context));
  const { agent, caller } = await complete(
    io,
    { agent: options.agent ?? settings.profile()?.agent_id, caller: from?.[0] ?? settings.profile()?.from },
    { agent: askActiveAgent(context), caller: askCallingNumber(context, where) },
  );
  const createdAt = await context.clock.now();
  const rules = {
    ...{ ...DEFAULTS, window: ALL_DAY, zone: 'UTC', skipDates: [], exclude: [], start: createdAt + AHEAD },
    ...{ maxAttempts: 1, retry: {}, stopOn: undefined, isProbe: true },
    firstLook: options.lookFor ?? DEFAULTS.firstLook,
  };
  const plan = { plan_name: options.name ?? 'Probe', agent_id: agent, from: from ?? [caller], rules, createdAt };
  const draft = { ...plan, ...targetOf(context), places: [{ zones: ['UTC'], country: null }] };
  return { draft, contacts: [{ phone_number }], placeOf: [0], rows: undefined, contactsFile: undefined };
}

/** What a campaign is warned of: people who would be called at night, for it knows no hours, and those whom plans may call too. */

import type { Extremes } from '../../../campaigns/usual-window.ts';
import type { Context } from '../../../context.ts';
import {
  DEFAULT_CALLS_PER_HOUR,
  DEFAULT_RETRY_ATTEMPTS,
  DEFAULT_RETRY_DELAY,
  type RequestOf,
} from '../../../contract.ts';
import { FileError } from '../../../errors.ts';
import { clockTime } from '../../../text/iso.ts';
import { counted, plural } from '../../../text/numbers.ts';

/** `start`: when the campaign begins. */
export async function warningsOf(
  request: RequestOf<'createCampaign'>,
  start: number,
  context: Context,
): Promise<string[]> {
  return [...(await hoursInWords(request, start)), ...(await plansInWords(request, context))];
}

/** The same on stderr. */
export async function warn(lines: () => Promise<string[]>, { io, flags }: Context): Promise<void> {
  if (!flags.quiet) for (const line of await lines()) io.note(line);
}

/** `start`: when the campaign begins. Nothing if everybody is known to be called at a decent hour. */
export async function hoursInWords(request: RequestOf<'createCampaign'>, start: number): Promise<string[]> {
  const [{ USUAL_WINDOW, outsideWindow }, { whereaboutsOf }] = await Promise.all([
    import('../../../campaigns/usual-window.ts'),
    import('../../../contacts/zones/zones.ts'),
  ]);
  const { contacts, calls_per_hour = DEFAULT_CALLS_PER_HOUR } = request;
  const { retry_attempts = DEFAULT_RETRY_ATTEMPTS, retry_delay = DEFAULT_RETRY_DELAY } = request;
  const pacing = { start_time: start, calls_per_hour, retry_attempts, retry_delay };
  const { outside, byRetries, unplaced, first, all } = outsideWindow(contacts, pacing, whereaboutsOf);
  const people = counted(contacts.length, 'contact');
  const hours = `outside ${clockTime(USUAL_WINDOW.from)}–${clockTime(USUAL_WINDOW.until)} where they are`;
  const why = outside === 0 ? 'by retries' : `${outside} at first and ${byRetries} more by retries`;
  const who =
    byRetries === 0
      ? `${outside} of ${people} would be called ${hours}${timesOf(first)}`
      : `${outside + byRetries} of ${people} could be called ${hours}, ${why}${timesOf(all)}`;
  const lines: string[] = [];
  if (outside + byRetries > 0) lines.push(`Warning: ${who}. vagent plan create keeps to their hours.`);
  if (unplaced > 0)
    lines.push(
      `It is not known where ${unplaced} of ${people} ${plural(unplaced, 'is', 'are')}, and what time it is there.`,
    );
  return lines;
}

function timesOf({ earliest, latest }: Extremes): string {
  const early = earliest === undefined ? '' : `as early as ${clockTime(earliest)}`;
  const late = latest === undefined ? '' : `as late as ${clockTime(latest)}`;
  const times = [early, late].filter((time) => time !== '');
  return times.length === 0 ? '' : `, ${times.join(' and ')}`;
}

/**
 * Nothing if no plan of the same service and organization may call any of them: the register does not know whom plans have yet to
 * call.
 */
async function plansInWords(
  { contacts }: Pick<RequestOf<'createCampaign'>, 'contacts'>,
  context: Context,
): Promise<string[]> {
  try {
    const rows = await context.register.rows();
    // Most campaigns are made where there are no plans: then nothing of them is loaded.
    const open = `select 1 from plans where state not in ('forgotten', 'done', 'cancelled') limit 1`;
    if ((await rows.read((sql) => sql.all(open))).length === 0) return [];
    const { inPlansThatMayCall } = await import('../../../plans/run/other-plans.ts');
    const { planPorts } = await import('../../plan/shared/open-plan.ts');
    const shared = await inPlansThatMayCall(contacts, planPorts(context));
    return shared === undefined ? [] : [`Warning: ${shared}`];
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return [`Warning: it is not known whether plans call some of these contacts too: ${error.message}`];
  }
}

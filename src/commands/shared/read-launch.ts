/** Reads the calls of the campaign that an argument means. */
import { type Line, linesOf, readLine } from '../../campaigns/lines.ts';
import type { Context } from '../../context.ts';
import type { VagentError } from '../../errors.ts';
import { readLaunches } from './find-campaign.ts';
import type { Word } from './pick.ts';

/** How calls are counted, for the help of the commands that count them. */
export const ATTRIBUTION_HELP = `
The service shows calls, not campaigns. Which calls are of which campaign is worked out from the log and from all that was
sent from this machine: vagent help results has the rules. An attempt that another campaign or call could have made as
well counts for one of them, and is an uncertain match. A contact is reached when a call was completed, and not with a machine:
a voicemail is not reached. It is waiting while attempts are left.
`;

/**
 * Finds a campaign, and attributes the calls of its agent since it began. `now`: by the clock of the service, in milliseconds since
 * the epoch.
 */
export async function readLaunch(word: Word | undefined, context: Context) {
  const { launches, launch } = await readLaunches(word, context);
  const [line] = (await linesOf([launch], launches, context.notes)) as [Line];
  const { now, shortage } = await readLine(line, launches, context);
  if (shortage !== undefined) warnOfShortage(shortage, context);
  return { launch, tally: line.attribution.tallyOf(launch), now };
}

/** A log that shows fewer calls than it counts is better than none: the exit code tells. */
export function warnOfShortage(shortage: VagentError, { io, line }: Context): void {
  io.warn(`${shortage.message} What it showed is counted.`);
  line.exitCode = shortage.exitCode;
}

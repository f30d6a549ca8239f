/** What came of the first contacts of a campaign so far. */
import type { ContactState } from '../../../calls/attribution/states.ts';
import type { Context } from '../../../context.ts';
import { pages } from '../../../paging/pages.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
import { findLaunch, knownLaunches, type Line, linesOf, tallyOf } from './launch.ts';

export interface FirstLook {
  contacts: number;
  /** Contacts that were called at least once. */
  called: number;
  states: Record<ContactState, number>;
  attempts: number;
  /** Calls that were completed. */
  answered: number;
}

/** Reads the log at each call. Nothing is said, because it is read again and again. */
export async function firstLooks(campaignId: number, context: Context): Promise<() => Promise<FirstLook>> {
  const launches = await knownLaunches(context);
  const launch = await findLaunch(campaignId, launches, context);
  const service = await context.service();
  return async () => {
    const [line] = (await linesOf([launch], launches, context.io)) as [Line];
    const { attribution, filters } = line;
    for await (const { calls } of pages(service, filters, { concurrency: concurrencyOf(context) })) {
      for (const call of calls) attribution.take(call);
    }
    attribution.resolve(await launches.now());
    let called = 0;
    for (const { calls } of attribution.outcomesOf(launch.parts[0].key)) if (calls.length > 0) called++;
    const { contacts, states, attempts, byStatus } = tallyOf(launch, line);
    return { contacts, called, states, attempts, answered: byStatus.completed ?? 0 };
  };
}

/**
 * Copies all that a register and its plans hold to another place, in one transaction, and merges it there: what is known on one side is known
 * afterwards on both. The source is read at one moment, in pages. Lists of people to call again last a day, and are left out: then the guards are
 * as strict as without them. Throws FileErrors; then nothing was changed.
 */
import type { Rows } from '../../database/sql.ts';
import { copyOptedOut } from './opted-out.ts';
import { type CopiedPlans, copyPlans, matchPlans } from './plans.ts';
import { type CopiedRequests, copyRequests } from './requests.ts';

export interface Copied {
  requests: CopiedRequests;
  plans: CopiedPlans;
}

export async function copyRegister(source: Rows, target: Rows): Promise<Copied> {
  return await target.write(
    async (to) =>
      await source.read(async (from) => {
        await copyOptedOut(from, to);
        const plans = await matchPlans(from, to);
        const { entries, ...requests } = await copyRequests(from, to, plans);
        return { requests, plans: await copyPlans(from, to, plans, entries) };
      }),
    'requests',
  );
}

/** Warns, before a campaign, that plans may call the same people: the register does not know whom they have yet to call. */
import type { Context } from '../../../context.ts';
import type { RequestOf } from '../../../contract.ts';
import { FileError } from '../../../errors.ts';

type Campaign = Pick<RequestOf<'createCampaign'>, 'contacts'>;

/** Nothing if no plan of the same service and organization may call any of them. */
export async function plansInWords({ contacts }: Campaign, context: Context): Promise<string[]> {
  try {
    const rows = await context.rows();
    // Most campaigns are made where there are no plans: then nothing of them is loaded.
    const open = `select 1 from plans where state not in ('forgotten', 'done', 'cancelled') limit 1`;
    if ((await rows.read((sql) => sql.all(open))).length === 0) return [];
    const { inPlansThatMayCall } = await import('../../plan/shared/other-plans.ts');
    const shared = await inPlansThatMayCall(contacts, context);
    return shared === undefined ? [] : [`Warning: ${shared}`];
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return [`Warning: it is not known whether plans call some of these contacts too: ${error.message}`];
  }
}

/** The same on stderr. */
export async function warnOfPlans(request: Campaign, context: Context): Promise<void> {
  if (context.flags.quiet) return;
  for (const line of await plansInWords(request, context)) context.io.note(line);
}

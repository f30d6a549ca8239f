import { printList } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { type ListedPlan, listPlans } from '../../plans/rows/plans.ts';
import { CONTACT_STATES } from '../../plans/rules/roster.ts';
import { placedWaves } from '../../plans/rules/waves.ts';
import { isoTime } from '../../text/iso.ts';
import type { CommandModule } from '../shared/command.ts';

const COLUMNS = ['plan_id', 'plan_name', 'state', 'reason', 'contacts', ...CONTACT_STATES, 'attempts', 'waves'];
const BRIEF = ['plan_id', 'plan_name', 'state', 'contacts', 'reached', 'attempts', 'waves', 'created_at', 'service'];

export const command: CommandModule = {
  notes: `
Lists the plans of this machine, whatever their service, with the state in which plan run left them.`,
  examples: ['vagent plan list', 'vagent plan list --json'],
  exits: 'offline',
  run,
};

async function run(context: Context): Promise<void> {
  const { io, register } = context;
  const listed = await (await register.rows()).read(listPlans);
  for (const { damage } of listed) if (damage !== undefined) io.warn(damage.message);
  await printList(context, { plans: listed.map(itemOf) }, 'plans', {
    columns: [...COLUMNS, 'created_at', 'service', 'organization_id'],
    brief: BRIEF,
    importance: ['plan_id', 'plan_name', 'state', 'reached', 'contacts'],
    empty: 'There is no plan: vagent plan create makes one.',
  });
}

/** Of a damaged plan only its number is certain. */
function itemOf({ planId, loaded, name }: ListedPlan): Record<string, unknown> {
  if (loaded === undefined)
    return { plan_id: planId, ...(name !== undefined && { plan_name: name }), state: 'damaged' };
  const { plan, position, counts } = loaded;
  const { plan_name, contacts, service, organization_id } = plan;
  const { state, reason, attempts } = position;
  return {
    ...{ plan_id: planId, plan_name, state, reason, contacts, ...counts, attempts, waves: placedWaves(position) },
    ...{ created_at: isoTime(plan.createdAt), service, organization_id },
  };
}

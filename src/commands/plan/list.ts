import { printList } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { listPlans } from '../../plans/rows/plans.ts';
import { listedRecord } from '../../plans/run/record.ts';
import type { CommandModule } from '../shared/command.ts';
import { timersInWords } from './shared/timers.ts';

const COLUMNS = ['plan_id', 'plan_name', 'state', 'reason', 'contacts', 'reached', 'waiting', 'attempts', 'waves'];
const BRIEF = ['plan_id', 'plan_name', 'state', 'contacts', 'reached', 'attempts', 'waves', 'created_at', 'service'];

export const command: CommandModule = {
  notes: `
Lists the plans of this machine, whatever their service, with the state in which plan run left them, and the timer of this
machine that runs each (plan schedule).`,
  examples: ['vagent plan list', 'vagent plan list --json'],
  exits: 'offline',
  lists: true,
  run,
};

async function run(context: Context): Promise<void> {
  const { io, register } = context;
  const listed = await (await register.rows()).read(listPlans);
  for (const { damage } of listed) if (damage !== undefined) io.warn(damage.message);
  const timers = listed.length === 0 ? new Map() : await timersInWords(context);
  const plans = listed.map((one) => ({ ...listedRecord(one), timer: timers.get(one.planId) ?? null }));
  await printList(context, { plans }, 'plans', {
    columns: [...COLUMNS, 'created_at', 'service', 'organization_id', 'states', 'timer'],
    brief: BRIEF,
    screen: [...BRIEF, 'timer'],
    importance: ['plan_id', 'plan_name', 'state', 'reached', 'contacts'],
    empty: 'There is no plan: vagent plan create makes one.',
  });
}

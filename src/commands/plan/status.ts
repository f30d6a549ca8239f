import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { paceSeen } from '../../plans/pace.ts';
import { unclearByStatus } from '../../plans/unclear.ts';
import { isForPerson, printRecord } from '../../terminal/output.ts';
import { clockOf } from './shared/next-look.ts';
import { type PlanWord, pickPlan, planWord } from './shared/pick-plan.ts';
import { planRecord, wavesOf } from './shared/plan-record.ts';
import { drawStatus } from './shared/status-screen.ts';
import { countsOf } from './shared/unclear-calls.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Shows where a plan stands as plan run left it; no service is asked. next says when the plan would do something, and why not
before: a code such as window, retry, wave_running or cap. late is by how many seconds the longest wave is expected to go on after its last call is due, as waves of the last days did: so much earlier than the hours close the last wave ends. unclear counts calls by a status that the service's interface does not
name: nobody knows what came of them.`,
    examples: ['vagent plan status Spring', 'vagent plan status 1 --json'],
    exits: EXITS.offline,
  });
  command
    .argument('[plan]', 'its id or name (default on a terminal: the only open one)', planWord)
    .action((word: PlanWord | undefined) => run(word, context));
}

export async function run(word: PlanWord | undefined, context: Context): Promise<void> {
  const { io, flags } = context;
  const stored = await pickPlan(word, context);
  const loaded = await stored.load();
  const now = await clockOf(loaded, context);
  const { next, ...record } = planRecord(loaded, now);
  const history = stored.historyOf(loaded);
  const waves = await wavesOf(history);
  const unclear = countsOf(await unclearByStatus(history, loaded.roster));
  if (isForPerson(io, flags)) {
    for (const line of drawStatus(loaded, { waves, next, now, unclear }, context)) await io.screen(`${line}\n`);
    return;
  }
  await printRecord(
    io,
    flags,
    {
      ...record,
      late: Math.round(paceSeen(loaded.position, now).late / 1000),
      unclear: Object.fromEntries(unclear),
      waves,
      next,
    },
    { now },
  );
}

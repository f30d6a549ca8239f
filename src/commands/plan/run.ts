import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { HALTED, InterruptedError, UsageError } from '../../errors.ts';
import { connectionFlags } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { noteNextTime } from '../shared/consent.ts';
import { spareMemory } from '../shared/spare-memory.ts';
import { askForFirst } from './shared/ask-for-first.ts';
import { type PlanWord, pickPlan, planWord } from './shared/pick-plan.ts';
import { printStep, tellStep } from './shared/print-step.ts';
import { runStep, type Step } from './shared/run-step.ts';
import { isHalted, tellHalt } from './shared/tell-halt.ts';
import { Wait } from './shared/wait.ts';

interface Options {
  untilDone?: true;
  advance?: true;
}

const HELP = `
Looks in the call log what came of earlier waves, hands over the next wave if one is due, and ends. However often it is
called, it does what is due and nothing twice: cron can call it every ten minutes. Of two at once one works, and the other says
so. With --until-done it stays and waits in between, until the plan is done, stopped, cancelled, or waits for a look at its
first wave.

A run of a plan that is stopped, waits for a look or lacks money says why on stderr and exits with 11; --quiet says it once a
day. vagent plan resume goes on.

--json prints {"plan_id", "state", "reason", "wave", "next": {"at", "why"}, "contacts"}; wave is null if none was handed over,
next if nothing is to be done.
`;

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: HELP,
    examples: ['vagent plan run 1', 'vagent plan run 1 --until-done --advance'],
    exits: EXITS.running,
    operation: 'createCampaign',
  });
  command
    .argument('[plan]', 'its id or name (default on a terminal: the only open plan)', planWord)
    .option('--until-done', 'stay, and hand over each wave when it is due')
    .option('--advance', 'on the local engine: move its clock to the next wave instead of waiting')
    .action((word: PlanWord | undefined, options: Options) => run(word, options, context));
}

export async function run(word: PlanWord | undefined, options: Options, context: Context): Promise<void> {
  spareMemory();
  const { settings, io, flags } = context;
  if (options.advance && settings.isRemote()) {
    throw new UsageError('--advance moves the clock of the local engine, and this is a real service.', {
      hint: 'Without it the plan goes by the time of the service.',
    });
  }
  const stored = await pickPlan(word, context);
  context.announceProfile();
  // Reads the key now, so that it is masked if somebody pasted it into a text.
  if (settings.isRemote()) await settings.credentials();
  const wait = new Wait(stored, context, { movesClock: options.advance === true });
  const asking = { stored, waits: options.untilDone === true };
  const goesOn = ({ state, next, wave }: Step) =>
    state === 'open' && next !== undefined && (options.untilDone || (options.advance && wave === undefined));
  try {
    let step = await askForFirst((mayCall) => runStep(stored, context, mayCall), asking, context);
    tellStep(step, context);
    while (goesOn(step)) {
      // With --json notes are held back for the end; this goes on.
      io.releaseNotes();
      await wait.for(step);
      step = await wait.surviving(() => runStep(stored, context, true));
      tellStep(step, context);
    }
    await tellHalt(step, stored, context);
    await printStep(step, context);
    if (isHalted(step)) context.exitCode = HALTED;
    noteNextTime(context);
  } catch (error) {
    if (!(error instanceof InterruptedError) || error.isOutcomeUnknown || error.hint !== undefined) throw error;
    const again = `vagent plan run ${stored.planId}${connectionFlags(flags)}`;
    throw new InterruptedError('Interrupted. What was handed over goes on.', { hint: `To go on: ${again}` });
  }
}

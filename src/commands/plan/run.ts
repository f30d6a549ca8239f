import { connectionFlags } from '../../cli/flags/global.ts';
import { cell, factLines, isForPerson, printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { confirm } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { HALTED, InterruptedError, UsageError } from '../../errors.ts';
import type { StoredPlan } from '../../plans/rows/stored-plan.ts';
import { isOver } from '../../plans/rules/plan.ts';
import type { PlanPorts } from '../../plans/run/ports.ts';
import { runStep, type Step, stepRecord, stepsAfter } from '../../plans/run/step.ts';
import { counted } from '../../text/numbers.ts';
import { shortTime } from '../../text/when.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime, serviceFacts } from '../shared/consent.ts';
import type { Word } from '../shared/pick.ts';
import { spareMemory } from '../shared/spare-memory.ts';
import { rulesInWords } from './shared/draw-rules.ts';
import { wayOn } from './shared/going-on.ts';
import { pickPlan, planPorts, takesPlan } from './shared/open-plan.ts';
import { planFacts } from './shared/plan-words.ts';

type Options = { untilDone?: true; advance?: true };

export const command: CommandModule = {
  notes: `
Looks in the call log what came of earlier waves, hands over the next wave if one is due, and ends. However often it is
called, it does what is due and nothing twice: cron can call it every ten minutes. Of two at once one works, and the other says
so. With --until-done it stays and waits in between, until the plan is done, stopped, cancelled, or waits for a look at its
first wave.

A run of a plan that is stopped, waits for a look or lacks money says why on stderr and exits with 11; --quiet says it once a
day. vagent plan approve goes on after a look, and vagent plan resume after a stop.

--json prints {"plan_id", "state", "reason", "wave", "next": {"at", "why"}, "contacts"}; wave is null if none was handed over,
next if nothing is to be done.
`,
  examples: ['vagent plan run 1', 'vagent plan run 1 --until-done --advance'],
  exits: 'running',
  isLive: true,
  operation: 'createCampaign',
  takes: (command) =>
    takesPlan(command, 'the only open plan')
      .option('--until-done', 'stay, and hand over each wave when it is due')
      .option('--advance', 'on the local engine: move its clock to the next wave instead of waiting'),
  run,
};

async function run(context: Context, word: Word | undefined, options: Options): Promise<void> {
  spareMemory();
  const { settings, io, flags } = context;
  if (options.advance && settings.isRemote()) {
    throw new UsageError('--advance moves the clock of the local engine, and this is a real service.', {
      hint: 'Without it the plan goes by the time of the service.',
    });
  }
  const stored = await pickPlan(word, context);
  context.services.announce();
  // Reads the key now, so that it is redacted if somebody pasted it into a text.
  if (settings.isRemote()) await settings.credentials();
  const ports = planPorts(context);
  const { untilDone: isUntilDone = false, advance: movesClock = false } = options;
  // With --json notes are held back for the end, but a run may go on for days.
  const goingOn = { isUntilDone, movesClock, onWait: () => io.releaseNotes() };
  try {
    let step = await firstStep(stored, ports, isUntilDone, context);
    tellStep(step, context);
    for await (step of stepsAfter(step, stored, goingOn, ports)) tellStep(step, context);
    await tellHalt(step, stored, context);
    await printStep(step, context);
    if (isHalted(step)) context.line.exitCode = HALTED;
    noteNextTime(context);
  } catch (error) {
    if (!(error instanceof InterruptedError) || error.isOutcomeUnknown || error.hint !== undefined) throw error;
    const again = `vagent plan run ${stored.planId}${connectionFlags(flags)}`;
    throw new InterruptedError('Interrupted. What was handed over goes on.', { hint: `To go on: ${again}` });
  }
}

/**
 * Before the first wave goes to a real service, somebody at a terminal is asked once; elsewhere, as under cron, nobody is.
 * `waits`: whether the first wave is waited for if it is not due yet: then the question comes before that. Throws InterruptedError
 * after a no.
 */
async function firstStep(stored: StoredPlan, ports: PlanPorts, waits: boolean, context: Context): Promise<Step> {
  const step = (mayCall: boolean) => runStep(stored, ports, mayCall);
  const { io, flags, settings } = context;
  const isAsked = settings.isRemote() && !flags.yes && io.canAsk;
  if (!isAsked || (await stored.load()).position.waves > 0) return step(true);
  const reconciled = await step(false);
  const { due, next } = reconciled;
  if (due === undefined && (!waits || next === undefined)) return reconciled;
  const rules = rulesInWords(await stored.load(), reconciled.now);
  const facts = {
    ...serviceFacts(context),
    ...factsOf(reconciled),
    ...rules,
    Afterwards: 'the other waves, without a question',
  };
  for (const line of factLines(facts, io)) io.error(line);
  const people = due?.rows.length ?? reconciled.plan.contacts;
  if (!(await confirm(io, `Call ${counted(people, 'person', 'people')}?`))) {
    throw new InterruptedError('Nothing was sent.', { hint: 'The plan is as it was.' });
  }
  return due === undefined ? reconciled : step(true);
}

function factsOf({ plan, due, next, now }: Step): Record<string, unknown> {
  const { plan_id, plan_name, contacts } = plan;
  const time = (at: number) => shortTime(at, now).trim();
  const last = ({ start, rows, interval }: NonNullable<Step['due']>) => time(start + (rows.length - 1) * interval);
  const first = due
    ? `${due.rows.length} of them, from ${time(due.start)} to ${last(due)}`
    : `not before ${time(next?.at ?? now)}, without a question then`;
  return {
    Plan: `${plan_id} ${JSON.stringify(plan_name)}, ${contacts} contacts`,
    'First wave': first,
  };
}

// Showing -----------------------------------------------------------------------------------------------------------

/** Says what was submitted. */
function tellStep({ wave, now }: Step, { io }: Context): void {
  if (wave === undefined) return;
  const { wave: number, contacts, from, start, last, campaignId } = wave;
  const people = counted(contacts, 'contact');
  const times = contacts === 1 ? shortTime(start, now) : `${shortTime(start, now)} to ${shortTime(last, now)}`;
  io.note(`Wave ${number} was handed over as campaign ${campaignId}: ${people}, ${times.trim()}, from ${from}.`);
}

async function printStep(step: Step, context: Context): Promise<void> {
  const record = stepRecord(step);
  if (!isForPerson(context)) return printRecord(context, record);
  await printRecord(context, planFacts({ ...record, plan_name: step.plan.plan_name }, step.now));
  suggestNext(context, nextCommand(step));
}

function nextCommand({ plan: { plan_id: id }, state, isSpent }: Step): string {
  if (isOver(state) || (state === 'stopped' && isSpent)) return `vagent plan results ${id}`;
  return wayOn(id, state)?.command ?? `vagent plan status ${id}`;
}

function isHalted({ state }: Pick<Step, 'state'>): boolean {
  return state === 'stopped' || state === 'waiting';
}

/** Says why on stderr: with --quiet, as under cron, once a day. */
async function tellHalt(step: Step, stored: StoredPlan, { io, flags, clock }: Context): Promise<void> {
  const { plan, state, reason, isSpent } = step;
  if (state === 'done' && reason !== '') io.note(`Plan ${plan.plan_id} is done: ${cell(reason)}`);
  const way = wayOn(plan.plan_id, state);
  if (way === undefined) return;
  const then = isSpent
    ? `vagent plan edit ${plan.plan_id} --budget <amount> raises it.`
    : `${way.said}: ${way.command}${connectionFlags(flags)}`;
  const is = state === 'waiting' ? 'waits for a look' : 'is stopped';
  const said = `Plan ${plan.plan_id} ${is}: ${cell(reason)} ${then}`;
  if (!flags.quiet) io.note(said);
  else if (await stored.isHaltToSay(reason, clock.system())) {
    io.error(said);
    await stored.keepHaltSaid(reason, clock.system());
  }
}

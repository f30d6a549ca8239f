import { connectionFlags } from '../../cli/flags/global.ts';
import { hintOf } from '../../cli/terminal/advice.ts';
import { cell, factLines, isForPerson, printList, printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { confirm } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import {
  HALTED,
  InterruptedError,
  inFull,
  isTransient,
  leavesOutcomeUnknown,
  UsageError,
  VagentError,
} from '../../errors.ts';
import { listPlans } from '../../plans/rows/plans.ts';
import { PLAN_CHANGED, StoredPlan } from '../../plans/rows/stored-plan.ts';
import { hasWork, isOver } from '../../plans/rules/plan.ts';
import { isOfSameService, type PlanPorts } from '../../plans/run/ports.ts';
import { runStep, type Step, stepRecord, stepsAfter, telling } from '../../plans/run/step.ts';
import { counted } from '../../text/numbers.ts';
import { HOUR } from '../../text/units.ts';
import { shortTime, timeAndDistance } from '../../text/when.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime, serviceFacts } from '../shared/consent.ts';
import type { Word } from '../shared/pick.ts';
import { spareMemory } from '../shared/spare-memory.ts';
import { zoneSaid } from '../shared/times.ts';
import { notify } from './run/notify.ts';
import { waitingView } from './run/waiting.ts';
import { haltInWords } from './run/words.ts';
import { rulesInWords } from './shared/draw-rules.ts';
import { wayOn, worthALook } from './shared/going-on.ts';
import { pickPlan, planPorts, takesPlan } from './shared/open-plan.ts';
import { goingOnInWords, planFacts, whyInWords } from './shared/plan-words.ts';
import { notifyTarget, requireSafeNotice, warnOfTimer } from './shared/timers.ts';

interface Options {
  all?: true;
  untilDone?: true;
  advance?: true;
  notify?: string;
}

export const command: CommandModule = {
  notes: `
Looks in the call log for the results of earlier waves, sends the next wave if one is due, and ends. However often it is
called, it does what is due and nothing twice: a timer can call it every ten minutes, and vagent plan schedule makes one. Of two
at once one works, and the other says so. With --until-done it stays and waits in between, until the plan is done, stopped,
cancelled, or waits for a look at its first wave; it shows what it waits for.

--all serves every plan of the register that is not over, or was a week ago, and is one of this service and organization, one
after the other: one line of a crontab for all of them. The failure of one stops no other, and the exit code is the highest.

A run of a plan that is stopped, waits for a look or lacks money says why on stderr and exits with 11; vagent plan approve goes on
after a look, and vagent plan resume after a stop. With --quiet it says so once a day, and so of each other failure; and nothing at
all where nobody is needed: not where another run is at work, and not of a service that could not be reached, unless the plan was
not run for an hour.
--json, -o, --fields and --jq print the result all the same.

--notify tells you once of each wave that has ended, and when the plan is stopped, its budget is spent, it waits for a look, or it
is over, whichever machine of the register runs it: JSON on the standard input of a command, which your shell runs, or as a POST to
an address: {"moment", "text", "at", "wave", "plan_id", "plan_name", "state", "reason", "contacts", "states", "attempts",
"spent", "next"}. moment is wave_ended, stopped, budget, waiting, done or cancelled. A failure, or no end within 30 s, is a
warning, and changes nothing; where a run is killed while it tells, a later one tells it again. Plain http to another machine needs
--insecure-http.

--json prints {"plan_id", "state", "reason", "wave", "next": {"at", "why"}, "contacts", "states"}; wave is null if none was
sent, next if nothing is to be done. With --all that is {"plans": [...]}, each with its "plan_name", and "error", or null.
`,
  examples: [
    'vagent plan run 1',
    'vagent plan run 1 --until-done --advance',
    'vagent plan run --all --quiet --notify "mail -s vagent ann@example.com"',
  ],
  exits: 'running',
  isLive: true,
  operation: 'createCampaign',
  takes: (command) =>
    takesPlan(command, 'the only open plan')
      .option('--all', 'serve every plan that is not over, one after the other')
      .option('--until-done', 'stay, and send each wave when it is due')
      .option('--advance', 'on the simulator: move its clock to the next wave instead of waiting')
      .option('--notify <command|url>', 'tell of a wave that ended, a stop, a spent budget and the end', notifyTarget),
  run,
};

async function run(context: Context, word: Word | undefined, options: Options): Promise<void> {
  spareMemory();
  const { settings, flags } = context;
  if (options.advance && settings.isRemote()) {
    throw new UsageError('--advance moves the clock of the simulator, and this is a real service.', {
      hint: 'Without it the plan goes by the time of the service.',
    });
  }
  if (options.all && (word !== undefined || options.untilDone || options.advance)) {
    throw new UsageError('--all runs every plan once: it goes with no <plan>, --until-done or --advance.');
  }
  requireSafeNotice(options.notify, flags);
  const stored = options.all ? undefined : await pickPlan(word, context);
  context.services.announce();
  if (stored === undefined) return await runAll(options, context);
  const step = await unlessNobodyIsNeeded(() => runOne(stored, options, context), stored, context);
  if (step === undefined) return;
  if (isDataAsked(context)) await printStep(step, options, context);
  if (isHalted(step)) context.line.exitCode = HALTED;
  if (isOver(step.state)) await warnOfTimer(step.plan.plan_id, context);
  noteNextTime(context);
}

async function runOne(stored: StoredPlan, options: Options, context: Context): Promise<Step> {
  const { flags, settings } = context;
  // Reads the key now, so that it is redacted if somebody pasted it into a text.
  if (settings.isRemote()) await settings.credentials();
  const { untilDone: isUntilDone = false, advance: movesClock = false, notify: target } = options;
  const ports = planPorts(context);
  const tell = async (step: Step) => {
    tellStep(step, options, context);
    if (target !== undefined) await telling(stored, step, (moments) => notify(moments, step, target, context), ports);
  };
  try {
    let step = await firstStep(stored, ports, { waits: isUntilDone, isHeard: target !== undefined }, context);
    await tell(step);
    const goingOn = { isUntilDone, movesClock, onWait: waitingView(context) };
    for await (step of stepsAfter(step, stored, goingOn, ports)) await tell(step);
    await tellHalt(step, stored, context);
    return step;
  } catch (error) {
    if (!(error instanceof InterruptedError) || error.isOutcomeUnknown || error.hint !== undefined) throw error;
    const again = `vagent plan run ${stored.planId}${connectionFlags(flags)}`;
    throw new InterruptedError('Interrupted. What was sent goes on.', { hint: `To go on: ${again}` });
  }
}

/** Each once; what stands in the way of one does not stop the others. */
async function runAll(options: Options, context: Context): Promise<void> {
  const { io, flags, line, register, clock } = context;
  const target = register.target();
  const rows = await register.rows();
  const now = await clock.now();
  const open = (await rows.read(listPlans)).filter(
    ({ loaded }) => loaded === undefined || (hasWork(loaded.position, now) && isOfSameService(loaded.plan, target)),
  );
  const plans: Record<string, unknown>[] = [];
  for (const { planId, loaded, name, damage } of open) {
    const plan_name = loaded?.plan.plan_name ?? name ?? null;
    const stored = new StoredPlan({ rows, planId, command: line.command });
    const work = async () => {
      if (damage !== undefined) throw damage;
      return await runOne(stored, options, context);
    };
    try {
      const step = await unlessNobodyIsNeeded(work, stored, context);
      if (step !== undefined) plans.push({ ...stepRecord(step), ...nextOf(step, context), plan_name, error: null });
      if (step !== undefined && isHalted(step)) line.exitCode = Math.max(line.exitCode, HALTED);
    } catch (error) {
      if (!(error instanceof VagentError) || error instanceof InterruptedError) throw error;
      line.exitCode = Math.max(line.exitCode, error.exitCode);
      plans.push({ plan_id: planId, plan_name, error: { code: error.code, message: error.message } });
      const hint = hintOf(error, flags);
      io.error(`Plan ${planId}, ${cell(plan_name)}: ${inFull(error)}${hint === undefined ? '' : `\n  → ${hint}`}`);
    }
  }
  if (!isDataAsked(context)) return;
  await printList(context, { plans }, 'plans', {
    columns: ['plan_id', 'plan_name', 'state', 'reason', 'wave', 'next', 'contacts', 'error'],
    screen: ['plan_id', 'plan_name', 'state', 'reason', 'next'],
    empty: 'No plan of this service and organization is open.',
  });
}

/** In words for a person. */
function nextOf({ next, now }: Step, context: Context): Record<string, string> {
  if (next === undefined || !isForPerson(context)) return {};
  return { next: `${timeAndDistance(next.at, now)}: ${whyInWords(next.why)}` };
}

/** Milliseconds since a plan was run, before it is said that its service cannot be reached. */
const PATIENCE = HOUR;

/** With --quiet, undefined where nobody has to do anything, or somebody was told what to do within a day. */
async function unlessNobodyIsNeeded(
  work: () => Promise<Step>,
  stored: StoredPlan,
  { flags, line, clock }: Context,
): Promise<Step | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!flags.quiet || !(error instanceof VagentError) || error instanceof InterruptedError) throw error;
    if (error.code === 'file_locked' || error.code === PLAN_CHANGED) return undefined;
    // Each of them is another one.
    if (leavesOutcomeUnknown(error)) throw error;
    const now = clock.system();
    const { ranAt } = await stored.snapshot();
    // A later run may fare better.
    const isPassing = isTransient(error) && ranAt !== undefined && now - ranAt < PATIENCE;
    if (!isPassing && (await stored.isHaltToSay(`not run: ${error.code}`, now))) throw error;
    line.exitCode = Math.max(line.exitCode, error.exitCode);
    return undefined;
  }
}

/** With --quiet a result is printed for programs that ask for it. */
function isDataAsked({ flags: { quiet, json, output, fields, jq } }: Context): boolean {
  return !quiet || json === true || [output, fields, jq].some((flag) => flag !== undefined);
}

/**
 * Before the first wave goes to a real service, somebody at a terminal is asked once; elsewhere, as under cron, nobody is.
 * `waits`: whether the first wave is waited for if it is not due yet: then the question comes before that. Throws InterruptedError
 * after a no.
 */
async function firstStep(
  stored: StoredPlan,
  ports: PlanPorts,
  { waits, isHeard }: { waits: boolean; isHeard: boolean },
  context: Context,
): Promise<Step> {
  const step = (mayCall: boolean) => runStep(stored, ports, { mayCall, isHeard });
  const { io, flags, settings } = context;
  const isAsked = settings.isRemote() && !flags.yes && io.canAsk;
  if (!isAsked || (await stored.load()).position.waves > 0) return step(true);
  const reconciled = await step(false);
  const { due, next } = reconciled;
  if (due === undefined && (!waits || next === undefined)) return reconciled;
  const rules = rulesInWords(await stored.load(), reconciled.now, zoneSaid(undefined, context));
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
    Plan: `${plan_id} ${JSON.stringify(plan_name)}, ${counted(contacts, 'contact')}`,
    'First wave': first,
  };
}

// Showing -----------------------------------------------------------------------------------------------------------

/** Says what was submitted. */
function tellStep({ plan, wave, now }: Step, { all }: Options, { io }: Context): void {
  if (wave === undefined) return;
  const whose = all ? `Plan ${plan.plan_id}, ${cell(plan.plan_name)}: ` : '';
  const { wave: number, contacts, from, start, last, campaignId } = wave;
  const people = counted(contacts, 'contact');
  const times = contacts === 1 ? shortTime(start, now) : `${shortTime(start, now)} to ${shortTime(last, now)}`;
  io.note(`${whose}Wave ${number} was sent as campaign ${campaignId}: ${people}, ${times.trim()}, from ${from}.`);
}

async function printStep(step: Step, options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const { state, next, plan } = step;
  const record = stepRecord(step);
  if (!isForPerson(context)) return printRecord(context, record);
  await printRecord(context, planFacts({ ...record, plan_name: plan.plan_name }, step.now));
  if (state === 'open' && next !== undefined && !options.advance)
    io.note(goingOnInWords('It goes on', plan.plan_id, flags));
  else suggestNext(context, nextCommand(step));
}

function nextCommand({ plan: { plan_id: id }, state, isSpent }: Step): string {
  const isAtEnd = isOver(state) || (state === 'stopped' && isSpent);
  return (isAtEnd ? undefined : wayOn(id, state)?.command) ?? worthALook(id, isAtEnd);
}

function isHalted({ state }: Pick<Step, 'state'>): boolean {
  return state === 'stopped' || state === 'waiting';
}

/** Says why on stderr: with --quiet, as under cron, once a day. */
async function tellHalt(step: Step, stored: StoredPlan, context: Context): Promise<void> {
  const { io, flags, clock } = context;
  const { plan, state, reason } = step;
  if (state === 'done' && reason !== '') io.note(`Plan ${plan.plan_id} is done: ${cell(reason)}`);
  if (!isHalted(step)) return;
  const said = haltInWords(step, context);
  if (!flags.quiet) io.note(said);
  else if (await stored.isHaltToSay(reason, clock.system())) io.error(said);
}

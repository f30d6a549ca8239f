import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { filled, integerFrom, repeated } from '../../flags/values.ts';
import { applyEvent } from '../../plans/apply.ts';
import type { LoadedPlan } from '../../plans/plan.ts';
import type { Rehearsed } from '../../plans/play.ts';
import type { PlanRehearsal } from '../../plans/rehearsal.ts';
import type { RowsOfWave } from '../../plans/stage.ts';
import { isForPerson, printList, printRecord } from '../../terminal/output.ts';
import { headingOf, inWords } from '../../terminal/words.ts';
import { noteNextTime } from '../shared/consent.ts';
import { playSteps } from '../shared/play-steps.ts';
import { daysOfWaves } from './shared/days-of-waves.ts';
import { excludedNow } from './shared/excluded.ts';
import { clockOf } from './shared/next-look.ts';
import { type PlanWord, pickPlan, planWord } from './shared/pick-plan.ts';
import { requireSameService } from './shared/same-service.ts';
import { sentRequests } from './shared/sent-requests.ts';
import { showLists } from './shared/shown-lists.ts';

interface Options {
  runs?: number;
  mayRead?: string[];
}

const MAX_RUNS = 10_000;
/** A step is a wave, or a pause. */
const STEPS_A_TURN = 10;

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: HELP,
    examples: ['vagent plan rehearse 1', 'vagent plan rehearse 1 --runs 20 --json'],
    exits: EXITS.offline,
  });
  command
    .argument('[plan]', 'its id or name (default on a terminal: the only open plan)', planWord)
    .option(
      '--runs <n>',
      `number of simulated runs, each with its own random seed (1 to ${MAX_RUNS})`,
      integerFrom(1, MAX_RUNS),
    )
    .option('--may-read <file>', 'one of its lists of --exclude that is not from here; repeatable', repeated(filled))
    .action((word: PlanWord | undefined, options: Options) => run(word, options, context));
}

const HELP = `
Plays the plan from where it stands to its end, in memory: nobody is called, nothing is stored, and no network is needed.
On the local engine the report describes what "plan run --until-done --advance" would do, wave for wave, if its clock showed
the same times; run k of --runs uses the store's random seed plus k. Of a plan for a real service, results and prices
are those of a new local engine.
A plan that waits after its canary, or was stopped, is played as if it were resumed now. Contacts of
all states add up to the contacts of the plan; waves, attempts and cost are those still to come.

Where a team shares the register, a list of --exclude is opened only on machines where somebody has named it: in plan create,
or here, once, with --may-read.
`;

export async function run(
  word: PlanWord | undefined,
  { runs = 1, mayRead = [] }: Options,
  context: Context,
): Promise<void> {
  const { io } = context;
  const stored = await pickPlan(word, context);
  const loaded = await stored.load();
  showLists(
    mayRead.map((path) => listOf(loaded, path)),
    context,
  );
  const history = stored.historyOf(loaded);
  const rows = new Map<number, readonly number[]>();
  for (const open of loaded.position.open) rows.set(open.wave, await history.rowsOfWave(open));
  const rehearsed = await stageOf(loaded, ({ wave }) => rows.get(wave) ?? [], context);
  for (const event of await excludedNow(loaded, context, rehearsed.stage.now)) applyEvent(event, loaded, 0);
  tellState(loaded, context);
  const { rehearsePlan } = await import('../../plans/rehearsal.ts');
  const steps = { doing: 'Rehearsing waves', aTurn: STEPS_A_TURN };
  const report = await playSteps(rehearsePlan(rehearsed, runs), steps, context);
  if (report.stopped !== null) io.warn(`the plan would be stopped. ${report.stopped}`);
  else if (report.left > 0) {
    io.warn(`${report.left} of ${report.contacts} contacts would be left: not reached before the end of the plan.`);
  }
  if (report.waits_after_canary)
    io.note('After its first wave the plan waits for "plan resume"; here it goes on at once.');
  await show(report, loaded, rehearsed.stage.now, context);
  noteNextTime(context);
}

/** Throws UsageError: whoever names another would believe that its numbers are not called. */
function listOf({ plan: { plan_id, rules } }: LoadedPlan, named: string): string {
  const path = resolve(named);
  if (rules.exclude.includes(path)) return path;
  throw new UsageError(`--may-read ${named}: plan ${plan_id} has no such list.`);
}

async function stageOf(loaded: LoadedPlan, rowsOfWave: RowsOfWave, context: Context): Promise<Rehearsed> {
  const { onAssumedService, onLocalEngine } = await import('../../plans/stage.ts');
  if (!loaded.plan.isLocal) {
    context.io.warn('the service was not asked. Results are simulated with the rates of a new local engine.');
    const { busy } = await sentRequests(loaded.plan, context);
    return onAssumedService(loaded, { now: await clockOf(loaded, context), busy }, rowsOfWave);
  }
  requireSameService(loaded.plan, context);
  const [{ store }, { engineNow }, { waitingIn }] = await Promise.all([
    context.local(),
    import('../../local/timeline.ts'),
    import('../../local/waiting.ts'),
  ]);
  const snapshot = await store.snapshot();
  const { state } = snapshot;
  const waitingOf = await waitingIn(snapshot);
  const setting = { state, now: engineNow(state, context), isWalletKnown: true, waitingOf };
  return onLocalEngine(loaded, setting, rowsOfWave);
}

function tellState({ plan, position: { state, reason } }: LoadedPlan, { io }: Context): void {
  if (state === 'open') return;
  const why = reason === '' ? '' : ` ${reason}`;
  const isOver = state === 'done' || state === 'cancelled';
  const then = isOver ? 'Nobody is called any more.' : 'This is what would come if it were resumed now.';
  io.note(`Plan ${plan.plan_id} is ${state === 'waiting' ? 'waiting' : state}.${why} ${then}`);
}

// Showing ------------------------------------------------------------------------------------------------------------

async function show(report: PlanRehearsal, { plan }: LoadedPlan, now: number, context: Context): Promise<void> {
  const { io, flags } = context;
  if (!isForPerson(io, flags)) return printRecord(io, flags, { ...report });
  const { percentiles, wave_list, waits_after_canary: _noted, stopped: _told, stopped_runs, ...facts } = report;
  const known = Object.entries({ ...facts, ...(report.runs > 1 && { stopped_runs }) });
  await printRecord(io, flags, Object.fromEntries(known.filter(([, value]) => value !== null)), { now });
  if (percentiles !== undefined) {
    const wording = { now: io.now(), redact: (text: string) => text };
    const rows = Object.entries(percentiles).map(([field, values]) => {
      const shown = Object.entries(values).map(([percent, value]) => [percent, inWords(field, value, wording)]);
      return { of: headingOf(field), ...Object.fromEntries(shown) };
    });
    await io.screen('\n');
    const shape = { key: 'percentiles', columns: ['of', 'p5', 'p50', 'p95'], importance: ['of', 'p50', 'p95'] };
    await printList(io, flags, { percentiles: rows }, shape);
  }
  const days = daysOfWaves(wave_list, plan.rules.callsPerHour, now);
  if (days.length === 0) return;
  await io.screen('\n');
  await printList(
    io,
    flags,
    { days },
    { key: 'days', columns: ['day', 'waves', 'calls', 'by_hour'], importance: ['day', 'by_hour', 'calls'] },
  );
}

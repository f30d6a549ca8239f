import { resolve } from 'node:path';
import { filled, repeated } from '../../cli/flags/values.ts';
import { columnOf } from '../../cli/terminal/charts.ts';
import { isForPerson, printList, printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { PlanRehearsal } from '../../plans/rehearsal/rehearse-plan.ts';
import type { Rehearsed, RowsOfWave } from '../../plans/rehearsal/stage.ts';
import { rowsOfWave } from '../../plans/rows/history.ts';
import { applyEvent } from '../../plans/rules/apply.ts';
import { isOver, type LoadedPlan } from '../../plans/rules/plan.ts';
import { doNotCallNow, rememberNamed } from '../../plans/run/do-not-call.ts';
import { clockOf, requireSameService } from '../../plans/run/ports.ts';
import { daysOf } from '../../plans/run/record.ts';
import { sentRequests } from '../../plans/run/requests.ts';
import { counted } from '../../text/numbers.ts';
import { shortDay } from '../../text/when.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import type { Word } from '../shared/pick.ts';
import { localSetting, playSteps, RUNS, showPercentiles } from '../shared/rehearsing.ts';
import { editCommand } from './shared/going-on.ts';
import { heldBackInWords } from './shared/held-back-words.ts';
import { pickPlan, planPorts, takesPlan } from './shared/open-plan.ts';

type Options = { runs?: number; mayRead?: string[] };

/** A step is a wave, or a pause. */
const STEPS_A_TURN = 10;

export const command: CommandModule = {
  notes: `
Plays the plan from where it stands to its end, in memory: nobody is called, nothing is stored, and no network is needed.
On the simulator the report describes what "plan run --until-done --advance" would do, wave for wave, if its clock showed
the same times; run k of --runs uses the store's random seed plus k. Of a plan for a real service, results and prices
are the simulator's usual ones.
A plan that waits after its canary, or was stopped, is played as if it were resumed now. Contacts of
all states add up to the contacts of the plan; waves, attempts and cost are those still to come.

Where a team shares the register, a list of --exclude is opened only on machines where somebody has named it: in plan create,
or here, once, with --may-read.
`,
  examples: ['vagent plan rehearse 1', 'vagent plan rehearse 1 --runs 20 --json'],
  exits: 'offline',
  takes: (command) =>
    takesPlan(command, 'the only open plan')
      .option(...RUNS)
      .option('--may-read <file>', 'one of its lists of --exclude that is not from here; repeatable', repeated(filled)),
  run,
};

async function run(context: Context, word: Word | undefined, { runs = 1, mayRead = [] }: Options): Promise<void> {
  const { io } = context;
  const stored = await pickPlan(word, context);
  const loaded = await stored.load();
  const { plan, position } = loaded;
  const ports = planPorts(context);
  const named = mayRead.map((path) => listOf(loaded, path));
  rememberNamed(named, ports);
  const rows = new Map<number, readonly number[]>();
  for (const open of position.open) rows.set(open.wave, await rowsOfWave(stored.rows, plan, open));
  const rehearsed = await stageOf(loaded, ({ wave }) => rows.get(wave) ?? [], context);
  for (const event of await doNotCallNow(loaded, ports, rehearsed.now)) applyEvent(event, loaded, 0);
  tellState(loaded, context);
  const { rehearsePlan } = await import('../../plans/rehearsal/rehearse-plan.ts');
  const report = await playSteps(rehearsePlan(rehearsed, runs), 'Rehearsing waves', STEPS_A_TURN, context);
  const left = `${report.not_called} of ${counted(report.contacts, 'contact')} would not be reached before the end of the plan.`;
  if (report.stopped !== null) io.warn(`the plan would be stopped. ${report.stopped}`);
  else if (report.not_called > 0) io.warn(left);
  for (const text of heldBackInWords(loaded, rehearsed.now, editCommand(plan.plan_id, context.flags))) io.warn(text);
  if (report.waits_after_canary)
    io.note('After its first wave the plan waits for "plan approve"; here it goes on at once.');
  await show(report, loaded, rehearsed.now, context);
  noteNextTime(context);
}

/** Throws UsageError: whoever names another would believe that its numbers are not called. */
function listOf({ plan: { plan_id, rules } }: LoadedPlan, named: string): string {
  const path = resolve(named);
  if (rules.exclude.includes(path)) return path;
  throw new UsageError(`--may-read ${named}: plan ${plan_id} has no such list.`);
}

async function stageOf(loaded: LoadedPlan, rows: RowsOfWave, context: Context): Promise<Rehearsed> {
  const { onAssumedService, onLocalEngine } = await import('../../plans/rehearsal/stage.ts');
  if (!loaded.plan.isLocal) {
    context.io.warn('the service was not asked. Results are simulated with the usual rates of the simulator.');
    const { pending } = await sentRequests(loaded.plan, planPorts(context));
    return onAssumedService(loaded, { now: await clockOf(loaded, planPorts(context)), pending }, rows);
  }
  requireSameService(loaded.plan, planPorts(context));
  return onLocalEngine(loaded, await localSetting(context), rows);
}

function tellState({ plan, position: { state, reason } }: LoadedPlan, { io }: Context): void {
  if (state === 'open') return;
  const why = reason === '' ? '' : ` ${reason}`;
  const then = isOver(state) ? 'Nobody is called any more.' : 'This is what would come if it were resumed now.';
  io.note(`Plan ${plan.plan_id} is ${state === 'waiting' ? 'waiting' : state}.${why} ${then}`);
}

// Showing ------------------------------------------------------------------------------------------------------------

async function show(report: PlanRehearsal, { plan }: LoadedPlan, now: number, context: Context): Promise<void> {
  const { io } = context;
  if (!isForPerson(context)) return printRecord(context, { ...report });
  const { percentiles, wave_list, waits_after_canary: _noted, stopped: _said, stopped_runs, ...facts } = report;
  const known = Object.entries({ ...facts, ...(report.runs > 1 && { stopped_runs }) });
  await printRecord(context, Object.fromEntries(known.filter(([, value]) => value !== null)), { now });
  if (percentiles !== undefined) await showPercentiles({ ...percentiles }, context);
  const days = daysInWords(wave_list, plan.rules.callsPerHour, now);
  if (days.length === 0) return;
  await io.screen('\n');
  await printList(context, { days }, 'days', {
    columns: ['day', 'waves', 'calls', 'by_hour'],
    importance: ['day', 'by_hour', 'calls'],
  });
}

/** `by_hour` has a character for each hour from midnight on, as high as the hour has calls. */
function daysInWords(waves: PlanRehearsal['wave_list'], callsPerHour: number, now: number) {
  const days = daysOf(waves, callsPerHour);
  const most = Math.max(1, ...days.flatMap(({ byHour }) => byHour));
  return days.map(({ date, waves: count, byHour }) => ({
    day: shortDay(date, now),
    waves: count,
    calls: byHour.reduce((sum, calls) => sum + calls, 0),
    by_hour: byHour.map((calls) => (calls === 0 ? '·' : columnOf(calls, most))).join(''),
  }));
}

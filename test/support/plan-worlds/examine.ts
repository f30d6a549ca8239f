/** Plays a world until every plan has come to its end, and judges it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../program.ts';
import { runTogether } from './command.ts';
import { exclusions, type ZonesOfPlace } from './command-line.ts';
import { judge } from './oracle/judge.ts';
import type { Breach } from './oracle/view.ts';
import { everybody, PLACES, phoneOf } from './people.ts';
import { NUMBERS } from './service.ts';
import { happened, type Sometimes } from './sometimes.ts';
import { type Played, Stage } from './stage.ts';
import { MINUTE, type Step, type World } from './world.ts';

export interface Examined {
  played: Played;
  breaches: Breach[];
  sometimes: Set<Sometimes>;
}

export async function examine(world: World, zonesOf: ZonesOfPlace): Promise<Examined> {
  const played = await play(world, zonesOf);
  return { played, breaches: judge(played.history), sometimes: happened(played) };
}

/** What a person needs to see what went wrong. */
export function report(world: World, { played, breaches }: Pick<Examined, 'played' | 'breaches'>): string {
  const told = breaches.map(({ rule, text }) => `✗ ${rule}: ${text}`);
  return [JSON.stringify(world), ...played.transcript, ...told].join('\n');
}

async function play(world: World, zonesOf: ZonesOfPlace): Promise<Played> {
  const began = performance.now();
  const before = world.isLocal ? [] : world.before;
  const past = before.reduce((sum, { pause }) => sum + pause * MINUTE, 0);
  const stage = new Stage(world, zonesOf, world.start - past);
  try {
    await stage.open();
    for (const step of before) await take(stage, step);
    await stage.makePlans();
    for (const step of world.steps) await take(stage, step);
    await bringToEnd(stage);
    return await stage.played(performance.now() - began);
  } finally {
    await stage.close();
  }
}

// Zones --------------------------------------------------------------------------------------------------------------

const DIGITS = ['0001', '0745', '1234', '4999', '5000', '7777', '8642', '9999'];

/** As `contacts check --zones` says it of several numbers of each place. */
export async function zonesOfPlaces(): Promise<ZonesOfPlace> {
  const home = temporaryFolder();
  const zones: (readonly string[])[] = [];
  for (const { prefix, homes = [] } of PLACES) {
    const file = join(home, 'numbers.csv');
    writeFileSync(file, ['phone_number', ...DIGITS.map((digits) => `${prefix}${digits}`), ''].join('\n'));
    const args = ['contacts', 'check', file, '--zones', '--skip-invalid', '--json'];
    const env = { HOME: home, PATH: '', TZ: 'UTC', CI: '1' };
    const [ended] = await runTogether({ home, env, now: Date.now }, [args]);
    const groups: { zones: string[] }[] = JSON.parse(ended?.stdout ?? '{}').zones ?? [];
    if (groups.length !== 1) throw new Error(`${prefix}: ${ended?.stdout} ${ended?.stderr}`);
    zones.push([...new Set([...(groups[0]?.zones ?? []), ...homes])]);
  }
  return (place) => zones[place] ?? [];
}

// Steps: what the operator does, and what goes on beside --------------------------------------------------------------

/** Contacts of a campaign that is no plan. */
const LARGEST_BESIDE = 60;

async function take(stage: Stage, step: Step): Promise<void> {
  if (!('plan' in step)) await takeBeside(stage, step);
  else if (stage.plans.length > 0) await takeWithPlan(stage, step, step.plan % stage.plans.length);
  await stage.wait(step.pause);
}

async function takeWithPlan(stage: Stage, step: Extract<Step, { plan: number }>, plan: number): Promise<void> {
  switch (step.do) {
    case 'run':
    case 'run on':
      return stage.run(plan, step.fault, ...(step.do === 'run on' && stage.world.isLocal ? ['--advance'] : []));
    case 'two runs':
    case 'stop while it runs':
      return stage.together(plan, ['run', step.do === 'two runs' ? 'run' : 'stop']);
    case 'edit':
      return stage.edit(plan, step.rules);
    default:
      return stage.control(step.do, plan);
  }
}

async function takeBeside(stage: Stage, step: Exclude<Step, { plan: number }>): Promise<void> {
  if (step.do === 'campaign') return createCampaign(stage, step);
  const all = everybody(stage.world);
  const phone = phoneOf(all[step.person % all.length] as (typeof all)[number]);
  if (step.do === 'exclude') return stage.exclude(phone);
  // The local engine has no register: its own log knows of every call.
  if (step.do === 'foreign call' || stage.world.isLocal) return stage.service.callFromOutside(phone);
  const args = ['call', phone, '--agent', '1', '--from', NUMBERS[0] as string, '--first-line', 'Hello', '--yes'];
  await stage.command([[...args, ...(step.isForced ? ['--force'] : [])]]);
}

async function createCampaign(stage: Stage, step: Extract<Step, { do: 'campaign' }>): Promise<void> {
  const phones = everybody(stage.world)
    .filter((_person, at) => at % step.every === 0)
    .slice(0, LARGEST_BESIDE)
    .map(phoneOf);
  const file = `${exclusions(stage.home)}.campaign.csv`;
  writeFileSync(file, ['phone_number', ...new Set(phones), ''].join('\n'));
  const start = new Date(stage.clock.now + step.startsIn * MINUTE).toISOString();
  await stage.command([
    [
      ...['campaign', 'create', '--name', 'Beside', '--agent', '1', '--from', NUMBERS[0] as string],
      ...['--contacts', file, '--calls-per-hour', '600', '--yes', '--json'],
      ...(stage.world.isLocal ? [] : ['--again', '--force']),
      ...['--retry-attempts', String(step.retries), '--retry-delay', String(step.retryDelay)],
      ...(step.startsIn === 0 ? [] : ['--start', start]),
    ],
  ]);
}

// The end -------------------------------------------------------------------------------------------------------------

/** `plan run` of one plan; a plan that takes longer is cancelled, and must end then. */
const MOST_RUNS = 15;
const RUNS_AFTER_CANCEL = 12;
/** Runs that may say that they wait for a time which is over. */
const MOST_STUCK = 4;
const MOST_RESUMED = 2;

/** How far one plan is on its way. */
interface Way {
  plan: number;
  runs: number;
  resumed: number;
  stuck: number;
  isCancelled: boolean;
  isOver: boolean;
}

/** From now on nothing goes wrong any more. */
async function bringToEnd(stage: Stage): Promise<void> {
  const ways = stage.plans.map((_plan, plan): Way => {
    return { plan, runs: 0, resumed: 0, stuck: 0, isCancelled: false, isOver: false };
  });
  const open = () => ways.filter(({ isOver }) => !isOver);
  while (open().length > 0) {
    // One that waits for a later time would say the same again.
    const due = open().filter(({ plan }) => !((stage.plans[plan]?.next ?? 0) > stage.clock.now));
    for (const way of due) await goOn(stage, way);
    // One that only waits for its last calls is looked at now and then.
    if (open().every(({ isCancelled }) => isCancelled)) await stage.wait(6 * 60);
    else await stage.wait(open().some(({ stuck }) => stuck > 0) ? 1 : 'next');
  }
  // Whatever the log still has to say.
  await stage.wait(stage.world.late.most + 24 * 60);
  for (const { plan } of ways) await stage.look(plan);
}

async function goOn(stage: Stage, way: Way): Promise<void> {
  const { plan } = way;
  const { world, misbehaved } = stage;
  await stage.run(plan, undefined, ...(world.isLocal ? ['--until-done', '--advance'] : []));
  way.runs += 1;
  const state = stage.answerOf(plan)?.state;
  const isHalted = state === 'waiting' || state === 'stopped';
  if (isHalted && way.resumed < MOST_RESUMED) {
    way.resumed += 1;
    await stage.control(world.seed % 2 === 0 ? 'resume' : 'recall', plan);
  } else if (!way.isCancelled && (isHalted || way.runs >= MOST_RUNS)) {
    way.isCancelled = true;
    way.runs = 0;
    await stage.control('cancel', plan);
  }
  const answer = stage.answerOf(plan);
  const { waiting, calling } = answer?.states ?? {};
  const isSettled = waiting === 0 && calling === 0;
  way.isOver = answer?.state === 'done' || (answer?.state === 'cancelled' && isSettled);
  const isStuck = answer?.state === 'open' && !((stage.plans[plan]?.next ?? 0) > stage.clock.now);
  way.stuck = isStuck ? way.stuck + 1 : 0;
  if (way.stuck === MOST_STUCK) misbehaved.push(`Plan ${plan} waits for what is over: ${JSON.stringify(answer)}.`);
  if (way.isOver || !way.isCancelled || way.runs < RUNS_AFTER_CANCEL) return;
  way.isOver = true;
  misbehaved.push(`Plan ${plan} comes to no end: ${JSON.stringify(answer)}.`);
}

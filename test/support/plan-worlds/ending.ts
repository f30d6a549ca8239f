/** Brings the plans of a world to their ends: from now on nothing goes wrong any more. */
import type { Stage } from './stage.ts';

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

export async function bringToEnd(stage: Stage): Promise<void> {
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
  const { new: untouched, handed, again } = answer?.contacts ?? {};
  const isSettled = untouched === 0 && handed === 0 && again === 0;
  way.isOver = answer?.state === 'done' || (answer?.state === 'cancelled' && isSettled);
  const isStuck = answer?.state === 'open' && !((stage.plans[plan]?.next ?? 0) > stage.clock.now);
  way.stuck = isStuck ? way.stuck + 1 : 0;
  if (way.stuck === MOST_STUCK) misbehaved.push(`Plan ${plan} waits for what is over: ${JSON.stringify(answer)}.`);
  if (way.isOver || !way.isCancelled || way.runs < RUNS_AFTER_CANCEL) return;
  way.isOver = true;
  misbehaved.push(`Plan ${plan} comes to no end: ${JSON.stringify(answer)}.`);
}

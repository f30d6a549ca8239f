import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { suggestNext } from '../../terminal/next.ts';
import { cell } from '../../terminal/output.ts';
import { liveView } from '../shared/live-view.ts';
import { type PlanWord, pickPlan, planWord } from './shared/pick-plan.ts';
import { isAtRest, type PlanLook } from './shared/plan-look.ts';
import { PLAN_VIEW } from './shared/plan-view.ts';
import { WatchedPlan } from './shared/watched-plan.ts';

/** Milliseconds between two looks at the plan, and how many times as long as a look takes: a long plan costs little time, too. */
const PAUSE = 1_000;
const REST = 10;

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Shows a plan until it is done, stopped, cancelled or waits for you: its contacts by state, its calls and waves, what it does
next and why, and at what hours of the coming day its contacts may be called. It calls nobody and asks no service: it reads
what plan run keeps, and says so where nobody runs the plan. End it with Ctrl-C, which is no failure
(exit code 0): the plan goes on.

In a pipe it prints a snapshot as a line of JSON whenever something has changed: plan_id, plan_name, at, state, reason,
contacts by state, attempts, spent, budget, answer_rate (of the latest attempts), waves (how many were placed or may have been), running (those
with calls not seen yet), next ("at" and "why"), not_run_for (seconds since plan run was last there) and is_over.`,
    examples: ['vagent plan watch Spring', 'vagent plan watch 1 -o ndjson | jq -r .contacts.reached'],
    exits: EXITS.offline,
  });
  command
    .argument('[plan]', 'its id or name (default on a terminal: the only open one)', planWord)
    .action((word: PlanWord | undefined) => run(word, context));
}

/** Runs until the plan is at rest, or until it is interrupted: both are its normal end. */
export async function run(word: PlanWord | undefined, context: Context): Promise<void> {
  const { io, flags, signal } = context;
  const view = liveView(PLAN_VIEW, context);
  try {
    const watched = new WatchedPlan(await pickPlan(word, context), context);
    let look = await watched.look();
    if (!isAtRest(look)) io.note('Watching. End with Ctrl-C: the plan goes on.');
    // With --json, notes are held back in case the command ends with an error. It goes on, so they are printed.
    io.releaseNotes();
    await view.show([look]);
    for (let took = 0; !isAtRest(look) && !signal.aborted; ) {
      await sleep(Math.max(PAUSE, REST * took), undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      const began = performance.now();
      look = await watched.look();
      took = performance.now() - began;
      await view.show([look]);
    }
    view.end();
    io.note(endInWords(look));
    const { plan_id, state } = look.record;
    if (isAtRest(look)) suggestNext(io, flags, `vagent plan ${state === 'done' ? 'results' : 'status'} ${plan_id}`);
  } finally {
    view.end();
  }
}

function endInWords(look: PlanLook): string {
  const { plan_id, plan_name, state, reason } = look.record;
  if (!isAtRest(look)) return `Plan ${plan_id} goes on: only the watch has ended.`;
  const why = reason === '' ? '' : `: ${cell(reason)}`;
  const is = state === 'waiting' ? 'waits for you' : `is ${state}`;
  return `Plan ${plan_id}, ${cell(plan_name)}, ${is}${why}.`.replace(/\.\.$/, '.');
}

import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { FileError, UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import type { LoadedPlan } from '../../plans/plan.ts';
import { forgetPlan } from '../../plans/rows/plans.ts';
import type { StoredPlan } from '../../plans/rows/stored-plan.ts';
import { MARGIN } from '../../plans/rules.ts';
import { endOf } from '../../plans/waves.ts';
import { isWaveOf } from '../../register/requests.ts';
import { printRecord } from '../../terminal/output.ts';
import { requireConsent } from '../shared/consent.ts';
import { clockOf } from './shared/next-look.ts';
import { type PlanWord, pickPlan, planWord } from './shared/pick-plan.ts';

interface Options {
  force?: true;
}

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
Removes all that this machine keeps of a plan and its people, also what the register keeps of its waves; only the number stays,
so that no other plan gets it. Results can no longer be worked out, and these numbers are no longer known as called before.
Numbers that opted out stay on their list. A plan that is open must be stopped or cancelled first.

--force is for a plan with calls that may still come or were never seen, and for one that is damaged.`,
    examples: ['vagent plan forget Spring --yes', 'vagent plan forget 1 --force --yes'],
    exits: EXITS.offline,
  });
  command
    .argument('[plan]', 'its id or name', planWord)
    .option('--force', 'even if calls may still come, or it is damaged')
    .action((word: PlanWord | undefined, options: Options) => run(word, options, context));
}

export async function run(word: PlanWord | undefined, { force }: Options, context: Context): Promise<void> {
  const { io, flags, systemNow } = context;
  const stored = await pickPlan(word, context);
  const loaded = await requireForgettable(stored, force === true, context);
  await requireYes(stored, loaded, context);
  // The register first: of a plan that is gone, nobody knows which entries are its waves.
  if (loaded !== undefined && !loaded.plan.isLocal) await forgetWaves(loaded, context);
  await forgetPlan(await context.rows(), stored, async () => {
    await requireForgettable(stored, force === true, context);
  });
  const { plan_name = null, contacts = null } = loaded?.plan ?? {};
  const forgotten = new Date(systemNow()).toISOString();
  await printRecord(io, flags, { plan_id: stored.planId, plan_name, contacts, forgotten });
}

/** Undefined if it is damaged and may be forgotten all the same. */
async function requireForgettable(
  stored: StoredPlan,
  isForced: boolean,
  context: Context,
): Promise<LoadedPlan | undefined> {
  let loaded: LoadedPlan;
  try {
    loaded = await stored.load();
  } catch (error) {
    if (isForced && error instanceof FileError) return undefined;
    throw error;
  }
  const { plan_id } = loaded.plan;
  const { state } = loaded.position;
  if (state === 'open' || state === 'waiting') {
    throw new UsageError(`Plan ${plan_id} is ${state}: its people may still be called. Nothing was forgotten.`, {
      hint: `vagent plan cancel ${plan_id}`,
    });
  }
  const doubt = whyKept(loaded, await clockOf(loaded, context));
  if (doubt === undefined || isForced) return loaded;
  throw new UsageError(`Plan ${plan_id} ${doubt}: its numbers are still needed to refuse a second call.`, {
    hint: 'To forget it anyway, repeat with --force.',
  });
}

/** Completes a sentence about the plan. */
function whyKept({ position }: LoadedPlan, now: number): string | undefined {
  if (position.open.some(({ outcome }) => outcome !== 'accepted')) return 'has a wave of unknown outcome';
  const mayCall = position.open.some((wave) => endOf(wave) + MARGIN > now);
  return mayCall ? 'may still be calling' : undefined;
}

async function requireYes(stored: StoredPlan, loaded: LoadedPlan | undefined, context: Context): Promise<void> {
  if (!context.flags.yes && !context.io.canAsk) {
    throw new UsageError('What is forgotten cannot be brought back: it needs --yes. Nothing was forgotten.');
  }
  const facts = {
    Plan: loaded === undefined ? stored.planId : `${stored.planId} ${loaded.plan.plan_name}`,
    Contacts: loaded?.plan.contacts,
    Removed: 'numbers, texts, identifiers, original rows and what came of each, on this machine',
    Lost: 'results, and the guard: these numbers count as never called by it',
  };
  const otherwise = 'Nothing was forgotten.';
  await requireConsent({ facts, question: 'Forget whom it called?', ringsPhones: true, otherwise }, context);
}

async function forgetWaves({ plan }: LoadedPlan, context: Context): Promise<void> {
  const register = await context.register.open();
  await register.forget(({ sent }) => isWaveOf(sent, plan));
}

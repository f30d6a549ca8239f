/** The plan that a command works on, and what the library needs for it. */
import { connectionFlags } from '../../../cli/flags/global.ts';
import type { PlainCommand } from '../../../cli/flags/plain-command.ts';
import { sourceName } from '../../../cli/terminal/io.ts';
import { cell } from '../../../cli/terminal/output.ts';
import { readExclusions } from '../../../contacts/check/exclusion-list.ts';
import { encodingNamed } from '../../../contacts/rules.ts';
import type { Context } from '../../../context.ts';
import { FileError, NotFoundError, UsageError } from '../../../errors.ts';
import { type ListedPlan, listPlans } from '../../../plans/rows/plans.ts';
import { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { isOver } from '../../../plans/rules/plan.ts';
import { clockOf, type PlanPorts } from '../../../plans/run/ports.ts';
import { storeName } from '../../../storage/files/store-place.ts';
import { idOrName, pick, type Word } from '../../shared/pick.ts';
import { unclearInWords } from './plan-words.ts';

/** The argument that names it. */
export function takesPlan(command: PlainCommand, otherwise = 'the only open one'): PlainCommand {
  return command.argument('[plan]', `its id or name (default on a terminal: ${otherwise})`, idOrName);
}

/** The plan that is meant as it is now; `now` by the clock that places its calls, in milliseconds since the epoch. */
export async function openPlan(word: Word | undefined, context: Context) {
  const stored = await pickPlan(word, context);
  const loaded = await stored.load();
  return { stored, loaded, now: await clockOf(loaded, planPorts(context)) };
}

/**
 * By its id, by its name, or the only one that is not over where none is named. Throws UsageError if it is not certain which plan
 * is meant, and NotFoundError if there is none.
 */
export async function pickPlan(word: Word | undefined, context: Context): Promise<StoredPlan> {
  const rows = await context.register.rows();
  const plans = await rows.read(listPlans);
  const list = `vagent plan list${connectionFlags(context.flags)}`;
  const planId = word === undefined ? onlyPlan(plans, list, context) : namedPlan(word, plans, list);
  return new StoredPlan({ rows, planId, command: context.line.command });
}

function namedPlan(word: Word, plans: readonly ListedPlan[], list: string): number {
  const named = plans.map((one) => ({ id: one.planId, name: nameOf(one), at: one.loaded?.plan.createdAt }));
  try {
    return pick(word, named, { what: 'plan', list, code: 'plan_not_found' }).id;
  } catch (error) {
    const damages = plans.flatMap(({ damage }) => damage ?? []);
    const [damage] = damages;
    if (!(error instanceof NotFoundError) || typeof word === 'number' || damage === undefined) throw error;
    // What a damaged plan is called is not known for sure.
    const what = damages.map(({ message }) => message).join(' ');
    throw new FileError(`There is no plan called ${cell(word)} that can be read. ${what}`, {
      code: damage.code,
      ...(damage.reason && { reason: damage.reason }),
      hint: [error.hint?.slice(0, -list.length).trim(), damage.hint].filter(Boolean).join(' '),
    });
  }
}

/** Undefined if the plan is damaged and does not have it any more. */
function nameOf({ loaded, name }: ListedPlan): string | undefined {
  return loaded?.plan.plan_name ?? name;
}

/** Only where somebody at a terminal reads which one it is. */
function onlyPlan(plans: readonly ListedPlan[], list: string, { io, flags }: Context): number {
  const left = plans.filter(({ loaded }) => loaded === undefined || !isOver(loaded.position.state));
  const [only, second] = left.length > 0 ? left : plans;
  if (plans.length === 0)
    throw new NotFoundError('There is no plan.', { hint: `vagent plan create${connectionFlags(flags)} makes one.` });
  if (!io.stdoutIsTerminal || only === undefined || second !== undefined) {
    throw new UsageError('Missing: <plan>.', { hint: list });
  }
  io.note(`The only ${left.length > 0 ? 'open ' : ''}plan: ${only.planId}, ${cell(nameOf(only) ?? '')}.`);
  return only.planId;
}

export function planPorts(context: Context): PlanPorts {
  const { settings, io, flags, notes, signal, clock, services, local, register } = context;
  return {
    ...{ notes, signal, clock, services, local, register },
    store: { key: () => settings.storeKey(), name: () => storeName(settings.store()) },
    lists: {
      async read(path, country, named = '') {
        const bytes = io.chunks(path, '--exclude');
        return (await readExclusions(bytes, sourceName(path), { country, encoding: encodingNamed(named) })).numbers;
      },
      folder: () => settings.stateFolder(),
    },
    onUnclear(planId, calls) {
      const said = `${unclearInWords(calls)} vagent plan status ${planId}${connectionFlags(flags)} keeps count of them.`;
      // It is said once, and then perhaps only to cron.
      if (flags.quiet) io.error(`Warning: ${said}`);
      else io.warn(said);
    },
  };
}

/** The same for work that may take long: with --json notes are held back for the end, and these are not. */
export function portsWithoutDelay(context: Context): PlanPorts {
  const { io, notes } = context;
  const saying = (say: (text: string) => void) => (text: string) => {
    say(text);
    io.releaseNotes();
  };
  return { ...planPorts(context), notes: { ...notes, note: saying(notes.note), warn: saying(notes.warn) } };
}

/** Finds the plan that an argument means: by its id, by its name, or the only one that is not over where none is named. */
import type { Context } from '../../../context.ts';
import { FileError, NotFoundError, UsageError } from '../../../errors.ts';
import { nearest } from '../../../flags/nearest.ts';
import { filled, identifier } from '../../../flags/values.ts';
import { type ListedPlan, listPlans } from '../../../plans/rows/plans.ts';
import { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { cell } from '../../../terminal/output.ts';
import { localTime } from '../../../text/time.ts';
import { isId } from './plan-name.ts';

/** The id or the name of a plan. */
export type PlanWord = number | string;

const LIST = 'vagent plan list';

/** A number is always an id. */
export function planWord(text: string): PlanWord {
  return isId(text) ? identifier(text) : filled(text);
}

/** All plans, whatever their service; the oldest first. */
export async function knownPlans(context: Context): Promise<ListedPlan[]> {
  return (await context.rows()).read(listPlans);
}

/** Throws UsageError if it is not certain which plan is meant, and NotFoundError if there is none. */
export async function pickPlan(word: PlanWord | undefined, context: Context): Promise<StoredPlan> {
  const planId = await pickedId(word, context);
  return new StoredPlan({ rows: await context.rows(), planId, command: context.commandLine });
}

async function pickedId(word: PlanWord | undefined, context: Context): Promise<number> {
  const plans = await knownPlans(context);
  if (word === undefined) return onlyPlan(plans, context);
  if (typeof word === 'string') return namedPlan(word, plans);
  if (plans.some(({ planId }) => planId === word)) return word;
  throw new NotFoundError(`There is no plan ${word}.`, { code: 'plan_not_found', hint: LIST });
}

function namedPlan(word: string, plans: readonly ListedPlan[]): number {
  const lower = word.toLowerCase();
  const exact = plans.filter((one) => nameOf(one) === word);
  const named = exact.length > 0 ? exact : plans.filter((one) => nameOf(one)?.toLowerCase() === lower);
  const [only, second] = named;
  if (second !== undefined) {
    const listed = named.map(({ planId, loaded }) => {
      return `${planId} (${loaded === undefined ? 'damaged' : localTime(loaded.plan.createdAt).slice(0, 16)})`;
    });
    throw new UsageError(`${named.length} plans are called ${cell(word)}: ${listed.join(', ')}.`, {
      hint: 'Name one by its id.',
    });
  }
  if (only !== undefined) return only.planId;
  const meant = nearest(
    word,
    plans.flatMap((one) => nameOf(one) ?? []),
  );
  const question = meant === undefined ? '' : `Did you mean ${JSON.stringify(cell(meant))}? `;
  // What a damaged plan is called is not known for sure.
  const damages = plans.flatMap(({ damage }) => damage ?? []);
  const [damage] = damages;
  if (damage !== undefined) {
    const what = damages.map(({ message }) => message).join(' ');
    throw new FileError(`There is no plan called ${cell(word)} that can be read. ${what}`, {
      code: damage.code,
      hint: [question.trim(), damage.hint].filter(Boolean).join(' '),
    });
  }
  throw new NotFoundError(`There is no plan called ${cell(word)}.`, {
    code: 'plan_not_found',
    hint: `${question}${LIST}`,
  });
}

/** Undefined if the plan is damaged and does not tell it any more. */
function nameOf({ loaded, name }: ListedPlan): string | undefined {
  return loaded?.plan.plan_name ?? name;
}

/** Only where somebody at a terminal reads which one it is. */
function onlyPlan(plans: readonly ListedPlan[], { io }: Context): number {
  const isOver = ({ loaded }: ListedPlan) => ['done', 'cancelled'].includes(loaded?.position.state ?? '');
  const left = plans.filter((one) => !isOver(one));
  const [only, second] = left.length > 0 ? left : plans;
  if (plans.length === 0) throw new NotFoundError('There is no plan.', { hint: 'vagent plan create makes one.' });
  if (!io.stdoutIsTerminal || only === undefined || second !== undefined) {
    throw new UsageError('Missing: <plan>.', { hint: LIST });
  }
  io.note(`The only ${left.length > 0 ? 'open ' : ''}plan: ${only.planId}, ${cell(nameOf(only) ?? '')}.`);
  return only.planId;
}

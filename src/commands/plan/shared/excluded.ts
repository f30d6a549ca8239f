/** The contacts that are not to be called any more: on a list that is read anew before each wave, or opted out. */
import { readExclusions } from '../../../contacts/rows/exclusion-list.ts';
import type { Context } from '../../../context.ts';
import { FileError, InputError, systemCode } from '../../../errors.ts';
import { type Excluded, runsOf } from '../../../plans/events.ts';
import type { LoadedPlan } from '../../../plans/plan.ts';
import { sourceName } from '../../../terminal/io.ts';
import { readSettled } from './read-settled.ts';
import { requireShown } from './shown-lists.ts';

/** Events for contacts that wait to be called. Throws InputError if a list is missing, not understood, or not this machine's. */
export async function excludedNow({ plan, roster }: LoadedPlan, context: Context, at: number): Promise<Excluded[]> {
  await requireShown(plan, context);
  const lists = [];
  for (const path of plan.rules.exclude) lists.push(await readList(path, plan.rules.excludeCountry, context));
  return excludedBy(lists, { roster }, context, at);
}

/** Those who opted out alone: the lists of a plan that is being made were just read with its contacts. */
export async function optedOutNow(
  loaded: Pick<LoadedPlan, 'roster'>,
  context: Context,
  at: number,
): Promise<Excluded[]> {
  return excludedBy([], loaded, context, at);
}

async function excludedBy(
  lists: readonly Awaited<ReturnType<typeof readList>>[],
  { roster }: Pick<LoadedPlan, 'roster'>,
  context: Context,
  at: number,
): Promise<Excluded[]> {
  const optedOut = await (await context.register.optedOut()).phones();
  const found = { list: [] as number[], opted_out: [] as number[] };
  if (optedOut.size === 0 && lists.length === 0) return [];
  for (let row = roster.nextWaiting(0); row < roster.size; row = roster.nextWaiting(row + 1)) {
    const phone = roster.phoneOf(row);
    if (optedOut.has(phone)) found.opted_out.push(row);
    else if (lists.some((numbers) => numbers.lineOf(`+${phone}`) !== undefined)) found.list.push(row);
  }
  return (['list', 'opted_out'] as const).flatMap((why) =>
    found[why].length === 0 ? [] : [{ event: 'excluded', at, rows: runsOf(found[why]), why }],
  );
}

function readList(path: string, country: string | undefined, { io }: Context) {
  return readSettled(path, async () => {
    try {
      const bytes = io.chunks(path, '--exclude');
      const { numbers } = await readExclusions(bytes, sourceName(path), { country, encoding: undefined });
      return numbers;
    } catch (error) {
      throw lostList(error, path) ?? error;
    }
  });
}

/** Without its numbers a list is no other than one that was lost: it had some when the plan was made. */
function lostList(error: unknown, path: string): InputError | undefined {
  const list = `${path}, the list of numbers never to call,`;
  if (error instanceof FileError && systemCode(error.cause) === 'ENOENT') {
    const hint = 'Put it back: before each wave it is read anew.';
    return new InputError(`${list} is missing. Nothing was sent.`, { code: 'list_missing', hint });
  }
  if (!(error instanceof InputError) || error.code !== 'empty_file') return undefined;
  return new InputError(`${list} holds no number any more. Nothing was sent.`, {
    code: 'list_empty',
    hint: 'Put its numbers back. If nobody is on it any more, write a number there that the plan does not have.',
  });
}

/** Finds one call by its id: the service has no operation for that, so the log is read. */
import { callIdOf } from '../../../calls/paging/identity.ts';
import { concurrencyOf, pages, withProgress } from '../../../calls/paging/pages.ts';
import { connectionFlags } from '../../../cli/flags/global.ts';
import { filled } from '../../../cli/flags/values.ts';
import { orAsk } from '../../../cli/terminal/prompt.ts';
import type { Context } from '../../../context.ts';
import type { CallLogEntry } from '../../../contract.ts';
import { NotFoundError } from '../../../errors.ts';
import { counted } from '../../../text/numbers.ts';
import { type FilterOptions, flagsOf, readFilters, SERVICE_FILTERS } from './filters.ts';

/** The filters that make looking faster. */
export type CallPlace = Pick<FilterOptions, 'startDate' | 'endDate' | 'agent'>;

/** The call with an id, which is asked for where there is none. Throws NotFoundError. */
export async function findCall(
  given: string | undefined,
  options: CallPlace,
  context: Context,
): Promise<{ id: string; call: CallLogEntry }> {
  const { io, services, notes, line, flags } = context;
  // Those that the filters leave of the log's first page; any other by its id.
  const choices = async () => {
    const { asked } = await readFilters(options, context);
    return (await import('../../shared/choices.ts')).callChoices(await services.chosen(), asked);
  };
  const question = { flag: '<call_id>', message: 'Call', choices, parse: filled, other: 'another call, by its id' };
  const id = await orAsk(io, given, question);
  const { asked } = await readFilters(options, context);
  const reading = pages(await services.chosen(), asked, { concurrency: concurrencyOf(context) });
  let looked = 0;
  for await (const { calls } of withProgress(reading, 'Looking through calls', notes)) {
    const call = calls.find((one) => callIdOf(one) === id);
    if (call !== undefined) return { id, call };
    looked += calls.length;
  }
  const filters = line.only(flagsOf(SERVICE_FILTERS));
  const among = filters === '' ? '' : `, those of${filters}`;
  throw new NotFoundError(
    `There is no call ${id}: ${counted(looked, 'call was', 'calls were')} looked through${among}.`,
    { hint: filters === '' ? `vagent logs list${connectionFlags(flags)}` : 'Look without the filters.' },
  );
}

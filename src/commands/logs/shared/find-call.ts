/** Finds one call by its id: the service has no operation for that, so the log is read. */
import type { Context } from '../../../context.ts';
import type { CallLogEntry } from '../../../contract.ts';
import { NotFoundError } from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import { filled } from '../../../flags/values.ts';
import type { WrittenFlags } from '../../../flags/written.ts';
import { callIdOf } from '../../../paging/identity.ts';
import { pages } from '../../../paging/pages.ts';
import type { ListQuestion } from '../../../terminal/prompt.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
import { withProgress } from '../../shared/read-log.ts';
import { type FilterOptions, readFilters } from './filters.ts';

/** The filters that make looking faster. */
export type CallPlace = Pick<FilterOptions, 'startDate' | 'endDate' | 'agent'>;

const FILTERS = ['--start-date', '--end-date', '--agent'];

/** Those that the filters leave of the log's first page; any other by its id. */
export function askCall(options: CallPlace, context: Context): ListQuestion<string> {
  return {
    flag: '<call_id>',
    message: 'Call',
    choices: async () => {
      const [{ asked }, { callChoices }] = await Promise.all([
        readFilters(options, context),
        import('../../shared/choices.ts'),
      ]);
      return callChoices(await context.service(), asked);
    },
    parse: filled,
    other: 'another call, by its id',
  };
}

/** Throws NotFoundError. */
export async function findCall(
  id: string,
  options: CallPlace,
  written: WrittenFlags,
  context: Context,
): Promise<CallLogEntry> {
  const { asked } = await readFilters(options, context);
  const service = await context.service();
  const concurrency = concurrencyOf(context);
  let looked = 0;
  const reading = pages(service, asked, { concurrency });
  for await (const { calls } of withProgress(reading, 'Looking through calls', context.io)) {
    const found = calls.find((call) => callIdOf(call) === id);
    if (found !== undefined) return found;
    looked += calls.length;
  }
  const filters = written.only(FILTERS);
  const many = looked === 1 ? '1 call was' : `${looked} calls were`;
  throw new NotFoundError(
    `There is no call ${id}: ${many} looked through${filters === '' ? '' : `, those of${filters}`}.`,
    { hint: filters === '' ? `vagent logs list${connectionFlags(context.flags)}` : 'Look without the filters.' },
  );
}

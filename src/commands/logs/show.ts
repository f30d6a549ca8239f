import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { CallLogEntry } from '../../contract.ts';
import { NotFoundError } from '../../errors.ts';
import { connectionFlags } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { askedArgument } from '../../flags/plain-command.ts';
import { filled } from '../../flags/values.ts';
import { WrittenFlags } from '../../flags/written.ts';
import { callIdOf } from '../../paging/identity.ts';
import { pages } from '../../paging/pages.ts';
import { complete, type ListQuestion } from '../../terminal/prompt.ts';
import { concurrencyOf } from '../shared/concurrency.ts';
import { noteNextTime } from '../shared/consent.ts';
import { printCall } from '../shared/print-call.ts';
import { withProgress } from '../shared/read-log.ts';
import { addServiceFilters, type FilterOptions, readFilters } from './shared/filters.ts';

type Options = Pick<FilterOptions, 'startDate' | 'endDate' | 'agent'>;

const FILTERS = ['--start-date', '--end-date', '--agent'];

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
The service has no operation for one call: the log is read until the call is found. Filters make that faster.
On a terminal the transcript is laid out as a dialogue; --json is the entry as it was sent.`,
    examples: [
      'vagent logs show call_0000000001',
      'vagent logs show call_0000000001 --start-date 2026-11-20 --end-date 2026-11-20',
      'vagent logs show call_0000000001 --json | jq -r .transcript',
    ],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  askedArgument(addServiceFilters(command), '<call_id>', 'the call, by its id (vagent logs list)', filled);
  const written = new WrittenFlags(command);
  command.action((id: string | undefined, options: Options) => run(id, options, written, context));
}

export async function run(
  given: string | undefined,
  options: Options,
  written: WrittenFlags,
  context: Context,
): Promise<void> {
  const { id } = await complete(context.io, { id: given }, { id: askCall(options, context) });
  await printCall(context, await find(id, options, written, context));
  noteNextTime(context);
}

/** Those that the filters leave of the log's first page; any other by its id. */
function askCall(options: Options, context: Context): ListQuestion<string> {
  return {
    flag: '<call_id>',
    message: 'Call',
    choices: async () => {
      const [{ asked }, { callChoices }] = await Promise.all([
        readFilters(options, context),
        import('../shared/choices.ts'),
      ]);
      return callChoices(await context.service(), asked);
    },
    parse: filled,
    other: 'another call, by its id',
  };
}

async function find(id: string, options: Options, written: WrittenFlags, context: Context): Promise<CallLogEntry> {
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

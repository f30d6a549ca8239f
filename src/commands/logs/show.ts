import type { Command } from 'commander';
import { filled } from '../../arguments.ts';
import { pages } from '../../calls/pages.ts';
import type { Context } from '../../context.ts';
import { type CallLogEntry, totalOf } from '../../contract.ts';
import { NotFoundError } from '../../errors.ts';
import { GivenFlags } from '../../given.ts';
import { examples } from '../../help.ts';
import { Progress } from '../../progress.ts';
import { addServiceFilters, type FilterOptions, readFilters } from './filters.ts';
import { printCall } from './print-call.ts';

type Options = Pick<FilterOptions, 'startDate' | 'endDate' | 'agent'>;

const FILTERS = ['--start-date', '--end-date', '--agent'];

export function register(command: Command, context: Context): void {
  addServiceFilters(command)
    .argument('<call_id>', 'the call, by its id (vagent logs list)', filled)
    .addHelpText(
      'after',
      `
The service has no operation for one call: the log is gone through until it is found, and the filters make
that shorter. On a terminal the transcript is laid out as a dialogue; --json is the entry as it was sent.
${examples([
  'vagent logs show call_0000000001',
  'vagent logs show call_0000000001 --start-date 2026-11-20 --end-date 2026-11-20',
  'vagent logs show call_0000000001 --json | jq -r .transcript',
])}`,
    );
  const given = new GivenFlags(command);
  command.action((id: string, options: Options) => run(id, options, given, context));
}

async function run(id: string, options: Options, given: GivenFlags, context: Context): Promise<void> {
  await printCall(context, await find(id, options, given, context));
}

async function find(id: string, options: Options, given: GivenFlags, context: Context): Promise<CallLogEntry> {
  const { asked } = await readFilters(options, context);
  const service = await context.service();
  const { concurrency } = context;
  const progress = new Progress(context.io, 'Looking through calls');
  let looked = 0;
  try {
    for await (const { calls, response } of pages(service, asked, { concurrency })) {
      const found = calls.find(({ call_id }) => call_id === id);
      if (found !== undefined) return found;
      looked += calls.length;
      progress.at(looked, totalOf(response));
    }
  } finally {
    progress.end();
  }
  const filters = given.only(FILTERS);
  const many = looked === 1 ? '1 call was' : `${looked} calls were`;
  throw new NotFoundError(
    `There is no call ${id}: ${many} looked through${filters === '' ? '' : `, those of${filters}`}.`,
    { hint: filters === '' ? `vagent logs list${context.connection}` : 'Look without the filters.' },
  );
}

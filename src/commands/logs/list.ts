import type { Command } from 'commander';
import { integerFrom } from '../../arguments.ts';
import { type CallFilters, pages } from '../../calls/pages.ts';
import type { Context } from '../../context.ts';
import { type CallLogEntry, listFields, MAX_LIMIT, type ResponseOf, type Service } from '../../contract.ts';
import { examples } from '../../help.ts';
import { printList } from '../../output.ts';
import { addFilters, type FilterOptions, readFilters } from './filters.ts';

interface Options extends FilterOptions {
  limit?: number;
  offset?: number;
  all?: true;
}

export function register(command: Command, context: Context): void {
  addFilters(command)
    .option('--limit <n>', 'calls at most, 1 to 1000 (default 100)', integerFrom(1, MAX_LIMIT))
    .option('--offset <n>', 'calls to skip', integerFrom(0))
    .option('--all', 'every matching call, however many pages')
    .addHelpText(
      'after',
      examples([
        'vagent logs list --limit 20',
        'vagent logs list --start-date 2026-11-01 --end-date 2026-11-30 --all --json',
        'vagent logs list --json | jq .total',
      ]),
    )
    .action((options: Options) => run(options, context));
}

async function run(options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const filters = readFilters(options);
  const { limit, offset, all } = options;
  const service = await context.service();
  const response = all
    ? await everyCall(service, filters, offset)
    : await service.getCallLogs({ ...filters, limit, offset });
  const brief = [
    'call_id',
    'timestamp',
    'agent_id',
    'called_to',
    'call_from',
    'call_status',
    'call_duration',
    'call_outcome',
  ];
  await printList(io, flags, response, { key: 'calls', columns: listFields.calls, brief });

  const next = (offset ?? 0) + response.calls.length;
  if (io.stdoutIsTerminal && response.total != null && next < response.total) {
    io.note(`${next} of ${response.total} calls. Next: vagent logs list${repeatedFlags(options)} --offset ${next}`);
  }
}

/** One document: the newest answer, with the calls of all pages and a total that counts just them. */
async function everyCall(service: Service, filters: CallFilters, offset = 0): Promise<ResponseOf<'getCallLogs'>> {
  const calls: CallLogEntry[] = [];
  let last: ResponseOf<'getCallLogs'> | undefined;
  for await (const page of pages(service, filters, { offset })) {
    calls.push(...page.calls);
    last = page.response;
  }
  return { ...last, success: true, calls, total: offset + calls.length, limit: calls.length, offset };
}

function repeatedFlags({ startDate, endDate, agent, limit }: Options): string {
  const flags = { '--start-date': startDate, '--end-date': endDate, '--agent': agent, '--limit': limit };
  return Object.entries(flags)
    .map(([flag, value]) => (value === undefined ? '' : ` ${flag} ${value}`))
    .join('');
}

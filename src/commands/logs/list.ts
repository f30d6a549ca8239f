import { lookThrough } from '../../calls/paging/look-through.ts';
import { concurrencyOf } from '../../calls/paging/pages.ts';
import { connectionFlags } from '../../cli/flags/global.ts';
import { integerFrom } from '../../cli/flags/values.ts';
import { BRIEF_COLUMNS, IMPORTANCE, SCREEN_COLUMNS } from '../../cli/terminal/call-columns.ts';
import { noteIfPart, printList } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { DEFAULT_LIMIT, listFields, MAX_LIMIT } from '../../contract.ts';
import { counted } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import { FILTERS, type FilterOptions, flagsOf, readFilters } from './shared/filters.ts';

interface Options extends FilterOptions {
  limit?: number;
  offset?: number;
  all?: true;
}

export const command: CommandModule = {
  notes: `
The service filters by day and agent; the other filters are applied on this computer. Then the log is read from
--offset on until --limit calls match or it ends, and the command that continues from there is printed.
A table shows times in your zone; every other output keeps the service's. --sort sorts the calls that are shown: without
--all, those of the page.`,
  examples: [
    'vagent logs list --limit 20',
    'vagent logs list --since 2h --status no_answer',
    'vagent logs list --start-date 2026-11-01 --end-date 2026-11-30 --all --json',
    'vagent logs list --json | jq .total',
  ],
  exits: 'reading',
  lists: true,
  operation: 'getCallLogs',
  takes: (command) =>
    command
      .takesFlags(FILTERS, 'Filters')
      .optionsGroup('Pages')
      .option('--limit <n>', `calls at most, 1 to ${MAX_LIMIT} (default ${DEFAULT_LIMIT})`, integerFrom(1, MAX_LIMIT))
      .option('--offset <n>', 'calls to skip', integerFrom(0))
      .option('--all', 'every matching call, however many pages'),
  run,
};

async function run(context: Context, options: Options): Promise<void> {
  const { io, notes, services } = context;
  const { limit, offset, all = false } = options;
  const { asked, select, noteUnknown } = await readFilters(options, context);
  const wanted = { asked, select, limit, offset, all };
  const found = await lookThrough(await services.chosen(), wanted, concurrencyOf(context), notes);
  const { response, next, more, looked } = found;
  await printList(context, response, 'calls', {
    columns: listFields.calls,
    brief: BRIEF_COLUMNS,
    screen: SCREEN_COLUMNS,
    importance: IMPORTANCE,
    empty: ifEmpty(more, context),
  });

  noteIfPart(context, more === 0 && offset === undefined);
  const nextCommand = `Next: vagent logs list${context.line.except(['--offset'])} --offset ${next}`;
  if (select !== undefined) {
    const behind = more === undefined ? 'There may be more.' : `${more} more to look at.`;
    const rest = more === 0 ? '' : ` ${behind} ${nextCommand}`;
    io.note(`Looked at ${counted(looked, 'call')}, ${response.calls.length} matched.${rest}`);
    noteUnknown();
  } else if (io.stdoutIsTerminal && more !== 0) {
    const behind =
      more === undefined ? 'There may be more.' : `${more} more; so far ${next} of ${response.total} calls.`;
    io.note(`${behind} ${nextCommand}`);
  }
}

function ifEmpty(more: number | undefined, { line, flags }: Context): string {
  // The flags that make fewer calls match, or skip some.
  const narrowing = line.only([...flagsOf(FILTERS), '--offset']);
  const connection = connectionFlags(flags);
  if (narrowing === '') return `No calls yet. Place one: vagent call${connection}`;
  // The note below this one tells how to look further.
  if (more !== 0) return `No call matches${narrowing} so far.`;
  return `No call matches${narrowing}. The latest calls: vagent logs list${connection}`;
}

import { closeSync, constants, statSync } from 'node:fs';
import type { Command } from 'commander';
import { type CallFile, type FileFormat, readCallFile } from '../../calls/call-file.ts';
import { formatOfName } from '../../calls/format-by-name.ts';
import { type Synced, syncCalls } from '../../calls/sync.ts';
import type { Context } from '../../context.ts';
import { listFields } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { withFileErrors } from '../../files/file-error.ts';
import { systemFiles } from '../../files/file-system.ts';
import { openOrdinary } from '../../files/open.ts';
import { connectionFlags } from '../../flags/global.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { filled, identifier } from '../../flags/values.ts';
import { Progress } from '../../terminal/progress.ts';
import { complete } from '../../terminal/prompt.ts';
import { grouped } from '../../text/numbers.ts';
import { concurrencyOf } from '../shared/concurrency.ts';
import { chooseColumns } from './shared/columns.ts';

interface Options {
  out?: string;
  agent?: number;
}

export function register(command: Command, context: Context): void {
  explain(command, {
    notes: `
The file itself shows what is new: calls since its latest one, and late entries of the day before. New calls are added at
its end, the oldest first; the rest stays as it is. A call that the service may still complete is held back for up to a day.
A CSV keeps the columns of its header. Run it as often as you like.`,
    examples: ['vagent logs sync --out calls.ndjson', 'vagent logs sync --out agent-4.csv --agent 4 --quiet'],
    exits: EXITS.reading,
    operation: 'getCallLogs',
  });
  command
    .option('--out <file>', 'the file to bring up to date: .ndjson, .jsonl or .csv', filled)
    .option('--agent <id>', 'calls of this agent only; the same in every run', identifier)
    .action((options: Options) => run(options, context));
}

export async function run({ out, agent }: Options, context: Context): Promise<void> {
  const { io, flags, output } = context;
  const { name } = await complete(
    io,
    { name: out },
    { name: { flag: '--out', message: 'File (.ndjson or .csv)', parse: filled } },
  );
  const format = formatOfName(name);
  if (format === undefined || format === 'json')
    throw new UsageError(`--out ${name} must end in .ndjson, .jsonl or .csv.`);
  const columns = chooseColumns(flags.fields);
  if (columns?.includes('call_id') === false)
    throw new UsageError('--fields must include call_id, which identifies a call.');
  const service = await context.service();
  const [{ targetOf }, { WorkFolder }] = await Promise.all([
    import('../../files/target.ts'),
    import('../../files/work-folder.ts'),
  ]);
  requireWritable(name, targetOf);
  // Opening fails if another run is at work here, which does all that this run would do.
  const work = await WorkFolder.open(name, output);

  const sync = async (): Promise<Synced> => {
    const { path } = work;
    const file = await readFile({ path, name, format, columns, agent }, context);
    if (file !== undefined && file.size > file.wholeSize) {
      io.note(`The last line of ${name} was cut off: it is removed, and the whole log is read again.`);
    }
    const own = await context.serviceClock.now();
    const target = { fs: systemFiles, path, spoolPath: work.file('spool'), name, format, file, columns };
    const progress = new Progress(io, 'Reading the log, new calls');
    try {
      return await syncCalls(target, {
        service,
        agentId: agent,
        concurrency: concurrencyOf(context),
        redact: (text) => io.redactor.redact(text),
        onPage: (found) => progress.at(found),
        clocks: () => ({ service: context.serviceClock.byAnswers(), own }),
      });
    } finally {
      progress.end();
    }
  };
  const { added, total, held, unnamed, reused } = await sync().finally(() => work.close());
  if (unnamed > 0) {
    const are = unnamed === 1 ? '1 entry has' : `${grouped(unnamed)} entries have`;
    io.warn(
      `${are} no call_id and cannot be recognised next time, so the file leaves them out. See them with vagent logs export${connectionFlags(context.flags)}.`,
    );
  }
  if (reused > 0) {
    const are = reused === 1 ? '1 call has' : `${grouped(reused)} calls have`;
    io.warn(
      `${are} a call_id that ${name} already has for a call of another time: the service reuses ids. Both are in the file.`,
    );
  }
  if (held > 0) {
    const are = held === 1 ? '1 call is' : `${grouped(held)} calls are`;
    io.note(`${are} held back, for up to a day: the service may still complete them. A later run adds them.`);
  }
  io.note(`${grouped(added)} new call${added === 1 ? '' : 's'} added to ${name} (${grouped(total)} in all).`);
}

/** Throws FileError before the service is asked. */
function requireWritable(name: string, targetOf: (name: string) => string): void {
  withFileErrors('write', name, () => {
    const path = targetOf(name);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
    closeSync(openOrdinary(systemFiles, path, constants.O_RDWR));
  });
}

interface Wanted {
  path: string;
  name: string;
  format: FileFormat;
  columns: readonly string[] | undefined;
  agent: number | undefined;
}

/** The file's content; undefined if there is no file. Throws UsageError if a CSV has other columns than `--fields`. */
async function readFile(
  { path, name, format, columns, agent }: Wanted,
  context: Context,
): Promise<CallFile | undefined> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const newColumns = columns ?? listFields.calls;
  const now = await context.serviceClock.now();
  const file = await readCallFile(context.io.chunks(path, '--out'), { name, format, newColumns, now, agentId: agent });
  if (columns !== undefined && file.columns !== undefined && file.columns.join() !== columns.join()) {
    throw new UsageError(`--fields differs from the header of ${name}, which stays as it is.`, {
      hint: `Its columns: ${file.columns.join(',')}.`,
    });
  }
  return file;
}

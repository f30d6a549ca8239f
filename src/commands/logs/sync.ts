import { closeSync, constants, existsSync } from 'node:fs';
import { type FileFormat, readCallFile } from '../../calls/call-file.ts';
import { concurrencyOf } from '../../calls/paging/pages.ts';
import { type Synced, syncCalls } from '../../calls/sync.ts';
import { connectionFlags } from '../../cli/flags/global.ts';
import { filled, identifier } from '../../cli/flags/values.ts';
import { requireFields } from '../../cli/terminal/output.ts';
import { orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { listFields, type Service } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { openOrdinary, systemFiles, withFileErrors } from '../../storage/files/file-system.ts';
import type { WorkFolder } from '../../storage/files/in-progress.ts';
import { grouped, plural } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import { formatOfName } from '../shared/output-file.ts';

interface Options {
  out?: string;
  agent?: number;
}

export const command: CommandModule = {
  notes: `
The file itself shows what is new: calls since its latest one, and late entries of the day before. New calls are added at
its end, the oldest first; the rest stays as it is. A call that the service may still complete is held back for up to a day.
A CSV keeps the columns of its header. Run it as often as you like.`,
  examples: ['vagent logs sync --out calls.ndjson', 'vagent logs sync --out agent-4.csv --agent 4 --quiet'],
  exits: 'reading',
  formats: [],
  operation: 'getCallLogs',
  takes: (command) =>
    command
      .option('--out <file>', 'the file to bring up to date: .ndjson, .jsonl or .csv', filled)
      .option('--agent <id>', 'calls of this agent only; the same in every run', identifier),
  run,
};

async function run(context: Context, { out, agent }: Options): Promise<void> {
  const { io, flags, line } = context;
  const name = await orAsk(io, out, { flag: '--out', message: 'File (.ndjson or .csv)', parse: filled });
  const format = formatOfName(name);
  if (format !== 'csv' && format !== 'ndjson')
    throw new UsageError(`--out ${name} must end in .ndjson, .jsonl or .csv.`);
  const columns = flags.fields;
  requireFields(columns, listFields.calls);
  if (columns?.includes('call_id') === false) {
    throw new UsageError('--fields must include call_id, which identifies a call.');
  }
  const service = await context.services.chosen();
  const [{ targetOf }, { WorkFolder }] = await Promise.all([
    import('../../storage/files/own-files.ts'),
    import('../../storage/files/in-progress.ts'),
  ]);
  // Throws FileError before the service is asked.
  withFileErrors('write', name, () => {
    const path = targetOf(name);
    if (existsSync(path)) closeSync(openOrdinary(systemFiles, path, constants.O_RDWR));
  });
  // Opening fails if another run is at work here, which does all that this run would do.
  const work = await WorkFolder.open(name, line);
  try {
    tell(await sync(work, service, { name, format, columns, agentId: agent }, context), name, context);
  } finally {
    work.close();
  }
}

interface Wanted {
  name: string;
  format: FileFormat;
  columns: readonly string[] | undefined;
  agentId: number | undefined;
}

/** Throws UsageError if a CSV has other columns than `--fields`. */
async function sync(work: WorkFolder, service: Service, wanted: Wanted, context: Context): Promise<Synced> {
  const { io, notes, clock } = context;
  const { path } = work;
  const { name, columns } = wanted;
  const own = await clock.now();
  const reading = { ...wanted, newColumns: columns ?? listFields.calls, now: own };
  const file = existsSync(path) ? await readCallFile(io.chunks(path, '--out'), reading) : undefined;
  if (columns !== undefined && file?.columns !== undefined && file.columns.join() !== columns.join()) {
    throw new UsageError(`--fields differs from the header of ${name}, which stays as it is.`, {
      hint: `Its columns: ${file.columns.join(',')}.`,
    });
  }
  if (file !== undefined && file.size > file.wholeSize) {
    notes.note(`The last line of ${name} was cut off: it is removed, and the whole log is read again.`);
  }
  const progress = notes.progress('Reading the log, new calls');
  const source = {
    ...{ service, agentId: wanted.agentId, concurrency: concurrencyOf(context), redact: notes.redact },
    onPage: (found: number) => progress.at(found),
    clocks: () => ({ service: clock.byAnswers(), own }),
  };
  try {
    return await syncCalls({ ...wanted, fs: systemFiles, path, spoolPath: work.file('spool'), file }, source);
  } finally {
    progress.end();
  }
}

function tell({ added, total, held, unnamed, reused }: Synced, name: string, { io, flags }: Context): void {
  const some = (count: number, one: string, several: string) => `${grouped(count)} ${plural(count, one, several)}`;
  if (unnamed > 0) {
    const see = `vagent logs export${connectionFlags(flags)}`;
    const why = 'no call_id and cannot be recognised next time, so the file leaves them out';
    io.warn(`${some(unnamed, 'entry has', 'entries have')} ${why}. See them with ${see}.`);
  }
  if (reused > 0) {
    const known = `a call_id that ${name} already has for a call of another time`;
    io.warn(`${some(reused, 'call has', 'calls have')} ${known}: the service reuses ids. Both are in the file.`);
  }
  if (held > 0) {
    const are = some(held, 'call is', 'calls are');
    io.note(`${are} held back, for up to a day: the service may still complete them. A later run adds them.`);
  }
  io.note(`${some(added, 'new call', 'new calls')} added to ${name} (${grouped(total)} in all).`);
}

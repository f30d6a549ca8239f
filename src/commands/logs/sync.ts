import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { filled, identifier } from '../../arguments.ts';
import { type CallFile, type FileFormat, fileFormat, readCallFile } from '../../calls/call-file.ts';
import { type Synced, syncCalls } from '../../calls/sync.ts';
import type { Context } from '../../context.ts';
import { listFields } from '../../contract.ts';
import { FileError, UsageError } from '../../errors.ts';
import { fileError, systemFiles } from '../../files.ts';
import { examples } from '../../help.ts';
import { Progress } from '../../progress.ts';
import { complete } from '../../prompt.ts';
import { chooseColumns } from './export.ts';

interface Options {
  out?: string;
  agent?: number;
}

export function register(command: Command, context: Context): void {
  command
    .option('--out <file>', 'the file to bring up to date: .ndjson, .jsonl or .csv', filled)
    .option('--agent <id>', 'calls of this agent only; the same at every run', identifier)
    .addHelpText(
      'after',
      `
The file itself tells what is new: calls since its latest one, and late entries of the day before. What stands in it stays,
new calls are added at its end, the oldest first. A CSV keeps the columns of its header. Run it as often as you like.
${examples(['vagent logs sync --out calls.ndjson', 'vagent logs sync --out /var/lib/calls/agent-4.csv --agent 4 --quiet'])}`,
    )
    .action((options: Options) => run(options, context));
}

async function run({ out, agent }: Options, context: Context): Promise<void> {
  const { io, flags, commandLine } = context;
  const { name } = await complete(
    io,
    { name: out },
    { name: { flag: '--out', message: 'File (.ndjson or .csv)', parse: filled } },
  );
  const format = fileFormat(name);
  if (format === undefined) throw new UsageError(`--out ${name} must end in .ndjson, .jsonl or .csv.`);
  const columns = chooseColumns(flags.fields);
  if (columns?.includes('call_id') === false) throw new UsageError('--fields must have call_id: it tells calls apart.');
  const service = await context.service();
  const path = writablePath(name);
  const beside = (kind: string) => join(dirname(path), `.${basename(path)}.${kind}`);

  const sync = async (): Promise<Synced> => {
    const file = await readFile({ path, name, format, columns, agent }, context);
    if (file !== undefined && file.size > file.wholeSize) {
      io.note(`The last line of ${name} was cut off: it is removed, and every call is asked for once more.`);
    }
    const target = { fs: systemFiles, path, spoolPath: beside('part'), name, format, file, columns };
    const progress = new Progress(io, 'Reading the log, new calls');
    try {
      return await syncCalls(target, {
        service,
        agentId: agent,
        concurrency: context.concurrency,
        redact: (text) => io.redactor.redact(text),
        onPage: (found) => progress.at(found),
      });
    } finally {
      progress.end();
    }
  };
  const { withLock } = await import('../../lock.ts');
  // Whoever holds it does all that this run would do.
  const lock = { timeoutMs: 0, command: commandLine, file: name };
  const { added, total } = await withLock(systemFiles, beside('lock'), lock, sync);
  io.note(`${counted(added)} new call${added === 1 ? '' : 's'} added to ${name} (${counted(total)} in all).`);
}

function counted(calls: number): string {
  return calls.toLocaleString('en-US');
}

/** The real path of a file that can be written, or of the place where one is to be. Throws FileError. */
function writablePath(name: string): string {
  try {
    const standing = statSync(name, { throwIfNoEntry: false });
    if (standing === undefined) return join(realpathSync(dirname(name)), basename(name));
    if (!standing.isFile()) throw new FileError(`Cannot write ${name}: it is no ordinary file.`);
    const path = realpathSync(name);
    closeSync(openSync(path, 'r+'));
    return path;
  } catch (error) {
    throw fileError(error, 'write', name);
  }
}

interface Wanted {
  path: string;
  name: string;
  format: FileFormat;
  columns: readonly string[] | undefined;
  agent: number | undefined;
}

/** What the file holds; undefined where there is none. Throws UsageError where a CSV has other columns than were chosen. */
async function readFile(
  { path, name, format, columns, agent }: Wanted,
  context: Context,
): Promise<CallFile | undefined> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const newColumns = columns ?? listFields.calls;
  const now = await context.serviceNow();
  const file = await readCallFile(context.io.chunks(path, '--out'), { name, format, newColumns, now, agentId: agent });
  if (columns !== undefined && file.columns !== undefined && file.columns.join() !== columns.join()) {
    throw new UsageError(`--fields differs from the header of ${name}, which stays as it is.`, {
      hint: `Its columns: ${file.columns.join(',')}.`,
    });
  }
  return file;
}

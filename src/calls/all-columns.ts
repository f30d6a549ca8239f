/** Turns calls that were kept as NDJSON, until all their columns were known, into a CSV with every field that any of them has. */
import { type CallLogEntry, listFields } from '../contract.ts';
import { systemFiles } from '../files/file-system.ts';
import { FileInProgress } from '../files/in-progress.ts';
import { readLines } from '../files/json-lines.ts';
import type { WorkFolder } from '../files/work-folder.ts';
import { readJson } from '../text/json.ts';
import { type ExportOptions, exportWriter } from './export.ts';

/** Calls written at a time. */
const BATCH = 1000;

/** The documented columns come first, then the others in the order in which they first appeared. Throws FileError. */
export async function spoolToCsv(
  spool: string,
  out: WorkFolder,
  options: ExportOptions,
  redact: (text: string) => string,
): Promise<void> {
  const columns = new Set<string>(listFields.calls);
  for (const call of callsIn(spool)) for (const name of Object.keys(call)) columns.add(name);
  const writer = exportWriter({ ...options, columns: [...columns] });
  const file = new FileInProgress(out);
  try {
    let batch: CallLogEntry[] = [];
    const flush = async () => {
      file.write(redact(await writer.rows(batch)));
      batch = [];
    };
    for (const call of callsIn(spool)) {
      batch.push(call);
      if (batch.length === BATCH) await flush();
    }
    await flush();
    file.write(redact(await writer.end()));
    file.finish();
  } catch (error) {
    file.abandon();
    throw error;
  }
}

function* callsIn(spool: string): Generator<CallLogEntry> {
  for (const { text } of readLines(systemFiles, spool)) yield readJson(text) as CallLogEntry;
}

/** Calls that waited as NDJSON until their columns were known → a CSV with every field that any of them has. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type CallLogEntry, listFields } from '../contract.ts';
import { FileInProgress } from '../files.ts';
import { type ExportOptions, exportWriter } from './export.ts';

/** Calls written at a time. */
const BATCH = 1000;

/** The documented columns, then the others in the order in which they first came. Throws FileError. */
export async function spoolToCsv(
  spool: string,
  out: string,
  options: ExportOptions,
  redact: (text: string) => string,
): Promise<void> {
  const columns = new Set<string>(listFields.calls);
  for await (const call of callsIn(spool)) for (const name of Object.keys(call)) columns.add(name);
  const writer = exportWriter({ ...options, columns: [...columns] });
  const file = FileInProgress.open(out);
  try {
    let batch: CallLogEntry[] = [];
    const flush = async () => {
      file.write(redact(await writer.rows(batch)));
      batch = [];
    };
    for await (const call of callsIn(spool)) {
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

async function* callsIn(spool: string): AsyncGenerator<CallLogEntry> {
  for await (const line of createInterface({ input: createReadStream(spool), crlfDelay: Number.POSITIVE_INFINITY })) {
    yield JSON.parse(line) as CallLogEntry;
  }
}

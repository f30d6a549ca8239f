/** One call of the log as it is shown: its fields, and in a table the transcript below them as a dialogue. */
import { layOut } from '../../calls/dialogue.ts';
import type { Context } from '../../context.ts';
import { type CallLogEntry, listFields } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { chooseFormat, printRecord } from '../../output.ts';

const TRANSCRIPT = 'transcript';

export async function printCall({ io, flags }: Context, call: CallLogEntry): Promise<void> {
  // A documented field may be asked for also where this call has none.
  const none = Object.fromEntries(listFields.calls.map((name) => [name, null]));
  const record = flags.fields === undefined ? call : { ...none, ...call };
  const fields = flags.fields ?? Object.keys(record);
  // One that is no text is a field like the others, as it came.
  const transcript = typeof call.transcript === 'string' ? call.transcript.trim() : '';
  if (chooseFormat(io, flags) !== 'table' || !transcript || !fields.includes(TRANSCRIPT)) {
    return printRecord(io, flags, record, 'call_id');
  }
  const others = fields.filter((name) => name !== TRANSCRIPT);
  if (others.length > 0) {
    await printRecord(io, { ...flags, fields: others }, record);
    await io.data('\n');
  }
  // Before it is wrapped: a key that is cut in two would not be known for what it is.
  await io.data(layOut(io.redactor.redact(transcript), { columns: io.columns, hasColor: io.colorsStdout }));
}

/** Throws a UsageError where `--fields` names none of a call: to be found before anything is done that is then to be shown. */
export function requireCallFields({ flags }: Context): void {
  const unknown = flags.fields?.filter((name) => !listFields.calls.includes(name)) ?? [];
  if (unknown.length === 0) return;
  throw new UsageError(`--fields: unknown ${unknown.join(', ')}.`, { hint: `Fields: ${listFields.calls.join(', ')}.` });
}

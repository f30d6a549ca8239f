/** Prints one call: its fields, and in a table the transcript below them as a dialogue. */
import { type CallLogEntry, listFields } from '../../contract.ts';
import { originalOf } from '../../text/json.ts';
import { layOut } from './dialogue.ts';
import { chooseFormat, printRecord, type Shown } from './output.ts';

const TRANSCRIPT = 'transcript';

/** `now`: the service's clock, in milliseconds since the epoch. */
export async function printCall(shown: Shown, call: CallLogEntry, now: number): Promise<void> {
  const { io, flags } = shown;
  // A documented field can be chosen even if this call does not have it.
  const none = Object.fromEntries(listFields.calls.map((name) => [name, null]));
  const record = flags.fields === undefined ? call : { ...none, ...originalOf(call) };
  const fields = flags.fields ?? Object.keys(record);
  // A transcript that is not a text is printed like any other field.
  const transcript = typeof call.transcript === 'string' ? call.transcript.trim() : '';
  if (chooseFormat(shown) !== 'table' || !transcript || !fields.includes(TRANSCRIPT)) {
    return printRecord(shown, record, { idColumn: 'call_id', now });
  }
  const others = fields.filter((name) => name !== TRANSCRIPT);
  if (others.length > 0) {
    await printRecord({ io, flags: { ...flags, fields: others } }, record, { now });
    await io.screen('\n');
  }
  // Keys are masked before wrapping, because a key that is cut in two would not be recognised.
  await io.screen(layOut(io.redactor.redact(transcript), { columns: io.columns, hasColor: io.colorsStdout }));
}

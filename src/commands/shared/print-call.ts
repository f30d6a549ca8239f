/** Prints one call: its fields, and in a table the transcript below them as a dialogue. */

import { layOut } from '../../cli/terminal/dialogue.ts';
import { chooseFormat, printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { type CallLogEntry, listFields } from '../../contract.ts';
import { originalOf } from '../../text/json.ts';

const TRANSCRIPT = 'transcript';

export async function printCall(context: Context, call: CallLogEntry): Promise<void> {
  const { io, flags } = context;
  const now = await context.clock.now();
  // A documented field can be chosen even if this call does not have it.
  const none = Object.fromEntries(listFields.calls.map((name) => [name, null]));
  const record = flags.fields === undefined ? call : { ...none, ...originalOf(call) };
  const fields = flags.fields ?? Object.keys(record);
  // A transcript that is not a text is printed like any other field.
  const transcript = typeof call.transcript === 'string' ? call.transcript.trim() : '';
  if (chooseFormat(context) !== 'table' || !transcript || !fields.includes(TRANSCRIPT)) {
    return printRecord(context, record, { idColumn: 'call_id', now });
  }
  const others = fields.filter((name) => name !== TRANSCRIPT);
  if (others.length > 0) {
    await printRecord({ io, flags: { ...flags, fields: others } }, record, { now });
    await io.screen('\n');
  }
  // Keys are masked before wrapping, because a key that is cut in two would not be recognised.
  await io.screen(layOut(io.redactor.redact(transcript), { columns: io.columns, hasColor: io.colorsStdout }));
}

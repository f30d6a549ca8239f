/** The check of the register: whether it is sound, and which calls have an unknown outcome. */
import { dirname } from 'node:path';
import type { Context } from '../context.ts';
import { traceOf } from '../contract.ts';
import { FileError } from '../errors.ts';
import { historyOf, isUnknown, type Past, type SentCall } from '../register/requests.ts';
import { serviceKey } from '../register/service-key.ts';
import { commandThatCloses } from '../settings/profiles.ts';
import type { Rows } from '../storage/database/sql.ts';
import { counted } from '../text/numbers.ts';
import { phoneKey } from '../text/phone.ts';
import { localTime } from '../text/time.ts';
import { requireWritableFolder } from './machine.ts';

/** Numbers that are listed; the count includes the others. */
const MAX_NAMED = 5;

export async function register(context: Context): Promise<string> {
  const opened = await context.register.open();
  const rows = await context.register.rows();
  await rows.requireUsable();
  if (!rows.isShared) requireOwn(rows);
  const where = rows.isShared ? `, shared through the database at ${rows.location}` : '';
  const { requests, damage } = await opened.requests();
  if (damage !== undefined) throw damage;
  const lastEntry = requests.at(-1)?.sent.entry ?? 0;
  const { calls: all } = historyOf(requests);
  const phoneOf = ({ sent }: Past<SentCall>) => `${serviceKey(sent.service)} ${phoneKey(traceOf(sent).to)}`;
  const last = new Map(all.map((call) => [phoneOf(call), call]));
  // Those that the guards refuse to repeat: the last one to a phone, if its outcome is unknown.
  const unknownCalls = all.filter((call) => isUnknown(call) && last.get(phoneOf(call)) === call);
  if (lastEntry === 0) return `nothing was sent to a real service yet${where}`;
  const entries = counted(lastEntry, 'entry', 'entries');
  if (unknownCalls.length === 0) return `${entries}, sound${where}`;
  const named = unknownCalls
    .slice(-MAX_NAMED)
    .map(({ sent }) => `${traceOf(sent).to} (${localTime(Date.parse(sent.at))}, ${sent.service})`);
  const calls = counted(unknownCalls.length, 'call');
  const others = unknownCalls.length > MAX_NAMED ? ' and others' : '';
  return `${entries}, sound${where}; ${calls} of unknown outcome: ${named.join(', ')}${others}`;
}

/** Only its owner may read who was called, and that owner may write. */
function requireOwn({ location }: Rows): void {
  requireWritableFolder(dirname(location), 'Name another with --register, or give yourself the right to write it.');
  for (const path of [location, `${location}-wal`, `${location}-shm`]) {
    const hint = commandThatCloses(path);
    if (hint !== undefined) throw new FileError(`${path} can be read or changed by others.`, { hint });
  }
}

/** Removes what an earlier vagent kept, once everything else of the register is in order. */
export async function tidyUp(context: Context): Promise<string> {
  const { tidy } = await import('../register/before/leave-folder.ts');
  const removed = await tidy(await context.register.rows(), context.settings.stateFolder());
  return removed === 0 ? 'none are left' : `${counted(removed, 'was', 'were')} removed`;
}

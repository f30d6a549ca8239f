/** What a command has made of a plan, for people and for programs. */
import type { Context } from '../../../context.ts';
import { isForPerson, printRecord } from '../../../terminal/output.ts';
import { planFacts } from './plan-facts.ts';
import type { PlanRecord, WaveRecord } from './plan-record.ts';

/** `now` in milliseconds since the epoch, by the clock that places the calls. */
export async function printChanged(
  record: PlanRecord & { waves_out?: readonly WaveRecord[] },
  now: number,
  { io, flags }: Context,
): Promise<void> {
  if (!isForPerson(io, flags)) return printRecord(io, flags, record, { now });
  const next = record.next === null ? undefined : { at: Date.parse(record.next.at), why: record.next.why };
  await printRecord(io, flags, planFacts({ ...record, next, now }));
}

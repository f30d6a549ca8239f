/** What a step of a plan has done, for people and for programs. */
import type { Context } from '../../../context.ts';
import { suggestNext } from '../../../terminal/next.ts';
import { cell, isForPerson, printRecord } from '../../../terminal/output.ts';
import { shortTime } from '../../../text/when.ts';
import { planFacts } from './plan-facts.ts';
import type { Step } from './run-step.ts';

/** Says what was handed over. */
export function tellStep({ wave, now }: Step, { io }: Context): void {
  if (wave === undefined) return;
  const { wave: number, contacts, from, start, last, campaignId } = wave;
  const people = contacts === 1 ? '1 contact' : `${contacts} contacts`;
  const times = contacts === 1 ? shortTime(start, now) : `${shortTime(start, now)} to ${shortTime(last, now)}`;
  io.note(`Wave ${number} was handed over as campaign ${campaignId}: ${people}, ${times.trim()}, from ${from}.`);
}

export async function printStep(step: Step, { io, flags }: Context): Promise<void> {
  const { plan, state, reason, contacts, wave, next, now } = step;
  if (!isForPerson(io, flags)) {
    await printRecord(io, flags, {
      plan_id: plan.plan_id,
      state,
      reason,
      wave: wave === undefined ? null : written(wave),
      next: next === undefined ? null : { at: iso(next.at), why: next.why },
      contacts,
    });
    return;
  }
  await printRecord(io, flags, planFacts({ ...plan, state, reason, contacts, next, now }));
  const command = nextCommand(step);
  if (command !== undefined) suggestNext(io, flags, command);
}

function written({ wave, campaignId, contacts, from, start, last }: NonNullable<Step['wave']>) {
  return { wave, campaign_id: campaignId ?? null, contacts, from, start: iso(start), last_call: iso(last) };
}

function nextCommand({ plan: { plan_id: id }, state, isSpent }: Step): string | undefined {
  if (state === 'done' || state === 'cancelled' || (state === 'stopped' && isSpent)) return `vagent plan results ${id}`;
  if (state === 'waiting' || state === 'stopped') return `vagent plan resume ${id}`;
  return `vagent plan status ${cell(id)}`;
}

function iso(at: number): string {
  return new Date(Math.round(at)).toISOString();
}

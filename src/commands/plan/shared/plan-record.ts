/** What commands say of a plan: the same fields wherever it is shown. */
import { fromMicros } from '../../../engine/money.ts';
import type { LoadedPlan, OpenWave } from '../../../plans/plan.ts';
import type { PlanHistory } from '../../../plans/rows/history.ts';
import { endOf } from '../../../plans/waves.ts';
import { type Next, nextOf } from './next-look.ts';

/** A wave that was handed over, or may have been. */
export interface WaveRecord {
  wave: number;
  campaign_id: number | null;
  start: string;
  /** When its last call is due, by the pace. */
  end: string;
  from: string;
  contacts: number;
  /** Calls of it that were seen in the log. */
  seen: number;
  outcome: 'sending' | 'accepted' | 'unknown' | 'not_placed';
}

export interface PlanRecord extends Record<string, unknown> {
  plan_id: number;
  plan_name: string;
  state: string;
  reason: string;
  contacts: Record<string, number>;
  attempts: number;
  /** Null where the plan does not know what a minute costs. */
  spent: number | null;
  next: Next;
}

/** `now` in milliseconds since the epoch, by the clock that places the calls. */
export function planRecord(loaded: LoadedPlan, now: number): PlanRecord {
  const { plan, position, roster } = loaded;
  return {
    plan_id: plan.plan_id,
    plan_name: plan.plan_name,
    state: position.state,
    reason: position.reason,
    contacts: { ...roster.counts },
    attempts: position.attempts,
    spent: plan.rules.pricePerMinute === undefined ? null : fromMicros(position.spent),
    next: nextOf(loaded, now),
  };
}

/** Every wave of a plan, in the order in which they were handed over. */
export async function wavesOf(history: PlanHistory): Promise<WaveRecord[]> {
  const waves = new Map<number, WaveRecord>();
  const calls = await history.callsByWave();
  for await (const event of history.events('handed', 'answered')) {
    if (event.event === 'handed') {
      const { wave, from, start, interval, rows } = event;
      const contacts = rows.reduce((sum, count, at) => sum + (at % 2 === 1 ? count : 0), 0);
      waves.set(wave, {
        wave,
        campaign_id: null,
        ...period({ start, interval, contacts }),
        from,
        contacts,
        seen: calls.get(wave) ?? 0,
        outcome: 'sending',
      });
    } else {
      const wave = waves.get(event.wave);
      if (wave === undefined) continue;
      wave.outcome = event.outcome;
      wave.campaign_id = event.campaign_id ?? wave.campaign_id;
    }
  }
  return [...waves.values()];
}

/** Waves with calls that may still come: a plan cannot take them back. */
export function wavesOut({ position }: LoadedPlan): WaveRecord[] {
  return position.open.map((open) => ({
    wave: open.wave,
    campaign_id: open.campaignId ?? null,
    ...period(open),
    from: open.from,
    contacts: open.contacts,
    seen: open.contacts - open.unsettled,
    outcome: open.outcome,
  }));
}

function period(wave: Pick<OpenWave, 'start' | 'interval' | 'contacts'>): { start: string; end: string } {
  return { start: new Date(wave.start).toISOString(), end: new Date(endOf(wave)).toISOString() };
}

/** What is said of a plan, wherever it is shown: from its rows alone, no service is asked. */
import { fromMicros } from '../../engine/money.ts';
import { isoTime } from '../../text/iso.ts';
import type { PlanHistory } from '../rows/history.ts';
import { decide } from '../rules/decide.ts';
import type { LoadedPlan, OpenWave, Position } from '../rules/plan.ts';
import { endOf, unseenAt } from '../rules/waves.ts';

export type WaveRecord = ReturnType<typeof waveRecord>;
export type PlanRecord = ReturnType<typeof planRecord>;

/** `now` in milliseconds since the epoch, by the clock that places the calls. */
export function planRecord(loaded: LoadedPlan, now: number) {
  const { plan, position, roster } = loaded;
  return {
    plan_id: plan.plan_id,
    plan_name: plan.plan_name,
    state: position.state,
    reason: position.reason,
    contacts: { ...roster.counts },
    attempts: position.attempts,
    // Null where the plan does not know what a minute costs.
    spent: plan.rules.pricePerMinute === undefined ? null : fromMicros(position.spent),
    next: nextOf(loaded, now),
  };
}

/** Every wave of a plan, in the order in which they were handed over. */
export async function wavesOf(history: PlanHistory): Promise<WaveRecord[]> {
  const waves = new Map<number, WaveRecord>();
  const calls = await history.callsByWave();
  for await (const event of history.events('handed', 'answered')) {
    const wave = waves.get(event.wave);
    if (event.event === 'handed') {
      const contacts = event.rows.reduce((sum, count, at) => sum + (at % 2 === 1 ? count : 0), 0);
      waves.set(event.wave, waveRecord({ ...event, contacts }, calls.get(event.wave) ?? 0));
    } else if (wave !== undefined) {
      wave.outcome = event.outcome;
      wave.campaign_id = event.campaign_id ?? wave.campaign_id;
    }
  }
  return [...waves.values()];
}

/** Waves with calls that may still come: a plan cannot take them back. */
export function wavesOut({ position }: LoadedPlan): WaveRecord[] {
  return position.open.map((open) => waveRecord(open, open.contacts - open.unsettled, open));
}

/** A wave that was handed over, or may have been, and how many calls of it were seen in the log. */
function waveRecord(
  paced: Pick<OpenWave, 'wave' | 'from' | 'start' | 'interval' | 'contacts'>,
  seen: number,
  { outcome, campaignId }: Pick<OpenWave, 'outcome' | 'campaignId'> = { outcome: 'sending' },
) {
  const { wave, from, start, contacts } = paced;
  return {
    wave,
    campaign_id: campaignId ?? null,
    start: isoTime(start),
    // When its last call is due, by the pace.
    end: isoTime(endOf(paced)),
    from,
    contacts,
    seen,
    outcome: outcome as OpenWave['outcome'] | 'not_placed',
  };
}

/** ISO 8601 in UTC, and a code. Null if nothing comes by itself. */
export type Next = { at: string; why: string } | null;

/** The service is not asked: what it has to say of calls that were handed over is not known here. */
function nextOf(loaded: LoadedPlan, now: number): Next {
  const decision = decide(loaded, { now });
  switch (decision.kind) {
    case 'wave':
      return { at: isoTime(now), why: 'due' };
    case 'wait':
      return { at: isoTime(decision.at), why: decision.why };
    case 'halt':
      return { at: isoTime(now), why: decision.event.event };
    case 'over': {
      const news = newsAt(loaded.position);
      return news === undefined ? null : { at: isoTime(news.at), why: news.why };
    }
  }
}

/** A plan that calls nobody any more still waits for news of those who were handed over. */
export function newsAt({ open }: Pick<Position, 'open'>): { at: number; why: 'news' } | undefined {
  return open.length === 0 ? undefined : { at: Math.min(...open.map(unseenAt)), why: 'news' };
}

/** What is said of a plan and of its contacts, wherever it is shown: from its rows alone, no service is asked. */
import {
  CONTACT_COLUMNS,
  type ContactResult,
  type ContactRow,
  resultOf,
  type wanted,
} from '../../campaigns/results.ts';
import { fromMicros } from '../../engine/money.ts';
import { isoTime, twoDigits } from '../../text/iso.ts';
import { HOUR } from '../../text/units.ts';
import { callsByWave, callsOfContacts, eventsOf } from '../rows/history.ts';
import { peopleOf } from '../rows/people.ts';
import type { ListedPlan } from '../rows/plans.ts';
import type { StoredPlan } from '../rows/stored-plan.ts';
import { decide } from '../rules/decide.ts';
import type { Called } from '../rules/events.ts';
import type { LoadedPlan, OpenWave, Position } from '../rules/plan.ts';
import { shownCounts, shownState } from '../rules/roster.ts';
import { endOf, placedWaves, unseenAt } from '../rules/waves.ts';

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
    contacts: plan.contacts,
    states: shownCounts(roster.counts),
    attempts: position.attempts,
    // Null where the plan does not know what a minute costs.
    spent: plan.rules.pricePerMinute === undefined ? null : fromMicros(position.spent),
    next: nextOf(loaded, now),
  };
}

/** Of a damaged plan only its number is certain. */
export function listedRecord({ planId, loaded, name }: ListedPlan): Record<string, unknown> {
  if (loaded === undefined)
    return { plan_id: planId, ...(name !== undefined && { plan_name: name }), state: 'damaged' };
  const { plan, position, counts } = loaded;
  const { plan_name, contacts, service, organization_id } = plan;
  const { state, reason, attempts } = position;
  const states = shownCounts(counts);
  const { reached, waiting } = states;
  return {
    ...{ plan_id: planId, plan_name, state, reason, contacts, states, reached, waiting },
    ...{ attempts, waves: placedWaves(position), created_at: isoTime(plan.createdAt), service, organization_id },
  };
}

/** ISO 8601 in UTC, and a code. Null if nothing comes by itself. */
export type Next = { at: string; why: string } | null;

/** The service is not asked: what it has to say of calls that were submitted is not known here. */
function nextOf(loaded: LoadedPlan, now: number): Next {
  const decision = decide(loaded, { now });
  if (decision.kind === 'wave') return { at: isoTime(now), why: 'due' };
  if (decision.kind === 'halt') return { at: isoTime(now), why: decision.event.event };
  const next = decision.kind === 'wait' ? decision : newsAt(loaded.position);
  return next === undefined ? null : { at: isoTime(next.at), why: next.why };
}

/** A plan that calls nobody any more still waits for news of those who were submitted. */
export function newsAt({ open }: Pick<Position, 'open'>): { at: number; why: 'news' } | undefined {
  return open.length === 0 ? undefined : { at: Math.min(...open.map(unseenAt)), why: 'news' };
}

/** Every wave of a plan, in the order in which they were submitted. */
export async function wavesOf({ rows }: StoredPlan, { plan }: LoadedPlan): Promise<WaveRecord[]> {
  const waves = new Map<number, WaveRecord>();
  const calls = await callsByWave(rows, plan);
  for await (const event of eventsOf(rows, plan, 'handed', 'answered')) {
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

/** A wave that was submitted, or may have been, and how many calls of it were seen in the log. */
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
    ...{ from, contacts, seen },
    outcome: outcome as OpenWave['outcome'] | 'not_placed',
  };
}

/** How waves and their calls, by the pace, are spread over days and hours, by the clock of this machine. */
export function daysOf(waves: readonly { start: string; contacts: number }[], callsPerHour: number) {
  const days = new Map<string, { date: string; waves: number; byHour: number[] }>();
  const dayOf = (at: Date) => {
    const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-');
    const day = days.get(date) ?? { date, waves: 0, byHour: new Array<number>(24).fill(0) };
    days.set(date, day);
    return day;
  };
  for (const { start, contacts } of waves) {
    const begin = Date.parse(start);
    dayOf(new Date(begin)).waves += 1;
    for (let call = 0; call < contacts; call++) {
      const at = new Date(begin + (call * HOUR) / callsPerHour);
      (dayOf(at).byHour[at.getHours()] as number) += 1;
    }
  }
  return [...days.values()];
}

// What came of each contact, beside its row in the file ---------------------------------------------------------------------

/** Throws NotFoundError and FileError; so do the rows and the results. */
export async function resultsOf(stored: StoredPlan) {
  const loaded = await stored.load();
  const { plan, roster } = loaded;
  const columns = plan.columns ?? CONTACT_COLUMNS;
  async function* rows(): AsyncGenerator<ContactRow, void> {
    for await (const { contact, cells } of peopleOf(stored.rows, plan))
      yield { contact, cells: cells ?? [contact.phone_number, contact.custom_identifiers ?? ''] };
  }
  async function* results(wants: ReturnType<typeof wanted>): AsyncGenerator<ContactResult, void> {
    const allCalls = callsOfContacts(stored.rows, plan);
    let called = await allCalls.next();
    let row = 0;
    for await (const contact of rows()) {
      const found = called.done || called.value[0] !== row ? undefined : called.value[1];
      if (found !== undefined) called = await allCalls.next();
      const calls = (found ?? []).map(keptCall);
      const rowState = roster.stateOf(row);
      const state = shownState(rowState);
      if (wants({ state, calls })) {
        const isAmbiguous = (found ?? []).some(({ ambiguous }) => ambiguous === true);
        const due = roster.dueOf(row);
        yield {
          ...resultOf(contact, { state, calls, isAmbiguous }, columns),
          // Of one who is called again: when that may be at the earliest.
          next_call: rowState === 'again' && Number.isFinite(due) ? isoTime(due) : null,
        };
      }
      row++;
    }
  }
  return {
    loaded,
    /** Of the file; of a plan whose file was not kept, the fields of its contacts. */
    columns,
    /** In the order of the file. */
    rows,
    /** Of the contacts that are wanted, in the order of the file. */
    results,
  };
}

function keptCall(called: Called) {
  const { at, status, outcome, seconds, call_id } = called;
  return { at, status, outcome, duration: seconds, callId: call_id, details: called };
}

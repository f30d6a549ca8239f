/** Where a plan is rehearsed: on a copy of the local engine or, for a plan of a real service, on one that is assumed. */
import { assumedSetting, othersOf, type Setting } from '../engine/rehearsal-plan.ts';
import type { Campaign } from '../engine/state.ts';
import type { LoadedPlan, OpenWave, Plan } from './plan.ts';
import type { Rehearsed } from './play.ts';

export interface StageOptions {
  /** The contacts of an open wave, in their order. */
  rowsOfWave(wave: OpenWave): readonly number[];
  freeAt?: (row: number) => number;
}

/** `setting` is the local engine's. A wave that it does not know was not placed. */
export function onLocalEngine(loaded: LoadedPlan, setting: Setting, options: StageOptions): Rehearsed {
  const { state, now, isWalletKnown, waitingOf } = setting;
  const { campaigns } = state;
  return {
    loaded,
    stage: { state, now, isWalletKnown, others: othersOf(state, waitingOf) },
    open: loaded.position.open.map((wave) => ({
      wave,
      rows: options.rowsOfWave(wave),
      campaign: campaigns.find(({ campaign_id }) => campaign_id === wave.campaignId),
    })),
    ...(options.freeAt && { freeAt: options.freeAt }),
  };
}

/**
 * For a service that cannot be asked: its agent calls, its numbers are those of the plan, its wallet never becomes empty, and
 * every wave that may have been placed was. `now` in milliseconds since the epoch.
 */
export function onAssumedService(loaded: LoadedPlan, now: number, options: StageOptions): Rehearsed {
  const { plan, position } = loaded;
  const { state } = assumedSetting(plan.agent_id, plan.from[0] as string, now);
  state.organization.numbers = [...plan.from];
  state.scenario.price_per_minute = plan.rules.pricePerMinute ?? state.scenario.price_per_minute;
  const open = position.open.map((wave) => {
    const campaign = campaignOf(wave, plan, now, state.next_campaign_id++);
    state.campaigns.push(campaign);
    return { wave, rows: options.rowsOfWave(wave), campaign };
  });
  const others = othersOf(state, () => ({ numbers: [], retries: [] }));
  return {
    loaded,
    stage: { state, now, isWalletKnown: false, others },
    open,
    ...(options.freeAt && { freeAt: options.freeAt }),
  };
}

/** As it would be by its pace. */
function campaignOf({ contacts, start, interval, from }: OpenWave, plan: Plan, now: number, id: number): Campaign {
  const dialled = Math.max(0, Math.min(contacts, Math.floor((now - start) / interval) + 1));
  return {
    campaign_id: id,
    campaign_name: plan.plan_name,
    agent_id: plan.agent_id,
    call_from: from,
    status: dialled === contacts ? 'completed' : 'running',
    reason: null,
    total_contacts: contacts,
    start_time: start,
    calls_per_hour: plan.rules.callsPerHour,
    retry_attempts: 0,
    retry_delay: 0,
    pace: { anchor: start, dials: dialled },
    next_contact: dialled,
    retries_waiting: 0,
    retry_due: null,
    attempts: dialled,
    reached: 0,
    exhausted: dialled,
  };
}

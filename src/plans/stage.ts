/** Where a plan is rehearsed: on a copy of the local engine or, for a plan of a real service, on one that is assumed. */
import { assumedSetting, othersOf, type Setting } from '../engine/rehearsal-plan.ts';
import type { Campaign, State } from '../engine/state.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import type { Busy } from './free-at.ts';
import type { LoadedPlan, OpenWave, Plan } from './plan.ts';
import type { Rehearsed } from './play.ts';
import { busyCampaign } from './rehearsed-engine.ts';
import { waveNamed } from './wave-name.ts';

/** The contacts of an open wave, in their order. */
export type RowsOfWave = (wave: OpenWave) => readonly number[];

/** `setting` is the local engine's. A wave that it does not know was not placed. */
export function onLocalEngine(loaded: LoadedPlan, setting: Setting, rowsOfWave: RowsOfWave): Rehearsed {
  const { plan, position } = loaded;
  const { state, now, isWalletKnown, waitingOf } = setting;
  const { campaigns } = state;
  const waveOf = ({ campaign_name }: Campaign) => waveNamed(campaign_name, plan);
  const foreign = campaigns.filter((campaign) => waveOf(campaign) === undefined);
  const numbersIn = (campaign_id: number) => {
    const { numbers, retries } = waitingOf(campaign_id);
    return [...numbers, ...retries.map(({ contact }) => contact.phone_number)];
  };
  const others = othersOf(state, waitingOf);
  const live = new Set(others.campaigns);
  const waiting = foreign.filter((campaign) => live.has(campaign)).map(({ campaign_id }) => campaign_id);
  const paused = foreign.filter((campaign) => campaign.status === 'paused');
  return {
    loaded,
    stage: {
      ...{ state, now, isWalletKnown, others },
      waiting: new Map(waiting.map((campaign_id) => [campaign_id, numbersIn(campaign_id)])),
      busy: paused.map((campaign) =>
        busyCampaign(campaign, now, numbersIn(campaign.campaign_id).map(phoneKeyOfNumber)),
      ),
    },
    open: position.open.map((wave) => ({
      wave,
      rows: rowsOfWave(wave),
      campaign: campaigns.find((campaign) => waveOf(campaign) === wave.wave),
    })),
  };
}

/**
 * For a service that cannot be asked: its agent calls, its numbers are those of the plan, its wallet never becomes empty, and
 * every wave that may have been placed was. `now` in milliseconds since the epoch; `busy` is what may ring the same phones.
 */
export function onAssumedService(
  loaded: LoadedPlan,
  { now, busy }: { now: number; busy: readonly Busy[] },
  rowsOfWave: RowsOfWave,
): Rehearsed {
  const { plan, position } = loaded;
  const { state } = assumedSetting(plan.agent_id, plan.from[0] as string, now);
  state.organization.numbers = [...plan.from];
  state.scenario.price_per_minute = plan.rules.pricePerMinute ?? state.scenario.price_per_minute;
  const open = position.open.map((wave) => {
    const campaign = campaignOf(wave, plan, now, state);
    state.campaigns.push(campaign);
    return { wave, rows: rowsOfWave(wave), campaign };
  });
  const others = othersOf(state, () => ({ numbers: [], retries: [] }));
  return { loaded, stage: { state, now, isWalletKnown: false, others, waiting: new Map(), busy }, open };
}

type Counters = Pick<State, 'next_campaign_id' | 'next_campaign_number'>;

/** As it would be by its pace. */
function campaignOf({ contacts, start, interval, from }: OpenWave, plan: Plan, now: number, state: Counters): Campaign {
  const dialled = Math.max(0, Math.min(contacts, Math.floor((now - start) / interval) + 1));
  return {
    campaign_id: state.next_campaign_id++,
    campaign_number: state.next_campaign_number++,
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
    voicemail: 0,
    exhausted: dialled,
  };
}

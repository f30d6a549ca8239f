/** Where a plan is rehearsed: on a copy of the local engine or, for a plan of a real service, on one that is assumed. */
import type { CheckedRequest } from '../../contract.ts';
import { handlers } from '../../engine/handlers.ts';
import { assumedSetting, type Setting, Simulation } from '../../engine/simulation.ts';
import type { Campaign, State } from '../../engine/state.ts';
import { isoTime } from '../../text/iso.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import { type Pending, pendingCampaign } from '../rules/pending.ts';
import type { LoadedPlan, OpenWave, Plan } from '../rules/plan.ts';
import { waveName, waveNamed } from '../rules/waves.ts';

/** A plan, and what is known besides. It can be played any number of times, because playing does not change it. */
export interface Rehearsed {
  loaded: LoadedPlan;
  /** Milliseconds since the epoch, by the engine's clock. */
  now: number;
  /** The campaigns that will still call, waves of the plan among them. */
  engine: Simulation;
  /** What else may dial the phones of the plan, and is not played. */
  pending: readonly Pending[];
  /** Open waves: their contacts in their order, and their campaigns on the engine, if they are there. */
  open: { wave: OpenWave; rows: readonly number[]; campaign: Campaign | undefined }[];
}

/** The contacts of an open wave, in their order. */
export type RowsOfWave = (wave: OpenWave) => readonly number[];

/** `setting` is the local engine's. A wave that it does not know was not placed. */
export function onLocalEngine(loaded: LoadedPlan, setting: Setting, rowsOfWave: RowsOfWave): Rehearsed {
  const { plan, position } = loaded;
  const { state, now, waitingOf } = setting;
  const waveOf = ({ campaign_name }: Campaign) => waveNamed(campaign_name, plan);
  const paused = state.campaigns.filter((one) => one.status === 'paused' && waveOf(one) === undefined);
  return {
    ...{ loaded, now, engine: Simulation.of(setting) },
    pending: paused.map((campaign) => {
      const { numbers, retries } = waitingOf(campaign.campaign_id);
      const waiting = [...numbers, ...retries.map(({ contact }) => contact.phone_number)];
      return pendingCampaign(campaign, now, waiting.map(phoneKeyOfNumber));
    }),
    open: position.open.map((wave) => ({
      ...{ wave, rows: rowsOfWave(wave) },
      campaign: state.campaigns.find((campaign) => waveOf(campaign) === wave.wave),
    })),
  };
}

/**
 * For a service that cannot be asked: its agent calls, its numbers are those of the plan, its wallet never becomes empty, and
 * every wave that may have been placed was. `now` in milliseconds since the epoch; `pending` is what may dial the same phones.
 */
export function onAssumedService(
  loaded: LoadedPlan,
  { now, pending }: { now: number; pending: readonly Pending[] },
  rowsOfWave: RowsOfWave,
): Rehearsed {
  const { plan, position, roster } = loaded;
  const { state } = assumedSetting(plan.agent_id, plan.from[0] as string, now);
  state.organization.numbers = [...plan.from];
  state.scenario.price_per_minute = plan.rules.pricePerMinute ?? state.scenario.price_per_minute;
  const open = position.open.map((wave) => {
    return { wave, rows: rowsOfWave(wave), campaign: placedBefore(wave, plan, now, state) };
  });
  const waitingOf = (id: number) => {
    const wave = open.find(({ campaign }) => campaign.campaign_id === id);
    const rows = wave?.rows.slice(wave.campaign.next_contact) ?? [];
    return { numbers: rows.map((row) => `+${roster.phoneOf(row)}`), retries: [] };
  };
  return { loaded, now, engine: Simulation.of({ state, now, waitingOf }), pending, open };
}

/** As it would be by its pace. */
function placedBefore(open: OpenWave, plan: Plan, now: number, state: State): Campaign {
  const { contacts, start, interval } = open;
  const dialled = Math.max(0, Math.min(contacts, Math.floor((now - start) / interval) + 1));
  handlers.createCampaign(state, waveRequest(plan, open), { now: start });
  return Object.assign(state.campaigns.at(-1) as Campaign, {
    status: dialled === contacts ? 'completed' : 'running',
    pace: { anchor: start, dials: dialled },
    ...{ next_contact: dialled, attempts: dialled, exhausted: dialled },
  });
}

/** By which a wave is created on the engine, whose handler only counts the contacts. */
export function waveRequest(
  plan: Plan,
  { wave, from, start, contacts }: Pick<OpenWave, 'wave' | 'from' | 'start' | 'contacts'>,
): CheckedRequest<'createCampaign'> {
  return {
    ...{ campaign_name: waveName(plan, wave), agent_id: plan.agent_id, call_from: from, start_time: isoTime(start) },
    contacts: { length: contacts } as CheckedRequest<'createCampaign'>['contacts'],
    ...{ calls_per_hour: plan.rules.callsPerHour, retry_attempts: 0, retry_delay: 0 },
  };
}

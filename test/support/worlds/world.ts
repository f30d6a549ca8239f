/** A random world whose truth is known: what was sent, the log of a service, and whose each entry of the log is. */

import type { CallLogEntry } from '../../../src/contract.ts';
import { phoneKeyOfDigits } from '../../../src/text/phone.ts';
import { playCarelessly } from './by-careless-service.ts';
import { playOnEngine } from './by-engine.ts';
import { Chance } from './chance.ts';
import type { LaunchedCall, LaunchedCampaign } from './keyed.ts';
import { type Dial, type Plan, type PlannedCampaign, planCalls, planCampaigns } from './plan.ts';
import { drawShowing, type Showing, show, strangers } from './shown-log.ts';

export type ServiceName = 'engine' | 'careless';

export type Truth = { key: number; row: number; attempt: number } | { key: number };

export interface World {
  seed: number;
  service: ServiceName;
  /** Milliseconds since the epoch, by the service's clock. */
  now: number;
  campaigns: LaunchedCampaign[];
  calls: LaunchedCall[];
  entries: CallLogEntry[];
  /** By call_id; an entry without an owner was made by others. */
  truth: Map<string, Truth>;
  showing: Showing;
  /** Whether the log shows everything that was called. */
  isComplete: boolean;
}

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** `rounded`: how its log is rounded, where chance does not say. */
export function makeWorld(seed: number, service: ServiceName, rounded: Partial<Showing> = {}): World {
  const chance = new Chance(seed);
  const campaignsOnly = planCampaigns(chance);
  const plays = chance.fork();
  const playSeed = chance.integer(0, 2 ** 31);
  const play = (plan: Plan) =>
    service === 'engine' ? playOnEngine(plan, playSeed) : playCarelessly(plan, new Chance(playSeed));
  const plan = { ...campaignsOnly, calls: planCalls(campaignsOnly, play(campaignsOnly), plays) };
  return cutOff({ seed, service, plan, dials: play(plan), rounded }, chance);
}

interface Played {
  seed: number;
  service: ServiceName;
  plan: Plan;
  dials: Dial[];
  rounded: Partial<Showing>;
}

/** The world as it is at some moment, and what the log shows of it. */
function cutOff({ seed, service, plan, dials, rounded }: Played, chance: Chance): World {
  const showing = { ...drawShowing(chance), ...rounded };
  const times = dials.map(({ at }) => at);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const isCut = chance.happens(0.3);
  const now = isCut ? Math.floor(first + chance.next() * (last - first)) : last + chance.pick([SECOND, HOUR, 3 * DAY]);
  const late = chance.happens(0.2) ? chance.pick([5 * SECOND, 300 * SECOND, HOUR]) : 0;
  const made = dials.filter(({ at }) => at <= now);
  const shown = made.filter(({ at }) => at <= now - late);
  const others = chance.happens(0.2) ? strangers(plan.pool, first, now, chance).filter(({ at }) => at <= now) : [];

  const keyOf = keysOf(plan, chance.integer(1, 50));
  const campaignIds = plan.campaigns.map((_, nth) => (service === 'engine' ? nth + 1 : 300 + 7 * nth));
  const campaigns = plan.campaigns.flatMap((campaign, nth) =>
    campaign.sentAt > now ? [] : [launched(campaign, keyOf.campaign(nth), campaignIds[nth] as number, chance)],
  );
  const calls = plan.calls.flatMap(({ sentAt, agentId, from, to }, nth): LaunchedCall[] => {
    const start = sentAt + measured(chance);
    const answered = start + chance.integer(200, 9000);
    const span = { from: start - 2 * SECOND, until: answered + 600 * SECOND };
    const key = keyOf.call(nth);
    const sent = { key, agentId, from, to: to.phone_number, identifier: to.custom_identifiers || undefined };
    return sentAt > now ? [] : [{ ...sent, start, span }];
  });
  const truth = new Map<string, Truth>();
  for (const { callId, owner } of shown) {
    if (owner === undefined) continue;
    if ('call' in owner) truth.set(callId, { key: keyOf.call(owner.call) });
    else truth.set(callId, { key: keyOf.campaign(owner.campaign), row: owner.row, attempt: owner.attempt });
  }
  const logged = chance.shuffled([...shown, ...others]);
  return {
    ...{ seed, service, now, campaigns, calls, truth, showing },
    entries: logged.map((dial) => show(dial, showing, campaignIds)),
    isComplete: shown.length === made.length,
  };
}

/** The service's clock is known to within a second. */
function measured(chance: Chance): number {
  return Math.round((chance.next() * 2 - 1) * SECOND);
}

function launched(campaign: PlannedCampaign, key: number, campaignId: number, chance: Chance): LaunchedCampaign {
  const { agentId, from, contacts, sentAt, startTime, callsPerHour, retries, retryDelay } = campaign;
  const start = startTime ?? sentAt + measured(chance);
  const attempts = 1 + retries;
  const longest = (contacts.length * attempts * HOUR) / callsPerHour + retries * retryDelay * SECOND;
  return {
    ...{ key, campaignId, agentId, from, start, callsPerHour, attempts },
    span: { from: start - 2 * SECOND, until: start + 2 * longest + 2 * DAY },
    retryDelay: retryDelay * SECOND,
    contacts: {
      phones: Float64Array.from(contacts, ({ phone_number }) => phoneKeyOfDigits(Number(phone_number.slice(1)))),
      identifierOf: (row) => contacts[row]?.custom_identifiers || undefined,
    },
  };
}

/** Keys rise in the order of sending, over campaigns and calls. */
function keysOf({ campaigns, calls }: Plan, first: number) {
  const times = [...campaigns, ...calls].map(({ sentAt }) => sentAt).toSorted((left, right) => left - right);
  const places = new Map<object, number>();
  const all = [...campaigns, ...calls].toSorted((left, right) => left.sentAt - right.sentAt);
  for (const [at, sent] of all.entries()) places.set(sent, first + at);
  if (times.length !== places.size) throw new Error('Two of the plan are one.');
  return {
    campaign: (nth: number) => places.get(campaigns[nth] as object) as number,
    call: (nth: number) => places.get(calls[nth] as object) as number,
  };
}

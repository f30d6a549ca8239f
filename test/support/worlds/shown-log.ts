/** How a service shows its calls: with or without a zone, rounded, late, with what it echoes. */
import type { CallLogEntry } from '../../../src/contract.ts';
import type { Chance } from './chance.ts';
import { type Dial, FROMS, type PlannedContact } from './plan.ts';

export interface Showing {
  zone: 'utc' | 'offset' | 'none' | 'none, local';
  /** Minutes by which the service's local time is ahead of UTC. */
  localMinutes: number;
  rounding: 'none' | 'down' | 'nearest' | 'up';
  /** Milliseconds to which it rounds. */
  unit: number;
  echoesIdentifiers: boolean;
  echoesCampaigns: boolean;
  /** Phones with two spellings are shown in the current one. */
  hasCurrentSpelling: boolean;
}

export function drawShowing(chance: Chance): Showing {
  return {
    zone: chance.happens(0.6) ? 'utc' : chance.pick(['offset', 'none', 'none, local']),
    localMinutes: chance.pick([-480, -300, 60, 120, 330, 345, 600]),
    rounding: chance.happens(0.7) ? 'none' : chance.pick(['down', 'nearest']),
    unit: 1000,
    echoesIdentifiers: chance.happens(0.12),
    echoesCampaigns: chance.happens(0.08),
    hasCurrentSpelling: chance.happens(0.5),
  };
}

/** `campaignIds`: by the place in the plan. */
export function show(dial: Dial, showing: Showing, campaignIds: readonly number[]): CallLogEntry {
  const { callId, agentId, from, to, status, outcome, duration, owner } = dial;
  const campaign = owner !== undefined && 'campaign' in owner ? campaignIds[owner.campaign] : undefined;
  return {
    call_id: callId,
    agent_id: agentId,
    called_to: showing.hasCurrentSpelling ? to.phone_number.replace(/^\+521(\d{10})$/, '+52$1') : to.phone_number,
    call_from: from,
    call_duration: duration,
    call_status: status,
    call_outcome: outcome,
    timestamp: shownTime(dial.at, showing),
    transcript: '',
    ...(showing.echoesIdentifiers && owner !== undefined ? { custom_identifiers: to.custom_identifiers ?? '' } : {}),
    ...(showing.echoesCampaigns && campaign !== undefined ? { campaign_id: campaign } : {}),
  };
}

const ROUND = { down: Math.floor, nearest: Math.round, up: Math.ceil };

function shownTime(at: number, { zone, localMinutes, rounding, unit }: Showing): string {
  const rounded = rounding === 'none' ? at : ROUND[rounding](at / unit) * unit;
  const isLocal = zone === 'offset' || zone === 'none, local';
  const wall = new Date(rounded + (isLocal ? localMinutes * 60_000 : 0)).toISOString();
  const text = rounding === 'none' ? wall.slice(0, -1) : wall.slice(0, 19);
  if (zone === 'utc') return `${text}Z`;
  return zone === 'offset' ? `${text}${offsetOf(localMinutes)}` : text;
}

function offsetOf(minutes: number): string {
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(ahead / 60)}:${two(ahead % 60)}`;
}

const DAY = 86_400_000;

/** Calls that were not sent from here: to other numbers, by other agents, or before everything else. */
export function strangers(pool: readonly PlannedContact[], first: number, last: number, chance: Chance): Dial[] {
  return Array.from({ length: chance.integer(1, 40) }, (_, at): Dial => {
    const kind = chance.pick(['other number', 'other agent', 'earlier'] as const);
    const within = Math.floor(first + chance.next() * (last - first));
    return {
      callId: `x-${at}-${chance.integer(0, 2 ** 31).toString(36)}`,
      at: kind === 'earlier' ? first - Math.floor((3 + 10 * chance.next()) * DAY) : within,
      agentId: kind === 'other agent' ? 77 : 1,
      from: FROMS[0] as string,
      to: kind === 'other number' ? { phone_number: `+4930${1_000_000 + at}` } : chance.pick(pool),
      status: chance.pick(['completed', 'busy', 'no_answer']),
      outcome: '',
      duration: chance.integer(0, 100),
      owner: undefined,
    };
  });
}

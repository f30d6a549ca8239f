/** What an operator sends in a random world. Instants are in milliseconds since the epoch, by the service's clock. */
import { EPOCH } from '../engine.ts';
import type { Chance } from './chance.ts';

export interface PlannedContact {
  phone_number: string;
  custom_identifiers?: string;
}

export interface PlannedCampaign {
  sentAt: number;
  agentId: number;
  from: string;
  contacts: PlannedContact[];
  /** Undefined: it begins when it is sent. */
  startTime: number | undefined;
  callsPerHour: number;
  retries: number;
  /** Seconds. */
  retryDelay: number;
}

export interface PlannedCall {
  sentAt: number;
  agentId: number;
  from: string;
  to: PlannedContact;
}

export interface Plan {
  agents: number[];
  froms: string[];
  pool: PlannedContact[];
  answerRate: number;
  campaigns: PlannedCampaign[];
  calls: PlannedCall[];
}

/** A call of a service, and whose it is. */
export interface Dial {
  callId: string;
  at: number;
  agentId: number;
  from: string;
  to: PlannedContact;
  status: string;
  outcome: string;
  /** Seconds. */
  duration: number;
  owner: DialOwner | undefined;
}

/** The place in the plan. */
export type DialOwner = { campaign: number; row: number; attempt: number } | { call: number };

export const FROMS = ['+14155550100', '+442079460100'];

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const PACES = [1, 4, 20, 60, 60, 60, 120, 240, 600, 3600];
const DELAYS = [60, 120, 300, 600, 900, 1800, 3600, 3600, 7200, 14_400, 43_200, 86_400];

export function planCampaigns(chance: Chance): Plan {
  const agents = chance.happens(0.3) ? [1, 2] : [1];
  const froms = chance.happens(0.25) ? FROMS : FROMS.slice(0, 1);
  const hasIdentifiers = chance.happens(0.6);
  const isOfMexico = chance.happens(0.1);
  const pool = Array.from({ length: chance.integer(2, 60) }, (_, at): PlannedContact => {
    const tail = String(10_000_000 + at * 7919).slice(1);
    const isOld = isOfMexico && chance.happens(0.5);
    const phone_number = isOld ? `+52155${tail}1` : `+141${tail}2`;
    return hasIdentifiers && chance.happens(0.8) ? { phone_number, custom_identifiers: `crm-${at}` } : { phone_number };
  });
  const count = chance.happens(0.3) ? chance.integer(1, 2) : chance.integer(2, chance.pick([4, 8, 20]));
  /** How far apart campaigns are sent: within minutes, hours or days. */
  const spread = chance.pick([2 * MINUTE, HOUR, 8 * HOUR, 2 * DAY, 10 * DAY]);
  const isTwice = chance.happens(0.2);
  const hasOwnIdentifiers = chance.happens(0.3);
  const campaigns = Array.from({ length: count }, (_, nth): PlannedCampaign => {
    const sentAt = EPOCH + Math.floor(chance.next() * spread);
    const size = Math.min(chance.integer(1, chance.pick([3, 10, 40])), isTwice ? 40 : pool.length);
    const drawn = isTwice
      ? Array.from({ length: size }, () => chance.pick(pool))
      : chance.shuffled(pool).slice(0, size);
    const contacts = drawn.map((contact, row) =>
      hasOwnIdentifiers && contact.custom_identifiers !== undefined
        ? { ...contact, custom_identifiers: `${contact.custom_identifiers}-${nth}-${row}` }
        : contact,
    );
    return {
      sentAt,
      agentId: chance.pick(agents),
      from: chance.pick(froms),
      contacts,
      startTime: planStart(sentAt, chance),
      callsPerHour: chance.happens(0.7) ? chance.pick(PACES) : chance.integer(1, 3600),
      retries: chance.integer(0, 4),
      retryDelay: chance.happens(0.7) ? chance.pick(DELAYS) : chance.integer(60, 86_400),
    };
  });
  const answerRate = chance.pick([0.2, 0.4, 0.62, 0.9]);
  return { agents, froms, pool, answerRate, campaigns: apart(campaigns), calls: [] };
}

function planStart(sentAt: number, chance: Chance): number | undefined {
  if (chance.happens(0.6)) return undefined;
  const start = sentAt + Math.floor(chance.next() * chance.pick([10 * MINUTE, 6 * HOUR, 2 * DAY]));
  return chance.happens(0.7) ? Math.ceil(start / MINUTE) * MINUTE : start;
}

/** Single calls: before, during and after the campaigns, and within seconds of calls of a campaign. */
export function planCalls(
  { agents, froms, pool, campaigns }: Plan,
  dials: readonly Dial[],
  chance: Chance,
): PlannedCall[] {
  if (chance.happens(0.35)) return [];
  const times = dials.map(({ at }) => at);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const calls = Array.from({ length: chance.integer(1, 12) }, (): PlannedCall => {
    const beside = chance.happens(0.4) ? chance.pick(dials) : undefined;
    if (beside !== undefined) {
      const sentAt = beside.at + Math.round((chance.next() - 0.5) * chance.pick([10, 60, 900]) * SECOND);
      const to = chance.happens(0.7) ? beside.to : chance.pick(pool);
      return { sentAt, agentId: beside.agentId, from: beside.from, to };
    }
    const sentAt = Math.floor(first - 4 * HOUR + chance.next() * (last - first + 8 * HOUR));
    const { agentId, from } = chance.happens(0.7)
      ? chance.pick(campaigns)
      : { agentId: chance.pick(agents), from: chance.pick(froms) };
    return { sentAt, agentId, from, to: chance.pick(pool) };
  });
  return apart(calls);
}

/** One machine sends one thing after the other. */
function apart<T extends { sentAt: number }>(sent: T[]): T[] {
  const sorted = sent.toSorted((left, right) => left.sentAt - right.sentAt);
  for (const [at, one] of sorted.entries()) {
    const before = sorted[at - 1];
    if (before !== undefined && one.sentAt <= before.sentAt) one.sentAt = before.sentAt + 1;
  }
  return sorted;
}

/**
 * The rules by which calls are attributed, where random worlds do not show them: what was sent, what the log shows, and whose
 * it is.
 */
import { expect, test } from 'vitest';
import type { CallLogEntry } from '../../../src/contract.ts';
import { casesBeside } from '../../support/cases.ts';
import { attribute, type LaunchedCall, type LaunchedCampaign } from '../../support/worlds/keyed.ts';

/** Not at a whole minute: the log of these cases tells its times precisely. */
const START = Date.parse('2026-11-20T09:00:07.3Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PHONE = 14155550123;
const OTHER = 14155550124;

/** A campaign of 60 calls an hour with one retry after ten minutes; `start` in minutes after nine o'clock. */
const campaign = (key: number, start: number, more: Partial<LaunchedCampaign> = {}): LaunchedCampaign => ({
  key,
  campaignId: 100 + key,
  agentId: 3,
  from: '+14155550100',
  start: START + start * MINUTE,
  span: { from: START + start * MINUTE - 2_000, until: START + start * MINUTE + 2 * 24 * HOUR },
  callsPerHour: 60,
  attempts: 2,
  retryDelay: 10 * MINUTE,
  contacts: { phones: Float64Array.of(PHONE), identifierOf: () => undefined },
  ...more,
});

const singleCall = (key: number, start: number): LaunchedCall => ({
  key,
  agentId: 3,
  from: '+14155550100',
  to: `+${PHONE}`,
  identifier: undefined,
  start: START + start * MINUTE,
  span: { from: START + start * MINUTE - 2_000, until: START + (start + 10) * MINUTE },
});

/** An entry of the log, `minutes` after nine o'clock. */
const entry = (minutes: number, call_status = 'busy', more: Partial<CallLogEntry> = {}): CallLogEntry => ({
  call_id: `at ${minutes}`,
  agent_id: 3,
  call_from: '+14155550100',
  called_to: `+${PHONE}`,
  call_status,
  call_outcome: '',
  timestamp: new Date(START + minutes * MINUTE).toISOString(),
  ...more,
});

/** In a list with others: after so many, before one, or twice itself with these identifiers. */
interface Listed {
  after?: number;
  before?: 1;
  two?: string[];
}

function contactsOf({ after = 0, before, two = [] }: Listed = {}): LaunchedCampaign['contacts'] {
  const others = Array.from({ length: after }, (_none, row) => OTHER + row);
  const own = two.length > 0 ? two.map(() => PHONE) : [PHONE];
  const phones = Float64Array.from([...others, ...own, ...(before === undefined ? [] : [OTHER])]);
  return { phones, identifierOf: (row) => two[row] || undefined };
}

interface Case {
  name: string;
  campaigns?: [key: number, start: number, more?: { contacts?: Listed; attempts?: number; retryDelay?: number }][];
  calls?: [key: number, start: number][];
  log: [minutes: number, status?: string, more?: Partial<CallLogEntry>][];
  owners: string[];
  /** Of the contacts of campaign 1, and whether they are those after three days. */
  states?: string[];
  isLater?: true;
}

/** Thirty contacts of campaign 1, called a minute after the other. */
const thirty = (minutes: number, zone: number) => {
  const phones = Float64Array.from({ length: 30 }, (_none, row) => PHONE + row);
  return {
    campaigns: [campaign(1, 0, { contacts: { phones, identifierOf: () => undefined } })],
    log: Array.from(phones, (phone, row) => ({
      ...entry(minutes + row, 'completed', { called_to: `+${phone}` }),
      timestamp: withoutZone(minutes + row + zone),
    })),
  };
};

const zones: Record<string, { lateness: number; zone: number; earlier: number[] }> = {
  'UTC, at once': { lateness: 0.1, zone: 0, earlier: [] },
  'UTC, some minutes late': { lateness: 7, zone: 0, earlier: [] },
  'half an hour after India, two minutes late': { lateness: 2, zone: 330, earlier: [] },
  'one hour ahead, five minutes late': { lateness: 5, zone: 60, earlier: [] },
  'eight hours behind': { lateness: 0.3, zone: -480, earlier: [] },
  'UTC, and somebody else called one of them shortly before': { lateness: 0.1, zone: 0, earlier: [20] },
  'UTC, and somebody else called seven of them': { lateness: 0.1, zone: 0, earlier: [40, 41, 42, 43, 44, 45, 46] },
};

test.each(Object.entries(zones))('times without a zone: %s', (_name, { lateness, zone, earlier }) => {
  const { campaigns, log } = thirty(lateness, zone);
  const before = earlier.map((minutes, row) => ({
    ...entry(-minutes, 'busy', { called_to: `+${PHONE + row}` }),
    timestamp: withoutZone(zone - minutes),
  }));
  // The zone does not depend on when the log is read.
  for (const hours of [12, 13, 36]) {
    const attribution = attribute({ campaigns, calls: [] });
    for (const call of [...before, ...log]) attribution.take(call);
    attribution.resolve(START + hours * HOUR);
    const { attempts, firstCall } = attribution.tallyOf(1);
    expect({ attempts, firstCall }).toEqual({ attempts: 30, firstCall: START + lateness * MINUTE });
    expect(attribution.unclaimed).toBe(earlier.length);
  }
});

function withoutZone(minutes: number): string {
  return new Date(START + minutes * MINUTE).toISOString().replace('Z', '');
}

test.each(casesBeside(import.meta.filename)<Case>('whose'))('$name', (given) => {
  const { campaigns = [[1, 0]], calls = [], log, owners, states, isLater } = given;
  const entries = log.map(([minutes, status, { timestamp, ...more } = {}]) =>
    entry(minutes, status, {
      ...more,
      ...(timestamp !== undefined && { timestamp: timestamp === 'without zone' ? withoutZone(minutes) : timestamp }),
    }),
  );
  const attribution = attribute({
    campaigns: campaigns.map(([key, start, { contacts, ...more } = {}]) =>
      campaign(key, start, { ...more, contacts: contactsOf(contacts) }),
    ),
    calls: calls.map(([key, start]) => singleCall(key, start)),
  });
  for (const call of entries) attribution.take(call);
  attribution.resolve(isLater ? START + 4 * 24 * HOUR : START + 2 * HOUR);
  const said = entries.map(({ call_id }) => {
    const owner = attribution.ownerOf(String(call_id));
    if (owner === undefined) return '-';
    const name = owner.kind === 'call' ? `call ${owner.key}` : `${owner.key}.${owner.row}`;
    return owner.isAmbiguous ? `${name} ?` : name;
  });
  expect(said).toEqual(owners);
  if (states !== undefined) expect([...attribution.outcomesOf(1)].map(({ state }) => state)).toEqual(states);
});

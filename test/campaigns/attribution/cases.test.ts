/** The rules by which calls are attributed, where random worlds do not show them: what was sent, what the log shows, and whose it is. */
import { expect, test } from 'vitest';
import type { CallLogEntry } from '../../../src/contract.ts';
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

const singleCall = (key: number, start: number, more: Partial<LaunchedCall> = {}): LaunchedCall => ({
  key,
  agentId: 3,
  from: '+14155550100',
  to: `+${PHONE}`,
  identifier: undefined,
  start: START + start * MINUTE,
  span: { from: START + start * MINUTE - 2_000, until: START + (start + 10) * MINUTE },
  ...more,
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

interface Case {
  campaigns?: LaunchedCampaign[];
  calls?: LaunchedCall[];
  log: CallLogEntry[];
  /** For each entry of the log: `1` is campaign 1, `1.0` its row 0, `call 7` a single call, `?` is ambiguous, `-` nobody's. */
  owners: string[];
  /** Of the contacts of campaign 1, and whether they are those after three days. */
  states?: string[];
  isLater?: true;
}

const two = (identifiers: (string | undefined)[]) => ({
  phones: Float64Array.of(PHONE, PHONE),
  identifierOf: (row: number) => identifiers[row],
});

/** The phone, after others. */
function contactAfter(others: number): LaunchedCampaign['contacts'] {
  const phones = Float64Array.from({ length: others + 1 }, (_none, row) => OTHER + row);
  phones[others] = PHONE;
  return { phones, identifierOf: () => undefined };
}

const cases: Record<string, Case> = {
  'no call, and it is over': { log: [], owners: [], states: ['never_called'], isLater: true },
  'one attempt of two, and it is over': { log: [entry(0)], owners: ['1.0'], states: ['busy'], isLater: true },
  'a status of the service is waited for': {
    log: [entry(0), entry(10, 'ringing')],
    owners: ['1.0', '1.0'],
    states: ['waiting'],
  },
  'before the start: nobody': { log: [entry(-1)], owners: ['-'], states: ['waiting'] },
  'two seconds before, as clocks are read': { log: [entry(-1 / 60)], owners: ['1.0'], states: ['waiting'] },
  'after its time: nobody': { log: [entry(3 * 24 * 60)], owners: ['-'], states: ['waiting'] },
  'nothing after a completed one: somebody else made one of the two': {
    log: [entry(0, 'completed'), entry(30)],
    owners: ['1.0 ?', '-'],
    states: ['reached'],
  },
  'no more than the attempts: of three, which one is of nobody is not sure': {
    log: [entry(0), entry(10), entry(20)],
    owners: ['1.0 ?', '1.0 ?', '-'],
    states: ['busy'],
  },
  'a single call takes the entry of its time; the campaign could have made it as well': {
    calls: [singleCall(7, 30)],
    log: [entry(0), entry(30.1, 'completed')],
    owners: ['1.0', 'call 7 ?'],
    states: ['waiting'],
  },
  'it has not ended where nobody else can have made the call': {
    campaigns: [campaign(1, 0, { contacts: contactAfter(1) })],
    calls: [singleCall(7, 26 * 60)],
    log: [entry(0, 'completed', { called_to: `+${OTHER}` }), entry(1), entry(26 * 60 - 30, 'completed')],
    owners: ['1.0', '1.1', '1.1'],
    states: ['reached', 'reached'],
  },
  'the drawn example of the help': {
    campaigns: [
      campaign(1, 0, { retryDelay: HOUR, attempts: 3 }),
      campaign(2, 20, { retryDelay: 30 * MINUTE, attempts: 3 }),
    ],
    calls: [singleCall(7, 41)],
    log: [entry(0), entry(20), entry(41, 'completed'), entry(50, 'no_answer'), entry(60, 'completed')],
    owners: ['1.0', '2.0', 'call 7', '2.0', '1.0'],
    states: ['reached'],
  },
  'the drawn example of the help, with the same delay for both': {
    campaigns: [
      campaign(1, 0, { retryDelay: 30 * MINUTE, attempts: 3 }),
      campaign(2, 20, { retryDelay: 30 * MINUTE, attempts: 3 }),
    ],
    calls: [singleCall(7, 41)],
    log: [entry(0), entry(20), entry(41, 'completed'), entry(50, 'no_answer'), entry(60, 'completed')],
    owners: ['1.0', '2.0', 'call 7 ?', '2.0 ?', '1.0 ?'],
  },
  'two campaigns that overlap and could have made each call: the one that was expected at the nearest time': {
    campaigns: [campaign(1, 0, { attempts: 1, contacts: contactAfter(40) }), campaign(2, 30, { attempts: 1 })],
    log: [entry(30.5), entry(40.2)],
    owners: ['2.0 ?', '1.40 ?'],
  },
  'the service names a campaign that was not sent from here': {
    log: [entry(0, 'busy', { campaign_id: 999 })],
    owners: ['-'],
    states: ['waiting'],
  },
  'a campaign 0, and identifiers that are no text, say nothing': {
    log: [entry(0, 'busy', { campaign_id: 0 }), entry(10, 'busy', { custom_identifiers: { crm: 7 } })],
    owners: ['1.0', '1.0'],
    states: ['busy'],
  },
  'the service echoes the identifier': {
    campaigns: [campaign(1, 0, { contacts: two(['crm-1', 'crm-2']) })],
    log: [entry(0, 'busy', { custom_identifiers: 'crm-2' }), entry(1, 'completed', { custom_identifiers: 'crm-1' })],
    owners: ['1.1', '1.0'],
    states: ['reached', 'waiting'],
  },
  'a number twice in a list: the earliest is of the first row, which is not sure': {
    campaigns: [campaign(1, 0, { attempts: 1, contacts: two([undefined, undefined]) })],
    log: [entry(1, 'completed'), entry(0)],
    owners: ['1.1 ?', '1.0 ?'],
    states: ['busy', 'reached'],
  },
  'a time that cannot be read': {
    log: [entry(0, 'completed', { timestamp: 'yesterday' })],
    owners: ['1.0'],
    states: ['reached'],
  },
  'times in a zone that is not named: it is found by the single calls': {
    campaigns: [campaign(1, 0, { contacts: { phones: Float64Array.of(PHONE, OTHER), identifierOf: () => undefined } })],
    calls: [singleCall(7, -60), singleCall(8, -90)],
    log: [-90, -60, 0].map((minutes) => entry(minutes + 330, 'busy', { timestamp: withoutZone(minutes + 330) })),
    owners: ['call 8', 'call 7', '1.0'],
    states: ['waiting', 'waiting'],
  },
};

/** Thirty contacts of campaign 1, called a minute after the other. */
const thirty = (minutes: number, zone: number): Pick<Case, 'campaigns' | 'log'> => {
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
  const { campaigns = [], log } = thirty(lateness, zone);
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

test.each(Object.entries(cases))(
  '%s',
  (_name, { campaigns = [campaign(1, 0)], calls = [], log, owners, states, isLater }) => {
    const attribution = attribute({ campaigns, calls });
    for (const call of log) attribution.take(call);
    attribution.resolve(isLater ? START + 4 * 24 * HOUR : START + 2 * HOUR);
    const said = log.map(({ call_id }) => {
      const owner = attribution.ownerOf(String(call_id));
      if (owner === undefined) return '-';
      const name = owner.kind === 'call' ? `call ${owner.key}` : `${owner.key}.${owner.row}`;
      return owner.isAmbiguous ? `${name} ?` : name;
    });
    expect(said).toEqual(owners);
    if (states !== undefined) expect([...attribution.outcomesOf(1)].map(({ state }) => state)).toEqual(states);
  },
);

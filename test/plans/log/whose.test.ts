/** Whose the entries of the log are: a wave's of the plan, whoever else called its phones, or nobody's that may be. */
import { describe, expect, test } from 'vitest';
import type { CallLogEntry } from '../../../src/contract.ts';
import { reconcileCalls as settle } from '../../../src/plans/log/attempts.ts';
import { attribute, type Callers, wavesIn } from '../../../src/plans/log/attribute.ts';
import { isFinal, keptEntry } from '../../../src/plans/log/kept-entry.ts';
import { openWave, pastWave, type RefusedWave, spanOf } from '../../../src/plans/log/own-calls.ts';
import { applyEvent } from '../../../src/plans/rules/apply.ts';
import { runsOf } from '../../../src/plans/rules/events.ts';
import type { Pending } from '../../../src/plans/rules/pending.ts';
import type { LoadedPlan, OpenWave } from '../../../src/plans/rules/plan.ts';
import { DIAL_MARKS } from '../../../src/plans/rules/roster.ts';
import type { PlanRules } from '../../../src/plans/rules/rules.ts';
import { HOUR, MINUTE, planInMemory } from '../../support/plans.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const NUMBERS = ['+14155550101', '+14155550102', '+14155550103', '+14155550104'];

function entry(number: string, at: number, fields: Partial<CallLogEntry> = {}): CallLogEntry {
  return {
    call_id: `call_${number.slice(-3)}_${at}`,
    agent_id: 1,
    called_to: number,
    call_from: '+14155550100',
    call_status: 'completed',
    call_outcome: 'lead_qualified',
    call_duration: 40,
    timestamp: new Date(at).toISOString(),
    transcript: 'Agent: Hi.',
    ...fields,
  };
}

/** Wave 1 calls the first three rows, last one first, from START on. */
function setUp(rules?: Partial<PlanRules>): LoadedPlan {
  const contacts = NUMBERS.map((number) => ({ phone: Number(number.slice(1)) }));
  const loaded = planInMemory({ contacts, ...(rules && { rules }) });
  const wave = { wave: 1, from: '+14155550100', start: START, interval: MINUTE, rows: runsOf([2, 1, 0]) };
  applyEvent({ event: 'handed', at: START, ...wave }, loaded, 0);
  return loaded;
}

type Campaign = Callers['others'][number];

/** The others are campaigns, and single calls. */
interface Given extends Partial<Omit<Callers, 'others'>> {
  campaigns?: readonly Campaign[];
  calls?: readonly (Pick<Campaign, 'key' | 'agentId' | 'from' | 'start' | 'span'> & { to: string })[];
}

function told(loaded: LoadedPlan, log: readonly CallLogEntry[], given: Given = {}, now = START + HOUR) {
  const { campaigns = [], calls = [], ...callers } = given;
  const singles = calls.map(({ to, ...call }): Campaign => {
    const contacts = { phones: Float64Array.of(Number(to.slice(1))), identifierOf: () => undefined };
    return { ...call, isSingleCall: true, callsPerHour: 1, attempts: 1, retryDelay: 0, contacts };
  });
  const entries = log.flatMap((call) => keptEntry(call, loaded, String) ?? []);
  const waves = loaded.position.open.map((open) =>
    openWave(loaded, open, { rows: [2, 1, 0], identifiers: ['c', 'b', 'a'] }),
  );
  const all: Callers = {
    waves,
    refused: [],
    others: [...campaigns, ...singles],
    pending: [],
    sentAs: () => undefined,
    callsOnce: false,
    ...callers,
  };
  return attribute(loaded, entries, all, now);
}

const apply = (loaded: LoadedPlan, { own, others }: ReturnType<typeof told>, now = START + HOUR) => {
  const events = [...others, ...settle(loaded, own, now)];
  for (const event of events) applyEvent(event, loaded, 0);
  return events.map(({ event }) => event);
};

/** Another campaign, which calls one phone; its calls may come until `until`. */
function campaignTo(number: string, start: number, until: number, more: Partial<Campaign> = {}) {
  const phones = Float64Array.of(Number(number.slice(1)));
  return {
    ...{ key: 9, campaignId: 90, agentId: 1, from: '+14155550100', start, callsPerHour: 60, attempts: 1 },
    ...{ retryDelay: 0, span: { from: start - 2_000, until } },
    contacts: { phones, identifierOf: () => undefined },
    ...more,
  };
}

/** What it holds until it is over. */
function busyWith({ key, contacts, start }: ReturnType<typeof campaignTo>, until: number): Pending {
  return {
    key,
    phones: () => contacts.phones,
    start,
    interval: MINUTE,
    attempts: 1,
    retryDelay: 0,
    isCertain: false,
    until,
  };
}

describe('a call of a wave', () => {
  test('is the contact’s at its place in the wave, with what came of it', () => {
    const { own, others } = told(setUp(), [
      entry(NUMBERS[1] as string, START + MINUTE, { recording_url: 'https://r/1' }),
    ]);
    expect(others).toEqual([]);
    expect(own).toEqual([
      {
        row: 1,
        wave: 1,
        at: START + MINUTE,
        status: 'completed',
        outcome: 'lead_qualified',
        isVoicemail: false,
        seconds: 40,
        callId: `call_102_${START + MINUTE}`,
        recordingUrl: 'https://r/1',
        isAmbiguous: false,
        identity: expect.any(String),
      },
    ]);
  });

  test('is known by its time alone where the log says no zone, and at its planned time where it says none', () => {
    const zoneless = new Date(START + 5.5 * HOUR).toISOString().slice(0, -1);
    const { own } = told(setUp(), [
      entry(NUMBERS[2] as string, START, { timestamp: zoneless }),
      entry(NUMBERS[0] as string, START, { timestamp: 'soon', call_id: undefined }),
    ]);
    expect(own.map(({ row, at, callId }) => [row, at, callId === undefined])).toEqual([
      [2, START, false],
      [0, START + 2 * MINUTE, true],
    ]);
  });

  test('read again changes nothing, whatever else was read with it', () => {
    const loaded = setUp();
    const log = [
      entry(NUMBERS[2] as string, START),
      entry(NUMBERS[1] as string, START + MINUTE, { call_status: 'busy' }),
    ];
    expect(apply(loaded, told(loaded, log))).toEqual(['called', 'called']);
    const counted = { ...loaded.position };
    log.push(entry(NUMBERS[0] as string, START + 2 * MINUTE));
    expect(apply(loaded, told(loaded, log))).toEqual(['called']);
    expect(apply(loaded, told(loaded, log))).toEqual([]);
    expect(loaded.position).toMatchObject({ attempts: counted.attempts + 1, state: 'open' });
    expect(loaded.roster.counts).toMatchObject({ reached: 2, again: 1, new: 1 });
  });

  test('that is still going on gives nothing, and later what came of it', () => {
    const loaded = setUp();
    const ringing = keptEntry(entry(NUMBERS[2] as string, START, { call_status: 'in_progress' }), loaded, String);
    expect(ringing && isFinal(ringing)).toBe(false);
    expect(apply(loaded, told(loaded, [ringing?.call as CallLogEntry]))).toEqual([]);
    expect(apply(loaded, told(loaded, [entry(NUMBERS[2] as string, START)]))).toEqual(['called']);
  });

  test('that comes to light when its wave is no longer waited for is found by what was sent', () => {
    const loaded = setUp();
    const sent = told(loaded, []);
    expect(sent).toEqual({ own: [], others: [] });
    const open = loaded.position.open[0] as OpenWave;
    const { launched } = openWave(loaded, open, { rows: [2, 1, 0], identifiers: [] });
    const later = START + 30 * HOUR;
    applyEvent({ event: 'unseen', at: later, rows: [0, 3] }, loaded, 0);
    expect(loaded.position.open).toEqual([]);
    const log = [entry(NUMBERS[0] as string, START + 2 * MINUTE)];
    const entries = log.flatMap((call) => keptEntry(call, loaded, String) ?? []);
    expect([...wavesIn(loaded, entries, new Map())]).toEqual([1]);
    const waves = [pastWave(loaded.roster, 1, launched)];
    expect(apply(loaded, told(loaded, log, { waves }, later), later)).toEqual(['called']);
    expect(loaded.roster.stateOf(0)).toBe('reached');
  });

  test('that comes to light when its contact was recalled is its own, also when later ones are known', () => {
    const loaded = setUp();
    const open = loaded.position.open[0] as OpenWave;
    const { launched } = openWave(loaded, open, { rows: [2, 1, 0], identifiers: [] });
    const later = START + 30 * HOUR;
    applyEvent({ event: 'unseen', at: later, rows: [0, 3] }, loaded, 0);
    applyEvent({ event: 'resumed', at: later, recalls: true }, loaded, 0);
    applyEvent({ event: 'others', at: later, row: 0 }, loaded, 0);
    const log = [entry(NUMBERS[0] as string, START + 2 * MINUTE)];
    const entries = log.flatMap((call) => keptEntry(call, loaded, String) ?? []);
    const sent = new Map([
      [1, launched],
      [2, { ...launched, start: later, span: { from: later, until: later + HOUR } }],
    ]);
    expect([...wavesIn(loaded, entries, sent)]).toEqual([1]);
    const waves = [pastWave(loaded.roster, 1, launched)];
    expect(apply(loaded, told(loaded, log, { waves }, later), later)).toEqual(['called']);
    expect(loaded.roster.stateOf(0)).toBe('reached');
    expect(loaded.position).toMatchObject({ state: 'open', attempts: 1 });
  });

  test('that comes twice in one wave stops the plan; on a service that is known to call once it is another’s', () => {
    const log = [entry(NUMBERS[2] as string, START), entry(NUMBERS[2] as string, START + HOUR)];
    const loaded = setUp();
    expect(apply(loaded, told(loaded, log.slice(0, 1)))).toEqual(['called']);
    expect(apply(loaded, told(loaded, log, {}, START + 2 * HOUR))).toEqual(['called', 'stopped']);
    const engine = setUp();
    apply(engine, told(engine, log.slice(0, 1)));
    expect(apply(engine, told(engine, log, { callsOnce: true }))).toEqual(['others']);
  });
});

describe('a second call within two hours, while three other requests of the register call the phone', () => {
  /** Each has one call, due so many minutes after the wave's, and made up to 20 minutes later. */
  const rivals = (agentId: number): Given => {
    const campaigns = [10, 20, 33].map((due, at) => {
      const start = START + due * MINUTE;
      return campaignTo(NUMBERS[2] as string, start, start + 20 * MINUTE, { key: 5 + at, agentId });
    });
    return { campaigns, pending: campaigns.map((one) => busyWith(one, one.span.until)) };
  };

  test.each<[string, number[], number, number, string[]]>([
    ['that any of them explains is theirs', [], 12, 1, ['others']],
    ['that the first explains, and the others were seen', [22, 35], 12, 1, ['others']],
    ['that the second explains, and the others were seen', [12, 35], 22, 1, ['others']],
    ['that the last explains, and the others were seen', [12, 22], 50, 1, ['others']],
    ['that none explains, because all were seen, stops the plan', [12, 22, 35], 45, 1, ['called', 'stopped']],
    ['before any of them was due stops the plan', [], 5, 1, ['called', 'stopped']],
    ['long after all of them stops the plan', [], 100, 1, ['called', 'stopped']],
    ['that none explains, because they are of another agent, stops the plan', [], 12, 6, ['called', 'stopped']],
  ])('%s', (_what, seen, at, agentId, events) => {
    const loaded = setUp({ maxPerNumber: { count: 6, within: HOUR } });
    apply(loaded, told(loaded, [entry(NUMBERS[2] as string, START, { call_status: 'busy' })]));
    for (const minutes of seen) loaded.roster.addDial(2, START + minutes * MINUTE, DIAL_MARKS.sent);
    const log = [entry(NUMBERS[2] as string, START + at * MINUTE, { call_status: 'busy' })];
    const sentAs = () => ({ from: '+14155550100', start: START });
    expect(apply(loaded, told(loaded, log, { ...rivals(agentId), sentAs }, START + 3 * HOUR))).toEqual(events);
  });
});

test('the call of a wave that comes late is no second one, where another’s was taken for it, and the phone was called since', () => {
  const start = START + 12 * MINUTE;
  const campaign = campaignTo(NUMBERS[2] as string, start, start + 20 * MINUTE);
  const busy = busyWith(campaign, start + 20 * MINUTE);
  const loaded = setUp({ maxPerNumber: { count: 6, within: HOUR } });
  expect(apply(loaded, told(loaded, [entry(NUMBERS[2] as string, start)]))).toEqual(['called']);
  // By another row that has the phone.
  loaded.roster.addDial(2, START + 20 * HOUR, DIAL_MARKS.own);
  const callers = { pending: [busy], campaigns: [campaign], sentAs: () => ({ from: '+14155550100', start: START }) };
  const late = [entry(NUMBERS[2] as string, START, { call_status: 'busy' })];
  expect(apply(loaded, told(loaded, late, callers, START + 30 * HOUR))).toEqual(['others']);
});

describe('a call to a contact of a refused wave, in its time', () => {
  const explained = campaignTo(NUMBERS[1] as string, START, START + HOUR);
  const stop = 'Wave 1 was refused, and calls of it are in the log.';

  test.each<[string, Partial<CallLogEntry>, Given, string[], string]>([
    ['stops the plan, and counts', {}, {}, ['called', 'stopped'], 'reached'],
    ['stops it while it is going on', { call_status: 'in_progress' }, {}, ['stopped'], 'new'],
    ['of another agent is another’s', { agent_id: 6 }, {}, ['others'], 'new'],
    ['that another campaign explains is another’s', {}, { campaigns: [explained] }, ['others'], 'new'],
    ['before it is another’s', { timestamp: new Date(START - MINUTE).toISOString() }, {}, ['others'], 'new'],
    ['long after it is another’s', { timestamp: new Date(START + HOUR).toISOString() }, {}, ['others'], 'new'],
    ['to somebody else is another’s', { called_to: NUMBERS[3] as string }, {}, ['others'], 'new'],
  ])('%s', (_what, fields, callers, events, state) => {
    const loaded = setUp();
    applyEvent({ event: 'answered', at: START, wave: 1, outcome: 'not_placed' }, loaded, 0);
    const span = spanOf({ start: START, interval: MINUTE, contacts: 3 });
    const refused: RefusedWave[] = [{ wave: 1, from: '+14155550100', span, rows: () => new Set([0, 1, 2]) }];
    const log = [entry(NUMBERS[1] as string, START + MINUTE, fields)];
    expect(apply(loaded, told(loaded, log, { refused, ...callers }))).toEqual(events);
    expect(loaded.position.reason).toBe(events.includes('stopped') ? stop : '');
    expect(loaded.roster.stateOf(1)).toBe(state);
    if (fields.call_status !== undefined) return;
    applyEvent({ event: 'resumed', at: START }, loaded, 0);
    expect(apply(loaded, told(loaded, log, { refused, ...callers }))).toEqual([]);
  });
});

describe('a call that is not the plan’s', () => {
  test.each([
    ['of another agent', { agent_id: 6 }],
    ['from another number', { call_from: '+442079460100' }],
    ['long before the wave', { timestamp: new Date(START - HOUR).toISOString() }],
  ])('%s counts for the caps of the number', (_what, fields) => {
    const call = entry(NUMBERS[2] as string, START + MINUTE, fields);
    const { own, others } = told(setUp(), [call]);
    expect(own).toEqual([]);
    expect(others).toEqual([{ event: 'others', row: 2, at: Date.parse(call.timestamp as string) }]);
  });

  test('is told from the plan’s where the register knows who made it', () => {
    const call = {
      key: 9,
      agentId: 1,
      from: '+14155550100',
      to: NUMBERS[2] as string,
      identifier: undefined,
      start: START + HOUR,
    };
    const calls = [{ ...call, span: { from: call.start - 2_000, until: call.start + 10 * MINUTE } }];
    const loaded = setUp();
    apply(loaded, told(loaded, [entry(NUMBERS[2] as string, START)]));
    const log = [entry(NUMBERS[2] as string, START + HOUR + 1_000)];
    expect(apply(loaded, told(loaded, log, { calls }, START + 2 * HOUR), START + 2 * HOUR)).toEqual(['others']);
    expect(loaded.roster.dialOf(2, 0)).toBe(START + HOUR + 1_000);
  });

  test('says whether it may be of a request that went through this register, and that it was answered', () => {
    const call = { key: 9, agentId: 6, from: '+14155550100', to: '', identifier: undefined, start: START };
    const calls = [{ ...call, span: { from: START, until: START + HOUR } }];
    const loaded = setUp();
    const of = (at: number, call_status: string) => [entry(NUMBERS[2] as string, at, { agent_id: 6, call_status })];
    const sentOf = (log: CallLogEntry[]) => told(loaded, log, { calls }).others.map(({ sent }) => sent);
    expect(sentOf(of(START - 1, 'busy'))).toEqual([undefined]);
    expect(sentOf(of(START, 'completed'))).toEqual(['answered']);
    expect(apply(loaded, told(loaded, of(START, 'in_progress'), { calls }))).toEqual(['others']);
    expect(apply(loaded, told(loaded, of(START, 'busy'), { calls }))).toEqual([]);
    expect(apply(loaded, told(loaded, of(START, 'completed'), { calls }))).toEqual(['others']);
    expect(apply(loaded, told(loaded, of(START, 'completed'), { calls }))).toEqual([]);
    expect(loaded.roster.markOf(2, 0)).toBe(DIAL_MARKS.answered);
  });

  test('remains another’s when it is read again while a call of the plan is awaited', () => {
    const loaded = setUp();
    const log = [entry(NUMBERS[2] as string, START + 5 * MINUTE)];
    applyEvent({ event: 'others', at: START + 5 * MINUTE, row: 2 }, loaded, 0);
    expect(told(loaded, log)).toEqual({ own: [], others: [] });
    expect(told(loaded, [...log, entry(NUMBERS[2] as string, START)]).own.map(({ at }) => at)).toEqual([START]);
  });

  test('is told from it where another plan made it, whatever the plan’s own waves call at that time', () => {
    const loaded = setUp();
    apply(
      loaded,
      told(
        loaded,
        [0, 1, 2].map((row) => entry(NUMBERS[2 - row] as string, START + row * MINUTE)),
      ),
    );
    const start = START + 2 * HOUR;
    const wave = { wave: 2, from: '+14155550100', start, interval: MINUTE, rows: runsOf([3]) };
    applyEvent({ event: 'handed', at: start, ...wave }, loaded, 0);
    const waves = loaded.position.open.map((open) => openWave(loaded, open, { rows: [3], identifiers: [] }));
    const other = campaignTo(NUMBERS[2] as string, start, start + 48 * HOUR);
    const log = [entry(NUMBERS[2] as string, start), entry(NUMBERS[3] as string, start)];
    expect(apply(loaded, told(loaded, log, { waves, campaigns: [other] }, start), start)).toEqual(['others', 'called']);
    expect(loaded.position.state).toBe('open');
  });

  test('from another number of the plan is no second attempt of a wave', () => {
    const log = [entry(NUMBERS[2] as string, START), entry(NUMBERS[2] as string, START + HOUR)];
    const loaded = setUp();
    apply(loaded, told(loaded, log.slice(0, 1)));
    const sentAs = () => ({ from: '+442079460100', start: START });
    expect(apply(loaded, told(loaded, log, { sentAs }, START + 2 * HOUR))).toEqual(['others']);
    expect(loaded.position.state).toBe('open');
  });

  test.each([
    ['in its wave', 0, ['called', 'stopped'], 'reached'],
    ['before its wave', -HOUR, ['others'], 'again'],
  ])('that comes into the log after a later one, %s', (_when, before, events, state) => {
    const loaded = setUp({ maxPerNumber: { count: 4, within: HOUR } });
    apply(loaded, told(loaded, [entry(NUMBERS[2] as string, START + 11 * MINUTE, { call_status: 'busy' })]));
    expect(loaded.roster.stateOf(2)).toBe('again');
    const late = entry(NUMBERS[2] as string, START + before, { call_status: 'completed', call_outcome: 'interested' });
    const sentAs = () => ({ from: '+14155550100', start: START });
    expect(apply(loaded, told(loaded, [late], { sentAs }, START + 2 * HOUR))).toEqual(events);
    expect(loaded.roster.stateOf(2)).toBe(state);
  });

  describe('of a campaign that called the same phone', () => {
    /** A campaign of one contact, begun so many minutes before the wave, whose calls may go on for days by its span. */
    function campaign(before: number) {
      const start = START - before * MINUTE;
      const other = campaignTo(NUMBERS[2] as string, start, start + 48 * HOUR);
      return { campaigns: [other], pending: [busyWith(other, start + 10 * MINUTE)] };
    }
    const ownOf = (callers: Given, status: string, at = START) =>
      told(setUp(), [entry(NUMBERS[2] as string, at, { call_status: status })], callers).own.map(({ row }) => row);

    test('is the wave’s when the other must be over', () => {
      expect(ownOf(campaign(11), 'busy')).toEqual([2]);
      expect(told(setUp(), [entry(NUMBERS[2] as string, START)], campaign(11)).own[0]?.isAmbiguous).toBe(false);
    });

    test('is the wave’s when the log has shown the call of the other', () => {
      const loaded = setUp();
      const other = campaign(2);
      const at = START - 2 * MINUTE;
      applyEvent({ event: 'others', at, row: 2, sent: 'not_answered' }, loaded, 0);
      const log = [entry(NUMBERS[2] as string, START, { call_status: 'busy' })];
      expect(told(loaded, log, other).own).toMatchObject([{ row: 2, wave: 1, isAmbiguous: false }]);
    });

    test('is in doubt otherwise, and counts as the wave’s where somebody was reached', () => {
      expect(told(setUp(), [entry(NUMBERS[2] as string, START)], campaign(2)).own).toMatchObject([
        { row: 2, wave: 1, status: 'completed', isAmbiguous: true },
      ]);
      // Nine minutes after its time it is rather the call of a campaign that begins then.
      const later = { ...campaign(-9) };
      const log = [entry(NUMBERS[2] as string, START + 9 * MINUTE)];
      expect(told(setUp(), log, later).own).toMatchObject([{ row: 2, isAmbiguous: true }]);
      expect(ownOf(later, 'busy', START + 9 * MINUTE)).toEqual([]);
      // Of two, one is the other's.
      const both = [...log, entry(NUMBERS[2] as string, START + 10 * MINUTE)];
      const two = told(setUp(), both, { campaigns: later.campaigns.map((one) => ({ ...one, attempts: 2 })) });
      expect([two.own.length, two.others.length]).toEqual([1, 1]);
    });

    test.each([
      ['may have been the other’s', -9, ['others'], 'open'],
      ['can only have been the wave’s', 300, ['called', 'stopped'], 'stopped'],
    ])('is followed by a second one of the wave, where the first %s', (_whose, before, events, state) => {
      const loaded = setUp();
      const callers = { ...campaign(before), sentAs: () => ({ from: '+14155550100', start: START }) };
      const first = told(loaded, [entry(NUMBERS[2] as string, START + 9 * MINUTE)], callers);
      expect(apply(loaded, first)).toEqual(['called']);
      const second = entry(NUMBERS[2] as string, START + 25 * MINUTE, { call_status: 'failed' });
      expect(apply(loaded, told(loaded, [second], callers))).toEqual(events);
      expect(loaded.position.state).toBe(state);
    });
  });

  test('is told from it while the wave that called the phone before still waits for others', () => {
    const loaded = setUp();
    apply(loaded, told(loaded, [entry(NUMBERS[2] as string, START)]));
    const start = START + 10 * MINUTE;
    const retries = { attempts: 3, retryDelay: 30 * MINUTE };
    const other = campaignTo(NUMBERS[2] as string, start, start + 48 * HOUR, retries);
    const log = [entry(NUMBERS[2] as string, start + 4 * MINUTE), entry(NUMBERS[1] as string, START + MINUTE)];
    expect(apply(loaded, told(loaded, log, { campaigns: [other] }))).toEqual(['others', 'called']);
    expect(loaded.position).toMatchObject({ state: 'open', attempts: 2 });
  });

  test('to a phone that the plan does not have is not kept, and one that is known is told once', () => {
    const loaded = setUp();
    expect(keptEntry(entry('+14155550199', START), loaded, String)).toBeUndefined();
    const log = [entry(NUMBERS[3] as string, START)];
    expect(apply(loaded, told(loaded, log))).toEqual(['others']);
    expect(apply(loaded, told(loaded, log))).toEqual([]);
  });
});

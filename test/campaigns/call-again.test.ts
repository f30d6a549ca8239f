/** Who is called again: by what came of each contact, and by what has happened since. Each case is a row. */
import { describe, expect, test } from 'vitest';
import { markOf } from '../../src/calls/paging/identity.ts';
import type { ContactOutcome } from '../../src/campaigns/attribution/attribution.ts';
import type { KeptCall } from '../../src/campaigns/attribution/entries.ts';
import { chooseAgain, ReachedPhones } from '../../src/campaigns/redial.ts';
import { wanted } from '../../src/campaigns/results.ts';
import type { CallLogEntry, ContactState } from '../../src/contract.ts';
import { casesBeside } from '../support/cases.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const ANN = '+14155550101';
const at = (time: string) => Date.parse(`2026-11-20T${time}:00Z`);

function entry(time: string, call_status: string, more: Partial<CallLogEntry> = {}): CallLogEntry {
  return {
    call_id: `call_${time}_${call_status}`,
    agent_id: 3,
    called_to: ANN,
    call_from: '+14155550100',
    call_duration: 60,
    call_status,
    call_outcome: 'interested',
    timestamp: `2026-11-20T${time}:00Z`,
    transcript: null,
    recording_url: null,
    ...more,
  } as CallLogEntry;
}

function outcomeOf(state: ContactState, own: readonly CallLogEntry[], row = 0): ContactOutcome {
  const calls = own.map(
    (call): KeptCall => ({
      ...{ mark: markOf(call), callId: String(call.call_id), at: Date.parse(String(call.timestamp)) },
      ...{ status: String(call.call_status), outcome: '', duration: 0, details: {} },
    }),
  );
  return { row, state, calls, isAmbiguous: false };
}

const OWN_BUSY = entry('10:00', 'busy');
const OWN_TALK = entry('10:00', 'completed');

type Given = [time: string, call_status: string, more?: Partial<CallLogEntry>];
/** The state, its own calls and those of others, and what is told. */
type Row = [what: string, state: ContactState, own: Given[], others: Given[], told: string];

const NOTHING = {
  do_not_call: () => false,
  unknown: () => false,
  waiting: () => false,
  excluded: () => false,
};

function choose(
  outcomes: ContactOutcome[],
  log: CallLogEntry[],
  given: Partial<Parameters<typeof chooseAgain>[1]> = {},
) {
  const reached = new ReachedPhones();
  for (const call of log) reached.take(call);
  return chooseAgain(outcomes, {
    wants: wanted({ state: ['not_reached'] }),
    start: START,
    numbers: outcomes.map(() => ANN),
    reached,
    meanwhile: NOTHING,
    ...given,
  });
}

describe('a contact', () => {
  test.each(casesBeside(import.meta.filename)<Row>('a contact'))('%s', (_what, state, given, others, told) => {
    const own = given.map((call) => entry(...call));
    const { rows, heldBack } = choose([outcomeOf(state, own)], [...others.map((call) => entry(...call)), ...own]);
    const reasons = Object.entries(heldBack).flatMap(([reason, count]) => (count === 1 ? [reason] : []));
    expect(rows.length === 1 ? 'called' : (reasons[0] ?? 'nobody')).toBe(told);
  });

  test('that was reached can be named, and is held back only for a later conversation', () => {
    const wants = wanted({ state: ['reached'] });
    const outcome = outcomeOf('reached', [OWN_TALK]);
    expect(choose([outcome], [OWN_TALK, entry('09:30', 'completed')], { wants }).rows).toEqual([0]);
    expect(choose([outcome], [OWN_TALK, entry('11:00', 'completed')], { wants }).heldBack.reached).toBe(1);
  });

  test('with a call that may be of another campaign is called, and counted', () => {
    const outcome = { ...outcomeOf('not_reached', [OWN_BUSY]), isAmbiguous: true };
    expect(choose([outcome, outcomeOf('not_reached', [OWN_BUSY], 1)], [])).toMatchObject({ rows: [0], ambiguous: 1 });
  });

  test('whose number comes twice is called once, and not at all if one of the two was reached', () => {
    const twice = [outcomeOf('not_reached', [OWN_BUSY]), outcomeOf('not_reached', [entry('10:05', 'no-answer')], 1)];
    expect(choose(twice, [])).toMatchObject({ rows: [0], heldBack: { repeated: 1 } });
    const talk = entry('10:05', 'completed');
    const one = [outcomeOf('not_reached', [OWN_BUSY]), outcomeOf('reached', [talk], 1)];
    expect(choose(one, [talk])).toMatchObject({ rows: [], heldBack: { reached: 1 } });
  });

  test.each([
    ['whose outcome is unknown elsewhere', 'unknown'],
    ['who waits elsewhere', 'waiting'],
    ['on a list', 'excluded'],
    ['one who opted out', 'do_not_call'],
  ] as const)('%s is held back', (_what, reason) => {
    const meanwhile = { ...NOTHING, [reason]: () => true };
    expect(choose([outcomeOf('not_reached', [OWN_BUSY])], [], { meanwhile }).heldBack[reason]).toBe(1);
  });
});

test('conversations of one phone are told apart by their calls', () => {
  const reached = new ReachedPhones();
  reached.take(OWN_TALK);
  expect(reached.since(ANN, at('08:00'), [{ mark: markOf(OWN_TALK) }])).toBe(false);
  expect(reached.since(ANN, at('08:00'), [])).toBe(true);
  expect(reached.since(ANN, at('10:01'), [])).toBe(false);
});

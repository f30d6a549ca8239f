/** Which entries are known again, for how long, and what is made of what they say then. */
import { describe, expect, test } from 'vitest';
import type { CallLogEntry } from '../../../src/contract.ts';
import {
  changesUntil,
  isFinal,
  keptEntry,
  knownAs,
  type RecordedEntries,
  recordedAfter,
  saidAgain,
  saysTheSame,
} from '../../../src/plans/log/kept-entry.ts';
import { called, HOUR, MINUTE, planInMemory } from '../../support/plans.ts';

const AT = Date.parse('2026-11-20T09:00:00Z');
const NOBODY: RecordedEntries = new Map();
const loaded = planInMemory({ contacts: [{ phone: 14155550101 }, { phone: 14155550102 }] });

function kept(fields: Partial<CallLogEntry> = {}) {
  const call = {
    ...{ call_id: 'one', agent_id: 1, called_to: '+14155550101', call_from: '+14155550100', call_duration: 0 },
    ...{ call_status: 'no_answer', call_outcome: 'not_connected', timestamp: new Date(AT).toISOString(), ...fields },
  };
  const entry = keptEntry(call as CallLogEntry, loaded, String);
  if (entry === undefined) throw new Error('Not to a phone of the plan.');
  return entry;
}

const CALLED = called(0, AT, { result: 'no_answer', status: 'no_answer' });

/** After a reading that showed the entry of a call of the plan. */
function afterOwn(entry = kept(), now = AT + MINUTE): RecordedEntries {
  const own = [{ row: 0, wave: 1, at: AT, isAmbiguous: false, ...entry.result }];
  return recordedAfter(NOBODY, { entries: [entry], own, events: [CALLED], now });
}

describe('an entry is known again', () => {
  test.each<[string, Partial<CallLogEntry>, boolean]>([
    ['whatever came of the call', { call_status: 'completed', call_outcome: 'interested', call_duration: 40 }, true],
    ['at a time that was corrected a little', { timestamp: new Date(AT + 5_000).toISOString() }, true],
    ['not at another time', { timestamp: new Date(AT + 5 * MINUTE).toISOString() }, false],
    ['not by another call_id', { call_id: 'two' }, false],
    ['not to another phone', { called_to: '+14155550102' }, false],
    ['not at a time that cannot be read', { timestamp: 'soon' }, false],
  ])('%s', (_what, fields, isKnown) => {
    expect(knownAs(kept(fields), afterOwn()) !== undefined).toBe(isKnown);
  });

  test('without a call_id by who called whom and when', () => {
    expect([kept(), kept({ call_status: 'in_progress' })].map(isFinal)).toEqual([true, false]);
    const recorded = afterOwn(kept({ call_id: '' }));
    expect(knownAs(kept({ call_id: '', call_status: 'completed' }), recorded)).toMatchObject({ own: { row: 0 } });
    expect(knownAs(kept({ call_id: '', timestamp: new Date(AT + 1_000).toISOString() }), recorded)).toBeUndefined();
  });
});

test.each<[string, Partial<CallLogEntry>, number, number]>([
  ['an hour after the call', {}, AT + MINUTE, AT + HOUR],
  ['not longer because its time is in the future', {}, AT - HOUR, AT],
  ['without a zone, an hour from when it was seen first', { timestamp: '2026-11-20T14:30:00' }, AT, AT + HOUR],
  ['without a zone, and of another day, never', { timestamp: '2026-11-19T09:00:00' }, AT, Number.NEGATIVE_INFINITY],
  ['without a time, never', { timestamp: '' }, AT, Number.NEGATIVE_INFINITY],
])('an entry may change until %s', (_what, fields, now, until) => {
  expect(changesUntil(kept(fields), NOBODY, now)).toBe(until);
});

describe('what is said again', () => {
  const again = (...entries: ReturnType<typeof kept>[]) => saidAgain(entries, afterOwn(), new Set());
  const answered = kept({ call_status: 'completed', call_outcome: 'interested', call_duration: 40 });

  test('changes nothing where it is no result, or while one reading shows it with two contents', () => {
    expect(again(kept({ call_status: 'ringing' as never }))).toEqual([]);
    expect(again(answered, answered)).toHaveLength(1);
    expect(again(answered, kept())).toEqual([]);
    expect(again(kept(), answered, kept())).toEqual([]);
  });

  test('of what one reading shows as it is known, and in another way, changes nothing either', () => {
    const recorded = afterOwn();
    expect(saysTheSame(kept(), recorded)).toBe(true);
    for (const other of [answered, kept({ call_status: 'ringing' as never })])
      expect(saysTheSame(other, recorded)).toBe(false);
    expect(saidAgain([answered], recorded, new Set([kept().result.identity]))).toEqual([]);
    const ofOthers = recordedAfter(NOBODY, { entries: [kept()], own: [], events: [], now: AT + MINUTE });
    expect([ofOthers.size, saysTheSame(kept(), ofOthers)]).toEqual([1, false]);
    expect(saidAgain([answered], ofOthers, new Set())).toEqual([]);
  });
});

test('two entries of one call: the first of them tells of it', () => {
  const [first, second] = [kept(), kept({ call_id: 'two' })];
  const own = [first, second].map(({ result }) => ({ row: 0, wave: 1, at: AT, isAmbiguous: false, ...result }));
  const recorded = recordedAfter(NOBODY, { entries: [first, second], own, events: [CALLED], now: AT + MINUTE });
  expect([...recorded.values()].map((entry) => entry.own?.row)).toEqual([0, undefined]);
});

test('an entry is kept as long as it may change, and one whose call goes on is not kept', () => {
  const later = recordedAfter(afterOwn(), { entries: [], own: [], events: [], now: AT + HOUR });
  expect(later.size).toBe(0);
  expect(afterOwn(kept({ call_status: 'ringing' as never })).size).toBe(0);
});

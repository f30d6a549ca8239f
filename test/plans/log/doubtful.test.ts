/** A call that may be a wave's or another request's is believed only when the log shows all that the other may have made. */
import { expect, test } from 'vitest';
import type { SeenCall } from '../../../src/plans/log/attempts.ts';
import { withoutDoubtful } from '../../../src/plans/log/attribute.ts';
import type { Pending } from '../../../src/plans/rules/pending.ts';
import { DIAL_MARKS } from '../../../src/plans/rules/roster.ts';
import { HOUR, MINUTE, phones, planInMemory } from '../../support/plans.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const CONTACTS = phones(2);

/** A single call to the first contact, ten minutes after the wave. */
const BESIDE: Pending = {
  key: 1,
  phones: () => [CONTACTS[0]?.phone as number],
  ...{
    start: START + 10 * MINUTE,
    interval: 0,
    attempts: 1,
    retryDelay: 0,
    until: START + 20 * MINUTE,
    isCertain: false,
  },
};

function seen(fields: Partial<SeenCall> = {}): SeenCall {
  const call = { row: 0, wave: 1, at: START + 11 * MINUTE, status: 'busy', outcome: '', isVoicemail: false };
  return { ...call, seconds: 0, isAmbiguous: true, ...fields };
}

const OTHERS = { event: 'others', at: START + 11 * MINUTE, row: 0, sent: 'not_answered' };

test.each<[string, Partial<SeenCall>, object[]]>([
  ['one that several may have made', {}, [OTHERS]],
  ['a voicemail', { status: 'completed', isVoicemail: true }, [{ ...OTHERS, sent: 'answered' }]],
  ['one that is surely the plan’s', { isAmbiguous: false }, []],
  ['somebody was reached', { status: 'completed' }, []],
  ['before the other was sent', { at: START }, []],
  ['when the other was over', { at: START + HOUR }, []],
  ['to somebody whom the other does not call', { row: 1 }, []],
])('%s', (_what, fields, expected) => {
  const call = seen(fields);
  const { own, others } = withoutDoubtful(planInMemory({ contacts: CONTACTS }), { own: [call], others: [] }, [BESIDE]);
  expect(others).toEqual(expected);
  expect(own).toEqual(expected.length === 0 ? [call] : []);
});

test('the other’s call was seen before', () => {
  const loaded = planInMemory({ contacts: CONTACTS });
  loaded.roster.addDial(0, START + 10 * MINUTE, DIAL_MARKS.sent);
  expect(withoutDoubtful(loaded, { own: [seen()], others: [] }, [BESIDE]).others).toEqual([]);
});

test.each<[string, number[], number, boolean]>([
  ['each of three made one', [22, 35], 12, true],
  ['the first of them, and the others were seen', [12, 35], 22, true],
  ['all three were seen', [12, 22, 35], 30, false],
  ['it is before all of them', [22, 35], 5, false],
])('calls in a row of three other requests: %s', (_what, shown, at, isDoubtful) => {
  const loaded = planInMemory({ contacts: CONTACTS, rules: { maxPerNumber: { count: 4, within: HOUR } } });
  for (const minutes of shown) loaded.roster.addDial(0, START + minutes * MINUTE, DIAL_MARKS.sent);
  // Each may be made up to 20 minutes late, so that a call may be that of several.
  const rivals = [10, 20, 33].map((due, key) => ({
    ...{ ...BESIDE, key, start: START + due * MINUTE, until: START + (due + 20) * MINUTE },
  }));
  const call = seen({ at: START + at * MINUTE });
  expect(withoutDoubtful(loaded, { own: [call], others: [] }, rivals).own).toEqual(isDoubtful ? [] : [call]);
});

test('on the local engine nothing is late', () => {
  const certain = [{ ...BESIDE, isCertain: true }];
  expect(withoutDoubtful(planInMemory({ contacts: CONTACTS }), { own: [seen()], others: [] }, certain).others).toEqual(
    [],
  );
});

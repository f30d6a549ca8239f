/** What came of a contact, as JSON and as the row of a table. */
import { expect, test } from 'vitest';
import type { ContactOutcome } from '../../src/campaigns/attribution/attribution.ts';
import type { KeptCall } from '../../src/campaigns/attribution/entries.ts';
import { addedColumns, lastCompleted, resultOf, rowOf } from '../../src/campaigns/results.ts';
import { writeJson } from '../../src/text/json.ts';

const AT = Date.parse('2026-11-20T09:00:00Z');

const aCall = (nth: number, status: string, more: Partial<KeptCall> = {}): KeptCall => ({
  ...{ mark: `call-${nth}`, callId: `call-${nth}`, at: AT + nth * 60_000, status },
  ...{ outcome: '', duration: 0, details: {}, ...more },
});

const CONTACT = { contact: { phone_number: '+14155550101' }, cells: ['+1 415 555 0101', 'Ann'] };
const COLUMNS = ['Phone', '7'];
const result = (outcome: Partial<ContactOutcome>) =>
  resultOf(CONTACT, { row: 0, state: 'waiting', calls: [], isAmbiguous: false, ...outcome }, COLUMNS);

test('a column may have any name', () => {
  const columns = ['__proto__', 'constructor'];
  const named = resultOf(CONTACT, { state: 'waiting', calls: [], isAmbiguous: false }, columns);
  const row = rowOf(named, columns, addedColumns(columns));
  expect(Object.entries(row)).toEqual(
    expect.arrayContaining([
      ['__proto__', '+1 415 555 0101'],
      ['constructor', 'Ann'],
    ]),
  );
});

test('busy first, then reached: the talk time is that of completed calls, the recording the last there is', () => {
  const busy = aCall(1, 'busy', { duration: 9, details: { recording_url: 'https://a.example' } });
  const calls = [busy, aCall(2, 'completed', { duration: 80, outcome: 'sale' })];
  const reached = result({ state: 'reached', calls, isAmbiguous: true });
  expect(writeJson(reached.row)).toBe('{"Phone":"+1 415 555 0101","7":"Ann"}');
  expect(reached).toMatchObject({
    ...{
      state: 'reached',
      last_result: 'completed',
      attempts: 2,
      last_status: 'completed',
      last_outcome: 'sale',
      talk_seconds: 80,
    },
    ...{ first_call: '2026-11-20T09:01:00.000Z', last_call: '2026-11-20T09:02:00.000Z', ambiguous: true },
    ...{ call_ids: ['call-1', 'call-2'], recording_url: 'https://a.example' },
  });
  expect(lastCompleted({ row: 0, state: 'reached', calls, isAmbiguous: false })?.mark).toBe('call-2');
});

test('calls without a time and without an id', () => {
  const calls = [aCall(1, 'busy', { at: undefined, callId: undefined }), aCall(2, 'failed')];
  const at = '2026-11-20T09:02:00.000Z';
  expect(result({ calls })).toMatchObject({ first_call: at, last_call: at, call_ids: ['call-2'], attempts: 2 });
});

const NAMES: Record<string, [columns: string[], added: Record<string, string>]> = {
  'of its own': [['Phone', 'Name'], { state: 'state', attempts: 'attempts' }],
  'that a file has': [['Phone', 'State'], { state: 'result_state', attempts: 'attempts' }],
  'that a file of results has': [
    ['state', 'result_state', 'attempts'],
    { state: 'result_result_state', attempts: 'result_attempts' },
  ],
};

test.each(Object.entries(NAMES))('added columns beside names %s', (_name, [columns, expected]) => {
  const added = addedColumns(columns);
  expect(Object.fromEntries(added)).toMatchObject(expected);
  expect(new Set([...columns, ...added.values()].map((name) => name.toLowerCase())).size).toBe(columns.length + 11);
});

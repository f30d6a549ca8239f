/** What came of each contact of a plan, from its folder alone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Called, PlanEvent } from '../../../src/plans/rules/events.ts';
import { KeptRows } from '../../../src/text/kept-rows.ts';
import { EPOCH } from '../../support/engine.ts';
import { accepted, called, handed } from '../../support/plans.ts';
import { Operator } from '../../support/program.ts';
import { makePlan, planAt, planDraft, planRules, rowsOf, somePeople } from '../../support/stored-plans.ts';

const MINUTE = 60_000;
const operator = new Operator({ frozenAt: new Date(EPOCH).toISOString(), env: { VAGENT_LOCAL: '1' } });
const STATE = join(operator.home, '.local/state/vagent');
const at = (minutes: number) => EPOCH + minutes * MINUTE;
const iso = (minutes: number) => new Date(at(minutes)).toISOString();

const wave = (number: number, minutes: number, rows: number[]) => [
  handed(number, rows, at(minutes)),
  accepted(number, at(minutes)),
];
const call = (row: number, wave: number, minutes: number, more: Partial<Called> = {}) =>
  called(row, at(minutes), { wave, call_id: `call_${row}_${wave}`, ...more });
const REACHED: Partial<Called> = {
  ...{ result: 'reached', status: 'completed', outcome: 'not_interested', seconds: 83 },
  recording_url: 'https://recordings.example/1.mp3',
};

/** Six contacts, of which one is in each state but two; the third wave is under way. */
const EVENTS: PlanEvent[] = [
  ...wave(1, 0, [0, 4]),
  call(0, 1, 0),
  call(1, 1, 1, { result: 'no_answer', status: 'no_answer', ambiguous: true }),
  call(2, 1, 2, REACHED),
  { event: 'others', at: at(2), row: 5 },
  ...wave(2, 40, [0, 1]),
  call(0, 2, 40, REACHED),
  { event: 'excluded', at: at(50), rows: [4, 1], why: 'list' },
  ...wave(3, 60, [5, 1]),
  { event: 'unseen', at: at(2000), rows: [3, 1] },
];

const SHEET = new KeptRows(['Name', 'Phone', 'state']);
for (let row = 0; row < 6; row++) SHEET.add([`N${row}`, `(415) 555-020${row}`, '=1+1']);

beforeAll(async () => {
  const rules = planRules({ retry: { busy: 30 * MINUTE, no_answer: 240 * MINUTE } });
  await makePlan(STATE, somePeople(6, { rows: SHEET }), planDraft({ rules }));
  await planAt(STATE, 1).change(async (session) => session.commit(EVENTS));
  await makePlan(STATE, somePeople(2), planDraft({ plan_name: 'Autumn' }));
});

test('the columns of the file as they were, then what came of each contact', async () => {
  const { code, stdout, stderr } = await operator.run(['plan', 'results', 'Spring', '-o', 'csv']);
  expect(code).toBe(0);
  expect(parse(stdout, { columns: true })).toEqual(
    [
      {
        result_state: 'reached',
        last_result: 'completed',
        attempts: '2',
        last_status: 'completed',
        first_call: iso(0),
        last_call: iso(40),
      },
      {
        result_state: 'waiting',
        last_result: 'no_answer',
        attempts: '1',
        last_status: 'no_answer',
        first_call: iso(1),
        last_call: iso(1),
      },
      {
        result_state: 'reached',
        last_result: 'completed',
        attempts: '1',
        last_status: 'completed',
        first_call: iso(2),
        last_call: iso(2),
      },
      { result_state: 'no_result', last_result: '', attempts: '0', last_status: '', first_call: '', last_call: '' },
      { result_state: 'excluded', last_result: '', attempts: '0', last_status: '', first_call: '', last_call: '' },
      { result_state: 'calling', last_result: '', attempts: '0', last_status: '', first_call: '', last_call: '' },
    ].map((row, nth) => ({
      ...{ Name: `N${nth}`, Phone: `(415) 555-020${nth}`, state: '=1+1', ...row },
      last_outcome: { reached: 'not_interested', waiting: 'not_connected' }[row.result_state] ?? '',
      talk_seconds: row.result_state === 'reached' ? '83' : '0',
      call_ids: ['call_0_1 call_0_2', 'call_1_1', 'call_2_1'][nth] ?? '',
      recording_url: row.result_state === 'reached' ? REACHED.recording_url : '',
      ambiguous: nth === 1 ? 'true' : 'false',
      next_call: nth === 1 ? iso(241) : '',
    })),
  );
  expect(stderr).toContain('6 contacts: 2 reached, 1 no result, 1 excluded, 1 calling, 1 waiting.');
});

test('a plan whose rows were not kept has number and identifier', async () => {
  const { stdout } = await operator.run(['plan', 'results', 'autumn', '-o', 'csv', '--fields', 'phone_number,state']);
  expect(stdout).toBe('phone_number,state\r\n+14155550200,waiting\r\n+14155550201,waiting\r\n');
});

describe('what cannot be read', () => {
  test.each([
    ['an event that is missing', 'update plan_events set row = 5 where plan_id = $1 and number = 2'],
    ['an event that is none', `update plan_events set data = 'x' where plan_id = $1 and number = 2`],
    ['a row of the file that is damaged', `update plan_people set cells = '[]' where plan_id = $1 and row = 3`],
  ])('%s: exit 9, and no file', async (_name, damage) => {
    const id = await makePlan(STATE, somePeople(6, { rows: SHEET }));
    await planAt(STATE, id).change((session) => session.commit(EVENTS));
    await rowsOf(STATE).put(damage, [id]);
    const out = join(operator.home, 'damaged.csv');
    const { code, stderr } = await operator.run(['plan', 'results', String(id), '--out', out]);
    expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringContaining(`Plan ${id} is damaged`) });
    expect(existsSync(out)).toBe(false);
  });
});

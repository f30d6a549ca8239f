/** `vagent plan watch`: on a real terminal to its end, in a pipe, and beside whoever runs the plan. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StoredPlan } from '../../../src/plans/rows/stored-plan.ts';
import type { PlanEvent } from '../../../src/plans/rules/events.ts';
import type { PlanRules } from '../../../src/plans/rules/rules.ts';
import { SNAPSHOT_FIELDS } from '../../../src/plans/run/snapshot.ts';
import { EPOCH } from '../../support/engine.ts';
import { accepted, called, handed } from '../../support/plans.ts';
import { Operator, ROOT } from '../../support/program.ts';
import { expectWhole, framesOf, shownBy } from '../../support/screen.ts';
import { makePlan, planAt, planDraft, planRules, rowsOf, somePeople } from '../../support/stored-plans.ts';
import { CTRL_C, play } from '../../support/terminal.ts';
import { UnderWay } from '../../support/under-way.ts';

const MINUTE = 60_000;
const env = { VAGENT_LOCAL: '1' };
const PLACES = [
  { zones: ['Europe/Berlin'], country: 'DE' },
  { zones: ['America/New_York'], country: 'US' },
];
const NINE_TO_EIGHT = Array.from({ length: 7 }, () => [{ from: 540, until: 1200 }]);
const RULES = { window: NINE_TO_EIGHT, zone: 'contact', budget: 20_000_000, pricePerMinute: 100_000 };

interface Watched {
  operator: Operator;
  folder: StoredPlan;
  put(statement: string, ...values: number[]): Promise<unknown>;
  /** Minutes before now at which the plan was last run. */
  happens(events: readonly PlanEvent[], ago?: number): Promise<void>;
}

/** A plan of twelve contacts in two places, the last four in New York. */
async function withPlan(rules: Partial<PlanRules> = {}): Promise<Watched> {
  const operator = new Operator({ frozenAt: new Date(EPOCH).toISOString(), env });
  const state = join(operator.home, '.local/state/vagent');
  const placeOf = Uint16Array.from({ length: 12 }, (_none, row) => (row < 8 ? 0 : 1));
  const draft = planDraft({ isLocal: true, places: PLACES, rules: planRules({ ...RULES, ...rules }) });
  await makePlan(state, somePeople(12, { placeOf }), draft);
  const folder = planAt(state);
  const put = (statement: string, ...values: number[]) => rowsOf(state).put(statement, values);
  return {
    operator,
    folder,
    put,
    async happens(events, ago = 4) {
      await folder.change(async (session) => session.commit(events));
      await put('update plans set ran_at = $1', EPOCH - ago * MINUTE);
    },
  };
}

const BEGAN = EPOCH - 5 * MINUTE;
const WAVE = [handed(1, [0, 8], BEGAN), accepted(1, BEGAN)];
const reached = { result: 'reached', status: 'completed', outcome: 'not_interested', seconds: 83 } as const;
const CALLS = [called(0, BEGAN, reached), called(1, BEGAN + MINUTE), called(2, BEGAN + 2 * MINUTE, reached)];
const DONE: PlanEvent[] = [
  { event: 'unseen', at: EPOCH, rows: [3, 5] },
  { event: 'left', at: EPOCH, rows: [1, 1, 8, 4] },
  { event: 'done', at: EPOCH, reason: 'The plan has ended.' },
];

describe.each([60, 80, 120])('a terminal of %i columns', (columns) => {
  test('shows a plan to its end', async () => {
    const { operator, happens } = await withPlan();
    await happens(WAVE);
    const steps = [
      /0 of 8 calls in the log/,
      () => happens(CALLS),
      /3 of 8 calls in the log/,
      () => happens([{ event: 'stopped', at: EPOCH, reason: 'Stopped by hand.' }]),
    ];
    const { code, output } = await play(operator, ['plan', 'watch', '1'], steps, { columns });
    expect(code).toBe(0);
    const frames = await framesOf(output, columns);
    expect(frames.length).toBeGreaterThanOrEqual(3);
    expectWhole(frames, 'Spring');
    const running = frames.find(({ lines }) => lines.some((line) => line.includes('3 of 8 calls in the log')));
    await expect(`${running?.lines.join('\n')}\n`).toMatchFileSnapshot(
      join(ROOT, `test/screens/plan-watch.${columns}.txt`),
    );
    const last = await shownBy(output, columns);
    expect(last.isCursorVisible).toBe(true);
    expect(last.text).toMatch(/^Spring · plan 1 · stopped$/m);
    expect(last.text.replaceAll('\n', ' ')).toContain('Plan 1, Spring, is stopped: Stopped by hand.');
    expect(last.text).toContain('Next: vagent plan resume 1');
  });
});

test('Ctrl-C ends the watch, not the plan', async () => {
  const { operator, happens, folder } = await withPlan();
  await happens(WAVE);
  const { code, output } = await play(operator, ['plan', 'watch'], [/0 of 8 calls in the log/, CTRL_C]);
  expect(code).toBe(0);
  const { text, isCursorVisible } = await shownBy(output, 120);
  expect(isCursorVisible).toBe(true);
  expect(text).toContain('The only open plan: 1, Spring.');
  expect(text).toMatch(/\nPlan 1 goes on: only the watch has ended\.\n$/);
  expect((await folder.load()).position.state).toBe('open');
});

// In a pipe -----------------------------------------------------------------------------------------------------------

describe.each([[[]], [['-o', 'ndjson']], [['--json']]])('in a pipe %j', (flags) => {
  test('a snapshot whenever something has changed, the first at the start, the last at the end', async () => {
    const { operator, happens } = await withPlan();
    await happens(WAVE);
    const running = UnderWay.here(operator, ['plan', 'watch', '1', ...flags]);
    await running.lines(1);
    await happens(CALLS);
    await running.lines(2);
    await happens(DONE);
    const { code, stdout, stderr } = await running.outcome;
    expect(code).toBe(0);
    const snapshots = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const snapshot of snapshots) expect(Object.keys(snapshot)).toEqual(SNAPSHOT_FIELDS);
    expect(snapshots.map(({ attempts, state, is_over }) => [attempts, state, is_over])).toEqual([
      [0, 'open', false],
      [3, 'open', false],
      [3, 'done', true],
    ]);
    // It was run four minutes before.
    expect(snapshots[0].not_run_for).toBe(240);
    expect(snapshots.at(-1)).toMatchObject({ reason: 'The plan has ended.', running: [], next: null, budget: 20 });
    expect(stderr).toContain('Plan 1, Spring, is done: The plan has ended.');
  });
});

test('a plan that is damaged while it is watched: exit 9', async () => {
  const { operator, happens, put } = await withPlan();
  await happens(WAVE);
  const running = UnderWay.here(operator, ['plan', 'watch', '1']);
  await running.lines(1);
  await put(`update plans set version = 9, position = '{}'`);
  const { code, stderr } = await running.outcome;
  expect(code).toBe(9);
  expect(stderr).toContain('Plan 1 is damaged');
});

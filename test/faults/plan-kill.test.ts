/**
 * The real program, killed without warning (SIGKILL) between any two steps of its writing of a plan: afterwards the command has
 * happened as a whole or not at all, and the same command, run again, does what it is for.
 */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PlanEvent } from '../../src/plans/events.ts';
import { listPlans } from '../../src/plans/folder/plans.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { EPOCH } from '../support/engine.ts';
import { howMany } from '../support/full-matrix.ts';
import { contentOf, folderOf, makePlan } from '../support/plan-folder.ts';
import { finished, Operator, ROOT } from '../support/program.ts';

/** Between some steps, others in each run; in a full one between all. */
const MOST_KILLS = howMany(4, Number.POSITIVE_INFINITY);
const SEED = Number(process.env.VAGENT_TEST_SEED ?? Date.now() % 1_000_000);

const STANDING_STILL = { NODE_OPTIONS: `--require=${join(ROOT, 'test/support/standing-still.cjs')}` };
const STANDS = /It (writes|has committed) and stands still/;
const COMMITTED = /It committed at step (\d+)/;
const FROM = '+14155550100';
const STATE = '.local/state/vagent';

const HANDED: PlanEvent = {
  event: 'handed',
  at: EPOCH,
  wave: 1,
  from: FROM,
  start: EPOCH,
  interval: 60_000,
  rows: [0, 3],
};
const STOPPED: PlanEvent = { event: 'stopped', at: EPOCH, reason: 'by hand' };

interface Kind {
  args: string[];
  /** Where the rename that commits it leads. */
  commit: string;
  before: PlanEvent[];
}

const KINDS: Record<string, Kind> = {
  create: {
    args: [
      ...['create', '--name', 'Autumn', '--agent', '1', '--from', FROM, '--contacts', 'contacts.csv'],
      ...['--window', '00:00-24:00'],
    ],
    commit: '/plans/2',
    before: [HANDED],
  },
  stop: { args: ['stop', '1'], commit: '/plans/1/plan.json', before: [HANDED] },
  resume: { args: ['resume', '1'], commit: '/plans/1/plan.json', before: [HANDED, STOPPED] },
  cancel: { args: ['cancel', '1'], commit: '/plans/1/plan.json', before: [HANDED, STOPPED] },
};

describe.each(Object.entries(KINDS))('plan %s', (_name, { args, commit, before }) => {
  const start = new Operator({ env: { VAGENT_LOCAL: '1' } });
  let [old, fresh, steps] = ['', '', 0];

  beforeAll(async () => {
    writeFileSync(join(start.home, 'contacts.csv'), 'phone_number\n+14155550190\n+14155550191\n');
    const state = join(start.home, STATE);
    mkdirSync(state, { recursive: true });
    await makePlan(state);
    await folderOf(state).change(async (session) => session.commit(before));
    old = contentIn(start);

    const operator = copyOf(start);
    const { code, stderr } = await run(operator, {});
    expect(code, stderr).toBe(0);
    fresh = contentIn(operator);
    steps = Number(COMMITTED.exec(stderr)?.[1]);
    expect(fresh).not.toBe(old);
  });

  const run = (operator: Operator, env: Record<string, string>) => {
    const child = operator.start(['plan', ...args], { env: { ...STANDING_STILL, VAGENT_TEST_COMMIT: commit, ...env } });
    child.stdin?.end();
    child.stderr?.on('data', (text) => {
      if (STANDS.test(text)) child.kill('SIGKILL');
    });
    return finished(child);
  };

  test('killed between two steps', async () => {
    expect(steps).toBeGreaterThan(5);
    for (const step of chosenSteps(steps)) {
      const operator = copyOf(start);
      const { signal, stderr } = await run(operator, { VAGENT_TEST_STEPS: String(step) });
      const where = `seed ${SEED}, step ${step}`;
      expect(signal, `${where}: ${stderr}`).toBe('SIGKILL');
      const hasCommitted = STANDS.exec(stderr)?.[1] === 'has committed';
      const found = contentIn(operator);
      // What stands in the journal counts, even if plan.json does not account for it yet.
      expect(hasCommitted ? [fresh] : [old, fresh], where).toContain(found);
      if (found === fresh && args[0] === 'create') continue;
      const again = await run(operator, {});
      expect(again, where).toMatchObject({ code: 0 });
      expect(contentIn(operator), where).toBe(fresh);
    }
  });
});

/** Always the first and the one after the commit. */
function chosenSteps(steps: number): number[] {
  const all = [...Array(steps + 1).keys()];
  if (all.length <= MOST_KILLS) return all;
  const between = all.slice(1, -1).map((step) => ({ step, key: ((step + SEED) * 2_654_435_761) % 4_294_967_296 }));
  const drawn = between.toSorted((one, other) => one.key - other.key).slice(0, MOST_KILLS - 2);
  return [0, ...drawn.map(({ step }) => step), steps];
}

function copyOf({ home }: Operator): Operator {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  cpSync(home, operator.home, { recursive: true, preserveTimestamps: true });
  return operator;
}

/** What the plans hold, without the times at which commands were run. */
function contentIn({ home }: Operator): string {
  const state = join(home, STATE);
  const plans = listPlans(ownState(state)).map(({ planId }) => contentOf(folderOf(state, planId)));
  return plans
    .join('\n')
    .replaceAll(home, '~')
    .replaceAll(/"(at|createdAt)":\d+/g, '"$1":0');
}

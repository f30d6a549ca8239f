/**
 * The real program, killed without warning (SIGKILL) before a step of its writing of a plan: afterwards the command has happened as
 * a whole or not at all, and the same command, run again, does what it is for.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { planIds } from '../../src/plans/rows/plans.ts';
import type { PlanEvent } from '../../src/plans/rules/events.ts';
import { EPOCH } from '../support/engine.ts';
import { howMany } from '../support/full-matrix.ts';
import { finished, Operator, ROOT } from '../support/program.ts';
import { contentOf, makePlan, planAt, rowsOf } from '../support/stored-plans.ts';

/** Before every so many steps, others in each run. */
const EVERY = howMany(6, 1);
const DYING = { NODE_OPTIONS: `--require=${join(ROOT, 'test/support/dying.cjs')}` };
const FROM = '+14155550100';
const STATE = '.local/state/vagent';

const HANDED: PlanEvent = {
  ...{ event: 'handed', at: EPOCH, wave: 1, from: FROM, start: EPOCH, interval: 60_000, rows: [0, 3] },
};
const STOPPED: PlanEvent = { event: 'stopped', at: EPOCH, reason: 'by hand' };
const FILES = ['--agent', '1', '--from', FROM, '--contacts', 'contacts.csv', '--window', '00:00-24:00'];

const KINDS: [verb: string, args: string[], before: PlanEvent[]][] = [
  ['create', ['--name', 'Autumn', ...FILES], [HANDED]],
  ['stop', ['1'], [HANDED]],
  ['resume', ['1'], [HANDED, STOPPED]],
  ['cancel', ['1'], [HANDED, STOPPED]],
  ['forget', ['1', '--force', '--yes'], [HANDED, STOPPED]],
];

describe.each(KINDS)('plan %s', (verb, args, before) => {
  const start = new Operator({ env: { VAGENT_LOCAL: '1' } });
  let [old, fresh, steps] = ['', '', 0];

  beforeAll(async () => {
    writeFileSync(join(start.home, 'contacts.csv'), 'phone_number\n+14155550190\n+14155550191\n');
    const state = join(start.home, STATE);
    mkdirSync(state, { recursive: true });
    await makePlan(state);
    await planAt(state).change((session) => session.commit(before));
    old = await contentIn(start);

    const operator = copyOf(start);
    const { code, stderr } = await run(operator);
    expect(code, stderr).toBe(0);
    fresh = await contentIn(operator);
    steps = Number(/It made (\d+) steps/.exec(stderr)?.[1]);
    expect(fresh).not.toBe(old);
  });

  const run = (operator: Operator, at?: number) => {
    const env = { ...DYING, ...(at !== undefined && { VAGENT_TEST_DIES_AT: String(at) }) };
    const child = operator.start(['plan', verb, ...args], { env });
    child.stdin?.end();
    return finished(child);
  };

  test('killed before a step', async () => {
    expect(steps).toBeGreaterThan(8);
    for (let at = Date.now() % EVERY; at < steps; at += EVERY) {
      const operator = copyOf(start);
      const where = `step ${at} of ${steps}`;
      expect(await run(operator, at), where).toMatchObject({ signal: 'SIGKILL' });
      const found = await contentIn(operator);
      if (found !== fresh || verb !== 'create') {
        // A wish to stop may be there, which the next command fulfils.
        expect([old, fresh], where).toContain(found);
        const again = await run(operator);
        expect([0, ...(found === fresh ? [2, 5] : [])], `${where}: ${again.stderr}`).toContain(again.code);
      }
      expect(await contentIn(operator), where).toBe(fresh);
    }
  });
});

function copyOf({ home }: Operator): Operator {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  cpSync(home, operator.home, { recursive: true, preserveTimestamps: true });
  return operator;
}

/** What the plans hold, without the times at which commands were run. */
async function contentIn({ home }: Operator): Promise<string> {
  const rows = rowsOf(join(home, STATE));
  const plans: string[] = [];
  for (const planId of await rows.read(planIds)) plans.push(await contentOf(planAt(rows, planId)));
  return plans
    .join('\n')
    .replaceAll(home, '~')
    .replaceAll(/"(at|createdAt)":\d+/g, '"$1":0');
}

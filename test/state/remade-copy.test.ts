/** A machine's copy of a plan that is made anew: meanwhile, and after a kill, the plan is not taken for one that does not exist. */
import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemFiles } from '../../src/files/file-system.ts';
import { withLock } from '../../src/files/lock.ts';
import { howMany } from '../support/full-matrix.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { ROOT } from '../support/program.ts';
import { type Machine, planOf, team } from '../support/team.ts';

const LIST = 'phone_number\n+14155550190\n+14155550192\n';
const DYING = `--require=${join(ROOT, 'test/support/dying.cjs')}`;
/** One in so many moments is struck, others in each run. */
const STRIDE = howMany(12, 1);
const FIRST = Date.now() % STRIDE;

async function twoMachines() {
  const { service, machine } = await team(ownSchema());
  const machines = [machine(), machine()] as const;
  for (const { operator } of machines) writeFileSync(join(operator.home, 'c.csv'), LIST);
  await machines[0].does(...planOf('c.csv'));
  await machines[1].does('plan', 'list');
  return { service, machines };
}

function copyOf({ state }: Machine): string {
  const [name = ''] = readdirSync(join(state, 'registers'));
  return join(state, 'registers', name);
}

describePostgres('a copy of a plan that is made anew', () => {
  const damages: Record<string, (copy: string) => void> = {
    'because it was cut off': (copy) => truncateSync(join(copy, 'plans/1/journal.jsonl'), 10),
    'because somebody was changing it': (copy) => writeFileSync(join(copy, 'copied/plans 1.begun'), ''),
  };
  test.each(Object.entries(damages))('%s is whole after a kill at any moment of that', async (_what, damage) => {
    const { machines } = await twoMachines();
    const [one, other] = machines;
    await one.does('plan', 'run', '1');
    const list = await other.does('plan', 'list', '--json');
    for (let at = FIRST; ; at += STRIDE) {
      damage(copyOf(other));
      const env = { NODE_OPTIONS: DYING, VAGENT_TEST_DIES_AT: String(at) };
      const { code } = await other.operator.runProgram(['plan', 'list', '--json'], { env });
      expect(await other.does('plan', 'list', '--json'), `killed before step ${at}`).toBe(list);
      expect((await other.run(planOf('c.csv'))).code).toBe(2);
      if (code === 0) break;
    }
  });

  test('is waited for by who would call the same people', async () => {
    const { machines } = await twoMachines();
    const [, other] = machines;
    const folder = join(copyOf(other), 'plans/1');
    // Killed while it was made anew.
    for (let at = 0; existsSync(join(folder, 'plan.json')); at++) {
      writeFileSync(join(copyOf(other), 'copied/plans 1.begun'), '');
      const env = { NODE_OPTIONS: DYING, VAGENT_TEST_DIES_AT: String(at) };
      await other.operator.runProgram(['plan', 'list'], { env });
    }
    const { created } = await withLock(
      systemFiles,
      join(folder, 'lock'),
      { timeoutMs: 0, command: 'copying' },
      async () => {
        // Another process of this machine makes it anew.
        const created = other.operator.runProgram(planOf('c.csv'));
        const soon = await Promise.race([created, new Promise((resolve) => setTimeout(resolve, 2_000))]);
        expect(soon).toBeUndefined();
        return { created };
      },
    );
    expect(await created).toMatchObject({ code: 2, stderr: expect.stringContaining('are in plan 1') });
  });
});

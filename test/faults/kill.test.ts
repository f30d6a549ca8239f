/**
 * The real program, killed without warning (SIGKILL) before a step of its writing of a store or of a plan: afterwards the
 * command has happened as a whole or not at all, and the same command, run again, does what it is for.
 */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openInFolder } from '../../src/local/open.ts';
import { planIds } from '../../src/plans/rows/plans.ts';
import type { PlanEvent } from '../../src/plans/rules/events.ts';
import { casesBeside } from '../support/cases.ts';
import { EPOCH } from '../support/engine.ts';
import { howMany } from '../support/full-matrix.ts';
import { Operator, ROOT } from '../support/program.ts';
import { contentOf, makePlan, planAt, rowsOf } from '../support/stored-plans.ts';

/** Before every so many steps, others in each run. */
const EVERY = howMany(9, 1);
const preloaded = [`--require=${ROOT}/test/support/dying.cjs`, `--require=${ROOT}/test/support/frozen-clock.cjs`];
const DYING = { NODE_OPTIONS: preloaded.join(' '), VAGENT_TEST_CLOCK: new Date(EPOCH).toISOString() };
const FROM = ['--agent', '1', '--from', '+14155550100'];
const STATE = '.local/state/vagent';

const LIVED: Record<'handed' | 'stopped', PlanEvent> = {
  handed: { event: 'handed', at: EPOCH, wave: 1, from: '+14155550100', start: EPOCH, interval: 60_000, rows: [0, 3] },
  stopped: { event: 'stopped', at: EPOCH, reason: 'by hand' },
};
const LIST = ['--contacts', 'contacts.csv'];

/** A command line, and what a plan that it finds has lived through; without that it finds a store. */
const KINDS = casesBeside(import.meta.filename)<[line: string, plan?: (keyof typeof LIVED)[]]>('commands');

describe.each(KINDS)('%s', (line, plan) => {
  const words = line.split(' ');
  const start = homeOf();
  let [old, fresh, steps] = ['', '', 0];

  beforeAll(async () => {
    writeFileSync(join(start.home, 'contacts.csv'), 'phone_number\n+14155550190\n+14155550191\n');
    const state = join(start.home, STATE);
    mkdirSync(state, { recursive: true });
    if (plan === undefined) {
      // A campaign is under way.
      const pace = ['--calls-per-hour', '6', '--retry-attempts', '1', '--retry-delay', '30m'];
      await start.json(['campaign', 'create', '--name', 'Old', ...FROM, ...LIST, ...pace]);
      await start.json(['local', 'advance', '5m']);
    } else {
      await makePlan(state);
      await planAt(state).change((session) => session.commit(plan.map((event) => LIVED[event])));
    }
    old = await contentIn(start);

    const operator = copyOf(start);
    const { code, stderr } = await run(operator);
    expect(code, stderr).toBe(0);
    fresh = await contentIn(operator);
    steps = Number(/It made (\d+) steps/.exec(stderr)?.[1]);
    expect(fresh).not.toBe(old);
  });

  const run = (operator: Operator, at?: number) =>
    operator.runProgram(words, { env: { ...DYING, ...(at !== undefined && { VAGENT_TEST_DIES_AT: String(at) }) } });

  test('killed before a step', async () => {
    expect(steps).toBeGreaterThan(5);
    for (let at = Date.now() % EVERY; at < steps; at += EVERY) {
      const operator = copyOf(start);
      const where = `step ${at} of ${steps}`;
      expect(await run(operator, at), where).toMatchObject({ signal: 'SIGKILL' });
      const found = await contentIn(operator);
      // A wish to stop may be there, which the next command fulfils.
      expect([old, fresh], where).toContain(found);
      const isRepeatable = plan !== undefined && words[1] !== 'create';
      if (found !== fresh || isRepeatable) {
        const again = await operator.run(words);
        expect([0, ...(found === fresh ? [2, 5] : [])], `${where}: ${again.stderr}`).toContain(again.code);
      }
      expect(await contentIn(operator), where).toBe(fresh);
    }
  });
});

function homeOf(): Operator {
  return new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: new Date(EPOCH).toISOString() });
}

function copyOf({ home }: Operator): Operator {
  const operator = homeOf();
  cpSync(home, operator.home, { recursive: true, preserveTimestamps: true });
  return operator;
}

/** What the store and the plans hold. */
async function contentIn({ home }: Operator): Promise<string> {
  const folder = join(home, STATE, 'store');
  const { signal } = new AbortController();
  const everything = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, agentId: undefined };
  const content: string[] = [];
  if (existsSync(folder)) {
    const stored = await openInFolder({ folder, command: 'test', systemNow: () => EPOCH, signal }).timeline.stored();
    content.push(JSON.stringify([stored.state, await stored.callPage(everything, 1000, 0)]));
  }
  const rows = rowsOf(join(home, STATE));
  for (const planId of await rows.read(planIds)) content.push(await contentOf(planAt(rows, planId)));
  return content.join('\n').replaceAll(home, '~');
}

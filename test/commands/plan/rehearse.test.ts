/** `plan rehearse` foretells what `plan run` then does on the local engine, and changes nothing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HALTED } from '../../../src/errors.ts';
import type { PlanRehearsal } from '../../../src/plans/rehearsal/rehearse-plan.ts';
import { digestsIn } from '../../support/files.ts';
import { howMany } from '../../support/full-matrix.ts';
import { Operator } from '../../support/program.ts';
import fc from '../../support/properties.ts';

const NOON = '2026-11-20T12:00:00Z';

interface Standing {
  state: string;
  reason: string;
  states: Record<string, number>;
  attempts: number;
  waves: { wave: number; start: string; contacts: number; from: string; outcome: string }[];
}

/** Contacts of New York and London whose numbers begin at `first`. */
function contactsFile(operator: Operator, name: string, first: number, count: number): string {
  const numbers = Array.from({ length: count }, (_none, at) => {
    const digits = String(first + at).padStart(4, '0');
    return at % 3 === 0 ? `+44794601${digits}` : `+1212555${digits}`;
  });
  const path = join(operator.home, name);
  writeFileSync(path, `phone_number,custom_first_line\n${numbers.map((number) => `${number},Hello.`).join('\n')}\n`);
  return path;
}

async function created(operator: Operator, contacts: number, flags: readonly string[] = []): Promise<number> {
  const file = contactsFile(operator, 'contacts.csv', 300, contacts);
  const plan = ['plan', 'create', '--name', 'Spring', '--agent', '1', '--from', '+14155550100', '--contacts', file];
  const { plan_id } = await operator.json<{ plan_id: number }>([...plan, '--window', '09:00-20:00', ...flags]);
  return plan_id;
}

/** `plan run`, which ends with 11 where the plan is stopped, or waits, and with 6 where the wallet stops it. */
async function ran(operator: Operator, ...flags: string[]): Promise<Standing> {
  const { code, stderr } = await operator.run(['plan', 'run', '1', ...flags, '--json']);
  if (![0, HALTED, 6].includes(code ?? -1)) throw new Error(stderr);
  return operator.json(['plan', 'status', '1']);
}

const world = fc.record({
  seed: fc.nat(100_000),
  contacts: fc.integer({ min: 1, max: 50 }),
  flags: fc.constantFrom(
    [],
    ['--from', '+442079460100', '--from-cap', '9/3h'],
    ['--max-attempts', '4', '--retry', 'busy=10m,no_answer=1h,voicemail=1d', '--max-per-number', '2/24h'],
    ['--budget', '6', '--price-per-minute', '0.10', '--wave', '10m'],
    ['--canary', '1', '--calls-per-hour', '20'],
    ['--end', '2026-11-20T16:00:00Z', '--min-gap', '2h'],
    ['--stop-on', 'busy=20%/10', '--calls-per-hour', '120'],
  ),
  /** A campaign to some of the same phones; or how long the clock goes on before the rehearsal, unseen by the plan. */
  beside: fc.constantFrom<{ other?: number; pause?: string }>(
    {},
    { other: 310 },
    { other: 340 },
    { pause: '10m' },
    { pause: '26h' },
  ),
  /** Steps of the plan before the rehearsal. */
  before: fc.constantFrom(0, 1, 4),
  /** What a minute costs: at once more than is in the wallet, or not. */
  price: fc.constantFrom('0.10', '0.10', '4'),
});

describe('run 0', () => {
  test('is wave for wave what plan run then does', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ seed, contacts, flags, beside: { other, pause }, before, price }) => {
        const operator = new Operator({ frozenAt: NOON });
        await operator.run(['local', 'reset', '--seed', String(seed), '--yes']);
        await operator.json(['local', 'scenario', '--price-per-minute', price]);
        if (other !== undefined) {
          const file = contactsFile(operator, 'other.csv', other, 20);
          const pace = ['--calls-per-hour', '25', '--retry-attempts', '2', '--retry-delay', '40m', '--yes'];
          const campaign = ['campaign', 'create', '--name', 'Other', '--agent', '1', '--from', '+442079460100'];
          await operator.json([...campaign, '--contacts', file, ...pace]);
        }
        await created(operator, contacts, flags);
        for (let step = 0; step < before; step++) await ran(operator, '--advance');
        if (pause !== undefined) await operator.json(['local', 'advance', pause]);
        const known = await operator.json<Standing>(['plan', 'status', '1']);
        const rehearsal = await operator.json<PlanRehearsal>(['plan', 'rehearse', '1']);
        if (known.state !== 'open') await operator.run(['plan', 'resume', '1']);
        let standing = await ran(operator, '--until-done', '--advance');
        if (standing.state === 'waiting') {
          expect(rehearsal.waits_after_canary).toBe(true);
          await operator.json(['plan', 'resume', '1']);
          standing = await ran(operator, '--until-done', '--advance');
        }
        const { wave: last = 0 } = known.waves.at(-1) ?? {};
        const waves = standing.waves.filter(({ wave, outcome }) => wave > last && outcome !== 'not_placed');
        expect(rehearsal.wave_list).toEqual(
          waves.map(({ wave, start, contacts, from }) => ({ wave, start, contacts, from })),
        );
        const isStopped = standing.state === 'stopped';
        expect(rehearsal.stopped).toBe(isStopped ? standing.reason : null);
        if (isStopped) return;
        const { reached, not_reached, excluded, not_called, no_result } = rehearsal;
        expect(standing.states).toMatchObject({ reached, not_reached, excluded, not_called, no_result });
        expect(standing.attempts - known.attempts).toBe(rehearsal.attempts);
      }),
      { numRuns: howMany(8, 40) },
    );
  });
});

describe('plan rehearse', async () => {
  const operator = new Operator({ frozenAt: NOON });
  await created(operator, 40);

  test('changes no file', async () => {
    // While a database is read, files of its own stand beside it.
    const files = () => Object.entries(digestsIn(operator.home)).filter(([name]) => !/-(shm|wal)$/.test(name));
    const before = files();
    await operator.json(['plan', 'rehearse', 'Spring', '--runs', '3']);
    expect(files()).toEqual(before);
  });

  test('draws its days for people', async () => {
    const { stdout, stderr, code } = await operator.run(['plan', 'rehearse', '--runs', '5'], {
      isTerminal: true,
      env: { NO_COLOR: '1' },
    });
    expect(code).toBe(0);
    expect(stderr).toContain('The only open plan: 1, Spring.');
    expect(stdout).toMatch(/Contacts\s+40\n/);
    expect(stdout).toMatch(/Over the runs\s+5 %\s+Median\s+95 %/);
    expect(stdout).toMatch(/\n20 Nov +\d+ +\d+ {2}·{12}[▁▂▃▄▅▆▇█·]{12}/);
  });
});

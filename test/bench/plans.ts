/**
 * Plans: how long it takes to choose a wave out of a million contacts, and to rehearse 200 runs; and how near a rehearsal comes
 * to plans that are really played. `VAGENT_BENCH_PLAYED` is the number of those, `VAGENT_BENCH_CONTACTS` that of their contacts.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanRehearsal } from '../../src/plans/rehearsal/rehearse-plan.ts';
import { type Decision, decide } from '../../src/plans/rules/decide.ts';
import type { Roster } from '../../src/plans/rules/roster.ts';
import { dailyHours, HOUR, MINUTE, planInMemory, T0 } from '../support/plans.ts';
import { Operator } from '../support/program.ts';
import { campaignOf, measureIn, median, print, say, sizeOf } from './workplace.ts';

const ROUNDS = 5;

function choosing(): void {
  const size = 1_000_000;
  const zones = 40;
  const hours = dailyHours(...Array.from({ length: zones }, (_none, at) => [300 + at * 10, 900 + at * 10] as const));
  const contacts = Array.from({ length: size }, (_none, row) => ({ phone: 14155550000 + row, place: row % zones }));
  const each = (change: (roster: Roster, row: number) => void) => (roster: Roster) => {
    for (let row = 0; row < size; row++) change(roster, row);
  };
  const noon = T0 + 12 * HOUR;
  const cases: [string, number, (roster: Roster) => void][] = [
    ['all new, in their hours', noon, () => {}],
    ['all new, at night', T0 + 2 * HOUR, () => {}],
    ['all called a few minutes ago', noon, each((roster, row) => roster.addDial(row, noon - (row % 10) * MINUTE))],
    [
      'two of three wait for a retry',
      noon,
      each((roster, row) => {
        roster.setState(row, row % 3 === 0 ? 'reached' : 'again');
        roster.setDue(row, noon + HOUR + ((row * 7919) % size));
      }),
    ],
    ['all but one are reached', noon, each((roster, row) => row > 0 && roster.setState(row, 'reached'))],
  ];
  say(`choosing a wave out of ${size} contacts, median of ${ROUNDS} (at most 150 ms)`);
  for (const [name, now, prepare] of cases) {
    const loaded = planInMemory({ contacts, hours, rules: { callsPerHour: 20_000 } });
    prepare(loaded.roster);
    const [ours, bare]: [number[], number[]] = [[], []];
    const decisions: Decision[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(timed(() => bareLoop(loaded.roster)));
      ours.push(timed(() => decisions.push(decide(loaded, { now }))));
    }
    const ratio = `${(median(ours) / median(bare)).toFixed(1)}× a bare loop over state, due and phone`;
    const [decision] = decisions;
    const what = decision?.kind === 'wave' ? `${decision.rows.length} contacts` : decision?.kind;
    say(`  ${name.padEnd(32)} ${median(ours).toFixed(0).padStart(4)} ms  ${ratio}, ${what}`);
  }
}

function bareLoop(roster: Roster): number {
  let sum = 0;
  for (let row = 0; row < roster.size; row++) {
    if (roster.stateOf(row) === 'new') sum += roster.dueOf(row) + roster.phoneOf(row);
  }
  return sum;
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

await measureIn((place) => {
  choosing();
  const contacts = ['--contacts', place.contacts(10_000)];
  place.vagent('local', 'topup', '100000');
  const create = campaignOf(...contacts).slice(2);
  place.vagent('plan', 'create', ...create, '--window', '09:00-20:00', '--quiet');
  const runs = ['--runs', '200', '--json'];
  print('10,000 contacts, 200 runs', {
    'plan rehearse (at most 30 s)': [place.vagent('plan', 'rehearse', '1', ...runs)],
    'campaign rehearse of the same': [
      place.vagent('campaign', 'rehearse', ...create, '--calls-per-hour', '60', ...runs),
    ],
  });
});
await foretelling(sizeOf('CONTACTS', 300), sizeOf('PLAYED', 50));

/** Of plans with other random seeds than those of the rehearsal. */
async function foretelling(contacts: number, played: number): Promise<void> {
  const start = '2026-11-23T09:00:00Z';
  const plannedBy = async (seed: number) => {
    const operator = new Operator({ frozenAt: start });
    const numbers = Array.from({ length: contacts }, (_none, at) => `+1415${5_560_000 + at},Hello.`);
    const file = join(operator.home, 'contacts.csv');
    writeFileSync(file, `phone_number,custom_first_line\n${numbers.join('\n')}\n`);
    await operator.run(['local', 'reset', '--seed', String(seed), '--yes']);
    await operator.run(['local', 'topup', '100000']);
    const hours = ['--window', '09:00-20:00', '--zone', 'UTC'];
    const create = ['plan', 'create', '--name', 'Bench', '--agent', '1', '--from', '+14155550100'];
    await operator.json([...create, '--contacts', file, ...hours]);
    return operator;
  };
  const rehearsal = await (await plannedBy(1)).json<PlanRehearsal>(['plan', 'rehearse', '1', '--runs', '200']);
  const lasted: number[] = [];
  for (let run = 0; run < played; run++) {
    const operator = await plannedBy(10_000 + run);
    await operator.json(['plan', 'run', '1', '--until-done', '--advance']);
    const { calls } = await operator.json<{ calls: { timestamp: string }[] }>(['logs', 'list', '--limit', '1']);
    lasted.push(Date.parse(calls[0]?.timestamp ?? '') - Date.parse(start));
  }
  const mean = lasted.reduce((sum, time) => sum + time) / played;
  const foretold = Date.parse(rehearsal.percentiles?.finish.p50 ?? '') - Date.parse(start);
  const inHours = (time: number) => `${(time / HOUR).toFixed(2)} h`;
  const off = ((100 * Math.abs(foretold - mean)) / mean).toFixed(2);
  say(`${contacts} contacts: ${played} played plans last ${inHours(mean)} on average`);
  say(`the rehearsal says ${inHours(foretold)}: ${off} % off (at most 5)`);
}

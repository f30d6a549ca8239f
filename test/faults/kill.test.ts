/**
 * The real program, killed without warning (SIGKILL) where it writes the store, over and over on the same store: each time the
 * store opens, the killed command has happened as a whole or not at all, and everything that was ever acknowledged is there.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { DocumentedCall } from '../../src/contract.ts';
import { micros } from '../../src/engine/money.ts';
import { openInFolder } from '../../src/local/open.ts';
import { howMany } from '../support/full-matrix.ts';
import { finished, Operator, ROOT } from '../support/program.ts';

const HOUR = 3_600_000;
const CALLED = '+14155550190';
/** More than all the calls can cost. */
const TOP_UP = '1000000';
const DEMO_BALANCE = '100';
const FROM = ['--agent', '1', '--from', '+14155550100'];
const PACE = ['--calls-per-hour', '200', '--retry-attempts', '1', '--retry-delay', '30m'];

/** What is killed: each command adds one to a count of its own, and to no other. */
const COMMANDS = {
  calls: (name: string) => ['call', CALLED, ...FROM, '--first-line', name],
  hours: () => ['local', 'advance', '1h'],
  campaigns: (name: string) => ['campaign', 'create', ...FROM, ...PACE, '--name', name, '--contacts', 'few.csv'],
  agents: (name: string) => ['agent', 'create', '--name', name, '--prompt', 'Be brief.', '--voice', '1'],
  topUps: () => ['local', 'topup', TOP_UP],
};
type Count = keyof typeof COMMANDS;
type Counts = Record<Count, number>;

/** At every so many of its steps, others in each run. */
const EVERY = howMany(5, 1);
/** It stands still in its writing where VAGENT_TEST_STEPS says, and tells how far it has come. */
const STANDING_STILL = { NODE_OPTIONS: `--require=${join(ROOT, 'test/support/standing-still.cjs')}` };
const STANDS = /It (writes|has committed) and stands still/;

const operator = new Operator();
/** Every call ever seen, the oldest first. */
const log: DocumentedCall[] = [];

/** Opens the store, checks that it agrees with itself and with what was seen before, and counts. */
async function look(): Promise<Counts> {
  const folder = join(operator.home, '.local/state/vagent/store');
  const { signal } = new AbortController();
  const engine = openInFolder({ folder, command: 'test', systemNow: Date.now, signal });
  const { state, callPage } = await engine.timeline.stored();
  const everything = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, agentId: undefined };
  const placed = state.next_call_number - 1;
  const { calls, total } = await callPage(everything, placed, 0);
  expect(total).toBe(placed);
  // Nothing of the log has changed since it was first seen.
  expect(calls.reverse().slice(0, log.length)).toEqual(log);
  log.push(...calls.slice(log.length));
  expect(log.map(({ call_id }) => call_id)).toEqual(log.map((_call, at) => `call_${String(at + 1).padStart(10, '0')}`));
  const direct = log.filter(({ called_to }) => called_to === CALLED).length;
  expect(state.campaigns.reduce((sum, { attempts }) => sum + attempts, direct)).toBe(placed);
  expect(state.agents.map(({ agent_id }) => agent_id)).toEqual(state.agents.map((_agent, at) => at + 1));
  expect(state.campaigns.map(({ campaign_id }) => campaign_id)).toEqual(state.campaigns.map((_none, at) => at + 1));
  const completed = log.filter(({ call_status }) => call_status === 'completed');
  const minutes = completed.reduce((sum, { call_duration }) => sum + Math.ceil((call_duration ?? 0) / 60), 0);
  const added = state.organization.balance + minutes * micros('0.1') - micros(DEMO_BALANCE);
  return {
    calls: direct,
    hours: state.clock.offset / HOUR,
    campaigns: state.campaigns.length,
    agents: state.agents.length,
    topUps: added / micros(TOP_UP),
  };
}

/** Runs a command; it is killed where it stands still, after so many steps. */
async function run(kind: Count, name: string, steps?: number) {
  const env = { ...STANDING_STILL, ...(steps !== undefined && { VAGENT_TEST_STEPS: String(steps) }) };
  const child = operator.start([...COMMANDS[kind](name), '--json'], { env });
  child.stdin?.end();
  child.stderr?.on('data', (text) => {
    if (STANDS.test(text)) child.kill('SIGKILL');
  });
  return await finished(child);
}

beforeAll(async () => {
  const file = (count: number) => Array.from({ length: count }, (_none, at) => `+4930${1_000_000 + at}\n`).join('');
  for (const [name, count] of Object.entries({ few: 20, many: 800 }))
    writeFileSync(join(operator.home, `${name}.csv`), `phone_number\n${file(count)}`);
  // It dials for many hours.
  await operator.json(['campaign', 'create', ...FROM, ...PACE, '--name', 'Many', '--contacts', 'many.csv']);
});

test.each(Object.keys(COMMANDS) as Count[])('%s: killed at any step, and nothing is lost or broken', async (kind) => {
  let counts = await look();
  const { code, stdout, stderr } = await run(kind, 'first');
  expect(code, stderr).toBe(0);
  const acknowledged = JSON.parse(stdout) as Record<string, unknown>;
  const places = Number(/It committed at step (\d+)/.exec(stderr)?.[1]) + 1;
  let after = await look();
  expect(after).toEqual({ ...counts, [kind]: counts[kind] + 1 });
  // The very first one surely comes before the commit.
  for (let at = 0; at < places; at += at === 0 ? 1 + (Date.now() % EVERY) : EVERY) {
    counts = after;
    const seen = log.length;
    const victim = await run(kind, `step ${at}`, at);
    expect(victim.signal, victim.stderr).toBe('SIGKILL');
    after = await look();
    const happened = after[kind] - counts[kind];
    expect({ ...after, [kind]: 0 }).toEqual({ ...counts, [kind]: 0 });
    // What was due since the last command may have been all of the first commit: a command may look before it does something.
    const isOnlyWhatWasDue = log.length > seen && kind === 'campaigns';
    const isCommitted = STANDS.exec(victim.stderr)?.[1] !== 'writes';
    expect(isOnlyWhatWasDue ? [0, 1] : [isCommitted ? 1 : 0], `step ${at} of ${places}`).toContain(happened);
  }
  if (kind === 'calls') expect(log.map(({ call_id }) => `call-${call_id}`)).toContain(acknowledged.room_name);
});

test('plays every campaign to its end, which takes every contact and retry', async () => {
  await operator.json(['local', 'advance', '--until-idle']);
  await look();
  const { campaigns } = await operator.json<{ campaigns: Record<string, number | string>[] }>(['local', 'status']);
  expect(campaigns.map(({ status }) => status)).toEqual(campaigns.map(() => 'completed'));
  const { calls } = await operator.json<{ calls: DocumentedCall[] }>(['logs', 'list', '--all']);
  expect(calls.reverse()).toEqual(log);
});

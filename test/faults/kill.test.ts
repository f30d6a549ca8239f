/**
 * The real program, killed without warning (SIGKILL) at any moment, over and over on the same store: each time the store
 * opens, the killed command has happened as a whole or not at all, and everything that was ever acknowledged is there.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DocumentedCall } from '../../src/contract.ts';
import { draw, keyBits } from '../../src/engine/chance.ts';
import { micros } from '../../src/engine/money.ts';
import { openInFolder } from '../../src/local/open.ts';
import { howMany } from '../support/full-matrix.ts';
import { finished, Operator, ROOT } from '../support/program.ts';

const STORES = 2;
/** At other moments in each run. */
const KILLS_A_STORE = howMany(8, 100);
/** Another one in each run, so that other moments are struck; VAGENT_TEST_SEED repeats the choices of a run. */
const SEED = Number(process.env.VAGENT_TEST_SEED ?? Date.now() % 1_000_000);

const HOUR = 3_600_000;
const CALLED = '+14155550190';
/** More than all the calls can cost. */
const TOP_UP = '1000000';
const DEMO_BALANCE = '100';
const FROM = ['--agent', '1', '--from', '+14155550100'];
const PACE = ['--calls-per-hour', '200', '--retry-attempts', '1', '--retry-delay', '30m'];
/** More than all hours take, and at the end a second file of the log. */
const MANY_CONTACTS = 8000;
const FEW_CONTACTS = 20;

/** What is killed: each command adds one to a count of its own, and to no other. */
const COMMANDS = {
  calls: (name: string) => ['call', CALLED, ...FROM, '--first-line', name],
  hours: () => ['local', 'advance', '1h'],
  campaigns: (name: string) => ['campaign', 'create', ...FROM, ...PACE, '--name', name, '--contacts', 'few.csv'],
  agents: (name: string) => ['agent', 'create', '--name', name, '--prompt', 'Be brief.', '--voice', '1'],
  topUps: () => ['local', 'topup', TOP_UP],
};
type Count = keyof typeof COMMANDS;
const COUNTS = Object.keys(COMMANDS) as Count[];

/** It stands still in its writing where VAGENT_TEST_STEPS says, and tells how far it has come. */
const STANDING_STILL = { NODE_OPTIONS: `--require=${join(ROOT, 'test/support/standing-still.cjs')}` };
const STANDS = /It (writes|has committed) and stands still/;
const COMMITTED = /It committed at step (\d+)/;

/** One store, the commands that are run on it, and what must be in it. */
class Victim {
  kills = 0;
  /** Kills that came after the lock was taken and before the commit. */
  hits = 0;
  readonly #number: number;
  readonly #operator = new Operator();
  readonly #folder = join(this.#operator.home, '.local/state/vagent/store');
  /** Every call ever seen, oldest first. */
  readonly #log: DocumentedCall[] = [];
  readonly #acknowledged: { kind: Count; answer: Record<string, unknown> }[] = [];
  /** Milliseconds that each command takes. */
  readonly #typical = new Map<Count, number>();
  /** How often each command writes, syncs or renames until it has committed. */
  readonly #steps = new Map<Count, number>();
  #counts: Record<Count, number> = { calls: 0, hours: 0, campaigns: 0, agents: 1, topUps: 0 };

  constructor(number: number) {
    this.#number = number;
  }

  /** Starts a campaign that dials for many hours, and runs every command once to its end. */
  async prepare(): Promise<void> {
    writeFileSync(join(this.#operator.home, 'few.csv'), contactsFile(FEW_CONTACTS));
    writeFileSync(join(this.#operator.home, 'many.csv'), contactsFile(MANY_CONTACTS));
    const many = ['campaign', 'create', ...FROM, ...PACE, '--name', 'Many', '--contacts', 'many.csv'];
    await this.#operator.json(many);
    this.#counts = await this.#look();
    for (const kind of COUNTS) await this.run(kind, 'first', STANDING_STILL);
  }

  /** A command drawn by the seed, and killed at a moment drawn by it: in turn where it writes the store and at any time. */
  async strike(number: number): Promise<void> {
    const bits = keyBits(SEED, 'call', this.#number, number, 1);
    const kind = COUNTS[Math.floor(draw(bits, 0) * COUNTS.length)] as Count;
    const name = `strike ${number}`;
    if (number % 2 === 1) {
      // More of them late: the store is written after the program has started.
      const share = Math.max(draw(bits, 1), draw(bits, 2), draw(bits, 3));
      return this.run(kind, name, {}, share * (this.#typical.get(kind) as number));
    }
    const places = (this.#steps.get(kind) as number) + 1;
    // The very first one surely comes before the commit.
    const steps = number === 0 ? 0 : Math.floor(draw(bits, 1) * places);
    await this.run(kind, name, { ...STANDING_STILL, VAGENT_TEST_STEPS: String(steps) });
  }

  /** Runs one command, kills it where it stands still or after `delay` milliseconds, and checks all that can be checked. */
  async run(kind: Count, name: string, env: Record<string, string>, delay?: number): Promise<void> {
    const start = performance.now();
    const child = this.#operator.start([...COMMANDS[kind](name), '--json'], { env });
    const kill = () => child.kill('SIGKILL');
    const timer = delay === undefined ? undefined : setTimeout(kill, delay);
    child.stdin?.end();
    child.stderr?.on('data', (text) => {
      if (STANDS.test(text)) kill();
    });
    const { code, signal, stdout, stderr } = await finished(child);
    clearTimeout(timer);
    const elapsed = performance.now() - start;

    const before = this.#counts;
    const callsBefore = this.#log.length;
    this.#counts = await this.#look();
    const happened = this.#counts[kind] - before[kind];
    expect({ ...this.#counts, [kind]: 0 }, `${kind}, ${name}`).toEqual({ ...before, [kind]: 0 });
    if (signal === 'SIGKILL') {
      const [place, state] = STANDS.exec(stderr) ?? [];
      // What was due since the last command may have been all of the first commit: a command may look before it does something.
      const isOnlyWhatWasDue = this.#log.length > callsBefore && kind === 'campaigns';
      const possible = state === undefined || isOnlyWhatWasDue ? [0, 1] : [state === 'writes' ? 0 : 1];
      expect(possible, `${kind}, ${name}, killed ${place ?? `after ${delay} ms`}`).toContain(happened);
      this.kills++;
      if (happened === 0 && this.#lockedBy() === child.pid) this.hits++;
      return;
    }
    expect(code, stderr).toBe(0);
    expect(happened, `${kind}, ${name}, acknowledged`).toBe(1);
    this.#acknowledged.push({ kind, answer: JSON.parse(stdout) });
    this.#typical.set(kind, ((this.#typical.get(kind) ?? elapsed) + elapsed) / 2);
    const steps = COMMITTED.exec(stderr)?.[1];
    if (steps !== undefined) this.#steps.set(kind, Number(steps));
  }

  /** Plays every campaign to its end, which takes every contact and retry, and reads all through the program. */
  async finish(): Promise<void> {
    await this.#operator.json(['local', 'advance', '--until-idle']);
    await this.#look();
    const { campaigns, agents } = (await this.#open()).state;
    for (const { status, total_contacts, reached, exhausted } of campaigns) {
      expect({ status, settled: reached + exhausted }).toEqual({ status: 'completed', settled: total_contacts });
    }
    for (const { kind, answer } of this.#acknowledged) {
      if (kind === 'calls') {
        const call = this.#log.find(({ call_id }) => `call-${call_id}` === answer.room_name);
        expect(call).toMatchObject({ called_to: CALLED, call_status: 'completed' });
      }
      if (kind === 'agents') {
        const { agent_id, agent_name } = answer;
        expect(agents).toContainEqual(expect.objectContaining({ agent_id, agent_name }));
      }
      if (kind === 'campaigns') {
        const { campaign_id, campaign_name, total_contacts } = answer;
        expect(campaigns).toContainEqual(expect.objectContaining({ campaign_id, campaign_name, total_contacts }));
      }
    }
    // Nothing of the log has changed since it was first seen.
    const { calls } = await this.#operator.json<{ calls: DocumentedCall[] }>(['logs', 'list', '--all']);
    expect(calls.length).toBe(this.#log.length);
    const changed = calls.reverse().filter((call, at) => JSON.stringify(call) !== JSON.stringify(this.#log[at]));
    expect(changed).toEqual([]);
  }

  #open() {
    const { signal } = new AbortController();
    return openInFolder({ folder: this.#folder, command: 'test', systemNow: Date.now, signal }).timeline.stored();
  }

  /** Opens the store, checks that it agrees with itself and with what was seen before, and counts. */
  async #look(): Promise<Record<Count, number>> {
    const { state, callPage } = await this.#open();
    const everything = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, agentId: undefined };
    const placed = state.next_call_number - 1;
    const { calls, total } = await callPage(everything, placed - this.#log.length, 0);
    expect(total).toBe(placed);
    const seen = this.#log.length;
    this.#log.push(...calls.reverse());
    const ids = calls.map((_call, at) => `call_${String(seen + at + 1).padStart(10, '0')}`);
    expect(calls.map(({ call_id }) => call_id)).toEqual(ids);
    const direct = this.#log.filter(({ called_to }) => called_to === CALLED).length;
    expect(state.campaigns.reduce((sum, { attempts }) => sum + attempts, direct)).toBe(placed);
    expect(state.agents.map(({ agent_id }) => agent_id)).toEqual(state.agents.map((_agent, at) => at + 1));
    expect(state.campaigns.map((campaign) => campaign.campaign_id)).toEqual(state.campaigns.map((_none, at) => at + 1));
    return {
      calls: direct,
      hours: state.clock.offset / HOUR,
      campaigns: state.campaigns.length,
      agents: state.agents.length,
      topUps: (state.organization.balance + this.#spent() - micros(DEMO_BALANCE)) / micros(TOP_UP),
    };
  }

  /** What every call so far has cost, in millionths. */
  #spent(): number {
    const completed = this.#log.filter(({ call_status }) => call_status === 'completed');
    const minutes = completed.reduce((sum, { call_duration }) => sum + Math.ceil((call_duration ?? 0) / 60), 0);
    return minutes * micros('0.1');
  }

  /** The process that took the lock last. */
  #lockedBy(): number | undefined {
    const note = readFileSync(join(this.#folder, 'lock'), 'utf8');
    return note === '' ? undefined : JSON.parse(note).pid;
  }
}

function contactsFile(count: number): string {
  const numbers = Array.from({ length: count }, (_none, at) => `+4930${1_000_000 + at}`);
  return `${['phone_number', ...numbers].join('\n')}\n`;
}

describe.concurrent(`kills at random moments, seed ${SEED}`, () => {
  test.each(Array.from({ length: STORES }, (_none, at) => [at + 1]))(
    `store %i of ${STORES}: ${KILLS_A_STORE} in a row, and nothing is lost or broken`,
    async (store) => {
      const victim = new Victim(store);
      await victim.prepare();
      for (let number = 0; victim.kills < KILLS_A_STORE; number++) await victim.strike(number);
      await victim.finish();
      expect(victim.hits, 'kills that struck while the store was being written').toBeGreaterThan(0);
    },
    600_000,
  );
});

/**
 * Machines that share a register, killed and cut off from the database at any moment while all of them send. The judge is the service: of
 * everything that reaches it, the intent is in the database by then, and nobody is called twice whom a guard should have known.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseLine, type SentLine } from '../../src/register/lines.ts';
import { Between } from '../support/between.ts';
import { howMany } from '../support/full-matrix.ts';
import { MINUTE, numbers } from '../support/planned-service.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { finished, freshEnvironment, ROOT } from '../support/program.ts';
import { sql } from '../support/sql.ts';
import { callTo, campaignOf, type Machine, planOf, type Team, team } from '../support/team.ts';
import { Chance } from '../support/worlds/chance.ts';

/** In each round all machines work at the same time. */
const ROUNDS = howMany(7, 150);
/** Where a busy machine kills nearly every command before it sends, rounds are added until more than these requests have come, or it is hopeless. */
const ENOUGH = ROUNDS / 5;
const MOST_ROUNDS = 5 * ROUNDS;
const MACHINES = 3;
/** Another one in each run; VAGENT_TEST_SEED repeats the choices of a run. */
const SEED = Number(process.env.VAGENT_TEST_SEED ?? Date.now() % 1_000_000);

const CALLED = numbers(6, 14155551000);
const LISTED = numbers(60, 14155552000);
const PLANNED = numbers(40, 14155553000);
const FORGOTTEN = numbers(4, 14155554000);
/** More than the steps of writing of any command, and than what it says to the database. */
const MOST_STEPS = 60;
const MOST_PIECES = 45;
/** Milliseconds: about as long as a command takes. */
const LONGEST = 1_200;

function csvOf(people: readonly string[]): string {
  return `phone_number\n${people.map((number) => `${number}\n`).join('')}`;
}

/** Stands at the service and looks into the database whenever something comes. */
class Judge {
  /** What was handed over, each time by its numbers. */
  readonly lists: string[][] = [];
  readonly faults: string[] = [];
  calls = 0;
  readonly #register: string;

  constructor(register: string, { service }: Team) {
    this.#register = register;
    service.faults.triggerCall = async (request, answer) => {
      const called = String(request.called_to);
      const isIts = (line: SentLine) => line.operation === 'triggerCall' && line.request.called_to === called;
      this.calls++;
      this.#expectOne(`The call to ${called}`, (await this.open()).filter(isIts).length);
      return await answer();
    };
    service.faults.createCampaign = async (request, answer) => {
      const name = String(request.campaign_name);
      const isIts = (line: SentLine) => line.operation === 'createCampaign' && line.request.campaign_name === name;
      this.#expectOne(name, (await this.open()).filter(isIts).length);
      const list = (request.contacts as { phone_number: string }[]).map(({ phone_number }) => phone_number);
      if (list.some((number) => FORGOTTEN.includes(number))) return await answer();
      const again = list.filter((number) => this.lists.flat().includes(number));
      if (again.length > 0) this.faults.push(`${name} calls ${again.join(', ')} again.`);
      this.lists.push(list);
      return await answer();
    };
  }

  /** Requests in the database that may have been sent, and of which nobody knows what came. */
  async open(): Promise<SentLine[]> {
    const rows = await sql<{ line: string }>(
      this.#register,
      `select line from register_lines where path = 'register.jsonl' order by position`,
    );
    const open = new Map<number, SentLine>();
    for (const line of rows.map((row) => parseLine(row.line))) {
      if (line === undefined) this.faults.push('A line of the register is damaged.');
      else if (line.event === 'sent') open.set(line.entry, line);
      else if (line.outcome !== 'unknown') open.delete(line.entry);
    }
    return [...open.values()];
  }

  #expectOne(what: string, open: number): void {
    if (open !== 1) this.faults.push(`${what} came when the register had ${open} open requests like it.`);
  }
}

/** A machine, and what stands between it and the database. */
interface Victim extends Machine {
  between: Between;
}

async function victimOf(own: Team, register: string): Promise<Victim> {
  const { between, url } = await Between.before(register);
  onTestFinished(() => between.close());
  return { ...own.machine(url), between };
}

function commandOf(chance: Chance, home: string, name: string): string[] {
  const file = `${name}.csv`;
  const campaign = (people: readonly string[]) => {
    writeFileSync(join(home, file), csvOf(people));
    return campaignOf(file).map((word) => (word === 'Spring' ? name : word));
  };
  return chance.pick([
    () => callTo(chance.pick(CALLED)),
    () => campaign(chance.shuffled(LISTED).slice(0, 3)),
    () => campaign(FORGOTTEN).concat('--again', '--force'),
    () => ['plan', 'run', '1'],
    () => ['plan', 'run', '1'],
    () => ['campaign', 'list'],
    () => ['plan', 'list'],
    () => ['register', 'import', 'here.ndjson'],
  ])();
}

/** Runs a command that is killed before a step of its writing, or at any moment, or is cut off; or none of it. */
async function strike(chance: Chance, victim: Victim, args: string[], frozenAt: string): Promise<void> {
  const kind = chance.pick(['step', 'moment', 'cut', 'none']);
  const { NODE_OPTIONS } = freshEnvironment('', { frozenAt });
  const dying = `${NODE_OPTIONS} --require=${join(ROOT, 'test/support/dying.cjs')}`;
  const step = { NODE_OPTIONS: dying, VAGENT_TEST_DIES_AT: String(chance.integer(0, MOST_STEPS)) };
  const env = kind === 'step' ? step : {};
  const cut = { at: chance.integer(1, MOST_PIECES), when: chance.pick(['before', 'after'] as const) };
  victim.between.strike = kind === 'cut' ? cut : undefined;
  const child = victim.operator.start(args, { frozenAt, env });
  child.stdin?.end();
  const timer = kind === 'moment' ? setTimeout(() => child.kill('SIGKILL'), chance.integer(0, LONGEST)) : undefined;
  const { code, stderr } = await finished(child);
  clearTimeout(timer);
  victim.between.strike = undefined;
  expect([0, 2, 7, 8, 9, null], `${args.join(' ')}: ${stderr}`).toContain(code);
}

describePostgres('machines that share a register', () => {
  test(`are killed at any moment, and call nobody twice (seed ${SEED})`, async () => {
    const register = ownSchema();
    const own = await team(register);
    const chance = new Chance(SEED);
    const first = own.machine();
    writeFileSync(join(first.operator.home, 'p.csv'), csvOf(PLANNED));
    await first.does(...planOf('p.csv', '--calls-per-hour', '60', '--wave', '5m', '--max-attempts', '1'));
    const judge = new Judge(register, own);
    const victims = await Promise.all(Array.from({ length: MACHINES }, () => victimOf(own, register)));
    for (const { operator } of victims) {
      writeFileSync(join(operator.home, 'here.ndjson'), await first.does('register', 'export'));
    }
    const came = () => judge.calls + judge.lists.length;
    for (let round = 0; round < ROUNDS || (came() <= ENOUGH && round < MOST_ROUNDS); round++) {
      own.service.engine.clock.now += 6 * MINUTE;
      const at = new Date(own.service.engine.clock.now).toISOString();
      await Promise.all(
        victims.map((victim, which) => {
          const args = commandOf(chance, victim.operator.home, `R${round}M${which}`);
          return strike(chance.fork(), victim, args, at);
        }),
      );
      expect(judge.faults).toEqual([]);
    }
    expect(came()).toBeGreaterThan(ENOUGH);

    // Every machine, and one that comes only now, knows the same, and everybody who was called.
    const machines = [...victims, own.machine()];
    const exports = await Promise.all(machines.map((machine) => machine.does('register', 'export')));
    expect(new Set(exports).size).toBe(1);
    const open = await judge.open();
    for (const { operator, run } of machines) {
      for (const list of judge.lists) {
        writeFileSync(join(operator.home, 'c.csv'), csvOf(list));
        expect((await run(campaignOf('c.csv'))).code).toBe(2);
      }
      for (const line of open) {
        if (line.operation === 'triggerCall') expect((await run(callTo(line.request.called_to))).code).toBe(2);
      }
    }
    // Nothing is of this moment any more.
    own.service.engine.clock.now += MINUTE;
    await machines[0]?.does('campaign', 'forget', '--keep-days', '0', '--force', '--yes');
    await machines[0]?.does('plan', 'cancel', '1', '--yes');
    await machines[0]?.does('plan', 'forget', '1', '--force', '--yes');
    await Promise.all(machines.map(({ does }) => does('campaign', 'list')));
    await Promise.all(machines.map(({ does }) => does('plan', 'list')));
    for (const { state } of machines) expect(peopleIn(state)).toEqual([]);
    const texts = await sql<{ text: string }>(
      register,
      `select line as text from register_lines union all select encode(bytes, 'escape') from register_pieces`,
    );
    expect(texts.filter(({ text }) => PERSON.test(text))).toEqual([]);
    expect(judge.faults).toEqual([]);
  });
});

const PERSON = /1415555[1-4]0\d\d/;

/** The files that tell a number of somebody. */
function peopleIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => PERSON.test(readFileSync(path, 'latin1')));
}

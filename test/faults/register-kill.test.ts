/**
 * Machines at one register that send at the same moment to the same people, killed at any moment and cut off from the database.
 * The judge is the service: what reaches it is in the register by then, and nobody is called twice whom a guard should have
 * known.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Between } from '../support/between.ts';
import { howMany } from '../support/full-matrix.ts';
import { MINUTE, numbers } from '../support/planned-service.ts';
import { ownSchema } from '../support/postgres.ts';
import { finished, temporaryFolder } from '../support/program.ts';
import { type RequestRow, requestsAt, rowsAt } from '../support/rows.ts';
import { callTo, campaignOf, type Machine, planOf, type Team, team } from '../support/team.ts';
import { Chance } from '../support/worlds/chance.ts';

/** Commands in one working folder run side by side: files are named by their whole paths. */
const cwd = temporaryFolder();
/** In each round all machines work at the same time, on the same few people. */
const ROUNDS = howMany(16, 250);
const LONGEST = howMany(180_000, 3_600_000);
const MACHINES = 3;
/** Another one in each run; VAGENT_TEST_SEED repeats the choices of a run. */
const SEED = Number(process.env.VAGENT_TEST_SEED ?? Date.now() % 1_000_000);
/** Milliseconds: about as long as a command takes. */
const LASTS = 900;
/** More than what a command says to the database. */
const MOST_PIECES = 25;
const CODES = [0, 2, 3, 7, 8, 9, null];

const PLANNED = numbers(40, 14155553000);
const peopleOf = (round: number) => numbers(4, 14155560000 + 4 * round);
const csvOf = (people: readonly string[]) => `phone_number\n${people.map((number) => `${number}\n`).join('')}`;

/** Stands at the service, and looks into the register whenever something comes. */
class Judge {
  readonly faults: string[] = [];
  /** By the name of what came: the people of a list, or the number of a call. */
  readonly came = new Map<string, string[]>();
  /** What is done to a program as soon as its request of this name has come. */
  readonly atArrival = new Map<string, () => void>();
  readonly #requests: () => Promise<RequestRow[]>;

  constructor(register: string, { service }: Team) {
    this.#requests = () => requestsAt(register);
    service.faults.triggerCall = async (request, answer) => {
      await this.#look(String(request.custom_identifiers), [String(request.called_to)], true);
      return await answer();
    };
    service.faults.createCampaign = async (request, answer) => {
      const people = (request.contacts as { phone_number: string }[]).map(({ phone_number }) => phone_number);
      await this.#look(String(request.campaign_name), people, false);
      return await answer();
    };
  }

  async #look(name: string, people: string[], isCall: boolean): Promise<void> {
    this.atArrival.get(name)?.();
    if (this.came.has(name)) this.faults.push(`${name} came twice.`);
    for (const [other, called] of isCall ? [] : this.lists) {
      const again = called.filter((number) => people.includes(number));
      if (again.length > 0) this.faults.push(`${name} calls ${again} again, whom ${other} called.`);
    }
    this.came.set(name, people);
    const requests = await this.#requests();
    const own = requests.filter((request) => nameOf(request) === name);
    if (own.length !== 1 || own[0]?.outcome !== null)
      this.faults.push(`${name} came, and the register had ${JSON.stringify(own)}.`);
    // A call to somebody stands against all others until it is known what came of it.
    for (const { entry, outcome, request } of requests) {
      const isOpen = outcome === null || outcome === 'unknown';
      if (isOpen && entry !== own[0]?.entry && people.includes(String(request.called_to))) {
        this.faults.push(`${name} calls ${request.called_to}, though nobody knows what came of entry ${entry}.`);
      }
    }
  }

  get lists(): [name: string, people: string[]][] {
    return [...this.came].filter(([name]) => !name.startsWith('call'));
  }
}

/** Unique for every request of these rounds. */
function nameOf({ request }: RequestRow): string {
  return String(request.campaign_name ?? request.custom_identifiers);
}

interface Command {
  args: string[];
  name: string;
}

function listTo({ operator }: Machine, people: readonly string[], name: string, ...flags: string[]): string[] {
  const file = join(operator.home, 'c.csv');
  writeFileSync(file, csvOf(people));
  return campaignOf(file, ...flags).map((word) => (word === 'Spring' ? name : word));
}

function commandOf(chance: Chance, machine: Machine, round: number, name: string): Command {
  const people = peopleOf(round);
  const campaign = (some: readonly string[], ...flags: string[]) => listTo(machine, some, name, ...flags);
  const args = chance.pick([
    () => callTo(chance.pick(people.slice(0, 2)), '--identifier', `call ${name}`),
    () => callTo(chance.pick(people.slice(0, 2)), '--identifier', `call ${name}`),
    () => campaign(chance.shuffled(people).slice(0, 3)),
    () => campaign(chance.shuffled(people).slice(0, 2)),
    () => campaign([...people, ...peopleOf(Math.max(0, round - 1))], '--exclude-sent'),
    () => ['plan', 'run', '1'],
    () => ['plan', 'run', '1'],
    () =>
      chance.pick([
        ['campaign', 'list'],
        ['plan', 'list'],
      ]),
  ])();
  return { args, name: args[0] === 'call' ? `call ${name}` : name };
}

type Strike = 'none' | 'moment' | 'arrival' | 'cut' | 'commit';
const ALONE: Strike[] = ['none', 'moment', 'moment', 'arrival'];
const STRIKES: Strike[] = [...ALONE, 'none', 'cut', 'cut', 'commit'];

interface Place {
  name: string;
  strikes: Strike[];
  open(): Promise<{ register: string; machine(own: Team): Promise<{ machine: Machine; between?: Between }> }>;
}

const PLACES: Place[] = [
  {
    name: 'a folder',
    strikes: ALONE,
    async open() {
      const register = join(temporaryFolder(), 'register');
      mkdirSync(register, { mode: 0o700 });
      return { register, machine: async (own) => ({ machine: own.machine(register) }) };
    },
  },
];
if (process.env.VAGENT_TEST_DATABASE) {
  PLACES.push({
    name: 'a database',
    strikes: STRIKES,
    async open() {
      const register = ownSchema();
      const machine = async (own: Team) => {
        const { between, url } = await Between.before(register);
        onTestFinished(() => between.close());
        return { machine: own.machine(url), between };
      };
      return { register, machine };
    },
  });
}

describe.each(PLACES)('machines at a register in $name', ({ strikes, open }) => {
  test(
    `are killed and cut off at any moment, and call nobody twice (seed ${SEED})`,
    async () => {
      const { register, machine } = await open();
      const own = await team(register);
      const chance = new Chance(SEED);
      const first = own.machine();
      writeFileSync(join(first.operator.home, 'p.csv'), csvOf(PLANNED));
      await first.does(...planOf('p.csv', '--calls-per-hour', '60', '--wave', '5m', '--max-attempts', '1'));
      const judge = new Judge(register, own);
      // Of each kind of list one comes for sure and one is refused, however slow the machine is that kills the others.
      await first.does('plan', 'run', '1', '--yes');
      await first.does(...listTo(first, peopleOf(ROUNDS), 'R'));
      const ends = new Set<number | null>([(await first.run(listTo(first, peopleOf(ROUNDS), 'R'))).code]);
      const victims = await Promise.all(Array.from({ length: MACHINES }, () => machine(own)));

      for (let round = 0; round < ROUNDS; round++) {
        own.service.engine.clock.now += 6 * MINUTE;
        const frozenAt = new Date(own.service.engine.clock.now).toISOString();
        const acts = victims.map(async ({ machine: one, between }, which) => {
          const { args, name } = commandOf(chance, one, round, `R${round}M${which}`);
          // In turn, so that each machine meets each of them.
          const strike = strikes[(round + which) % strikes.length] as Strike;
          const [at, when] = [chance.integer(1, MOST_PIECES), chance.pick(['before', 'after'] as const)];
          const moment = chance.integer(0, LASTS);
          if (between !== undefined)
            between.strike = strike === 'cut' ? { at, when } : strike === 'commit' ? { at: 'commit', when } : undefined;
          const killed = async () => {
            const child = one.operator.start(args, { frozenAt });
            child.stdin?.end();
            const kill = () => child.kill('SIGKILL');
            const timer = strike === 'moment' ? setTimeout(kill, moment) : undefined;
            if (strike === 'arrival') judge.atArrival.set(name, kill);
            return await finished(child).finally(() => clearTimeout(timer));
          };
          // What is only cut off needs no process of its own.
          const isAlive = between !== undefined && !ALONE.slice(1).includes(strike);
          const { code, stderr } = await (isAlive ? one.operator.run(args, { frozenAt, cwd }) : killed());
          if (between !== undefined) between.strike = undefined;
          ends.add(code);
          expect(CODES, `${strike}, ${args.join(' ')}: ${stderr}`).toContain(code);
        });
        await Promise.all(acts);
        expect(judge.faults).toEqual([]);
      }

      // Everything that came is there once, and what is said to have come has come.
      const requests = await requestsAt(register);
      const names = requests.map(nameOf);
      for (const name of judge.came.keys())
        expect(
          names.filter((one) => one === name),
          name,
        ).toHaveLength(1);
      for (const request of requests) {
        const has = judge.came.has(nameOf(request));
        if (request.outcome === 'accepted') expect(has, nameOf(request)).toBe(true);
        if (request.outcome === 'not_sent' || request.outcome === 'refused') expect(has, nameOf(request)).toBe(false);
      }
      expect(requests.map(({ entry }) => entry)).toEqual(requests.map((_one, at) => at + 1));
      // Some were done, some refused, some killed, and some cut off where that can be.
      expect([...ends]).toEqual(expect.arrayContaining([0, 2, null]));
      for (const { between } of victims) if (between !== undefined) expect(between.strikes).toBeGreaterThan(0);
      expect(judge.came.size).toBeGreaterThan(ROUNDS / 3);
      expect(new Set(judge.lists.map(([name]) => name.startsWith('R'))).size).toBe(2);

      // A machine that comes only now knows everybody who was called.
      const other = own.machine(register);
      const file = join(other.operator.home, 'c.csv');
      for (const [, people] of judge.lists) {
        writeFileSync(file, csvOf(people.slice(0, 1)));
        expect((await other.run(campaignOf('c.csv'))).code).toBe(2);
      }
      const plan = JSON.parse(await other.does('plan', 'status', '1', '--json'));
      const counts: number[] = Object.values(plan.states);
      expect([plan.contacts, counts.reduce((sum, count) => sum + count, 0)]).toEqual([PLANNED.length, PLANNED.length]);

      // And forgets them with nothing left of them.
      own.service.engine.clock.now += MINUTE;
      await other.does('plan', 'cancel', '1', '--yes');
      await other.does('plan', 'forget', '1', '--force', '--yes');
      await other.does('campaign', 'forget', '--keep-days', '0', '--force', '--yes');
      expect(await peopleIn(register)).toEqual([]);
      expect(judge.faults).toEqual([]);
    },
    LONGEST,
  );
});

/** Numbers as text in the files of a folder, or in any row of a database. */
async function peopleIn(register: string): Promise<string[]> {
  const PERSON = /141555(53|60)\d{3}/;
  if (!register.startsWith('postgres:')) {
    const files = readdirSync(register, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => PERSON.test(readFileSync(path, 'latin1')));
  }
  const rows = await rowsAt(register);
  const left = [
    'requests',
    'request_contacts',
    'redials',
    'redial_phones',
    'plans',
    'plan_people',
    'plan_states',
    'plan_events',
  ];
  const texts = await Promise.all(left.map((table) => rows.read((sql) => sql.all(`select * from ${table}`))));
  return texts
    .flat()
    .map((row) => JSON.stringify(row))
    .filter((text) => PERSON.test(text));
}

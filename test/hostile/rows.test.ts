/**
 * A colleague who may write to the register, and writes anything: whatever stands in a column, every command that reads it ends
 * with a sentence and never with a bug, and nothing on this machine is written but the register.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILE } from '../../src/register/open-rows.ts';
import { SCHEMA } from '../../src/register/schema.ts';
import { openEngine } from '../../src/storage/database/sqlite-rows.ts';
import { setUp } from '../support/calling-service.ts';
import { casesBeside, wordsIn } from '../support/cases.ts';
import { howMany, IS_FULL } from '../support/full-matrix.ts';
import { emptiedSchema } from '../support/postgres.ts';
import type { Operator } from '../support/program.ts';
import { sql } from '../support/sql.ts';
import { Chance } from '../support/worlds/chance.ts';

const SEED = Number(process.env.VAGENT_TEST_SEED ?? 20261122);
/** How often every column is changed, and how many commands meet each change. */
const ROUNDS = howMany(1, 10);
const MET_BY = howMany(2, 12);
const LONGEST = howMany(180_000, 3_600_000);

const ON = '--agent 3 --from +14155550100';
const PHRASES = {
  ON,
  CALL: `call +14155550123 ${ON} --first-line Hello.`,
  CREATE: `campaign create --name Spring ${ON} --yes --contacts`,
  PLAN: `plan create --name Waves ${ON} --window 00:00-24:00 --zone UTC --yes`,
};
const cases = casesBeside(import.meta.filename);
const wordsOf = (line: string) => wordsIn(line, PHRASES, {});

/** Everything that reads what is kept. */
const COMMANDS = cases<string>('commands').map(wordsOf);
/** Done, refused, not understood, not there, a file; and a plan that was halted, or must be chosen anew. */
const CODES = [0, 2, 3, 5, 9, 7, 11];

const NUMBERS = [-1, 0, 1, 2, 7, 1.5, 2 ** 31, 2 ** 53 - 1, -(2 ** 53), 8.64e15, 1e300];
/** Which JavaScript cannot hold. */
const HUGE = ['9223372036854775807', '-9223372036854775808', '9007199254740993'];
const TEXTS = ['', 'x'.repeat(70_000), ...cases<string>('texts')];
const JSONS = [null, true, -1, 1e300, 1.5, '', '../x', [], {}, [null], [[]], { length: 1e9 }, '2026-99-99', 9e15];

/** The same JSON with something else in one place of it. */
function reshaped(chance: Chance, text: string): string {
  const places: [Record<string, unknown>, string][] = [];
  const root = { it: JSON.parse(text) };
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key]);
      walk((value as Record<string, unknown>)[key]);
    }
  };
  walk(root);
  const [holder, key] = chance.pick(places);
  if (chance.happens(0.2)) delete holder[key];
  else holder[key] = chance.pick(JSONS);
  return JSON.stringify(root.it) ?? 'null';
}

/** A value as SQL has it. */
function anything(chance: Chance, now: unknown): string {
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const isJson = typeof now === 'string' && /^[[{]/.test(now);
  if (isJson && chance.happens(0.6)) return text(reshaped(chance, now));
  return chance.pick([
    () => 'null',
    () => String(chance.pick(NUMBERS)),
    () => chance.pick(HUGE),
    () => text(chance.pick(TEXTS)),
    () => text(chance.pick(TEXTS)),
    () => text(chance.pick(['NaN', 'Infinity', '-Infinity', '0x10'])),
    () => "'\\x00ff'",
  ])();
}

/** A register that can be changed by whoever has a right to write, and put back. */
interface Harmed {
  /** In VAGENT_REGISTER. */
  register: string;
  /** Once everything is written: what stands there is put back from then on. */
  keep(): Promise<void>;
  putBack(): Promise<void>;
  ask(text: string): Promise<Record<string, unknown>[]>;
  /** By which this engine tells a row. */
  row: string;
}

function inFile({ home }: Operator): Harmed {
  const [state, kept] = [join(home, '.local/state/vagent'), join(home, '..', `${home.split('/').at(-1)}-kept`)];
  const ask = async (text: string) => {
    const engine = openEngine(join(state, FILE));
    try {
      engine.exec('pragma foreign_keys = off');
      return engine.prepare(text).all() as Record<string, unknown>[];
    } finally {
      engine.close();
    }
  };
  return {
    register: '',
    row: 'rowid',
    async keep() {
      await ask('pragma wal_checkpoint(truncate)');
      cpSync(state, kept, { recursive: true });
    },
    async putBack() {
      rmSync(state, { recursive: true });
      cpSync(kept, state, { recursive: true });
    },
    ask,
  };
}

function inDatabase(register: string): Harmed {
  const tables = Object.keys(SCHEMA.tables);
  const copies = (from: string, to: string) =>
    tables
      .map((table) => `delete from ${to}${table}; insert into ${to}${table} select * from ${from}${table}`)
      .join('; ');
  const all = (text: string) => sql(register, `begin; set local session_replication_role = replica; ${text}; commit`);
  return {
    register,
    row: 'ctid',
    async keep() {
      await all(tables.map((table) => `create table kept_${table} as select * from ${table}`).join('; '));
    },
    putBack: async () => void (await all(copies('kept_', ''))),
    ask: (text) => sql(register, text),
  };
}

/** Every file outside of the register, with its content. */
function outside({ home }: Operator): Record<string, string> {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const own = files.filter((path) => !path.startsWith(join(home, '.local/state/vagent')));
  return Object.fromEntries(own.map((path) => [path, readFileSync(path, 'latin1')]));
}

const ENGINES: [name: string, harmed: (operator: Operator) => Promise<Harmed>][] = [
  ['SQLite', async (operator) => inFile(operator)],
];
if (process.env.VAGENT_TEST_DATABASE) {
  const place = emptiedSchema();
  ENGINES.push(['PostgreSQL', async () => inDatabase(await place())]);
}

describe.each(ENGINES)('rows in %s that somebody has changed', async (_name, of) => {
  const shop = await setUp();
  const { operator, next } = shop;

  test(
    `end no command with a bug, and name no file (seed ${SEED})`,
    async () => {
      const harmed = await of(operator);
      const env = { VAGENT_REGISTER: harmed.register, NO_COLOR: '1' };
      const run = (args: string[]) => operator.run(args, { env, cwd: operator.home });
      const does = async (line: string, code = 0) => {
        const outcome = await run(wordsOf(line));
        expect(outcome, `${line}: ${outcome.stderr}`).toMatchObject({ code });
      };
      mkdirSync(join(operator.home, 'kept'));
      const people = (...endings: number[]) =>
        `phone_number,name\n${endings.map((ending) => `+141555501${ending},Ann\n`).join('')}`;
      writeFileSync(join(operator.home, 'people.csv'), people(90, 91));
      writeFileSync(join(operator.home, 'others.csv'), people(92, 93, 94));
      await does('{CREATE} people.csv');
      await does('{CALL}');
      next.behaviour = 'fails';
      await does('{CREATE} others.csv', 8);
      await does('call +14155550177 {ON} --first-line Hello.', 8);
      next.behaviour = 'accepts';
      await does('campaign redial 9 --state no_result');
      await does('{PLAN} people.csv --again --min-gap 0s');
      await does('{PLAN} others.csv --again --force --min-gap 0s');
      await does('plan run 1');
      await harmed.ask("insert into opted_out values ('x', 14155550199, 7, 5)");
      await harmed.keep();
      const before = outside(operator);

      const columns = Object.entries(SCHEMA.tables).flatMap(([table, { columns }]) =>
        Object.keys(columns).map((column) => [table, column] as const),
      );
      const chance = new Chance(SEED);
      const faults: string[] = [];
      const met = { changes: 0, codes: new Map<number | null, number>() };
      for (let round = 0; round < ROUNDS; round++) {
        for (const [table, column] of chance.shuffled(columns)) {
          const [{ now } = { now: null }] = await harmed.ask(`select ${column} as now from ${table} limit 1`);
          const value = anything(chance, now);
          const one = `where ${harmed.row} = (select min(${harmed.row}) from ${table})`;
          const change = `update ${table} set ${column} = ${value} ${chance.happens(0.5) ? one : ''}`;
          try {
            await harmed.ask(change);
          } catch {
            // The engine does not take it.
            continue;
          }
          met.changes++;
          for (const args of chance.shuffled(COMMANDS).slice(0, MET_BY)) {
            const { code, stderr } = await run(args);
            met.codes.set(code, (met.codes.get(code) ?? 0) + 1);
            const [, sentence = ''] = /^vagent: (.*)$/m.exec(stderr) ?? [];
            // A plan that is halted, and what doctor finds, are no errors.
            const isTold =
              code === 0 || code === 11 || args[0] === 'doctor' || args.includes('--json') || sentence !== '';
            const isWell = CODES.includes(code as number) && isTold;
            // Nothing of it commands a terminal.
            const isQuiet = !/[^\P{Cc}\n\t]/u.test(stderr);
            if (!isWell || !isQuiet || /bug/.test(sentence)) {
              faults.push(`${change.slice(0, 200)}\n  vagent ${args.join(' ')}: ${code} ${stderr.slice(0, 900)}`);
            }
            rmSync(join(operator.home, 'copied'), { recursive: true, force: true });
          }
          await harmed.putBack();
        }
      }
      expect(faults.join('\n'), `${faults.length} faults`).toBe('');
      expect(outside(operator)).toEqual(before);
      expect(met.changes).toBeGreaterThan(columns.length / 3);
      if (IS_FULL) expect(met.codes.get(9)).toBeGreaterThan(met.changes / 3);
    },
    LONGEST,
  );
});

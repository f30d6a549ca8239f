/**
 * Every kind of transaction over a database, whose connection is cut or falls silent, or whose program is killed, at any piece
 * of what it says: the store is the old one or the new one, what was acknowledged is there, and an unknown commit is found out.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Between, type Strike, type When } from '../../support/between.ts';
import { CHANGES, type Change, requireWhole } from '../../support/changes.ts';
import { EPOCH } from '../../support/engine.ts';
import { everythingButIdsOf, problemsOf } from '../../support/everything-of.ts';
import { IS_FULL } from '../../support/full-matrix.ts';
import { describePostgres, emptiedSchema, ownSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';
import { finished, Operator } from '../../support/program.ts';

const SEED = Number(process.env.VAGENT_TEST_SEED ?? Date.now() % 1_000_000);
/** What is played in one go is one commit. */
const ONE_COMMIT = { dialsOfCommit: 10_000 };
/** Milliseconds: shorter than the program has them, so that less is waited for. */
const IMPATIENT = { silence: 2_000, connect: 10_000, gone: 600 };

const OF_CALL = ['--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
const OF_CAMPAIGN = ['--agent', '1', '--from', '+14155550100', '--contacts', 'contacts.csv'];

interface Place {
  /** The address of the database, and that of what stands before it. */
  direct: string;
  url: string;
  between: Between;
}

type Schema = () => string | Promise<string>;

const emptied = emptiedSchema();

/** In a schema of its own, which what makes the tables needs, or in one that is empty again. */
async function placeAfter({ before }: Change, schema: Schema = before === undefined ? ownSchema : emptied) {
  const direct = await schema();
  const { between, url } = await Between.before(direct);
  await before?.(postgresEngine({ ...ONE_COMMIT, url: direct }));
  return { direct, url, between };
}

const contentIn = ({ direct }: Place) => everythingButIdsOf(postgresEngine({ url: direct }));

/** What is there before and after `act`, and in how many pieces it is said. */
async function rehearsed(act: (place: Place) => Promise<unknown>, kind: Change, schema?: Schema) {
  const place = await placeAfter(kind, schema);
  const old = await contentIn(place);
  await act(place);
  const { pieces } = place.between;
  const fresh = await contentIn(place);
  expect(fresh).not.toBe(old);
  expect(pieces).toBeGreaterThan(5);
  place.between.close();
  return { old, fresh, pieces };
}

/** Of pieces from 1: before and after each; or the last and another one, which are others in each run. */
function strikesOn(pieces: number): { at: number; when: When }[] {
  const whens = ['before', 'after'] as const;
  if (IS_FULL)
    return Array.from({ length: 2 * pieces }, (_none, at) => ({ at: 1 + (at >> 1), when: whens[at % 2] as When }));
  return [1 + (SEED % (pieces - 1)), pieces].map((at, turn) => ({ at, when: whens[(turn + SEED) % 2] as When }));
}

let turn = SEED;
/** One of two in a usual run, by turns, and others in each run. */
function oneOf<T>(all: T[]): T[] {
  turn += 1;
  return IS_FULL ? all : all.slice(turn % 2, 1 + (turn % 2));
}

/** Every so many of a list in a usual run, others in each run: what takes longest. */
const some = <T>(all: readonly T[], every: number) => all.filter((_one, at) => IS_FULL || at % every === SEED % every);

/** What a change makes of a store is the same, whatever strikes it. */
const rehearsals = new Map<Change, ReturnType<typeof rehearsed>>();

interface Striking {
  instead: 'silence';
  limits: typeof IMPATIENT;
  schema: Schema;
}

/** Makes a change once with each strike on it, or with one of them. */
async function strike(kind: Change, { instead, limits, schema }: Partial<Striking> = {}): Promise<void> {
  const engineAt = (url: string) => postgresEngine({ ...ONE_COMMIT, url, ...(limits && { limits }) });
  const known = rehearsals.get(kind) ?? rehearsed(({ url }) => kind.change(engineAt(url)), kind, schema);
  rehearsals.set(kind, known);
  const { old, fresh, pieces } = await known;
  for (const { at, when } of oneOf(strikesOn(pieces))) {
    const place = await placeAfter(kind, schema);
    const engine = engineAt(place.url);
    place.between.strike = { at, when, ...(instead && { instead }) };
    const late = new Promise((resolve) => setTimeout(() => resolve(new Error('it waits for ever')), 60_000).unref());
    const ended = kind.change(engine).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    const error = await Promise.race([ended, late]);
    place.between.strike = undefined;
    const where = `seed ${SEED}, ${when} ${at} of ${pieces}: ${error}`;
    await requireWhole({ kind, engine, error, old, fresh, found: await contentIn(place) }, where);
    place.between.close();
  }
}

describePostgres('a transaction over a database', () => {
  test.each(Object.entries(CHANGES))('%s: the connection is cut at any piece', async (_name, kind) => {
    await strike(kind);
  });

  // Each waits for seconds: some side by side.
  const kinds = some(Object.values(CHANGES), 3);
  const groups = IS_FULL ? [0, 1].map((half) => kinds.filter((_kind, at) => at % 2 === half)) : [kinds];
  test.each(groups.map((group, at) => [at, group] as const))(
    'the network falls silent at any piece, in either direction, part %i',
    async (_at, group) => {
      const dropped: (() => Promise<void>)[] = [];
      const schema = () => ownSchema((drop) => dropped.push(drop));
      await Promise.all(group.map((kind) => strike(kind, { instead: 'silence', limits: IMPATIENT, schema })));
      for (const drop of dropped) await drop();
    },
  );

  const DIALS = 'an advance that dials and adds the first retries';
  const commands: [string, string, string[]][] = [
    ['call', 'a call after others', ['call', '+14155550190', ...OF_CALL]],
    ['campaign create', 'a new agent', ['campaign', 'create', '--name', 'Spring', ...OF_CAMPAIGN]],
    [
      'agent create',
      'a new agent',
      ['agent', 'create', '--name', 'Front desk', '--prompt', 'Be brief.', '--voice', '1'],
    ],
    ['local advance', DIALS, ['local', 'advance', '--until-idle']],
    ['local org add', 'another organization', ['local', 'org', 'add']],
    ['local reset', DIALS, ['local', 'reset', '--yes']],
  ];
  test.each(some(commands, 2))('the program is killed in the middle of %s', async (_name, prepared, args) => {
    const kind = CHANGES[prepared] as Change;
    const run = async (place: Place, strike?: Omit<Strike, 'instead'>) => {
      const operator = new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: new Date(EPOCH).toISOString() });
      writeFileSync(join(operator.home, 'contacts.csv'), 'phone_number\n+14155550190\n');
      const child = operator.start([...args, '--store', place.url]);
      child.stdin?.end();
      const ended = finished(child);
      place.between.strike = strike && { ...strike, instead: () => child.kill('SIGKILL') };
      return await ended;
    };
    const ends = async (place: Place) => expect(await run(place)).toMatchObject({ code: 0 });
    const { old, fresh, pieces } = await rehearsed(ends, kind);
    for (const { at, when } of oneOf(strikesOn(pieces))) {
      const place = await placeAfter(kind);
      const where = `seed ${SEED}, ${when} ${at} of ${pieces}`;
      expect(await run(place, { at, when }), where).toMatchObject({ signal: 'SIGKILL' });
      const found = await contentIn(place);
      expect([old, fresh], where).toContain(found);
      if (found === old) await ends(place);
      expect(await contentIn(place), where).toBe(fresh);
      expect(await problemsOf(postgresEngine({ url: place.direct })), where).toEqual([]);
      place.between.close();
    }
  });
});

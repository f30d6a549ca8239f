/**
 * Every kind of transaction over a database, whose connection is cut, or whose program is killed, at any piece of what it says: the
 * store is the old one or the new one, what was acknowledged is there, and an unknown commit is found out.
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

const OF_CALL = ['--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
const OF_CAMPAIGN = ['--agent', '1', '--from', '+14155550100', '--contacts', 'contacts.csv'];

interface Place {
  /** The address of the database, and that of what stands before it. */
  direct: string;
  url: string;
  between: Between;
}

const schema = emptiedSchema();

async function placeAfter({ before }: Change): Promise<Place> {
  // What makes the tables needs a schema of its own.
  const direct = before === undefined ? ownSchema() : await schema();
  const { between, url } = await Between.before(direct);
  await before?.(postgresEngine({ ...ONE_COMMIT, url: direct }));
  return { direct, url, between };
}

const contentIn = ({ direct }: Place) => everythingButIdsOf(postgresEngine({ url: direct }));

/** Of pieces from 1: before and after each; or the last and another one, which are others in each run. */
function strikesOn(pieces: number): { at: number; when: When }[] {
  if (!IS_FULL)
    return [1 + (SEED % (pieces - 1)), pieces].map((at, turn) => ({
      at,
      when: (turn + SEED) % 2 === 0 ? 'before' : 'after',
    }));
  return Array.from({ length: pieces }, (_none, at) => at + 1).flatMap((at) => [
    { at, when: 'before' as const },
    { at, when: 'after' as const },
  ]);
}

describePostgres(`over a database, at ${IS_FULL ? 'every piece' : 'two pieces'}`, () => {
  test.each(Object.entries(CHANGES))('%s', async (_name, kind) => {
    const rehearsed = await placeAfter(kind);
    const old = await contentIn(rehearsed);
    await kind.change(postgresEngine({ ...ONE_COMMIT, url: rehearsed.url }));
    const { pieces } = rehearsed.between;
    const fresh = await contentIn(rehearsed);
    expect(fresh).not.toBe(old);
    expect(pieces).toBeGreaterThan(5);
    rehearsed.between.close();

    for (const { at, when } of strikesOn(pieces)) {
      const place = await placeAfter(kind);
      const engine = postgresEngine({ ...ONE_COMMIT, url: place.url });
      place.between.strike = { at, when };
      const error = await kind.change(engine).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      place.between.strike = undefined;
      const where = `seed ${SEED}, ${when} ${at} of ${pieces}: ${error}`;
      const found = await contentIn(place);
      await requireWhole({ kind, engine, error, old, fresh, found }, where);
      place.between.close();
    }
  });

  let turn = SEED;
  const DIALS = 'an advance that dials and adds the first retries';
  test.each([
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
  ])('the program is killed in the middle of %s', async (_name, prepared, args) => {
    turn += 1;
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
    const rehearsed = await placeAfter(kind);
    const old = await contentIn(rehearsed);
    expect(await run(rehearsed)).toMatchObject({ code: 0 });
    const { pieces } = rehearsed.between;
    const fresh = await contentIn(rehearsed);
    expect(fresh).not.toBe(old);
    rehearsed.between.close();

    // A start of the program takes long: otherwise at one of the two.
    const strikes = strikesOn(pieces);
    for (const { at, when } of IS_FULL ? strikes : strikes.slice(turn % 2, 1 + (turn % 2))) {
      const place = await placeAfter(kind);
      const where = `seed ${SEED}, ${when} ${at} of ${pieces}`;
      expect(await run(place, { at, when }), where).toMatchObject({ signal: 'SIGKILL' });
      const found = await contentIn(place);
      expect([old, fresh], where).toContain(found);
      if (found === old) expect(await run(place), where).toMatchObject({ code: 0 });
      expect(await contentIn(place), where).toBe(fresh);
      expect(await problemsOf(postgresEngine({ url: place.direct })), where).toEqual([]);
      place.between.close();
    }
  });
});

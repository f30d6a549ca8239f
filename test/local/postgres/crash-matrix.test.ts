/**
 * Every kind of transaction over a database, whose connection is cut, or whose program is killed, at any piece of what it says: the
 * store is the old one or the new one, what was acknowledged is there, and an unknown commit is found out.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileError } from '../../../src/errors.ts';
import { Between, type Strike, type When } from '../../support/between.ts';
import { CHANGES, type Change } from '../../support/changes.ts';
import { EPOCH } from '../../support/engine.ts';
import { everythingButIdsOf, problemsOf } from '../../support/everything-of.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';
import { finished, Operator } from '../../support/program.ts';

/** `VAGENT_FULL_MATRIX=1` strikes before and after every piece. */
const IS_FULL = process.env.VAGENT_FULL_MATRIX === '1';
/** Otherwise at so many pieces, others in each run, of which the last is always one. */
const STRUCK = 3;
const KILLED = 2;
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

async function placeAfter({ before }: Change): Promise<Place> {
  const direct = ownSchema();
  const { between, url } = await Between.before(direct);
  await before?.(postgresEngine({ ...ONE_COMMIT, url: direct }));
  return { direct, url, between };
}

const contentIn = ({ direct }: Place) => everythingButIdsOf(postgresEngine({ url: direct }));

/** Of pieces from 1: all, or some in equal distances that end with the last, in turn before and after the database gets them. */
function strikesOn(pieces: number, most: number): { at: number; when: When }[] {
  const all = Array.from({ length: pieces }, (_none, at) => at + 1);
  if (IS_FULL)
    return all.flatMap((at) => [
      { at, when: 'before' as const },
      { at, when: 'after' as const },
    ]);
  const step = Math.ceil(pieces / most);
  return all
    .filter((at) => at === pieces || (at + SEED) % step === 0)
    .map((at, turn) => ({ at, when: (turn + SEED) % 2 === 0 ? 'before' : 'after' }));
}

describePostgres('over a database', () => {
  test.each(Object.entries(CHANGES))('%s', async (_name, kind) => {
    const rehearsed = await placeAfter(kind);
    const old = await contentIn(rehearsed);
    await kind.change(postgresEngine({ ...ONE_COMMIT, url: rehearsed.url }));
    const { pieces } = rehearsed.between;
    const fresh = await contentIn(rehearsed);
    expect(fresh).not.toBe(old);
    expect(pieces).toBeGreaterThan(5);
    rehearsed.between.close();

    for (const { at, when } of strikesOn(pieces, STRUCK)) {
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
      expect([old, fresh], where).toContain(found);
      expect(error === undefined || error instanceof FileError, where).toBe(true);
      if (error === undefined) expect(found, where).toBe(fresh);
      if (error instanceof FileError && /as it was/.test(error.hint ?? '')) expect(found, where).toBe(old);
      // Who met the fault goes on, as `vagent serve` does.
      if (found === old) await kind.change(engine);
      expect(await everythingButIdsOf(engine), where).toBe(fresh);
      expect(await problemsOf(engine), where).toEqual([]);
      place.between.close();
    }
  });

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

    for (const { at, when } of strikesOn(pieces, KILLED)) {
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

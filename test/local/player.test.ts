/** Programs that play what falls due let organizations take turns, and go on where one cannot be played. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { localCredentials } from '../../src/contract.ts';
import { Player } from '../../src/local/player.ts';
import { addOrganization, campaign } from '../support/changes.ts';
import { describePostgres } from '../support/postgres.ts';
import { type PostgresEngine, postgresEngine } from '../support/postgres-engine.ts';
import { sql } from '../support/sql.ts';

const DIALS_OF_COMMIT = 7;
const CONTACTS = DIALS_OF_COMMIT * 3;

/** Three organizations, of which the first has been late for longest and has most to do. */
async function late(): Promise<PostgresEngine> {
  const engine = postgresEngine({ dialsOfCommit: DIALS_OF_COMMIT });
  const ids = [1, await addOrganization(engine), await addOrganization(engine)];
  for (const organizationId of ids) {
    engine.clock.now += 1_000;
    const many = organizationId === 1 ? CONTACTS * 10 : CONTACTS;
    const numbers = Array.from({ length: many }, (_none, at) => `+1415555${1000 + at}`);
    const rules = { agent_id: organizationId, calls_per_hour: 3_600_000, retry_attempts: 0, retry_delay: 0 };
    await engine.backend(localCredentials(organizationId)).createCampaign(campaign(numbers, rules));
  }
  engine.clock.now += 3_600_000;
  return engine;
}

/** The player of another program, under way, with the organizations in the order in which it played them, and what it told. */
function playing({ url, clock }: PostgresEngine): { turns: number[]; told: string[] } {
  const engine = postgresEngine({ url, clock, dialsOfCommit: DIALS_OF_COMMIT });
  const turns: number[] = [];
  const told: string[] = [];
  const player = new Player({
    due: engine.database.due.bind(engine.database),
    timelineOf: (organizationId) => {
      turns.push(organizationId);
      return engine.timelineOf(organizationId);
    },
    systemNow: () => engine.clock.now,
    onFailure: (error) => told.push((error as Error).message),
  });
  player.start();
  onTestFinished(() => player.stop());
  return { turns, told };
}

async function completed({ url }: PostgresEngine): Promise<number[]> {
  const rows = await sql<{ id: string }>(
    url,
    `select organization_id as id from campaigns where status = 'completed' order by 1`,
  );
  return rows.map(({ id }) => Number(id));
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(20);
}

describePostgres('what falls due', () => {
  test('of one organization does not hold back that of others', async () => {
    const engine = await late();
    const { turns, told } = playing(engine);
    await until(async () => (await completed(engine)).length === 3);
    const rounds = [turns.slice(0, 3), turns.slice(3, 6), turns.slice(6, 9)].map((round) => round.sort());
    expect(rounds).toEqual(Array(3).fill([1, 2, 3]));
    expect(told).toEqual([]);
  });

  test('of an organization that is damaged is set aside, told once, and played when it can be', async () => {
    const engine = await late();
    await sql(engine.url, `update agents set status = 'broken' where organization_id = 2`);
    const { turns, told } = playing(engine);
    const tries = () => turns.filter((organizationId) => organizationId === 2).length;
    await until(async () => (await completed(engine)).length === 2);
    expect(await completed(engine)).toEqual([1, 3]);
    // It was not tried again as long as it was to be left alone.
    expect(tries()).toBe(1);
    await until(async () => {
      engine.clock.now += 10_000;
      return tries() > 3;
    });
    expect(told).toEqual([
      expect.stringMatching(
        /^What falls due of organization 2 waits, and is tried again: The store is damaged: agents/,
      ),
    ]);
    await sql(engine.url, `update agents set status = 'active' where organization_id = 2`);
    await until(async () => {
      engine.clock.now += 10_000;
      return (await completed(engine)).length === 3;
    });
    expect(told).toHaveLength(1);
  });
});

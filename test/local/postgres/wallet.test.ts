/** What a wallet holds is the sum of its movements, which an analyst reads as a table. */
import { expect, test } from 'vitest';
import { topUp } from '../../../src/engine/controls.ts';
import { initialState } from '../../../src/engine/state.ts';
import { checkAll } from '../../../src/local/organizations.ts';
import { CALL, service } from '../../support/changes.ts';
import { EPOCH } from '../../support/engine.ts';
import { describePostgres } from '../../support/postgres.ts';
import { type PostgresEngine, postgresEngine } from '../../support/postgres-engine.ts';
import { sql } from '../../support/sql.ts';

const movementsOf = ({ url }: PostgresEngine) =>
  sql<{ kind: string; amount: number; call_number: number | null; at: string }>(
    url,
    `select kind, amount::int, call_number::int, to_char(at at time zone 'UTC', 'HH24:MI') as at from wallet_movements
       where organization_id = 1 order by wallet_movements.at, call_number nulls first, amount`,
  );

describePostgres('the movements of a wallet', () => {
  test('are what it began with, each top-up, and what each call cost when it was placed', async () => {
    const engine = postgresEngine();
    const { timeline, clock } = engine;
    await service(engine).triggerCall(CALL);
    clock.now += 60_000;
    // They share a commit.
    await Promise.all([1, 2].map((amount) => timeline.change(({ state }) => topUp(state, amount * 1_000_000))));
    clock.now += 60_000;
    await timeline.change(({ state }) => {
      state.scenario.price_per_minute = 1;
    });
    await service(engine).triggerCall(CALL);
    clock.now += 60_000;
    await timeline.change(({ state }) => {
      state.organization.balance = 7;
    });
    const movements = await movementsOf(engine);
    const minutes = movements[1] === undefined ? 0 : movements[1].amount / -100_000;
    expect(movements).toEqual([
      { at: '09:00', kind: 'opening', amount: 100_000_000, call_number: null },
      { at: '09:00', kind: 'charge', amount: -minutes * 100_000, call_number: 1 },
      { at: '09:01', kind: 'top_up', amount: 1_000_000, call_number: null },
      { at: '09:01', kind: 'top_up', amount: 2_000_000, call_number: null },
      { at: '09:02', kind: 'charge', amount: movements[4]?.amount, call_number: 2 },
      { at: '09:03', kind: 'correction', amount: 7 - sumOf(movements.slice(0, 5)), call_number: null },
    ]);
    expect(minutes).toBeGreaterThan(0);
    expect([-1, -2, -3, -4]).toContain(movements[4]?.amount);
    await engine.store.reset(initialState({ seed: 1, now: EPOCH, empty: true }));
    expect(await movementsOf(engine)).toEqual([{ at: '09:00', kind: 'opening', amount: 0, call_number: null }]);
  });

  test('are missed where one was taken away', async () => {
    const engine = postgresEngine();
    await service(engine).triggerCall(CALL);
    const check = () => checkAll(engine.store, { signal: new AbortController().signal, onCall: () => {} });
    expect((await check()).problems).toEqual([]);
    await sql(engine.url, 'update calls set charge = charge + 1');
    expect((await check()).problems).toMatchObject([
      { message: 'has a wallet that holds another amount than its movements add up to' },
    ]);
  });
});

function sumOf(movements: readonly { amount: number }[]): number {
  return movements.reduce((sum, { amount }) => sum + amount, 0);
}

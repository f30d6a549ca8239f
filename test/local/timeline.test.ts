/** Time goes on while a command is carried out: what falls due meanwhile does not come into the log behind younger calls. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../src/contract.ts';
import { dayRange } from '../../src/engine/policy.ts';
import { initialState } from '../../src/engine/state.ts';
import { engineOver, type LocalEngine, openInFolder } from '../../src/local/open.ts';
import { PostgresStore } from '../../src/local/postgres/postgres-store.ts';
import { EPOCH } from '../support/engine.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { temporaryFolder } from '../support/program.ts';

/** A millisecond later whenever somebody looks. */
function restlessClock() {
  let now = EPOCH;
  return { systemNow: () => now++, signal: new AbortController().signal };
}

async function timesIn(engine: LocalEngine): Promise<number[]> {
  const service = engine.backend(LOCAL_CREDENTIALS);
  await service.createCampaign({
    ...{ campaign_name: 'Fast', agent_id: 1, call_from: '+14155550100', calls_per_hour: 3_600_000 },
    ...{ retry_attempts: 1, retry_delay: 0 },
    contacts: Array.from({ length: 300 }, (_none, at) => ({ phone_number: `+1415555${String(1000 + at)}` })),
  });
  for (let calls = 0; calls < 40; calls++) {
    await service.triggerCall({
      ...{ use_agent_id: 1, called_to: '+14155550190', call_from: '+14155550100' },
      ...{ custom_first_line: 'Hello', custom_identifiers: '' },
    });
    if (calls % 10 === 0) {
      await engine.timeline.move(
        (now) => now + 5,
        () => {},
      );
    }
  }
  const { calls } = await (await engine.timeline.stored()).callPage(
    { ...dayRange(undefined, undefined), agentId: undefined },
    1_000,
    0,
  );
  return calls.map(({ timestamp }) => Date.parse(timestamp)).reverse();
}

function staysInOrder(newEngine: () => LocalEngine): void {
  test('a clock that never stands still', async () => {
    const times = await timesIn(newEngine());
    expect(times.length).toBeGreaterThan(100);
    expect(times.filter((time, at) => time < (times[at - 1] ?? 0))).toEqual([]);
  });
}

describe('in a folder', () => {
  staysInOrder(() => openInFolder({ folder: join(temporaryFolder(), 'store'), command: 'test', ...restlessClock() }));
});

describePostgres('in a database', () => {
  staysInOrder(() => {
    const initial = () => initialState({ seed: 1, now: EPOCH, empty: false });
    return engineOver(new PostgresStore({ url: ownSchema(), initial, dialsOfCommit: 7 }), restlessClock());
  });
});

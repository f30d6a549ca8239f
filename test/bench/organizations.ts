/**
 * A call and a page of one organization among ten thousand, beside the same in a store with one, for either kind of store; and a check
 * of all of them.
 */

import { localCredentials } from '../../src/contract.ts';
import { initialState } from '../../src/engine/state.ts';
import { JsonStore } from '../../src/local/json/json-store.ts';
import { engineOver, type LocalEngine } from '../../src/local/open.ts';
import { PostgresStore } from '../../src/local/postgres/postgres-store.ts';
import type { Store } from '../../src/local/store.ts';
import { systemFiles } from '../../src/storage/files/file-system.ts';
import { dropSchema } from '../support/sql.ts';
import { median } from './measure.ts';
import { BIN, Workplace } from './workplace.ts';

const ADDRESS = process.env.VAGENT_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test';
const ORGANIZATIONS = Number(process.env.VAGENT_BENCH_ORGANIZATIONS ?? 10_000);
const CALLS = Number(process.env.VAGENT_BENCH_CONTACTS ?? 1_000_000);
const EPOCH = Date.parse('2026-11-20T09:00:00Z');
const ROUNDS = 60;

const place = new Workplace();
const schemas: string[] = [];
/** What is made quickly need not outlast a power cut. */
const hasty = { ...systemFiles, fsyncSync: () => {} };

const inFolder = (name: string, fs = systemFiles): Store =>
  new JsonStore({
    ...{ fs, folder: place.path(name), initial: first, timeoutMs: 10_000, command: 'bench' },
  });
const schemaOf = (name: string) => `bench_org_${process.pid}_${name}`;
const inDatabase = (name: string): Store => {
  const schema = schemaOf(name);
  if (!schemas.includes(schema)) schemas.push(schema);
  return new PostgresStore({ url: addressOf(schema), initial: first });
};
const addressOf = (schema: string) => {
  const address = new URL(ADDRESS);
  address.searchParams.set('schema', schema);
  return address.href;
};
const first = () => initialState({ seed: 1, now: EPOCH, empty: false });

function engineOf(store: Store): LocalEngine {
  return engineOver(store, { systemNow: () => EPOCH, signal: new AbortController().signal });
}

async function fill(engine: LocalEngine): Promise<void> {
  const { store } = engine;
  for (let made = 1; made < ORGANIZATIONS; made++) {
    await store.add((organizationId, demoAgentId) =>
      initialState({ seed: 1, now: EPOCH, empty: false, organizationId, demoAgentId }),
    );
  }
  const timeline = await engine.timelineOf(2);
  await timeline?.change(({ state }) => {
    state.organization.balance = 1_000_000_000_000;
  });
  await engine.backend(localCredentials(2)).createCampaign({
    ...{ campaign_name: 'Bench', agent_id: 2, call_from: '+14155550100', calls_per_hour: 3_600_000, retry_attempts: 0 },
    contacts: Array.from({ length: CALLS }, (_none, at) => ({
      phone_number: `+1415${String(5_560_000 + at).padStart(7, '0')}`,
    })),
  });
  await timeline?.move(
    () => 'idle',
    () => {},
  );
}

/** Milliseconds of a call, and of a page of its log, for each of two engines in turn. */
async function compare(what: string, empty: LocalEngine, full: LocalEngine): Promise<void> {
  const among = Math.max(2, Math.floor(ORGANIZATIONS / 2));
  const sides = [
    { engine: empty, organizationId: 1, calls: [] as number[], pages: [] as number[] },
    { engine: full, organizationId: among, calls: [] as number[], pages: [] as number[] },
  ];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { engine, organizationId, calls, pages } of sides) {
      const service = engine.backend(localCredentials(organizationId));
      const began = performance.now();
      await service.triggerCall({
        ...{ use_agent_id: organizationId, called_to: '+14155550190', call_from: '+14155550100' },
        ...{ custom_first_line: 'Hello.', custom_identifiers: '' },
      });
      const placed = performance.now();
      await service.getCallLogs({ limit: 20 });
      if (round > 5) {
        calls.push(placed - began);
        pages.push(performance.now() - placed);
      }
    }
  }
  const ratio = (of: 'calls' | 'pages') => median(sides[1]?.[of] ?? []) / median(sides[0]?.[of] ?? []);
  process.stdout.write(
    `${what}: a call ${median(sides[1]?.calls ?? []).toFixed(2)} ms, ${ratio('calls').toFixed(2)}× of a store with one organization (at most 1.3); ` +
      `a page ${median(sides[1]?.pages ?? []).toFixed(2)} ms, ${ratio('pages').toFixed(2)}× (at most 1.3)\n`,
  );
}

/** Time and memory of the program that checks a store. */
function check(what: string, store: string): void {
  const { milliseconds, megabytes } = place.node([BIN, 'local', 'check', '--store', store, '--json']);
  process.stdout.write(
    `${what}: a check of all ${(milliseconds / 1000).toFixed(1)} s, ${megabytes.toFixed(0)} MB (at most 250)\n`,
  );
}

try {
  process.stdout.write(`${ORGANIZATIONS} organizations, ${CALLS} calls\n`);
  await fill(engineOf(inFolder('full', hasty as typeof systemFiles)));
  await compare('a folder', engineOf(inFolder('empty')), engineOf(inFolder('full')));
  check('a folder', place.path('full'));
  await fill(engineOf(inDatabase('full')));
  await compare('a database', engineOf(inDatabase('empty')), engineOf(inDatabase('full')));
  check('a database', addressOf(schemaOf('full')));
} finally {
  for (const schema of schemas) await dropSchema(ADDRESS, schema);
  place.remove();
}

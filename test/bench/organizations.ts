/**
 * A call and a page of one organization among ten thousand, beside the same in a store with one, for either kind of store; and
 * a check of all of them.
 */

import { localCredentials } from '../../src/contract.ts';
import { initialState } from '../../src/engine/state.ts';
import { JsonStore } from '../../src/local/json/json-store.ts';
import { engineOver, type LocalEngine } from '../../src/local/open.ts';
import { PostgresStore } from '../../src/local/postgres/postgres-store.ts';
import type { Store } from '../../src/local/store.ts';
import { systemFiles } from '../../src/storage/files/file-system.ts';
import { BIN, CONTACTS, measureIn, median, phoneAt, print, say, sizeOf } from './workplace.ts';

const ORGANIZATIONS = sizeOf('ORGANIZATIONS', 10_000);
const EPOCH = Date.parse('2026-11-20T09:00:00Z');
const ROUNDS = 60;
/** Rounds before those that count. */
const WARMING = 5;
const state = { seed: 1, now: EPOCH, empty: false };
const initial = () => initialState(state);

const engineOf = (store: Store) => engineOver(store, { systemNow: () => EPOCH, signal: new AbortController().signal });

async function fill({ store, timelineOf, backend }: LocalEngine): Promise<void> {
  for (let made = 1; made < ORGANIZATIONS; made++) {
    await store.add((organizationId, demoAgentId) => initialState({ ...state, organizationId, demoAgentId }));
  }
  const timeline = await timelineOf(2);
  await timeline?.change(({ state }) => {
    state.organization.balance = 1_000_000_000_000;
  });
  await backend(localCredentials(2)).createCampaign({
    ...{ campaign_name: 'Bench', agent_id: 2, call_from: '+14155550100', calls_per_hour: 3_600_000, retry_attempts: 0 },
    contacts: Array.from({ length: CONTACTS }, (_none, at) => ({ phone_number: phoneAt(at) })),
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
  ] as const;
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
      if (round <= WARMING) continue;
      calls.push(placed - began);
      pages.push(performance.now() - placed);
    }
  }
  for (const [name, of] of [
    ['a call', 'calls'],
    ['a page', 'pages'],
  ] as const) {
    const [least, time] = [median(sides[0][of]), median(sides[1][of])];
    const ratio = (time / least).toFixed(2);
    say(`${what}: ${name} ${time.toFixed(2)} ms, ${ratio}× of a store with one organization (at most 1.3)`);
  }
}

await measureIn(async (place) => {
  say(`${ORGANIZATIONS} organizations, ${CONTACTS} calls`);
  const check = (store: string) => [place.node([BIN, 'local', 'check', '--store', store, '--json'])];
  const inFolder = (name: string, fs = systemFiles) =>
    new JsonStore({ fs, folder: place.path(name), initial, timeoutMs: 10_000, command: 'bench' });
  // What is made quickly need not outlast a power cut.
  await fill(engineOf(inFolder('full', { ...systemFiles, fsyncSync: () => {} } as typeof systemFiles)));
  await compare('a folder', engineOf(inFolder('empty')), engineOf(inFolder('full')));
  const [full, empty] = [place.database('org_full').url, place.database('org_empty').url];
  const inDatabase = (url: string) => engineOf(new PostgresStore({ url, initial }));
  await fill(inDatabase(full));
  await compare('a database', inDatabase(empty), inDatabase(full));
  print('a check of all (at most 250 MB)', { 'a folder': check(place.path('full')), 'a database': check(full) });
});

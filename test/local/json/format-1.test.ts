/** Stores that vagent wrote before it knew several organizations, in format 1: kept in `fixtures/`, made by that program. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EVERY_CALL } from '../../../src/engine/handlers.ts';
import { openInFolder } from '../../../src/local/open.ts';
import { checkAll } from '../../../src/local/organizations.ts';
import { advance, CALL, campaign, service } from '../../support/changes.ts';
import { EPOCH } from '../../support/engine.ts';
import { temporaryFolder } from '../../support/program.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/store-format-1');
/** What the program of then made of the same store by `live`, newest first. */
const CONTINUED = readFileSync(join(FIXTURE, 'continued.jsonl'), 'utf8');

const campaignTo = (campaign_name: string, from: number, size: number) => {
  const numbers = Array.from({ length: size }, (_none, at) => `+1415555${String(from + at).padStart(4, '0')}`);
  return campaign(numbers, { campaign_name, calls_per_hour: 60, retry_attempts: 2, retry_delay: 600 });
};

function engineIn(folder: string) {
  return openInFolder({
    folder,
    seed: 3,
    command: 'test',
    systemNow: () => EPOCH,
    signal: new AbortController().signal,
  });
}

type Engine = ReturnType<typeof engineIn>;

function copied(): string {
  const folder = join(temporaryFolder(), 'store');
  cpSync(join(FIXTURE, 'store'), folder, { recursive: true });
  return folder;
}

interface Root {
  state: { organization: object; campaigns: object[] };
}

const rootOf = (folder: string) => readFileSync(join(folder, 'store.json'), 'utf8');

async function live(engine: Engine): Promise<void> {
  const { triggerCall, createAgent, createCampaign } = service(engine);
  await triggerCall({ ...CALL, called_to: '+14155550123', custom_first_line: 'Hello' });
  await createAgent({ agent_name: 'Second', base_prompt: 'Be brief.', voice_id: 2, language: 'en' });
  await createCampaign(campaignTo('One', 1000, 4));
  await advance(engine, 'idle');
  await createCampaign(campaignTo('Two', 2000, 9));
  await advance(engine, 5 * 60_000);
}

describe('a store of format 1', () => {
  test('is read as it is, and written by nobody who only reads', async () => {
    const folder = copied();
    const before = rootOf(folder);
    const engine = engineIn(folder);
    const { state, callPage } = await engine.timeline.stored();
    expect(state.campaigns.map(({ campaign_id, campaign_number }) => [campaign_id, campaign_number])).toEqual([
      [3, 1],
      [4, 2],
    ]);
    expect(state).toMatchObject({ next_campaign_id: 5, next_campaign_number: 3, organization: { demo_agent_id: 1 } });
    expect((await callPage(EVERY_CALL, 1_000, 0)).total).toBe(state.next_call_number - 1 - state.calls_before_reset);
    expect(await engine.store.glance(1)).toBe('sound');
    expect(await checkAll(engine.store, { signal: new AbortController().signal, onCall: () => {} })).toMatchObject({
      problemCount: 0,
      leftovers: [],
    });
    expect(rootOf(folder)).toBe(before);
  });

  test.each<[string, (root: Root) => void]>([
    ['state', (root) => Object.assign(root, { state: null })],
    ['state.seed', ({ state }) => Object.assign(state, { seed: 'x' })],
    ['state.organization', ({ state }) => Object.assign(state, { organization: 'x' })],
    ['state.organization.balance', ({ state }) => Object.assign(state.organization, { balance: 'x' })],
    ['state.campaigns', ({ state }) => Object.assign(state, { campaigns: {} })],
    ['state.campaigns.1.campaign_id', ({ state }) => Object.assign(state.campaigns[1] ?? {}, { campaign_id: 'x' })],
    ['state.next_campaign_id', ({ state }) => Object.assign(state, { next_campaign_id: -1 })],
    ['state.given_before_reset', ({ state }) => Object.assign(state, { given_before_reset: 7 })],
    ['state.given_before_reset.calls', ({ state }) => Object.assign(state, { given_before_reset: { campaigns: 2 } })],
    ['segments', (root) => Object.assign(root, { segments: undefined })],
  ])('of which %s is damaged is said to be damaged there', async (field, damage) => {
    const folder = copied();
    const root = JSON.parse(rootOf(folder)) as Root;
    damage(root);
    writeFileSync(join(folder, 'store.json'), JSON.stringify(root));
    await expect(engineIn(folder).timeline.stored()).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(`is not a store of vagent's: ${field}: Invalid input`),
    });
  });

  test('goes on as it would have under the program that made it', async () => {
    const folder = copied();
    const engine = engineIn(folder);
    await live(engine);
    await advance(engine, 'idle');
    const { calls } = await (await engine.timeline.stored()).callPage(EVERY_CALL, 1_000, 0);
    expect(calls.map((call) => `${JSON.stringify(call)}\n`).join('')).toBe(CONTINUED);
    expect(JSON.parse(rootOf(folder))).toMatchObject({ format: 2 });
  });

  test('gets another organization by its first writer', async () => {
    const folder = copied();
    const { store, timeline } = engineIn(folder);
    const { state } = await timeline.stored();
    const added = await store.add((organizationId, demoAgentId) => ({
      ...state,
      ...{ agents: [], campaigns: [], calls_before_reset: 0, next_call_number: 1, next_campaign_number: 1 },
      organization: { ...state.organization, organization_id: organizationId, demo_agent_id: demoAgentId },
    }));
    expect(added).toBe(2);
    expect((await store.snapshot(2))?.state.organization.demo_agent_id).toBe(4);
    expect(JSON.parse(rootOf(folder))).toMatchObject({ format: 2 });
  });
});

/** How campaigns run on the local engine: the rules of pacing, retries, wallet and time, on a clock that obeys. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RequestOf } from '../../src/contract.ts';
import { setAgentStatus } from '../../src/engine/controls.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { CREDENTIALS } from '../conformance.ts';
import { EPOCH, testEngine } from '../support/engine.ts';
import { everythingOf } from '../support/everything-of.ts';
import { describePostgres } from '../support/postgres.ts';
import { postgresEngine } from '../support/postgres-engine.ts';
import fc from '../support/properties.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function campaign(contacts: string[], rules: Partial<RequestOf<'createCampaign'>> = {}): RequestOf<'createCampaign'> {
  return {
    campaign_name: 'Test',
    agent_id: 1,
    call_from: '+14155550100',
    contacts: contacts.map((phone_number) => ({ phone_number })),
    ...rules,
  };
}

/** Every call so far, oldest first, as [minutes since the start, last three digits, status]. */
async function history({ backend }: LocalEngine): Promise<[number, string, string][]> {
  const { calls } = await backend(CREDENTIALS).getCallLogs({ limit: 1000 });
  return calls
    .reverse()
    .map(({ timestamp, called_to, call_status }) => [
      (Date.parse(String(timestamp)) - EPOCH) / MINUTE,
      String(called_to).slice(-3),
      String(call_status),
    ]);
}

function advance({ timeline }: LocalEngine, milliseconds: number) {
  return timeline.move(
    (now) => now + milliseconds,
    () => {},
  );
}

async function campaignOf({ timeline }: LocalEngine, id = 1) {
  const { snapshot } = await timeline.read();
  return snapshot.state.campaigns.find(({ campaign_id }) => campaign_id === id);
}

type NewEngine = (options?: { seed?: number }) => LocalEngine & { clock: { now: number } };

function runsCampaigns(newEngine: NewEngine): void {
  describe('pacing and retries', () => {
    test('dials are evenly spaced, the first at the start, retries after their delay', async () => {
      const engine = newEngine();
      await engine.backend(CREDENTIALS).createCampaign(
        campaign(['+14155550190', '+14155550191', '+14155550194'], {
          calls_per_hour: 30,
          retry_attempts: 1,
          retry_delay: 600,
        }),
      );
      await advance(engine, HOUR);
      expect(await history(engine)).toEqual([
        [0, '190', 'completed'],
        [2, '191', 'busy'],
        [4, '194', 'busy'],
        [12, '191', 'busy'],
        [14, '194', 'completed'],
      ]);
      expect(await campaignOf(engine)).toMatchObject({ status: 'completed', reached: 2, exhausted: 1, attempts: 5 });
    });

    test('a due retry goes before a new contact, and counts against the pace', async () => {
      const engine = newEngine();
      const contacts = ['+14155550191', '+14155550190', '+14155550190', '+14155550190'];
      await engine
        .backend(CREDENTIALS)
        .createCampaign(campaign(contacts, { calls_per_hour: 60, retry_attempts: 1, retry_delay: 120 }));
      await advance(engine, HOUR);
      expect((await history(engine)).map(([minute, number]) => [minute, number])).toEqual([
        [0, '191'],
        [1, '190'],
        [2, '191'],
        [3, '190'],
        [4, '190'],
      ]);
    });

    test('a scheduled campaign starts at its time', async () => {
      const engine = newEngine();
      const start_time = new Date(EPOCH + 2 * HOUR).toISOString();
      await engine.backend(CREDENTIALS).createCampaign(campaign(['+14155550190'], { start_time }));
      await advance(engine, HOUR);
      expect(await campaignOf(engine)).toMatchObject({ status: 'scheduled', attempts: 0 });
      await advance(engine, HOUR);
      expect(await history(engine)).toEqual([[120, '190', 'completed']]);
    });

    test('time that passes by itself plays the campaign before the next answer', async () => {
      const engine = newEngine();
      await engine
        .backend(CREDENTIALS)
        .createCampaign(campaign(['+14155550190', '+14155550190'], { calls_per_hour: 60 }));
      engine.clock.now += 5 * MINUTE;
      expect((await history(engine)).map(([minute]) => minute)).toEqual([0, 1]);
    });

    test('the clock never goes back, whatever the system does', async () => {
      const engine = newEngine();
      const service = engine.backend(CREDENTIALS);
      const call = { use_agent_id: 1, call_from: '+14155550100', custom_first_line: 'Hi.', custom_identifiers: '' };
      await service.triggerCall({ ...call, called_to: '+14155550190' });
      engine.clock.now -= HOUR;
      await service.triggerCall({ ...call, called_to: '+14155550191' });
      expect((await history(engine)).map(([minute]) => minute)).toEqual([0, 0]);
    });
  });

  describe('pauses', () => {
    test('an empty wallet pauses the campaign before the dial', async () => {
      const engine = newEngine();
      await engine.timeline.change(({ state }) => {
        state.organization.balance = 250_000;
      });
      await engine
        .backend(CREDENTIALS)
        .createCampaign(campaign(['+14155550190', '+14155550190'], { calls_per_hour: 60 }));
      await advance(engine, HOUR);
      expect(await campaignOf(engine)).toMatchObject({ status: 'paused', reason: 'insufficient_balance', attempts: 1 });
    });

    test('an agent that stops being active pauses its campaigns, and no others', async () => {
      const engine = newEngine();
      const service = engine.backend(CREDENTIALS);
      await service.createAgent({ agent_name: 'Other', base_prompt: 'Be brief.', voice_id: 1 });
      await service.createCampaign(campaign(['+14155550190', '+14155550190']));
      await service.createCampaign({ ...campaign(['+14155550190', '+14155550190']), agent_id: 2 });
      await engine.timeline.change(({ state }, now) => setAgentStatus(state, 1, 'paused', now));
      expect(await campaignOf(engine, 1)).toMatchObject({ status: 'paused', reason: 'agent_not_active' });
      expect(await campaignOf(engine, 2)).toMatchObject({ status: 'running', reason: null });
    });
  });

  test('however the time is cut, and whenever it is played, the same comes of it', async () => {
    const whole = newEngine({ seed: 7 });
    await begin(whole);
    await advance(whole, 6 * HOUR);
    const slices = fc.array(fc.integer({ min: 0, max: 3 * HOUR }), { maxLength: 5 });
    const each = fc.asyncProperty(slices, async (parts) => {
      const cut = newEngine({ seed: 7 });
      await begin(cut);
      let rest = 6 * HOUR;
      for (const part of [...parts, 6 * HOUR]) {
        await advance(cut, Math.min(part, rest));
        rest -= Math.min(part, rest);
      }
      expect(await everythingOf(cut)).toBe(await everythingOf(whole));
    });
    await fc.assert(each, { numRuns: 8 });
  });
}

/** A campaign that is not over for hours. */
async function begin({ backend }: LocalEngine): Promise<void> {
  const numbers = Array.from({ length: 50 }, (_, at) => `+1415555${String(2000 + at)}`);
  const rules = { calls_per_hour: 40, retry_attempts: 3, retry_delay: 1800 };
  await backend(CREDENTIALS).createCampaign(campaign(numbers, rules));
}

describe('in a folder', () => runsCampaigns(testEngine));
describePostgres('in a database', () => runsCampaigns(postgresEngine));

describe('repeatability', () => {
  /** Every file of the store but the lock, with its bytes. */
  function bytesOf(folder: string): Record<string, string> {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => !path.endsWith('/lock'));
    return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')]));
  }

  async function played(slices: number[]): Promise<Record<string, string>> {
    const engine = testEngine({ seed: 7 });
    await begin(engine);
    for (const slice of slices) await advance(engine, slice);
    return bytesOf(engine.folder);
  }

  test('advancing at once or in slices leaves the same bytes', async () => {
    const whole = await played([6 * HOUR]);
    expect(Object.keys(whole)).toContain('/store.json');
    expect(await played([HOUR, HOUR, HOUR, HOUR, HOUR, HOUR])).toEqual(whole);
    expect(await played([1, 5 * HOUR, 17 * MINUTE, 43 * MINUTE - 1])).toEqual(whole);
  });
});

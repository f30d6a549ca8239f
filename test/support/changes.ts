/**
 * Every kind of transaction of the local engine, for the tests that make it fail at each of its steps, in a folder and in a
 * database.
 */
import { expect } from 'vitest';
import type { RequestOf } from '../../src/contract.ts';
import { setAgentStatus, topUp } from '../../src/engine/controls.ts';
import { initialState } from '../../src/engine/state.ts';
import { FileError } from '../../src/errors.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { CREDENTIALS } from '../conformance.ts';
import { EPOCH } from './engine.ts';
import { everythingButIdsOf, problemsOf } from './everything-of.ts';
import { SEGMENT } from './faulty-files.ts';

export const ANSWERS = '+14155550190';
export const NEVER_ANSWERS = '+14155550192';
export const ANSWERS_THE_SECOND_TIME = '+14155550194';

export const CALL: RequestOf<'triggerCall'> = {
  use_agent_id: 1,
  called_to: ANSWERS,
  call_from: '+14155550100',
  custom_first_line: 'Hello, this is Ava.',
  custom_identifiers: '',
};
export const AGENT: RequestOf<'createAgent'> = { agent_name: 'Front desk', base_prompt: 'Be brief.', voice_id: 2 };

export function campaign(
  numbers: string[],
  rules: Partial<RequestOf<'createCampaign'>> = {},
): RequestOf<'createCampaign'> {
  const contacts = numbers.map((phone_number) => ({ phone_number }));
  return { campaign_name: 'Spring', agent_id: 1, call_from: '+14155550100', contacts, ...rules };
}

export const RETRYING = { calls_per_hour: 3600, retry_attempts: 1, retry_delay: 2 };
export const RETRIED = [ANSWERS_THE_SECOND_TIME, NEVER_ANSWERS, ANSWERS, ANSWERS_THE_SECOND_TIME, ANSWERS, ANSWERS];

export const service = ({ backend }: LocalEngine) => backend(CREDENTIALS);
export const advance = ({ timeline }: LocalEngine, by: number | 'idle') =>
  timeline.move(
    (now) => (by === 'idle' ? by : now + by),
    () => {},
  );

export const addOrganization = ({ store }: LocalEngine) =>
  store.add((organizationId, demoAgentId) =>
    initialState({ seed: 1, now: EPOCH, empty: false, organizationId, demoAgentId }),
  );

export interface Change {
  /** What the store has lived through before; nothing where there is no store yet. */
  before?: (engine: LocalEngine) => Promise<unknown>;
  change: (engine: LocalEngine) => Promise<unknown>;
}

const calls = (engine: LocalEngine) => service(engine).triggerCall(CALL);
const launches = (engine: LocalEngine, numbers = RETRIED, rules: Parameters<typeof campaign>[1] = RETRYING) =>
  service(engine).createCampaign(campaign(numbers, rules));
const makesAgent = (engine: LocalEngine) => service(engine).createAgent(AGENT);
const resets = ({ store }: LocalEngine, empty: boolean) => store.reset(initialState({ seed: 7, now: EPOCH, empty }));
/** A campaign that has dialled for so many milliseconds. */
const dialling = (ms: number) => async (engine: LocalEngine) => {
  await launches(engine);
  await advance(engine, ms);
};

export const CHANGES: Record<string, Change> = {
  'the creation of a store by its first call': { change: calls },
  'the creation of a store by a reset': { change: (engine) => resets(engine, true) },
  'a call on an empty store': { before: ({ timeline }) => timeline.change(() => {}), change: calls },
  'a call after others': {
    before: async (engine) => {
      await calls(engine);
      await service(engine).triggerCall({ ...CALL, called_to: NEVER_ANSWERS });
    },
    change: calls,
  },
  'three calls and an agent in one commit, and a request that is refused': {
    before: calls,
    change: (engine) => {
      const refused = service(engine)
        .createAgent({ ...AGENT, voice_id: 999 })
        .catch((error: { status?: number }) => {
          if (error.status !== 404) throw error;
        });
      return Promise.all([...[1, 2, 3].map(() => calls(engine)), refused, makesAgent(engine)]);
    },
  },
  'another organization': { before: calls, change: addOrganization },
  'a third organization': { before: addOrganization, change: addOrganization },
  'an agent where there are two organizations': { before: addOrganization, change: makesAgent },
  'the first campaign': { before: calls, change: (engine) => launches(engine) },
  'another campaign while one dials': {
    before: async (engine) => {
      await dialling(3000)(engine);
      await launches(engine, [ANSWERS_THE_SECOND_TIME]);
    },
    change: (engine) => launches(engine),
  },
  'a new agent': { before: calls, change: makesAgent },
  'a top-up': { before: calls, change: ({ timeline }) => timeline.change(({ state }) => topUp(state, 5_000_000)) },
  'an agent that is paused, and its campaign with it': {
    before: dialling(3000),
    change: ({ timeline }) => timeline.change(({ state }, now) => setAgentStatus(state, 1, 'paused', now)),
  },
  'an advance that dials and adds the first retries': {
    before: (engine) => launches(engine),
    change: (engine) => advance(engine, 1000),
  },
  'an advance that dials, takes retries and adds more': {
    before: dialling(1000),
    change: (engine) => advance(engine, 5000),
  },
  'an advance that dials and retries across the end of a segment': {
    before: async (engine) => {
      const longAgo = Array.from({ length: SEGMENT - 30 }, () => NEVER_ANSWERS);
      await launches(engine, longAgo, { calls_per_hour: 3_600_000, retry_attempts: 0 });
      await advance(engine, 'idle');
      const numbers = Array.from({ length: 60 }, (_none, at) => RETRIED[at % RETRIED.length] as string);
      await launches(engine, numbers, { calls_per_hour: 3_600_000, retry_attempts: 1, retry_delay: 1 });
    },
    change: (engine) => advance(engine, 1020),
  },
  'a look at the log when a dial is due': {
    before: (engine) => launches(engine),
    change: (engine) => service(engine).getCallLogs({}),
  },
  'an advance to the end of a campaign': { before: dialling(3000), change: (engine) => advance(engine, 'idle') },
  'a reset': {
    before: async (engine) => {
      await dialling(3000)(engine);
      await makesAgent(engine);
    },
    change: (engine) => resets(engine, false),
  },
};

/** What a change that something struck has left behind. */
export interface Struck {
  kind: Change;
  /** That met it, and goes on, as `vagent serve` does. */
  engine: LocalEngine;
  /** Undefined if the change was acknowledged. */
  error: unknown;
  /** The store before the change, after it, and as it is now. */
  old: string;
  fresh: string;
  found: string;
}

/** It is the old store or the new one, what was said of it is true, and it goes on. `where`: what struck, for messages. */
export async function requireWhole({ kind, engine, error, old, fresh, found }: Struck, where: string): Promise<void> {
  expect([old, fresh], where).toContain(found);
  expect(error === undefined || error instanceof FileError, where).toBe(true);
  if (error === undefined) expect(found, where).toBe(fresh);
  if (error instanceof FileError && /as it was/.test(error.hint ?? '')) expect(found, where).toBe(old);
  if (found === old) await kind.change(engine);
  expect(await everythingButIdsOf(engine), where).toBe(fresh);
  expect(await problemsOf(engine), where).toEqual([]);
}

/** Every kind of transaction of the local engine, for the tests that make it fail at each of its steps, in a folder and in a database. */
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

const addOrganization = ({ store }: LocalEngine) =>
  store.add((organizationId, demoAgentId) =>
    initialState({ seed: 1, now: EPOCH, empty: false, organizationId, demoAgentId }),
  );

export interface Change {
  /** What the store has lived through before; nothing where there is no store yet. */
  before?: (engine: LocalEngine) => Promise<unknown>;
  change: (engine: LocalEngine) => Promise<unknown>;
}

export const CHANGES: Record<string, Change> = {
  'the creation of a store by its first call': {
    change: (engine) => service(engine).triggerCall(CALL),
  },
  'the creation of a store by a reset': {
    change: ({ store }) => store.reset(initialState({ seed: 7, now: EPOCH, empty: true })),
  },
  'a call on an empty store': {
    before: ({ timeline }) => timeline.change(() => {}),
    change: (engine) => service(engine).triggerCall(CALL),
  },
  'a call after others': {
    before: async (engine) => {
      await service(engine).triggerCall(CALL);
      await service(engine).triggerCall({ ...CALL, called_to: NEVER_ANSWERS });
    },
    change: (engine) => service(engine).triggerCall(CALL),
  },
  'three calls and an agent in one commit, and a request that is refused': {
    before: (engine) => service(engine).triggerCall(CALL),
    change: (engine) => {
      const refused = service(engine)
        .createAgent({ ...AGENT, voice_id: 999 })
        .catch((error: { status?: number }) => {
          if (error.status !== 404) throw error;
        });
      const calls = [1, 2, 3].map(() => service(engine).triggerCall(CALL));
      return Promise.all([...calls, refused, service(engine).createAgent(AGENT)]);
    },
  },
  'another organization': {
    before: (engine) => service(engine).triggerCall(CALL),
    change: addOrganization,
  },
  'a third organization': {
    before: addOrganization,
    change: addOrganization,
  },
  'an agent where there are two organizations': {
    before: addOrganization,
    change: (engine) => service(engine).createAgent(AGENT),
  },
  'the first campaign': {
    before: (engine) => service(engine).triggerCall(CALL),
    change: (engine) => service(engine).createCampaign(campaign(RETRIED, RETRYING)),
  },
  'another campaign while one dials': {
    before: async (engine) => {
      await service(engine).createCampaign(campaign(RETRIED, RETRYING));
      await advance(engine, 3000);
      await service(engine).createCampaign(campaign([ANSWERS_THE_SECOND_TIME], RETRYING));
    },
    change: (engine) => service(engine).createCampaign(campaign(RETRIED, RETRYING)),
  },
  'a new agent': {
    before: (engine) => service(engine).triggerCall(CALL),
    change: (engine) => service(engine).createAgent(AGENT),
  },
  'a top-up': {
    before: (engine) => service(engine).triggerCall(CALL),
    change: ({ timeline }) => timeline.change(({ state }) => topUp(state, 5_000_000)),
  },
  'an agent that is paused, and its campaign with it': {
    before: async (engine) => {
      await service(engine).createCampaign(campaign(RETRIED, RETRYING));
      await advance(engine, 3000);
    },
    change: ({ timeline }) => timeline.change(({ state }, now) => setAgentStatus(state, 1, 'paused', now)),
  },
  'an advance that dials and adds the first retries': {
    before: (engine) => service(engine).createCampaign(campaign(RETRIED, RETRYING)),
    change: (engine) => advance(engine, 1000),
  },
  'an advance that dials, takes retries and adds more': {
    before: async (engine) => {
      await service(engine).createCampaign(campaign(RETRIED, RETRYING));
      await advance(engine, 1000);
    },
    change: (engine) => advance(engine, 5000),
  },
  'an advance that dials and retries across the end of a segment': {
    before: async (engine) => {
      const longAgo = Array.from({ length: SEGMENT - 30 }, () => NEVER_ANSWERS);
      await service(engine).createCampaign(campaign(longAgo, { calls_per_hour: 3_600_000, retry_attempts: 0 }));
      await advance(engine, 'idle');
      const numbers = Array.from({ length: 60 }, (_none, at) => RETRIED[at % RETRIED.length] as string);
      const rules = { calls_per_hour: 3_600_000, retry_attempts: 1, retry_delay: 1 };
      await service(engine).createCampaign(campaign(numbers, rules));
    },
    change: (engine) => advance(engine, 1020),
  },
  'a look at the log when a dial is due': {
    before: (engine) => service(engine).createCampaign(campaign(RETRIED, RETRYING)),
    change: (engine) => service(engine).getCallLogs({}),
  },
  'an advance to the end of a campaign': {
    before: async (engine) => {
      await service(engine).createCampaign(campaign(RETRIED, RETRYING));
      await advance(engine, 3000);
    },
    change: (engine) => advance(engine, 'idle'),
  },
  'a reset': {
    before: async (engine) => {
      await service(engine).createCampaign(campaign(RETRIED, RETRYING));
      await advance(engine, 3000);
      await service(engine).createAgent(AGENT);
    },
    change: ({ store }) => store.reset(initialState({ seed: 7, now: EPOCH, empty: false })),
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

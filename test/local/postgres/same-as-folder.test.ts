/** The same commands at the same times give the same store, whatever keeps it. */
import { expect, test } from 'vitest';
import { type Contact, LOCAL_CREDENTIALS } from '../../../src/contract.ts';
import { pauseCampaign, resumeCampaign, setAgentStatus, topUp } from '../../../src/engine/controls.ts';
import { initialState } from '../../../src/engine/state.ts';
import type { LocalEngine } from '../../../src/local/open.ts';
import { checkAll } from '../../../src/local/organizations.ts';
import { NO_TEXTS } from '../../conformance.ts';
import { EPOCH, testEngine } from '../../support/engine.ts';
import { howMany } from '../../support/full-matrix.ts';
import { describePostgres, emptiedSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';
import fc from '../../support/properties.ts';

const MINUTE = 60_000;
const FROM = ['+14155550100', '+442079460100'];

type Engine = LocalEngine & { clock: { now: number } };
type Command = (engine: Engine) => Promise<unknown>;

const someone = (number: number): Contact => ({
  phone_number: `+1415555${String(number).padStart(4, '0')}`,
  ...(number % 3 === 0 && { custom_first_line: `Hello ${number}, “you”\n` }),
  ...(number % 4 === 0 && { custom_instruction: '' }),
  ...(number % 5 === 0 && { custom_identifiers: `crm-${number}` }),
});

const serviceOf = ({ backend }: Engine) => backend(LOCAL_CREDENTIALS);
const agents = fc.constantFrom(1, 1, 2, 3);
const limited = (most: number) => fc.nat({ max: most });

const commands: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ agent: agents, from: fc.constantFrom(...FROM), to: limited(9999) }).map(
    ({ agent, from, to }): Command =>
      (engine) =>
        serviceOf(engine).triggerCall({
          ...{ use_agent_id: agent, called_to: someone(to).phone_number, call_from: from },
          ...{ custom_first_line: 'Hello', custom_identifiers: 'x' },
        }),
  ),
  fc
    .record({
      ...{ agent: agents, from: fc.constantFrom(...FROM), pace: fc.constantFrom(7, 60, 3600), size: limited(40) },
      ...{ retries: limited(3), delay: fc.constantFrom(0, 90, 3600), startsIn: fc.constantFrom(0, 0, 45) },
    })
    .map(({ agent, from, pace, size, retries, delay, startsIn }): Command => {
      return (engine) =>
        serviceOf(engine).createCampaign({
          ...{ campaign_name: `Campaign ${size}`, agent_id: agent, call_from: from, calls_per_hour: pace },
          ...{ retry_attempts: retries, retry_delay: delay },
          contacts: Array.from({ length: size + 1 }, (_none, at) => someone(at * 7 + size)),
          ...(startsIn > 0 && { start_time: new Date(engine.clock.now + startsIn * MINUTE).toISOString() }),
        });
    }),
  fc.constantFrom('schedule_appointment', 'survey').map(
    (conversation_goal): Command =>
      (engine) =>
        serviceOf(engine).createAgent({
          agent_name: 'Front desk',
          base_prompt: 'Be brief.',
          voice_id: 2,
          conversation_goal,
        }),
  ),
  fc.record({ agent: agents, status: fc.constantFrom('active', 'paused', 'draft') }).map(
    ({ agent, status }): Command =>
      ({ timeline }) =>
        timeline.change(({ state }, now) => setAgentStatus(state, agent, status as 'active', now).status),
  ),
  limited(4).map(
    (id): Command =>
      ({ timeline }) =>
        timeline.change(({ state }) => pauseCampaign(state, id).status),
  ),
  limited(4).map(
    (id): Command =>
      ({ timeline }) =>
        timeline.change(({ state }, now) => resumeCampaign(state, id, now).status),
  ),
  fc.constantFrom(10_000, 5_000_000).map(
    (amount): Command =>
      ({ timeline }) =>
        timeline.change(({ state }) => topUp(state, amount)),
  ),
  fc.constant<Command>(({ timeline }) =>
    timeline.change(({ state }) => {
      state.organization.balance = 250_000;
    }),
  ),
  fc.constantFrom(1, 30, 200, 3000).map(
    (minutes): Command =>
      async (engine) => {
        engine.clock.now += minutes * MINUTE;
        return (await engine.timeline.read()).now;
      },
  ),
  fc.constantFrom<number | 'idle'>(90, 2000, 'idle').map(
    (minutes): Command =>
      ({ timeline }) =>
        timeline.move(
          (now) => (minutes === 'idle' ? 'idle' : now + minutes * MINUTE),
          () => {},
        ),
  ),
  fc.constant<Command>(async ({ store, clock }) => {
    await store.reset(initialState({ seed: 5, now: clock.now, empty: false }));
  }),
);

/** What a command answered, or how it was refused. */
async function outcomeOf(command: Command, engine: Engine): Promise<unknown> {
  try {
    return (await command(engine)) ?? null;
  } catch (error) {
    return String(error);
  }
}

/** Everything that can be asked of a store. */
async function contentOf(engine: Engine) {
  const { snapshot } = await engine.timeline.read();
  const { state } = snapshot;
  const pages = [];
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  for (const agent_id of [undefined, 1, 2, 3])
    for (const dates of [
      {},
      { start_date: day(EPOCH) },
      { start_date: day(engine.clock.now), end_date: day(engine.clock.now) },
    ])
      for (const [limit, offset] of [
        [1000, 0],
        [3, 2],
        [1, 40],
        [5, 100_000],
      ] as const)
        pages.push(await serviceOf(engine).getCallLogs({ ...dates, ...(agent_id && { agent_id }), limit, offset }));
  const campaigns = [];
  for (const { campaign_id } of state.campaigns)
    campaigns.push([await snapshot.waitingOf(campaign_id), [...(await snapshot.contactsOf(campaign_id))]]);
  return { state, pages, campaigns, agents: await serviceOf(engine).getAgents({ limit: 1000 }) };
}

const schema = emptiedSchema();
const LISTS = howMany(20, 40);

const CHECK = { signal: new AbortController().signal, onCall: () => {} };

describePostgres('a store over PostgreSQL', () => {
  test('refuses a text that is none alone, and not what shares its commit', async () => {
    for (const engine of [testEngine(), postgresEngine()]) {
      const service = serviceOf(engine);
      const to = { call_from: FROM[0] as string, called_to: someone(1).phone_number, custom_identifiers: '' };
      const places = Array.from({ length: 24 }, (_none, at) => {
        const text = at % 2 === 0 ? `Hello ${at}` : (NO_TEXTS[at % NO_TEXTS.length] as string);
        const agent = { agent_name: text, base_prompt: 'Be brief.', voice_id: 2 };
        const contacts = [{ phone_number: someone(at).phone_number, custom_instruction: text }];
        const campaign = { campaign_name: 'Spring', agent_id: 1, call_from: to.call_from, contacts };
        if (at % 3 === 0) return service.createAgent(agent);
        if (at % 3 === 1) return service.createCampaign(campaign);
        return service.triggerCall({ ...to, use_agent_id: 1, custom_first_line: text });
      });
      const statuses = (await Promise.allSettled(places)).map((place) =>
        place.status === 'fulfilled' ? 200 : (place.reason as { status?: number }).status,
      );
      expect(statuses).toEqual(places.map((_place, at) => (at % 2 === 0 ? 200 : 400)));
      expect((await service.getAgents({})).total).toBe(5);
    }
  });

  test(`is to the byte what the folder is after the same commands, in ${LISTS} lists of them`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { minLength: 1, maxLength: 14 }), async (list) => {
        const [folder, database] = [testEngine(), postgresEngine({ url: await schema() })];
        for (const command of list) {
          const [one, other] = [await outcomeOf(command, folder), await outcomeOf(command, database)];
          expect(other).toEqual(one);
        }
        const [one, other] = [await contentOf(folder), await contentOf(database)];
        expect(other).toEqual(one);
        expect(JSON.stringify(other.pages)).toBe(JSON.stringify(one.pages));
        if ((await database.store.glance(1)) === 'sound')
          expect((await checkAll(database.store, CHECK)).problems).toEqual([]);
      }),
      { numRuns: LISTS },
    );
  });
});

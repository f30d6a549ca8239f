/**
 * What every Backend must do, keyed by operation: a new row of the contract does not compile until it has cases here.
 * Run by `conformance.test.ts` on the local engine and on the same engine behind HTTP.
 */
import { expect } from 'vitest';
import type { Backend, OperationName, RequestOf, Service } from '../src/contract.ts';
import { VagentError } from '../src/errors.ts';

export interface Subject {
  backend: Backend;
  service: Service;
  /** Sets the status of agent 1, which no operation can. */
  setAgentStatus(status: 'active' | 'paused'): Promise<void>;
  /** Leaves this much in the wallet, in millionths. */
  setBalance(amount: number): Promise<void>;
}

type Case = (subject: Subject) => Promise<void>;

const ORGANIZATION = 1;
const API_KEY = 'local-demo-key';

export const CREDENTIALS = { organization_id: ORGANIZATION, api_key: API_KEY };

const CALL: RequestOf<'triggerCall'> = {
  use_agent_id: 1,
  called_to: '+14155550190',
  call_from: '+14155550100',
  custom_first_line: 'Hello, this is Ava.',
  custom_identifiers: '',
};

const CAMPAIGN: RequestOf<'createCampaign'> = {
  campaign_name: 'Spring',
  agent_id: 1,
  call_from: '+14155550100',
  contacts: [{ phone_number: '+14155550190' }, { phone_number: '+14155550191', custom_first_line: 'Hi.' }],
};

const AGENT: RequestOf<'createAgent'> = { agent_name: 'Front desk', base_prompt: 'Be brief.', voice_id: 2 };

/** A refusal is the same failure for whoever calls, near or far: exit code and, where the service spoke, its code. */
async function expectRefusal(attempt: Promise<unknown>, exitCode: number, code?: string): Promise<VagentError> {
  const error = await attempt.then(
    () => expect.unreachable('it was not refused'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(VagentError);
  const refusal = error as VagentError;
  expect(refusal.exitCode, refusal.message).toBe(exitCode);
  if (code !== undefined) expect(refusal.code).toBe(code);
  return refusal;
}

/** Faults that every operation refuses alike. */
function refusesStrangers(ask: (service: Service) => Promise<unknown>): Record<string, Case> {
  return {
    'an unknown organization is not found': async ({ backend }) => {
      await expectRefusal(ask(backend({ ...CREDENTIALS, organization_id: 99 })), 5, 'organization_not_found');
    },
    'a wrong key is refused': async ({ backend }) => {
      await expectRefusal(ask(backend({ ...CREDENTIALS, api_key: 'wrong-key' })), 4, 'invalid_api_key');
    },
    'a wrong key of an unknown organization: the organization is told first': async ({ backend }) => {
      await expectRefusal(ask(backend({ organization_id: 99, api_key: 'wrong-key' })), 5, 'organization_not_found');
    },
  };
}

/** Sends what the types forbid. */
function untyped<T>(request: Record<string, unknown>): T {
  return request as T;
}

/** A valid request with one field left out. */
function without<T extends object>(request: T, field: keyof T): T {
  const { [field]: _left, ...rest } = request;
  return rest as T;
}

export const conformance: Record<OperationName, Record<string, Case>> = {
  triggerCall: {
    ...refusesStrangers((service) => service.triggerCall(CALL)),
    'answers with the session of the call': async ({ service }) => {
      const response = await service.triggerCall(CALL);
      expect(response).toEqual({
        success: true,
        sip_trunk_id: expect.stringMatching(/^ST_[A-Za-z0-9]{12}$/),
        sip_call_to: '+14155550190',
        room_name: 'call-call_0000000001',
        participant_identity: 'sip_14155550190',
        participant_name: '+14155550190',
      });
    },
    'is in the call log at once': async ({ service }) => {
      await service.triggerCall({ ...CALL, custom_first_line: 'Good morning from the clinic.' });
      const { calls, total } = await service.getCallLogs({});
      expect(total).toBe(1);
      expect(calls[0]).toMatchObject({
        call_id: 'call_0000000001',
        agent_id: 1,
        called_to: '+14155550190',
        call_from: '+14155550100',
        call_status: 'completed',
        call_duration: expect.any(Number),
        transcript: expect.stringContaining('Good morning from the clinic.'),
      });
    },
    'the fixed numbers always end as documented': async ({ service }) => {
      for (const ending of ['190', '191', '192', '193', '194']) {
        await service.triggerCall({ ...CALL, called_to: `+14155550${ending}` });
      }
      const { calls } = await service.getCallLogs({});
      expect(calls.map(({ call_status }) => call_status)).toEqual(['busy', 'failed', 'no_answer', 'busy', 'completed']);
      for (const call of calls.filter(({ call_status }) => call_status !== 'completed')) {
        expect(call).toMatchObject({ call_duration: 0, call_outcome: 'not_connected', transcript: '' });
        expect(call.recording_url).toBeUndefined();
      }
    },
    ...Object.fromEntries(
      (['use_agent_id', 'called_to', 'call_from', 'custom_first_line', 'custom_identifiers'] as const).map((field) => [
        `${field} is required`,
        async ({ service }: Subject) => {
          const refusal = await expectRefusal(service.triggerCall(without(CALL, field)), 3);
          expect(refusal.issues).toEqual([{ field, message: 'is required' }]);
        },
      ]),
    ),
    'a number that is not E.164 is refused': async ({ service }) => {
      await expectRefusal(service.triggerCall({ ...CALL, called_to: '4155550190' }), 3);
    },
    'an empty identifier is fine, an unknown field is ignored': async ({ service }) => {
      await service.triggerCall(untyped({ ...CALL, colour: 'blue' }));
    },
    'an unknown agent is not found': async ({ service }) => {
      await expectRefusal(service.triggerCall({ ...CALL, use_agent_id: 9 }), 5, 'agent_not_found');
    },
    'a number that is not registered is not found': async ({ service }) => {
      await expectRefusal(service.triggerCall({ ...CALL, call_from: '+14155550111' }), 5, 'call_from_not_registered');
    },
    'a number ending in 5550199 fails with 500: whether it rang is unknown': async ({ service }) => {
      await expectRefusal(service.triggerCall({ ...CALL, called_to: '+14155550199' }), 8);
      expect(await service.getCallLogs({})).toMatchObject({ total: 0 });
    },
    'an agent that is not active does not call': async ({ service, setAgentStatus }) => {
      await setAgentStatus('paused');
      await expectRefusal(service.triggerCall(CALL), 3, 'agent_not_active');
    },
    'a balance below 0.2 is too low, 0.2 is enough': async ({ service, setBalance }) => {
      await setBalance(199_999);
      await expectRefusal(service.triggerCall(CALL), 6, 'insufficient_balance');
      await setBalance(200_000);
      await service.triggerCall(CALL);
    },
  },

  createCampaign: {
    ...refusesStrangers((service) => service.createCampaign(CAMPAIGN)),
    'starts at once without a start time': async ({ service }) => {
      const response = await service.createCampaign(CAMPAIGN);
      expect(response).toEqual({
        success: true,
        campaign_id: 1,
        campaign_name: 'Spring',
        status: 'running',
        total_contacts: 2,
      });
    },
    'dials its first contact at the start': async ({ service }) => {
      await service.createCampaign(CAMPAIGN);
      const { calls } = await service.getCallLogs({});
      expect(calls.map(({ called_to }) => called_to)).toEqual(['+14155550190']);
    },
    'waits for a start time ahead, read as UTC without an offset': async ({ service }) => {
      const later = { ...CAMPAIGN, start_time: '2099-01-01T09:00:00' };
      expect(await service.createCampaign(later)).toMatchObject({ status: 'scheduled' });
      expect(await service.getCallLogs({})).toMatchObject({ total: 0 });
    },
    'a start time in the past means now': async ({ service }) => {
      expect(await service.createCampaign({ ...CAMPAIGN, start_time: '2020-01-01T00:00:00Z' })).toMatchObject({
        status: 'running',
      });
    },
    ...Object.fromEntries(
      (['campaign_name', 'agent_id', 'call_from', 'contacts'] as const).map((field) => [
        `${field} is required`,
        async ({ service }: Subject) => {
          const refusal = await expectRefusal(service.createCampaign(without(CAMPAIGN, field)), 3);
          expect(refusal.issues).toEqual([{ field, message: 'is required' }]);
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries({
        start_time: 'tomorrow',
        calls_per_hour: 0,
        retry_attempts: -1,
        retry_delay: 1.5,
        contacts: [],
      }).map(([field, value]) => [
        `${field} ${JSON.stringify(value)} is refused`,
        async ({ service }: Subject) => {
          await expectRefusal(service.createCampaign(untyped({ ...CAMPAIGN, [field]: value })), 3);
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries({ calls_per_hour: 3_600_001, retry_attempts: 101, retry_delay: 2_592_001 }).map(
        ([field, value]) => [
          `${field} ${value} is out of the engine's bounds`,
          async ({ service }: Subject) => {
            await expectRefusal(service.createCampaign({ ...CAMPAIGN, [field]: value }), 3, 'invalid_parameter');
          },
        ],
      ),
    ),
    'a faulty contact is named by its place': async ({ service }) => {
      const contacts = [{ phone_number: '+14155550190' }, { phone_number: '555' }];
      const refusal = await expectRefusal(service.createCampaign({ ...CAMPAIGN, contacts }), 3);
      expect(refusal.issues[0]?.field).toBe('contacts.1.phone_number');
    },
    'an unknown agent or number is not found': async ({ service }) => {
      await expectRefusal(service.createCampaign({ ...CAMPAIGN, agent_id: 9 }), 5, 'agent_not_found');
      const elsewhere = { ...CAMPAIGN, call_from: '+14155550111' };
      await expectRefusal(service.createCampaign(elsewhere), 5, 'call_from_not_registered');
    },
    'a balance below 0.2 is too low': async ({ service, setBalance }) => {
      await setBalance(0);
      await expectRefusal(service.createCampaign(CAMPAIGN), 6, 'insufficient_balance');
    },
  },

  getCallLogs: {
    ...refusesStrangers((service) => service.getCallLogs({})),
    'an empty log is an empty page': async ({ service }) => {
      expect(await service.getCallLogs({})).toEqual({ success: true, calls: [], total: 0, limit: 0, offset: 0 });
    },
    'is newest first, in pages, with the number returned as limit': async ({ service }) => {
      for (const ending of [0, 1, 2, 3, 4]) await service.triggerCall({ ...CALL, called_to: `+1415555011${ending}` });
      const { calls, ...counts } = await service.getCallLogs({ limit: 2, offset: 1 });
      expect(calls.map(({ call_id }) => call_id)).toEqual(['call_0000000004', 'call_0000000003']);
      expect(counts).toEqual({ success: true, total: 5, limit: 2, offset: 1 });
      expect(await service.getCallLogs({ offset: 9 })).toMatchObject({ calls: [], total: 5, limit: 0, offset: 9 });
    },
    'filters by agent': async ({ service }) => {
      const { agent_id } = await service.createAgent(AGENT);
      await service.triggerCall(CALL);
      await service.triggerCall({ ...CALL, use_agent_id: agent_id });
      const { calls, total } = await service.getCallLogs({ agent_id });
      expect(calls.map(({ agent_id: used }) => used)).toEqual([agent_id]);
      expect(total).toBe(1);
      expect(await service.getCallLogs({ agent_id: 99 })).toMatchObject({ calls: [], total: 0 });
    },
    'dates are whole UTC days, both included': async ({ service }) => {
      await service.triggerCall(CALL);
      const { calls } = await service.getCallLogs({});
      const today = String(calls[0]?.timestamp).slice(0, 10);
      const total = async (start_date?: string, end_date?: string) =>
        (await service.getCallLogs({ start_date, end_date })).total;
      expect(await total(today, today)).toBe(1);
      expect(await total(today)).toBe(1);
      expect(await total(undefined, today)).toBe(1);
      expect(await total('2099-01-01')).toBe(0);
      expect(await total(undefined, '2020-01-01')).toBe(0);
    },
    ...Object.fromEntries(
      [
        { limit: 0 },
        { limit: 1001 },
        { limit: 1.5 },
        { offset: -1 },
        { start_date: '2026-02-30' },
        { end_date: 'yesterday' },
        { start_date: '2026-11-02', end_date: '2026-11-01' },
        { agent_id: 0 },
      ].map((request) => [
        `${JSON.stringify(request)} is refused`,
        async ({ service }: Subject) => {
          await expectRefusal(service.getCallLogs(untyped(request)), 3);
        },
      ]),
    ),
  },

  createAgent: {
    ...refusesStrangers((service) => service.createAgent(AGENT)),
    'makes an active agent that get-agents lists': async ({ service }) => {
      expect(await service.createAgent(AGENT)).toEqual({
        success: true,
        agent_id: 2,
        agent_name: 'Front desk',
        status: 'active',
      });
      const { agents } = await service.getAgents({});
      expect(agents[1]).toMatchObject({ agent_id: 2, agent_name: 'Front desk', voice_id: 2, language: 'en' });
    },
    ...Object.fromEntries(
      (['agent_name', 'base_prompt', 'voice_id'] as const).map((field) => [
        `${field} is required`,
        async ({ service }: Subject) => {
          const refusal = await expectRefusal(service.createAgent(without(AGENT, field)), 3);
          expect(refusal.issues).toEqual([{ field, message: 'is required' }]);
        },
      ]),
    ),
    'an unknown voice is not found': async ({ service }) => {
      await expectRefusal(service.createAgent({ ...AGENT, voice_id: 999 }), 5, 'voice_not_found');
    },
  },

  getAgents: {
    ...refusesStrangers((service) => service.getAgents({})),
    'shows what the interface lists and nothing of the prompt': async ({ service }) => {
      const { agents, ...counts } = await service.getAgents({});
      expect(Object.keys(agents[0] ?? {})).toEqual([
        'agent_id',
        'agent_name',
        'agent_description',
        'status',
        'voice_id',
        'language',
        'created_at',
        'updated_at',
      ]);
      expect(counts).toEqual({ success: true, total: 1, limit: 1, offset: 0 });
    },
    'filters by status and pages by agent_id': async ({ service, setAgentStatus }) => {
      await service.createAgent(AGENT);
      await service.createAgent(AGENT);
      await setAgentStatus('paused');
      const ids = async (request: RequestOf<'getAgents'>) =>
        (await service.getAgents(request)).agents.map(({ agent_id }) => agent_id);
      expect(await ids({})).toEqual([1, 2, 3]);
      expect(await ids({ status: 'paused' })).toEqual([1]);
      expect(await ids({ status: 'active' })).toEqual([2, 3]);
      expect(await ids({ limit: 1, offset: 1 })).toEqual([2]);
    },
    'an unknown status and bad pages are refused': async ({ service }) => {
      for (const request of [{ status: 'asleep' }, { limit: 0 }, { limit: 1001 }, { offset: -1 }]) {
        await expectRefusal(service.getAgents(untyped(request)), 3);
      }
    },
  },

  getVoices: {
    ...refusesStrangers((service) => service.getVoices({})),
    'is a catalogue of at least 24 voices in 8 languages, by id': async ({ service }) => {
      const { voices, total } = await service.getVoices({});
      expect(total).toBe(voices.length);
      expect(voices.length).toBeGreaterThanOrEqual(24);
      expect(new Set(voices.map(({ language }) => language)).size).toBeGreaterThanOrEqual(8);
      expect(voices.map(({ voice_id }) => voice_id)).toEqual(voices.map((_voice, at) => at + 1));
    },
    'filters by language and gender': async ({ service }) => {
      const { voices, total } = await service.getVoices({ language: 'es', gender: 'female' });
      expect(voices.length).toBeGreaterThan(0);
      expect(total).toBe(voices.length);
      for (const voice of voices) expect(voice).toMatchObject({ language: 'es', gender: 'female' });
      expect(await service.getVoices({ language: 'xx' })).toMatchObject({ voices: [], total: 0 });
    },
    'an unknown gender is refused': async ({ service }) => {
      await expectRefusal(service.getVoices(untyped({ gender: 'other' })), 3);
    },
  },
};

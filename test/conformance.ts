/**
 * What every Backend must do, keyed by operation: a new row of the contract does not compile until it has cases here.
 * Run by `conformance.test.ts` on the local engine and on the same engine behind HTTP.
 */
import { expect } from 'vitest';
import type { Backend, OperationName, RequestOf, Service } from '../src/contract.ts';
import { VagentError } from '../src/errors.ts';
import type { LocalEngine } from '../src/local/open.ts';

export interface Subject {
  backend: Backend;
  admit: LocalEngine['admit'];
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

/** Well-typed, and the id of nothing. */
const NO_IDS = [0, -1, 99, Number.MAX_SAFE_INTEGER];
const NO_NUMBERS = ['abc', '', '+14155550111', '4155550100', '+14155550100 '];

type Ask<T> = (service: Service, request: T) => Promise<unknown>;

const placeCall: Ask<typeof CALL> = (service, request) => service.triggerCall(request);
const createCampaign: Ask<typeof CAMPAIGN> = (service, request) => service.createCampaign(request);
const createAgent: Ask<typeof AGENT> = (service, request) => service.createAgent(request);

/** Values of a field that name nothing are not found; they are not wrong. */
function namesNone<T extends object>(valid: T, field: keyof T & string, values: unknown[], code: string, ask: Ask<T>) {
  const cases = values.map((value): [string, Case] => [
    `${field} ${JSON.stringify(value)} is not found`,
    async ({ service }) => {
      await expectRefusal(ask(service, { ...valid, [field]: value }), 5, code);
    },
  ]);
  return Object.fromEntries(cases);
}

/** Values of a wrong type are refused. */
function refusesTypes<T extends object>(valid: T, values: Record<string, unknown[]>, ask: Ask<T>) {
  const cases = Object.entries(values).flatMap(([field, wrong]) =>
    wrong.map((value): [string, unknown] => [field, value]),
  );
  return Object.fromEntries(
    cases.map(([field, value]): [string, Case] => [
      `${field} ${JSON.stringify(value)} is of a wrong type`,
      async ({ service }) => {
        const { issues } = await expectRefusal(ask(service, { ...valid, [field]: value }), 3);
        expect(issues[0]?.field.split('.')[0]).toBe(field);
      },
    ]),
  );
}

/** An optional field that is null is as absent. */
function takesNull<T extends object>(valid: T, fields: string[], ask: Ask<T>, afterwards: Case = async () => {}) {
  return {
    [`null for ${fields.join(', ')} is as if absent`]: async (subject: Subject) => {
      await ask(subject.service, { ...valid, ...Object.fromEntries(fields.map((field) => [field, null])) });
      await afterwards(subject);
    },
  };
}

/** Without a field of `valid`, or with null in its place, the request is refused, and the field named as missing. */
function requires<T extends object>(valid: T, absent: null | undefined, ask: Ask<T>) {
  return Object.fromEntries(
    Object.keys(valid).map((field): [string, Case] => [
      `${field} is required${absent === null ? ', and null is as if it were absent' : ''}`,
      async ({ service }) => {
        const { issues } = await expectRefusal(ask(service, { ...valid, [field]: absent }), 3);
        expect(issues).toEqual([{ field, message: 'is required' }]);
      },
    ]),
  );
}

/** A text of so many characters is taken, be they emoji or not, and one of a character more is refused. */
function bounds<T extends object>(valid: T, longest: Record<string, number>, ask: Ask<T>) {
  return Object.fromEntries(
    Object.entries(longest).map(([field, length]): [string, Case] => [
      `${field} has ${length} characters or fewer`,
      async ({ service }) => {
        await ask(service, { ...valid, [field]: '😀'.repeat(length) });
        for (const long of ['x'.repeat(length + 1), '😀'.repeat(length + 1)]) {
          const { issues } = await expectRefusal(ask(service, { ...valid, [field]: long }), 3);
          expect(issues).toEqual([{ field, message: `must have ${length} characters or fewer` }]);
        }
      },
    ]),
  );
}

/** No text of Unicode: JSON can write them, and no store has to keep them. */
export const NO_TEXTS = ['\u0000', 'Hello\u0000', 'a\ud83d', '\ude00b', '\ude00\ud83d', `${'x'.repeat(900)}\ud800`];
export const NO_TEXT = 'must not hold U+0000 or half of a surrogate pair';

/** Each text of a request is one of Unicode, or the request alone is refused. */
function refusesNoTexts<T extends object>(valid: T, fields: string[], ask: Ask<T>) {
  return Object.fromEntries(
    fields.map((field): [string, Case] => [
      `${field} is a text of Unicode`,
      async ({ service }) => {
        for (const text of NO_TEXTS) {
          const { issues } = await expectRefusal(ask(service, { ...valid, [field]: text }), 3);
          expect(issues).toEqual([{ field, message: NO_TEXT }]);
        }
        await ask(service, { ...valid, [field]: (valid as Record<string, string>)[field] ?? 'a😀b \\u0000 \\ud83d' });
      },
    ]),
  );
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
    ...requires(CALL, undefined, placeCall),
    'a number that is not E.164 is refused': async ({ service }) => {
      await expectRefusal(service.triggerCall({ ...CALL, called_to: '4155550190' }), 3);
    },
    'an empty identifier is fine, an unknown field is ignored': async ({ service }) => {
      await service.triggerCall(untyped({ ...CALL, colour: 'blue' }));
    },
    ...namesNone(CALL, 'use_agent_id', NO_IDS, 'agent_not_found', placeCall),
    ...namesNone(CALL, 'call_from', NO_NUMBERS, 'call_from_not_registered', placeCall),
    ...refusesTypes(CALL, { use_agent_id: ['1', 1.5, true, [1]], call_from: [14155550100, {}] }, placeCall),
    ...takesNull(CALL, ['custom_instruction', 'called_by_account'], placeCall),
    ...bounds(
      CALL,
      {
        custom_first_line: 100_000,
        custom_instruction: 100_000,
        called_by_account: 100_000,
        custom_identifiers: 100_000,
      },
      placeCall,
    ),
    ...requires(CALL, null, placeCall),
    ...refusesNoTexts(
      CALL,
      ['call_from', 'custom_first_line', 'custom_instruction', 'called_by_account', 'custom_identifiers'],
      placeCall,
    ),
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
    ...requires(CAMPAIGN, undefined, createCampaign),
    ...requires(CAMPAIGN, null, createCampaign),
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
    ...namesNone(CAMPAIGN, 'agent_id', NO_IDS, 'agent_not_found', createCampaign),
    ...namesNone(CAMPAIGN, 'call_from', NO_NUMBERS, 'call_from_not_registered', createCampaign),
    ...refusesTypes(
      CAMPAIGN,
      { agent_id: ['1', 1.5], call_from: [14155550100], contacts: ['', {}, [7], [null], [[]]], start_time: [5] },
      createCampaign,
    ),
    ...takesNull(CAMPAIGN, ['start_time', 'calls_per_hour', 'retry_attempts', 'retry_delay'], createCampaign),
    'null in a contact is as absent, and required where the number is': async ({ service }) => {
      const blank = { custom_first_line: null, custom_instruction: null, custom_identifiers: null };
      const contacts = [{ phone_number: '+14155550190' }, { phone_number: '+14155550191', ...blank }];
      expect(await service.createCampaign(untyped({ ...CAMPAIGN, contacts }))).toMatchObject({ total_contacts: 2 });
      const faulty = untyped<typeof CAMPAIGN>({ ...CAMPAIGN, contacts: [{ ...blank, phone_number: null }] });
      const refusal = await expectRefusal(service.createCampaign(faulty), 3);
      expect(refusal.issues).toEqual([{ field: 'contacts.0.phone_number', message: 'is required' }]);
    },
    ...bounds(CAMPAIGN, { campaign_name: 1_000 }, createCampaign),
    ...refusesNoTexts(CAMPAIGN, ['campaign_name', 'call_from'], createCampaign),
    'the texts of a contact are texts of Unicode': async ({ service }) => {
      for (const field of ['custom_first_line', 'custom_instruction', 'custom_identifiers']) {
        const at = (text: string) => [
          { phone_number: '+14155550190' },
          { phone_number: '+14155550191', [field]: text },
        ];
        for (const text of NO_TEXTS) {
          const refused = service.createCampaign({ ...CAMPAIGN, contacts: at(text) });
          const { issues } = await expectRefusal(refused, 3);
          expect(issues).toEqual([{ field: `contacts.1.${field}`, message: NO_TEXT }]);
        }
        await service.createCampaign({ ...CAMPAIGN, contacts: at('a😀b \\u0000 \\ud83d') });
      }
    },
    'the texts of a contact have 100,000 characters': async ({ service }) => {
      const at = (length: number) => [{ phone_number: '+14155550190', custom_instruction: 'x'.repeat(length) }];
      const refusal = await expectRefusal(service.createCampaign({ ...CAMPAIGN, contacts: at(100_001) }), 3);
      expect(refusal.issues).toEqual([
        { field: 'contacts.0.custom_instruction', message: 'must have 100000 characters or fewer' },
      ]);
      await service.createCampaign({ ...CAMPAIGN, contacts: at(100_000) });
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
      for (const nobody of [0, 99]) {
        expect(await service.getCallLogs({ agent_id: nobody })).toMatchObject({ calls: [], total: 0 });
      }
    },
    'null for a filter is as if absent': async ({ service }) => {
      await service.triggerCall(CALL);
      const nothing = { start_date: null, end_date: null, agent_id: null, limit: null, offset: null };
      expect(await service.getCallLogs(untyped(nothing))).toMatchObject({ total: 1, limit: 1, offset: 0 });
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
        { agent_id: -1 },
        { agent_id: '1' },
        { limit: '10' },
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
    ...requires(AGENT, undefined, createAgent),
    ...requires(AGENT, null, createAgent),
    ...namesNone(AGENT, 'voice_id', [...NO_IDS, 999], 'voice_not_found', createAgent),
    ...refusesTypes(AGENT, { voice_id: ['1', 2.5], agent_name: [7], base_prompt: [[]] }, createAgent),
    ...takesNull(
      AGENT,
      ['agent_description', 'language', 'greeting', 'conversation_goal'],
      createAgent,
      async ({ service }) => {
        const { agents } = await service.getAgents({});
        expect(agents[1]).toMatchObject({ agent_description: '', language: 'en' });
      },
    ),
    ...bounds(
      AGENT,
      {
        agent_name: 1_000,
        base_prompt: 100_000,
        agent_description: 100_000,
        greeting: 100_000,
        conversation_goal: 100_000,
      },
      createAgent,
    ),
    ...refusesNoTexts(
      AGENT,
      ['agent_name', 'agent_description', 'base_prompt', 'language', 'greeting', 'conversation_goal'],
      createAgent,
    ),
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
    'null for a filter is as if absent': async ({ service }) => {
      expect(await service.getAgents(untyped({ status: null, limit: null, offset: null }))).toMatchObject({ total: 1 });
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
    'null for a filter is as if absent': async ({ service }) => {
      expect((await service.getVoices(untyped({ language: null, gender: null }))).voices.length).toBeGreaterThan(20);
    },
    'the language is a text of Unicode': async ({ service }) => {
      const { issues } = await expectRefusal(service.getVoices({ language: 'e\u0000n' }), 3);
      expect(issues).toEqual([{ field: 'language', message: NO_TEXT }]);
    },
    'an unknown gender is refused': async ({ service }) => {
      await expectRefusal(service.getVoices(untyped({ gender: 'other' })), 3);
    },
  },
};

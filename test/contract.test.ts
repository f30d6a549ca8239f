/** What an engine answers is held to the interface by the compiler; what is read from a service is not. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Answers, type OperationName, operations } from '../src/contract.ts';
import type { Handler } from '../src/engine/handlers.ts';

const call = {
  ...{ call_id: 'call_0000000001', agent_id: 1, called_to: '+14155550190', call_from: '+14155550100' },
  ...{ call_duration: 0, call_status: 'busy', call_outcome: 'not_connected', transcript: '' },
  timestamp: '2026-11-20T09:00:00Z',
};
const room = { room_name: 'call-1', participant_identity: 'sip_14155550190', participant_name: '+14155550190' };

const answers = {
  triggerCall: { success: true, sip_trunk_id: 'ST_a', sip_call_to: '+14155550190', ...room },
  createCampaign: { success: true, campaign_id: 1, campaign_name: 'Spring', status: 'running', total_contacts: 1 },
  getCallLogs: { success: true, calls: [call], total: 1, limit: 1, offset: 0 },
  createAgent: { success: true, agent_id: 1, agent_name: 'Ana', status: 'active' },
  getAgents: { success: true, agents: [], total: 0, limit: 0, offset: 0 },
  getVoices: { success: true, voices: [], total: 0 },
} satisfies Partial<Answers>;

/** Each answers one field otherwise than documented. tsc refuses all of them, and this file where it accepts one. */
const wrongHandlers: { [K in keyof typeof answers]: Handler<K> } = {
  // @ts-expect-error: a room's name is a text
  triggerCall: () => ({ response: { ...answers.triggerCall, room_name: 7 } }),
  // @ts-expect-error: an id is a number
  createCampaign: () => ({ response: { ...answers.createCampaign, campaign_id: 'oops' } }),
  // @ts-expect-error: an id is a number, also in the entries of a list
  getCallLogs: () => ({ response: { ...answers.getCallLogs, calls: [{ ...call, agent_id: 'oops' }] } }),
  // @ts-expect-error: an id is a number
  createAgent: () => ({ response: { ...answers.createAgent, agent_id: 'oops' } }),
  // @ts-expect-error: a count is a number
  getAgents: () => ({ response: { ...answers.getAgents, total: '1' } }),
  // @ts-expect-error: a list is not left out
  getVoices: () => ({ response: { success: true, total: 0 } }),
};

/** Fields that an engine could answer with whatever it likes, of any operation that there will ever be. */
type Unchecked<A> = A extends unknown ? { [F in keyof A]: unknown extends A[F] ? F : never }[keyof A] : never;
const unchecked: Unchecked<Answers[OperationName]>[] = [];

test('a handler that answers otherwise does not compile', () => {
  expect(Object.keys(wrongHandlers)).toEqual(Object.keys(answers));
  expectTypeOf(unchecked).toEqualTypeOf<never[]>();
});

describe('a response that is read', () => {
  test.each(Object.entries(answers))(
    '%s: as documented, with fields beside it, and with odd values',
    (name, documented) => {
      const { read } = operations[name as OperationName].response;
      expect(read.parse({ ...documented, beside: 1 })).toEqual({ ...documented, beside: 1 });
      expect(read.parse({ ...documented, status: 7, total: 'many' })).toMatchObject({ status: 7, total: 'many' });
      expect(read.safeParse({ ...documented, success: 'true' }).success).toBe(false);
    },
  );
});

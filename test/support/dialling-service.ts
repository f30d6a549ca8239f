/**
 * Services that call every contact as soon as they are asked to, each with an operator who has a register and a list of their own.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, sendJson, startServer } from './http.ts';
import { Operator } from './program.ts';
import { type RequestRow, requestsAt } from './rows.ts';

/** A campaign as it arrived. */
export interface SentCampaign {
  campaign_name: string;
  agent_id: number;
  call_from: string;
  contacts: { phone_number: string; custom_first_line?: string; custom_identifiers?: string }[];
  start_time?: string;
}

/** What comes of the next call to a number: its status, and its outcome if there is one. */
export type Fate = (number: string) => [call_status: string, call_outcome?: string] | undefined;

export interface DiallingService {
  operator: Operator;
  env: Record<string, string>;
  sent: SentCampaign[];
  behaviour: { isLogBroken: boolean; status: number; fate: Fate };
  /** Places a call that nobody here asked for. */
  call(number: string, fields: object): void;
  requests(): Promise<RequestRow[]>;
  state: string;
}

const AGENTS = [3, 4].map((agent_id) => ({ agent_id, agent_name: `Agent ${agent_id}`, status: 'active' }));

/** Made while tests are collected: hooks of vitest do not work inside one. `files` stand in the operator's home. */
export async function diallingServices(): Promise<(fate: Fate, files: Record<string, string>) => DiallingService> {
  const answers: Answer[] = [];
  const { url } = await startServer((request, response) => {
    const [, place = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(request.path) ?? [];
    return answers[Number(place)]?.({ ...request, path }, response);
  });
  return (fate, files) => {
    const service = diallingService(`${url}/${answers.length}`, fate, files);
    answers.push(service.answer);
    return service;
  };
}

function diallingService(url: string, fate: Fate, files: Record<string, string>): DiallingService & { answer: Answer } {
  const sent: SentCampaign[] = [];
  const calls: object[] = [];
  const behaviour = { isLogBroken: false, status: 200, fate };
  const call = (called_to: string, fields: object) => {
    const dialled = { agent_id: 3, called_to, call_from: '+14155550100', call_duration: 30 };
    calls.unshift({ call_id: `call_${calls.length}`, ...dialled, timestamp: new Date().toISOString(), ...fields });
  };
  const answer: Answer = ({ method, path, query, body }, response) => {
    if (path.endsWith('/get-agents')) return sendJson(response, 200, { success: true, agents: AGENTS, total: 2 });
    if (method === 'GET') {
      if (behaviour.isLogBroken) return sendJson(response, 503, { error: 'unavailable' });
      const agent = query.get('agent_id');
      const shown = calls.filter((one) => agent === null || String((one as { agent_id: number }).agent_id) === agent);
      const page = shown.slice(Number(query.get('offset') ?? 0)).slice(0, Number(query.get('limit') ?? 100));
      return sendJson(response, 200, { success: true, calls: page, total: shown.length, limit: page.length });
    }
    if (behaviour.status !== 200) return sendJson(response, behaviour.status, { error: 'insufficient_balance' });
    const request = JSON.parse(body);
    if (!path.endsWith('/create-campaign')) {
      const [call_status, call_outcome = null] = behaviour.fate(request.called_to) ?? [];
      call(request.called_to, {
        agent_id: request.use_agent_id,
        call_from: request.call_from,
        call_status,
        call_outcome,
      });
      return sendJson(response, 200, { success: true });
    }
    sent.push(request);
    for (const { phone_number } of request.contacts) {
      const [call_status, call_outcome = null] = behaviour.fate(phone_number) ?? [];
      if (call_status === undefined) continue;
      const { agent_id, call_from, start_time: timestamp = new Date().toISOString() } = request;
      call(phone_number, { agent_id, call_from, call_status, call_outcome, timestamp });
    }
    const campaign = { campaign_id: 90 + sent.length, campaign_name: request.campaign_name, status: 'running' };
    sendJson(response, 200, { success: true, ...campaign, total_contacts: request.contacts.length });
  };
  const env = {
    VAGENT_BASE_URL: url,
    VAGENT_ORG_ID: '7',
    VAGENT_API_KEY: 'sk-key-of-tests',
    VAGENT_LOCAL: '',
    CI: '1',
  };
  const operator = new Operator({ env });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(operator.home, name), content);
  const state = join(operator.home, '.local/state/vagent');
  return { operator, env, sent, behaviour, call, requests: () => requestsAt(state), state, answer };
}

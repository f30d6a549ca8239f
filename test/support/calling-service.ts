/**
 * A service that places calls and creates campaigns as a test tells it to, whose log a test may write, and an operator with a
 * register of their own.
 */
import { join } from 'node:path';
import { callAt } from './dated-log.ts';
import type { LogCall } from './hostile-log.ts';
import { type Answer, type Received, sendJson, startServer, type TestServer } from './http.ts';
import { Operator } from './program.ts';
import { type RequestRow, requestsAt } from './rows.ts';

/** What comes of a call to a number: its status, and its outcome if there is one; undefined if it is not called by now. */
export type Fate = (number: string) => [call_status: string, call_outcome?: string] | undefined;

/** How a service may behave towards one POST. */
export type Behaviour = 'accepts' | 'refuses' | 'hangs' | 'fails';

export interface CallingService {
  operator: Operator;
  server: TestServer;
  /** What was to be placed or created so far. */
  posts: () => Received[];
  /** How the requests to come are treated; set before each. */
  next: { behaviour: Behaviour; arrived: () => unknown };
  /** The log, the latest call first. */
  calls: LogCall[];
  /** What comes at once of the contacts of a campaign; without it, none is called. */
  fate: Fate;
  /** What is done with a request for calls in place of a page. */
  instead: { status: number; body: object } | 'hangs' | undefined;
  /** Creates a campaign with one attempt each: they are named 9, 10 and so on. */
  create(name: string, numbers?: readonly string[]): Promise<void>;
  /** The folder in which the register is. */
  state: string;
  requests: () => Promise<RequestRow[]>;
}

/** The agents of the service; the first and the last may call. */
export const AGENTS = [
  { agent_id: 3, agent_name: 'Ana', status: 'active' },
  { agent_id: 4, agent_name: 'Bo', status: 'paused' },
  { agent_id: 5, agent_name: 'Cy', status: 'active' },
];

const NUMBERS = ['+14155550190', '+14155550191', '+14155550192'];

/** Made while tests are collected: hooks of vitest do not work inside one. What runs in one folder runs side by side. */
export async function setUp(cwd?: string, fate: Fate = () => undefined): Promise<CallingService> {
  const next: CallingService['next'] = { behaviour: 'accepts', arrived: () => {} };
  let campaigns = 8;
  const answer: Answer = async ({ method, path, query, body }, response) => {
    if (path.endsWith('/get-agents'))
      return sendJson(response, 200, { success: true, agents: AGENTS, total: AGENTS.length });
    const { calls, instead } = shop;
    if (method === 'GET') {
      if (instead === 'hangs') return;
      if (instead !== undefined) return sendJson(response, instead.status, instead.body);
      const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)];
      const agent = query.get('agent_id');
      const shown = calls.filter(({ agent_id }) => agent === null || String(agent_id) === agent);
      const page = { calls: shown.slice(offset, offset + limit), total: shown.length };
      return sendJson(response, 200, { success: true, ...page });
    }
    await next.arrived();
    if (next.behaviour === 'hangs') return;
    if (next.behaviour === 'refuses') return sendJson(response, 402, { error: 'insufficient_balance' });
    if (next.behaviour === 'fails') return sendJson(response, 500, { error: 'server_error' });
    const { use_agent_id, agent_id = use_agent_id, called_to, call_from, contacts, start_time } = JSON.parse(body);
    const log = (to: string, fields: object) => {
      const timestamp = start_time ?? new Date().toISOString();
      calls.unshift({ call_id: `call_${calls.length}`, agent_id, called_to: to, call_from, timestamp, ...fields });
    };
    if (!path.endsWith('/create-campaign')) {
      log(called_to, { call_status: 'completed', transcript: 'Hi.' });
      return sendJson(response, 200, { success: true });
    }
    for (const { phone_number } of contacts) {
      const [call_status, call_outcome = null] = shop.fate(phone_number) ?? [];
      if (call_status !== undefined) log(phone_number, { call_status, call_outcome });
    }
    campaigns += 1;
    sendJson(response, 200, { success: true, campaign_id: campaigns, status: 'running' });
  };
  const server = await startServer(answer);
  const env = { VAGENT_BASE_URL: `${server.url}/api`, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'sk-PLANTED-key' };
  const operator = new Operator({ env, ...(cwd !== undefined && { cwd }) });
  const state = join(operator.home, '.local/state/vagent');
  const posts = () => server.received.filter(({ method }) => method === 'POST');
  const create = async (name: string, numbers: readonly string[] = NUMBERS) => {
    const flags = ['--agent', '3', '--from', '+14155550100', '--contacts', '-', '--retry-attempts', '0', '--yes'];
    const input = `phone_number\n${numbers.join('\n')}\n`;
    await operator.json(['campaign', 'create', '--name', name, ...flags], { input });
  };
  const requests = () => requestsAt(state);
  const shop: CallingService = {
    operator,
    server,
    posts,
    next,
    calls: [],
    fate,
    instead: undefined,
    create,
    state,
    requests,
  };
  return shop;
}

/** The call to a contact of a created campaign, now. */
export function callTo(contact: number, fields: Partial<LogCall> = {}): LogCall {
  const numbers = { called_to: NUMBERS[contact] ?? '', call_from: '+14155550100', agent_id: 3 };
  return callAt(Date.now() + contact, `call_${contact}`, { ...numbers, transcript: 'Hi.', ...fields });
}

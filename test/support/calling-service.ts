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
  /** What is done with a request for calls in place of a page. */
  instead: { status: number; body: object } | 'hangs' | undefined;
  /** Creates a campaign with one attempt each: they are named 9, 10 and so on. */
  create(name: string, numbers?: readonly string[]): Promise<void>;
  /** The folder in which the register is. */
  state: string;
  requests: () => Promise<RequestRow[]>;
}

/** The agents of the service; the first may call. */
export const AGENTS = [
  { agent_id: 3, agent_name: 'Ana', status: 'active' },
  { agent_id: 4, agent_name: 'Bo', status: 'paused' },
];

const NUMBERS = ['+14155550190', '+14155550191', '+14155550192'];

/** Made while tests are collected: hooks of vitest do not work inside one. What runs in one folder runs side by side. */
export async function setUp(cwd?: string): Promise<CallingService> {
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
      const page = { calls: calls.slice(offset, offset + limit), total: calls.length };
      return sendJson(response, 200, { success: true, ...page });
    }
    await next.arrived();
    if (next.behaviour === 'hangs') return;
    if (next.behaviour === 'refuses') return sendJson(response, 402, { error: 'insufficient_balance' });
    if (next.behaviour === 'fails') return sendJson(response, 500, { error: 'server_error' });
    if (!path.endsWith('/create-campaign')) {
      const { use_agent_id: agent_id, called_to, call_from } = JSON.parse(body);
      const ended = { call_status: 'completed', transcript: 'Hi.', timestamp: new Date().toISOString() };
      calls.unshift({ call_id: `call_${calls.length}`, agent_id, called_to, call_from, ...ended });
      return sendJson(response, 200, { success: true });
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

/** A service that places calls and creates campaigns as a test tells it to, and an operator with a register of their own. */
import { join } from 'node:path';
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
  /** The folder in which the register is. */
  state: string;
  requests: () => Promise<RequestRow[]>;
}

/** The agents of the service; the first may call. */
export const AGENTS = [
  { agent_id: 3, agent_name: 'Ana', status: 'active' },
  { agent_id: 4, agent_name: 'Bo', status: 'paused' },
];

/** Made while tests are collected: hooks of vitest do not work inside one. */
export async function setUp(): Promise<CallingService> {
  const next: CallingService['next'] = { behaviour: 'accepts', arrived: () => {} };
  let campaigns = 8;
  const calls: object[] = [];
  const answer: Answer = async ({ method, path, body }, response) => {
    if (path.endsWith('/get-agents'))
      return sendJson(response, 200, { success: true, agents: AGENTS, total: AGENTS.length });
    if (method === 'GET') return sendJson(response, 200, { success: true, calls, total: calls.length });
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
  const operator = new Operator({ env });
  const state = join(operator.home, '.local/state/vagent');
  const posts = () => server.received.filter(({ method }) => method === 'POST');
  return { operator, server, posts, next, state, requests: () => requestsAt(state) };
}

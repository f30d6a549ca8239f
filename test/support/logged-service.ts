/** A service whose log a test writes, and an operator who sends it campaigns of three contacts, one attempt each. */
import { callAt } from './dated-log.ts';
import type { LogCall } from './hostile-log.ts';
import { sendJson, startServer, type TestServer } from './http.ts';
import { Operator } from './program.ts';

export interface LoggedService {
  operator: Operator;
  server: TestServer;
  /** The log, the latest call first. */
  calls: LogCall[];
  /** What is done with a request for calls in place of a page. */
  instead: { status: number; body: object } | 'hangs' | undefined;
  /** Campaigns are named 9, 10 and so on. */
  create(name: string, numbers?: readonly string[]): Promise<void>;
}

const NUMBERS = ['+14155550190', '+14155550191', '+14155550192'];

/** Made while tests are collected: hooks do not work inside one. What runs in one folder runs side by side. */
export async function loggedService(cwd: string): Promise<LoggedService> {
  let campaigns = 8;
  const server = await startServer(({ method, path, query }, response) => {
    if (path.endsWith('/get-agents')) {
      const agents = [{ agent_id: 3, agent_name: 'Ana', status: 'active' }];
      return sendJson(response, 200, { success: true, agents, total: 1 });
    }
    if (method === 'POST') {
      campaigns += 1;
      return sendJson(response, 200, { success: true, campaign_id: campaigns, status: 'running' });
    }
    const { instead, calls } = shop;
    if (instead === 'hangs') return;
    if (instead !== undefined) return sendJson(response, instead.status, instead.body);
    const [offset = 0, limit = 0] = ['offset', 'limit'].map((name) => Number(query.get(name)));
    sendJson(response, 200, { success: true, calls: calls.slice(offset, offset + limit), total: calls.length });
  });
  const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
  const operator = new Operator({ env, cwd });
  const create = async (name: string, numbers: readonly string[] = NUMBERS) => {
    const flags = ['--agent', '3', '--from', '+14155550100', '--contacts', '-', '--retry-attempts', '0', '--yes'];
    const input = `phone_number\n${numbers.join('\n')}\n`;
    await operator.json(['campaign', 'create', '--name', name, ...flags], { input });
  };
  const shop: LoggedService = { operator, server, calls: [], instead: undefined, create };
  return shop;
}

/** The call to a contact of the campaign, now. */
export function callTo(contact: number, fields: Partial<LogCall> = {}): LogCall {
  const numbers = { called_to: NUMBERS[contact] ?? '', call_from: '+14155550100', agent_id: 3 };
  return callAt(Date.now() + contact, `call_${contact}`, { ...numbers, transcript: 'Hi.', ...fields });
}

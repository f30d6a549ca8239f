/** A service that answers as a test tells it to, and an operator of its own. */
import { type Answer, startServer, type TestServer } from './http.ts';
import { Operator } from './program.ts';

export interface Shop {
  server: TestServer;
  operator: Operator;
  /** In which a terminal reaches the service, whose programs are not the operator's. */
  env: Record<string, string>;
}

/** Made while tests are collected: hooks of vitest do not work inside one. */
export async function shopOf(answer: Answer, options: ConstructorParameters<typeof Operator>[0] = {}): Promise<Shop> {
  const server = await startServer(answer);
  const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests', ...options.env };
  return { server, operator: new Operator({ ...options, env }), env: { VAGENT_LOCAL: '', ...env } };
}

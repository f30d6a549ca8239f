/** Every Backend passes one suite: the local engine over a folder and a database, and the client over HTTP to a server of it. */
import { afterAll, describe, expect, test } from 'vitest';
import { documentedCall, operationNames } from '../src/contract.ts';
import { setAgentStatus } from '../src/engine/controls.ts';
import { remoteBackend } from '../src/http/client/client.ts';
import type { Listening } from '../src/http/server/listen.ts';
import type { LocalEngine } from '../src/local/open.ts';
import { CREDENTIALS, conformance, type Subject } from './conformance.ts';
import { serveEngine, testEngine } from './support/engine.ts';
import { describePostgres, emptiedSchema } from './support/postgres.ts';
import { postgresEngine } from './support/postgres-engine.ts';

function subjectOver({ timeline, backend, admit }: LocalEngine): Subject {
  return {
    backend,
    admit,
    service: backend(CREDENTIALS),
    setAgentStatus: async (status) => {
      await timeline.change(({ state }, now) => setAgentStatus(state, 1, status, now));
    },
    setBalance: async (amount) => {
      await timeline.change(({ state }) => {
        state.organization.balance = amount;
      });
    },
  };
}

const CALL = { use_agent_id: 1, call_from: '+14155550100', custom_first_line: 'Hello.', custom_identifiers: '' };
/** More than one call, as not every one has a recording. */
const EIGHT = Array.from({ length: 8 }, (_, at) => `+4479460${at}190`);

const servers: Listening[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function remoteSubject(): Promise<Subject> {
  const local = subjectOver(testEngine());
  const server = await serveEngine(local);
  servers.push(server);
  const backend = remoteBackend({
    ...{ baseUrl: new URL(server.url), timeoutMs: 10_000, signal: new AbortController().signal, proxy: undefined },
    ...{ random: Math.random, now: Date.now, redact: (text: string) => text, onRequest: () => {} },
  });
  return { ...local, backend, service: backend(CREDENTIALS) };
}

function conforms(subject: () => Subject | Promise<Subject>): void {
  for (const operation of operationNames)
    for (const [title, check] of Object.entries(conformance[operation]))
      test(`${operation}: ${title}`, async () => check(await subject()));

  test('what keeps a call forgets no field that is documented', async () => {
    const { service } = await subject();
    for (const called_to of EIGHT) await service.triggerCall({ ...CALL, called_to });
    const fields = (await service.getCallLogs({})).calls.flatMap((call) => Object.keys(call));
    expect(new Set(fields)).toEqual(new Set(Object.keys(documentedCall.shape)));
  });
}

const schema = emptiedSchema();

describe('the local engine over a folder', () => conforms(() => subjectOver(testEngine())));
describe('remote client → HTTP → local engine', () => conforms(remoteSubject));
describePostgres('the local engine over PostgreSQL', () =>
  conforms(async () => subjectOver(postgresEngine({ url: await schema() }))),
);

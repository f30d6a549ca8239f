import { afterAll, describe, test } from 'vitest';
import { operationNames } from '../src/contract.ts';
import { setAgentStatus } from '../src/engine/controls.ts';
import { remoteBackend } from '../src/http/client/client.ts';
import type { Listening } from '../src/http/server/listen.ts';
import { CREDENTIALS, conformance, type Subject } from './conformance.ts';
import { serveEngine, testEngine } from './support/engine.ts';

function localSubject(): Subject {
  const { timeline, backend, admit } = testEngine();
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

const servers: Listening[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function remoteSubject(): Promise<Subject> {
  const local = localSubject();
  const server = await serveEngine(local);
  servers.push(server);
  const backend = remoteBackend({
    baseUrl: new URL(server.url),
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    proxy: undefined,
    random: Math.random,
    now: Date.now,
    redact: (text) => text,
    onRequest: () => {},
  });
  return { ...local, backend, service: backend(CREDENTIALS) };
}

const subjects: Record<string, () => Subject | Promise<Subject>> = {
  'local engine': localSubject,
  'remote client → HTTP → local engine': remoteSubject,
};

for (const [name, makeSubject] of Object.entries(subjects)) {
  describe(name, () => {
    for (const operation of operationNames) {
      describe(operation, () => {
        for (const [title, check] of Object.entries(conformance[operation])) {
          test(title, async () => check(await makeSubject()));
        }
      });
    }
  });
}

/** The service over PostgreSQL does what the service does. */
import { describe, test } from 'vitest';
import { operationNames } from '../../../src/contract.ts';
import { setAgentStatus } from '../../../src/engine/controls.ts';
import { CREDENTIALS, conformance, type Subject } from '../../conformance.ts';
import { describePostgres, emptiedSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';

const schema = emptiedSchema();

async function subject(): Promise<Subject> {
  const { timeline, backend, admit } = postgresEngine({ url: await schema() });
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

describePostgres('local engine over PostgreSQL', () => {
  for (const operation of operationNames) {
    describe(operation, () => {
      for (const [title, check] of Object.entries(conformance[operation])) {
        test(title, async () => check(await subject()));
      }
    });
  }
});

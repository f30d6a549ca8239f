/** Finds an agent in the service's list, which is the only way to read one. */
import { type Agent, type Service, totalOf } from '../../contract.ts';
import { UnavailableError } from '../../errors.ts';
import { agentPages } from '../../paging/agents.ts';

/** Undefined if there is no such agent. Throws UnavailableError if the list ends before all agents were seen. */
export async function findAgent(id: number, service: Service): Promise<Agent | undefined> {
  for await (const agent of everyAgent(service)) if (agent.agent_id === id) return agent;
  return undefined;
}

/** Every agent of the organization. Throws UnavailableError at the end if the service counts more than it shows. */
export async function* everyAgent(service: Service): AsyncGenerator<Agent> {
  let seen = 0;
  let total: number | undefined;
  for await (const { agents, response } of agentPages(service)) {
    yield* agents;
    seen += agents.length;
    total = totalOf(response);
  }
  if (total !== undefined && seen < total) {
    throw new UnavailableError(`The service shows ${seen} of its ${total} agents.`);
  }
}

/**
 * Every agent once, page by page. Some services repeat items beyond their end, so reading stops when a page brings nothing new.
 */
import { type Agent, type RequestOf, type ResponseOf, type Service, totalOf } from '../contract.ts';
import { plainText } from '../text/csv.ts';

export interface AgentPage {
  /** Agents that no earlier page held. Two are the same if their ids are, or, without ids, if everything else is. */
  agents: Agent[];
  /** The service's whole answer. */
  response: ResponseOf<'getAgents'>;
}

export async function* agentPages(
  service: Service,
  { status, offset = 0 }: Pick<RequestOf<'getAgents'>, 'status' | 'offset'> = {},
): AsyncGenerator<AgentPage> {
  const seen = new Set<string>();
  for (let next = offset; ; ) {
    const response = await service.getAgents({ status, offset: next });
    const agents = response.agents.filter((agent) => {
      const before = seen.size;
      return seen.add(plainText(agent.agent_id) || JSON.stringify(agent)).size > before;
    });
    yield { agents, response };
    next += response.agents.length;
    if (agents.length === 0 || next >= (totalOf(response) ?? Number.POSITIVE_INFINITY)) return;
  }
}

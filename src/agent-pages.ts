/** Every agent once, page by page, as long as the pages bring anything new: what some services show beyond their end repeats. */
import { type Agent, type RequestOf, type ResponseOf, type Service, totalOf } from './contract.ts';
import { plainText } from './csv.ts';

export interface AgentPage {
  /** Those that no earlier page held: one with its id, or with none and all else alike, is the same. */
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

/**
 * The agents of an organization: the service's list is the only way to read one. Some services repeat items beyond its end, so
 * reading stops when a page brings nothing new.
 */
import {
  AGENT_STATUSES,
  type Agent,
  type RequestOf,
  type ResponseOf,
  type SilentService,
  totalOf,
} from '../../contract.ts';
import { InputError, NotFoundError, reworded, ServiceError, UnavailableError, VagentError } from '../../errors.ts';
import { withoutControls } from '../../text/controls.ts';
import { plainText } from '../../text/csv.ts';
import { withFields } from '../../text/json.ts';

type Wanted = Pick<RequestOf<'getAgents'>, 'status' | 'offset'>;

/**
 * The service's answers, each with the agents that no earlier one held. Two are the same if their ids are, or, without ids, if
 * everything else is.
 */
export async function* agentPages(service: SilentService, { status, offset = 0 }: Wanted = {}) {
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

/** All pages as one response, beside whose agents are the fields of the last one. */
export async function allAgents(service: SilentService, request: Wanted): Promise<ResponseOf<'getAgents'>> {
  const agents: Agent[] = [];
  let last: ResponseOf<'getAgents'> | undefined;
  for await (const page of agentPages(service, request)) {
    for (const agent of page.agents) agents.push(agent);
    last = page.response;
  }
  return withFields(last as ResponseOf<'getAgents'>, { agents, limit: agents.length, offset: request.offset ?? 0 });
}

/** Every agent of the organization. Throws UnavailableError at the end if the service counts more than it shows. */
export async function* everyAgent(service: SilentService): AsyncGenerator<Agent> {
  let seen = 0;
  let total: number | undefined;
  for await (const { agents, response } of agentPages(service)) {
    yield* agents;
    seen += agents.length;
    total = totalOf(response);
  }
  if (total !== undefined && seen < total) throw notAllShown(seen, total);
}

/** An agent before it calls. */
export interface AgentLook {
  /** Undefined if it could not be looked up. */
  agent: Agent | undefined;
  /** Why it is not certain that it calls: a sentence that begins in lower case. */
  doubt: string | undefined;
}

/**
 * Looks an agent up before it calls. Only a certain no is an error, because the look-up is a help: NotFoundError if a complete
 * list does not have it, InputError if it is paused or a draft, and the service's own error if it refuses the key or cannot be
 * reached at all. Each says that nothing was sent.
 */
export async function requireActiveAgent(id: number, service: SilentService): Promise<AgentLook> {
  const agent = await findAgentSurely(id, service).catch((error: unknown) => unlessCertain(id, error));
  if (agent instanceof Error) return { agent: undefined, doubt: `agent ${id} was not looked up: ${agent.message}` };
  const reason = { kind: 'agent_cannot_call' } as const;
  if (agent === undefined) {
    throw new NotFoundError(`Agent ${id} does not exist; nothing was sent.`, { code: 'agent_not_found', reason });
  }
  const status = shown(agent.status);
  const isKnown = AGENT_STATUSES.find((known) => known === status.toLowerCase());
  if (isKnown === 'active') return { agent, doubt: undefined };
  if (status === '') return { agent, doubt: `the service does not say whether agent ${id} is active.` };
  if (isKnown === undefined) {
    return { agent, doubt: `agent ${id} is ${status}: whether such an agent calls is not known.` };
  }
  const name = ['Agent', id, shown(agent.agent_name)].join(' ').trimEnd();
  throw new InputError(`${name} is ${status}, not active; nothing was sent.`, { code: 'agent_not_active', reason });
}

/** Undefined if it does not exist. Throws UnavailableError if it may be among the agents that the service does not show. */
async function findAgentSurely(id: number, service: SilentService): Promise<Agent | undefined> {
  let seen = 0;
  let isReadable = true;
  let end: number | undefined;
  for await (const { agents, response } of agentPages(service)) {
    const agent = agents.find(({ agent_id }) => agent_id === id);
    if (agent !== undefined) return agent;
    seen += agents.length;
    isReadable &&= agents.every(({ agent_id }) => Number.isSafeInteger(agent_id));
    // Without a count, only an empty page is certainly the end.
    end = totalOf(response) ?? (response.agents.length === 0 ? seen : undefined);
  }
  if (!isReadable) throw new UnavailableError('The service shows agents whose agent_id cannot be read.');
  if (end === undefined) throw new UnavailableError('The service does not say how many agents there are.');
  if (seen < end) throw notAllShown(seen, end);
  return undefined;
}

const NOTHING_SENT = 'Nothing was sent.';

/** The error, if it is no answer to the question. One that ends every other request as well is thrown. */
function unlessCertain(id: number, error: unknown): VagentError {
  const isUnanswered = error instanceof UnavailableError && !UNREACHABLE.has(error.reason?.kind ?? '');
  if (isUnanswered || (error instanceof ServiceError && error.status !== 401)) return error;
  if (!(error instanceof VagentError)) throw error;
  const why = error.message.endsWith(NOTHING_SENT) ? error.message : `${error.message} ${NOTHING_SENT}`;
  throw reworded(error, { message: `Agent ${id} was not looked up: ${why}` });
}

const UNREACHABLE = new Set(['unreachable', 'proxy_unreachable', 'proxy_refused']);

/** Words of the service on one line. */
function shown(value: unknown): string {
  return withoutControls(plainText(value).replace(/\s+/g, ' ')).trim();
}

function notAllShown(seen: number, total: number): UnavailableError {
  return new UnavailableError(`The service shows ${seen} of its ${total} agents.`);
}

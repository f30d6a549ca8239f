/** All that can be known of an agent: what the service lists, and for the local engine what its store has beside. */
import { everyAgent } from '../../../calls/paging/agents.ts';
import { connectionFlags } from '../../../cli/flags/global.ts';
import type { Context } from '../../../context.ts';
import { requestFields } from '../../../contract.ts';
import { NotFoundError } from '../../../errors.ts';
import { withFields } from '../../../text/json.ts';

export type KnownAgent = Record<string, unknown>;

/** What create-agent takes, in the order of the interface. */
export const CREATION_FIELDS = requestFields('createAgent');

/** Throws NotFoundError. */
export async function agentWith(id: number, context: Context): Promise<KnownAgent> {
  for await (const agent of allAgents(context)) if (agent.agent_id === id) return agent;
  throw new NotFoundError(`Agent ${id} does not exist.`, {
    code: 'agent_not_found',
    hint: `vagent agent list${connectionFlags(context.flags)}`,
  });
}

/** Throws UnavailableError at the end if the service counts more than it shows. */
export async function* allAgents(context: Context): AsyncGenerator<KnownAgent> {
  const service = await context.services.chosen();
  const local = context.settings.isRemote() ? undefined : await context.local.engine();
  const stored = (await local?.timeline.read())?.snapshot.state.agents;
  const records = new Map(stored?.map((record) => [record.agent_id, record]));
  for await (const agent of everyAgent(service)) {
    const record = records.get(Number(agent.agent_id));
    yield record === undefined ? agent : withFields(agent, record);
  }
}

/** The fields of creation that the service does not show of any of these agents. */
export function unseenFields(agents: readonly KnownAgent[]): string[] {
  return CREATION_FIELDS.filter((name) => agents.every((agent) => !Object.hasOwn(agent, name)));
}

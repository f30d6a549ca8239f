/** All that can be known of an agent: what the service lists, and for the local engine what its store has beside. */

import { everyAgent, findAgent } from '../../../calls/paging/agents.ts';
import { connectionFlags } from '../../../cli/flags/global.ts';
import type { Context } from '../../../context.ts';
import { type Agent, requestFields } from '../../../contract.ts';
import { NotFoundError } from '../../../errors.ts';
import { withFields } from '../../../text/original.ts';

export type KnownAgent = Record<string, unknown>;

/** What create-agent takes, in the order of the interface. */
export const CREATION_FIELDS = requestFields('createAgent');

/** Throws NotFoundError. */
export async function agentWith(id: number, context: Context): Promise<KnownAgent> {
  const agent = await findAgent(id, await context.services.chosen());
  if (agent !== undefined) return (await detailsFrom(context))(agent);
  throw new NotFoundError(`Agent ${id} does not exist.`, {
    code: 'agent_not_found',
    hint: `vagent agent list${connectionFlags(context.flags)}`,
  });
}

export async function allAgents(context: Context): Promise<KnownAgent[]> {
  const service = await context.services.chosen();
  const details = await detailsFrom(context);
  const agents: KnownAgent[] = [];
  for await (const agent of everyAgent(service)) agents.push(details(agent));
  return agents;
}

/** The fields of creation that the service does not show of any of these agents. */
export function unseenFields(agents: readonly KnownAgent[]): string[] {
  return CREATION_FIELDS.filter((name) => agents.every((agent) => !Object.hasOwn(agent, name)));
}

async function detailsFrom(context: Context): Promise<(agent: Agent) => KnownAgent> {
  if (context.settings.isRemote()) return (agent) => agent;
  const { timeline } = await context.local.engine();
  const { snapshot } = await timeline.read();
  const records = new Map(snapshot.state.agents.map((record) => [record.agent_id, record]));
  return (agent) => withFields(agent, records.get(Number(agent.agent_id)) ?? {});
}

/** Looks up the agent of a campaign before the campaign is sent. */
import type { Context } from '../../../context.ts';
import { reworded, VagentError } from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import { type AgentLook, lookUpAgent } from '../../../paging/find-agent.ts';

/** The codes of a certain no. */
const ABOUT_AGENT = new Set(['agent_not_found', 'agent_not_active']);
const NOTHING_SENT = 'Nothing was sent.';

/**
 * What is known of the agent. Throws NotFoundError if it does not exist, InputError if it is not active, and the service's own
 * failure if nothing can be sent anyway. Everything else is a doubt, which whoever sends must be told.
 */
export async function requireActiveAgent(id: number, context: Context): Promise<AgentLook> {
  const service = await context.service();
  return lookUpAgent(id, service).catch((error: unknown) => {
    if (!(error instanceof VagentError)) throw error;
    if (ABOUT_AGENT.has(error.code))
      throw reworded(error, { hint: `vagent agent list --all${connectionFlags(context.flags)}` });
    const isSaid = error.message.endsWith(NOTHING_SENT);
    const why = isSaid ? error.message : `${error.message} ${NOTHING_SENT}`;
    throw reworded(error, { message: `Agent ${id} was not looked up: ${why}` });
  });
}

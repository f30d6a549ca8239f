/** Looks up the agent of a campaign before the campaign is sent. */

import type { Context } from '../../../context.ts';
import type { Agent } from '../../../contract.ts';
import { InputError, NotFoundError, reworded, VagentError } from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import { cell } from '../../../terminal/output.ts';
import { findAgent } from '../../shared/find-agent.ts';

const NOTHING_SENT = 'Nothing was sent.';

/**
 * The agent, if it may call. Throws NotFoundError if it does not exist, InputError if it is not active, and the service's own
 * failure if it cannot be looked up.
 */
export async function requireActiveAgent(id: number, context: Context): Promise<Agent> {
  const service = await context.service();
  const agent = await findAgent(id, service).catch((error: unknown) => {
    if (!(error instanceof VagentError)) throw error;
    const isSaid = error.message.endsWith(NOTHING_SENT);
    const why = isSaid ? error.message : `${error.message} ${NOTHING_SENT}`;
    throw reworded(error, { message: `Agent ${id} was not looked up: ${why}` });
  });
  const list = `vagent agent list --all${connectionFlags(context.flags)}`;
  if (agent === undefined)
    throw new NotFoundError(`Agent ${id} does not exist; nothing was sent.`, { code: 'agent_not_found', hint: list });
  const status = cell(agent.status);
  if (status === '') context.io.warn(`the service does not say whether agent ${id} is active.`);
  else if (status !== 'active') {
    const name = ['Agent', id, cell(agent.agent_name)].join(' ').trimEnd();
    throw new InputError(`${name} is ${status}, not active; nothing was sent.`, {
      code: 'agent_not_active',
      hint: list,
    });
  }
  return agent;
}

/** Checks of a profile's defaults that are the same for every service. */
import type { Context } from '../context.ts';
import type { Agent } from '../contract.ts';
import { plainText } from '../csv.ts';
import { InputError, NotFoundError, UsageError } from '../errors.ts';
import type { Check } from './check.ts';

export const NONE_IS_SET = 'none is set';

export function countryCheck(context: Context): Check {
  return { name: 'country', what: 'default country', needs: ['profile'], look: () => country(context) };
}

async function country(context: Context): Promise<string> {
  const code = context.settings.profile?.country;
  if (code === undefined) return NONE_IS_SET;
  const { numberReader } = await import('../contacts/numbers.ts');
  try {
    numberReader(code);
    return code;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${code} is not the ISO code of a country.`, { hint: mend(context, '--country DE') });
  }
}

/** How a default of the profile in effect is changed: a profile that is added again replaces the one of that name, whole. */
export function mend({ profileInEffect }: Context, flags: string): string {
  return `Add profile ${profileInEffect} again, with all its flags (vagent profile show) and ${flags}.`;
}

/** What is to be said of the default agent, found or not. Throws what stands in its way. */
export function judgeAgent(context: Context, agentId: number, agent: Agent | undefined): string {
  if (agent === undefined) {
    throw new NotFoundError(`There is no agent ${agentId}.`, {
      hint: `vagent agent list --status active${context.connection} lists those that can call. ${mend(context, '--agent <id>')}`,
    });
  }
  const [name, status] = [plainText(agent.agent_name), plainText(agent.status)];
  const called = name === '' ? String(agentId) : `${agentId} (${name})`;
  // What a service does not say is nothing that is wrong.
  if (status === '' || status === 'active') return `${called}, ${status || 'of no status'}`;
  throw new InputError(`Agent ${called} is ${status}; only an active agent calls.`, {
    hint: context.isRemote
      ? 'Activate it at the service, or name another agent.'
      : `vagent local agent ${agentId} --status active`,
  });
}

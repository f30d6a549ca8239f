/** Checks of a profile's defaults that are the same for every service. */
import type { Context } from '../context.ts';
import type { Agent } from '../contract.ts';
import { InputError, NotFoundError, UsageError } from '../errors.ts';
import { plainText } from '../text/csv.ts';

export const NONE_IS_SET = 'none is set';

export async function country(context: Context): Promise<string> {
  const code = context.settings.profile()?.country;
  if (code === undefined) return NONE_IS_SET;
  const { isCountry } = await import('../contacts/numbers/phone-cell.ts');
  if (isCountry(code)) return code;
  throw new UsageError(`${code} is not the ISO code of a country.`, { hint: addedAgain(context, '--country DE') });
}

/** The hint to change a default of the profile: adding a profile again replaces the whole profile of that name. */
export function addedAgain({ settings }: Context, flags: string): string {
  return `Add profile ${settings.profileName()} again, with all its flags (vagent profile show) and ${flags}.`;
}

/** Describes the default agent. Throws if it does not exist or may not call. */
export function judgeAgent(context: Context, agentId: number, agent: Agent | undefined): string {
  if (agent === undefined) {
    throw new NotFoundError(`Agent ${agentId} does not exist.`, {
      reason: { kind: 'default_agent_not_found' },
      hint: addedAgain(context, '--agent <id>'),
    });
  }
  const [name, status] = [plainText(agent.agent_name), plainText(agent.status)];
  const called = name === '' ? String(agentId) : `${agentId} (${name})`;
  // A status that the service does not report is not an error.
  if (status === '' || status === 'active') return `${called}, ${status || 'status not reported'}`;
  throw new InputError(`Agent ${called} is ${status}; only an active agent calls.`, {
    hint: context.settings.isRemote()
      ? 'Activate it at the service, or name another agent.'
      : `vagent local agent ${agentId} --status active`,
  });
}

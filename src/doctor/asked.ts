/** What several checks look at, and say: each thing is asked for once, by the first check that needs it. */
import type { Context } from '../context.ts';
import type { Agent, SilentService } from '../contract.ts';
import { InputError, NotFoundError } from '../errors.ts';
import { plainText } from '../text/csv.ts';

/** Describes what is in order; undefined if there was nothing to check. Throws if something is not in order. */
export type Look = (context: Context, asked: Asked) => string | undefined | Promise<string | undefined>;

type Database = NonNullable<Awaited<ReturnType<Context['local']['engine']>>['database']>;
export type DatabaseFacts = Awaited<ReturnType<Database['diagnose']>>;

/** The agents of a service, some at a time. */
export type AgentPages = (service: SilentService) => AsyncIterable<{ agents: readonly Agent[] }>;

export type Asked = ReturnType<typeof asking>;

export function asking({ clock, local, services, settings }: Context, agentPages: AgentPages) {
  let service: Promise<SilentService> | undefined;
  let facts: Promise<DatabaseFacts | undefined> | undefined;
  return {
    agentPages,
    /** The remote one. */
    async service(): Promise<SilentService> {
      const target = settings.target();
      if (target.mode !== 'remote') throw new Error('there is no remote service');
      service ??= settings.credentials().then((credentials) => services.at(target.baseUrl, credentials));
      return await service;
    },
    /** The local engine's. A store that does not exist yet is checked as it will be created. */
    state: async () => (await (await local.engine()).timeline.stored()).state,
    async database(): Promise<DatabaseFacts | undefined> {
      facts ??= local.engine().then(({ database }) => database?.diagnose(clock.system));
      return await facts;
    },
  };
}

export const NONE_IS_SET = 'none is set';

/** The hint to change a default of the profile. */
export function profileEdit({ settings }: Context, flags: string): string {
  return `Change the profile: vagent profile edit ${settings.profileName()} ${flags}`;
}

/** Describes the default agent. Throws if it does not exist or may not call. */
export function judgeAgent(context: Context, agentId: number, agent: Agent | undefined): string {
  if (agent === undefined) {
    throw new NotFoundError(`Agent ${agentId} does not exist.`, {
      reason: { kind: 'default_agent_not_found' },
      hint: profileEdit(context, '--agent <id>'),
    });
  }
  const [name, status] = [plainText(agent.agent_name), plainText(agent.status)];
  const called = name === '' ? String(agentId) : `${agentId} (${name})`;
  // A status that the service does not report is not an error.
  if (status === '' || status === 'active') return `${called}, ${status || 'status not reported'}`;
  throw new InputError(`Agent ${called} is ${status}; only an active agent calls.`, {
    ...(context.settings.isRemote()
      ? { hint: 'Activate it at the service, or name another agent.' }
      : { reason: { kind: 'agent_not_active', agentId } }),
  });
}

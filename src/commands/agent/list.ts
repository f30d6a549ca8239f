import type { Command } from 'commander';
import { type AgentPage, agentPages } from '../../agent-pages.ts';
import { integerFrom, oneOf } from '../../arguments.ts';
import type { Context } from '../../context.ts';
import { AGENT_STATUSES, type Agent, listFields, type RequestOf, type Service, totalOf } from '../../contract.ts';
import { GivenFlags } from '../../given.ts';
import { examples } from '../../help.ts';
import { printList } from '../../output.ts';

interface Options extends RequestOf<'getAgents'> {
  all?: true;
}

export function register(command: Command, context: Context): void {
  command
    .option('--status <status>', AGENT_STATUSES.join(', '), oneOf(AGENT_STATUSES))
    .option('--limit <n>', 'agents at most (default 100)', integerFrom(1))
    .option('--offset <n>', 'agents to skip', integerFrom(0))
    .option('--all', 'every agent, however many pages')
    .addHelpText('after', examples(['vagent agent list --status active', 'vagent agent list -o ids']));
  const given = new GivenFlags(command);
  command.action((options: Options) => run(options, given, context));
}

async function run({ status, limit, offset, all }: Options, given: GivenFlags, context: Context): Promise<void> {
  const { io, flags } = context;
  const service = await context.service();
  const response = all
    ? await everyAgent(service, { status, offset })
    : await service.getAgents({ status, limit, offset });
  const brief = ['agent_id', 'agent_name', 'status', 'language', 'voice_id', 'agent_description'];
  await printList(io, flags, response, { key: 'agents', columns: listFields.agents, brief });

  const next = (offset ?? 0) + response.agents.length;
  const total = totalOf(response);
  if (io.stdoutIsTerminal && total !== undefined && next < total) {
    io.note(`${next} of ${total} agents. Next: vagent agent list${given.except(['--offset'])} --offset ${next}`);
  }
}

/** One document of all pages. */
async function everyAgent(service: Service, request: Pick<Options, 'status' | 'offset'>) {
  const agents: Agent[] = [];
  let last: AgentPage['response'] | undefined;
  for await (const page of agentPages(service, request)) {
    agents.push(...page.agents);
    last = page.response;
  }
  return { ...(last as AgentPage['response']), agents, limit: agents.length, offset: request.offset ?? 0 };
}

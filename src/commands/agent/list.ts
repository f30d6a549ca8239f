import { allAgents } from '../../calls/paging/agents.ts';
import { connectionFlags } from '../../cli/flags/global.ts';
import { integerFrom, oneOf } from '../../cli/flags/values.ts';
import { noteIfPart, printList } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import { AGENT_STATUSES, DEFAULT_LIMIT, listFields, type RequestOf, totalOf } from '../../contract.ts';
import type { CommandModule } from '../shared/command.ts';

interface Options extends RequestOf<'getAgents'> {
  all?: true;
}

export const command: CommandModule = {
  examples: ['vagent agent list --status active', 'vagent agent list -o ids'],
  exits: 'reading',
  lists: true,
  operation: 'getAgents',
  takes: (command) =>
    command
      .option('--status <status>', AGENT_STATUSES.join(', '), oneOf(AGENT_STATUSES))
      .optionsGroup('Pages')
      .option('--limit <n>', `agents at most (default ${DEFAULT_LIMIT})`, integerFrom(1))
      .option('--offset <n>', 'agents to skip', integerFrom(0))
      .option('--all', 'every agent, however many pages'),
  run,
};

async function run(context: Context, { status, limit, offset, all }: Options): Promise<void> {
  const { io } = context;
  const service = await context.services.chosen();
  const response = all
    ? await allAgents(service, { status, offset })
    : await service.getAgents({ status, limit, offset });
  const brief = ['agent_id', 'agent_name', 'status', 'language', 'voice_id', 'agent_description'];
  await printList(context, response, 'agents', {
    columns: listFields.agents,
    brief,
    importance: ['agent_id', 'agent_name', 'status', 'agent_description'],
    empty: ifEmpty(context),
  });

  const next = (offset ?? 0) + response.agents.length;
  const total = totalOf(response);
  noteIfPart(context, next === total && offset === undefined);
  if (io.stdoutIsTerminal && total !== undefined && next < total) {
    io.note(`${next} of ${total} agents. Next: vagent agent list${context.line.except(['--offset'])} --offset ${next}`);
  }
}

function ifEmpty({ line, flags }: Context): string {
  const connection = connectionFlags(flags);
  const narrowing = line.only(['--status', '--offset']);
  if (narrowing !== '') return `No agent matches${narrowing}. All of them: vagent agent list${connection}`;
  return `No agents yet. Create one: vagent agent create${connection}`;
}

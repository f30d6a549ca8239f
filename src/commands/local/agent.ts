import type { Command } from 'commander';
import { EXITS, explain } from '../../cli/flags/help.ts';
import { askedArgument } from '../../cli/flags/plain-command.ts';
import { identifier, oneOf } from '../../cli/flags/values.ts';
import type { ListQuestion } from '../../cli/terminal/asking.ts';
import { printRecord } from '../../cli/terminal/output.ts';
import { complete } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { AGENT_STATUSES } from '../../contract.ts';
import type { AgentRecord } from '../../engine/state.ts';
import { noteNextTime } from '../shared/consent.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent local agent 1 --status paused'],
    exits: EXITS.engine,
  });
  askedArgument(command, '<id>', 'agent', identifier)
    .option('--status <status>', AGENT_STATUSES.join(', '), oneOf(AGENT_STATUSES))
    .action((id: number | undefined, options: { status?: AgentRecord['status'] }) => run(id, options.status, context));
}

export async function run(
  givenId: number | undefined,
  given: AgentRecord['status'] | undefined,
  context: Context,
): Promise<void> {
  const { io, flags } = context;
  const choices = async () => AGENT_STATUSES.map((name) => ({ name, value: name }));
  const { id, status } = await complete(
    io,
    { id: givenId, status: given },
    { id: askLocalAgent(context), status: { flag: '--status', message: 'Status', choices } },
  );
  const { setAgentStatus } = await import('../../engine/controls.ts');
  const { timeline } = await context.local.engine();
  const agent = await timeline.change(({ state }, now) => setAgentStatus(state, id, status, now));
  await printRecord(io, flags, { agent_id: agent.agent_id, agent_name: agent.agent_name, status: agent.status });
  noteNextTime(context);
}

function askLocalAgent(context: Context): ListQuestion<number> {
  return {
    flag: '<id>',
    message: 'Agent',
    choices: async () => {
      const { timeline } = await context.local.engine();
      const { snapshot } = await timeline.read();
      return snapshot.state.agents.map(({ agent_id, agent_name, status }) => ({
        name: `${agent_id}  ${agent_name} (${status})`,
        value: agent_id,
      }));
    },
  };
}

import { identifier, oneOf } from '../../cli/flags/values.ts';
import { printRecord } from '../../cli/terminal/output.ts';
import { askOneOf, complete } from '../../cli/terminal/prompt.ts';
import type { ListQuestion } from '../../cli/terminal/question.ts';
import type { Context } from '../../context.ts';
import { AGENT_STATUSES } from '../../contract.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';

interface Options {
  status?: (typeof AGENT_STATUSES)[number];
}

export const command: CommandModule = {
  examples: ['vagent local agent 1 --status paused'],
  exits: 'engine',
  takes: (command) =>
    command
      .asked('<id>', 'agent', identifier)
      .option('--status <status>', AGENT_STATUSES.join(', '), oneOf(AGENT_STATUSES)),
  run,
};

async function run(context: Context, givenId: number | undefined, flags: Options): Promise<void> {
  const questions = { id: askLocalAgent(context), status: askOneOf('--status', 'Status', AGENT_STATUSES) };
  const { id, status } = await complete(context.io, { id: givenId, status: flags.status }, questions);
  const { setAgentStatus } = await import('../../engine/controls.ts');
  const { timeline } = await context.local.engine();
  const { agent_id, agent_name, ...agent } = await timeline.change(({ state }, now) =>
    setAgentStatus(state, id, status, now),
  );
  await printRecord(context, { agent_id, agent_name, status: agent.status });
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

import { identifier } from '../../cli/flags/values.ts';
import { isForPerson, printRecord } from '../../cli/terminal/output.ts';
import { orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { withoutControls } from '../../text/controls.ts';
import { originalOf } from '../../text/json.ts';
import { wrap } from '../../text/width.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { agentWith, type KnownAgent, unseenFields } from './shared/known-agent.ts';

export const command: CommandModule = {
  notes:
    'The service has no operation for one agent: its list is read until the agent is found. It shows no base_prompt, ' +
    'greeting and conversation_goal; the simulator does.',
  examples: ['vagent agent show 1', 'vagent agent show 1 --json'],
  exits: 'reading',
  operation: 'getAgents',
  takes: (command) => command.asked('<id>', 'agent (vagent agent list)', identifier),
  run,
};

async function run(context: Context, given: number | undefined): Promise<void> {
  const { io } = context;
  async function* choices() {
    yield* (await import('../shared/choices.ts')).agentChoices(() => context.services.chosen());
  }
  const id = await orAsk(io, given, { flag: '<id>', message: 'Agent', choices, parse: identifier });
  const agent = await agentWith(id, context);
  // As the service wrote it. The prompt is a text of many lines.
  const { base_prompt: prompt, ...others }: KnownAgent = originalOf(agent);
  const isForReader = isForPerson(context);
  await printRecord(context, isForReader ? others : agent, { idColumn: 'agent_id' });
  if (isForReader && typeof prompt === 'string' && prompt !== '') {
    const lines = withoutControls(io.redactor.redact(prompt)).split('\n');
    const wrapped = lines.flatMap((line) => wrap(line.trimEnd(), io.columns));
    await io.screen(`\n${wrapped.map((line) => `${line}\n`).join('')}`);
  }
  const unseen = unseenFields([agent]);
  if (unseen.length > 0) io.note(`The service does not show ${unseen.join(', ')}.`);
  noteNextTime(context);
}

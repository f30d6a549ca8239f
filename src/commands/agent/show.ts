import { identifier } from '../../cli/flags/values.ts';
import { isForPerson, printRecord } from '../../cli/terminal/output.ts';
import { orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { withoutControls } from '../../text/controls.ts';
import { originalOf } from '../../text/original.ts';
import { wrap } from '../../text/width.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { agentWith, type KnownAgent, unseenFields } from './shared/known-agent.ts';

export const command: CommandModule = {
  notes:
    'The service has no operation for one agent: its list is read until the agent is found. It shows no base_prompt, ' +
    'greeting and conversation_goal; the local engine does.',
  examples: ['vagent agent show 1', 'vagent agent show 1 --json'],
  exits: 'reading',
  operation: 'getAgents',
  takes: (command) => command.asked('<id>', 'agent (vagent agent list)', identifier),
  run,
};

/** The field that is a text of many lines. */
const PROMPT = 'base_prompt';

async function run(context: Context, given: number | undefined): Promise<void> {
  const { io } = context;
  const connect = () => context.services.chosen();
  async function* choices() {
    yield* (await import('../shared/choices.ts')).agentChoices(connect);
  }
  const id = await orAsk(io, given, { flag: '<id>', message: 'Agent', choices, parse: identifier });
  const agent = await agentWith(id, context);
  // As the service wrote it.
  const { [PROMPT]: prompt, ...others }: KnownAgent = originalOf(agent);
  if (!isForPerson(context)) await printRecord(context, agent, { idColumn: 'agent_id' });
  else {
    await printRecord(context, others, { idColumn: 'agent_id' });
    if (typeof prompt === 'string' && prompt !== '')
      await io.screen(`\n${wrapped(io.redactor.redact(prompt), io.columns)}`);
  }
  noteUnseen(agent, context);
  noteNextTime(context);
}

/** Its own lines, each of which may need several of the terminal. */
function wrapped(text: string, columns: number): string {
  const lines = withoutControls(text).split('\n');
  return lines
    .flatMap((line) => wrap(line.trimEnd(), columns))
    .map((line) => `${line}\n`)
    .join('');
}

function noteUnseen(agent: KnownAgent, { io }: Context): void {
  const unseen = unseenFields([agent]);
  if (unseen.length > 0) io.note(`The service does not show ${unseen.join(', ')}.`);
}

import { isJson } from '../../cli/flags/global.ts';
import { identifier } from '../../cli/flags/values.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { writeJson } from '../../text/json.ts';
import { counted } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import { NO_JQ_OF_FILES, OUT } from '../shared/output-file.ts';
import { agentWith, allAgents, CREATION_FIELDS, type KnownAgent, unseenFields } from './shared/known-agent.ts';

interface Options {
  out?: string;
}

export const command: CommandModule = {
  notes:
    'Writes what vagent agent create --input takes, so that agents can be kept in git: JSON, always in the same order. ' +
    'Without an id, all agents as one array.\n\n' +
    'The service shows no base_prompt, greeting and conversation_goal; the simulator does. What it does not show is ' +
    'left out, and said: add it to the file, or give it to agent create with --prompt-file.',
  examples: ['vagent agent export 1 --out front-desk.json', 'vagent agent export > agents.json'],
  exits: 'reading',
  formats: ['json'],
  operation: 'getAgents',
  takes: (command) => command.argument('[id]', 'agent (default: all)', identifier).option(...OUT),
  run,
};

async function run(context: Context, id: number | undefined, { out = '-' }: Options): Promise<void> {
  const { io, flags, line } = context;
  if ((flags.output !== undefined && !isJson(flags)) || flags.fields !== undefined) {
    throw new UsageError('An agent is exported as JSON, with all fields that agent create takes.', {
      hint: 'For other formats and for chosen fields: vagent agent list',
    });
  }
  if (flags.jq !== undefined && out !== '-') throw new UsageError(NO_JQ_OF_FILES);
  const agents = id === undefined ? [] : [await agentWith(id, context)];
  if (id === undefined) for await (const agent of allAgents(context)) agents.push(agent);
  const created = agents.map(asCreated);
  const text = `${writeJson(io.redactor.mask(id === undefined ? created : created[0]), 2)}\n`;
  if (out === '-') await io.data(text);
  else {
    const { writingFile } = await import('../../storage/files/in-progress.ts');
    await writingFile(out, line, async (file) => file.write(text));
    io.note(`${counted(agents.length, 'agent')} written to ${out}.`);
  }
  const unseen = agents.length === 0 ? [] : unseenFields(agents);
  if (unseen.length === 0) return;
  const needed = unseen.includes('base_prompt') ? ' An agent cannot be created without base_prompt: add it.' : '';
  io.warn(`the service does not show ${unseen.join(', ')}.${needed}`);
}

/** The fields of creation that have a value, in the order of the interface. */
function asCreated(agent: KnownAgent): Record<string, unknown> {
  const fields = CREATION_FIELDS.map((name) => [name, agent[name]] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined && value !== null && value !== ''));
}

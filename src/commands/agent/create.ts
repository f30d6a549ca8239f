import { isUtf8 } from 'node:buffer';
import { nearest } from '../../cli/flags/nearest.ts';
import { filled, identifier, type OptionsOf } from '../../cli/flags/values.ts';
import { type Io, sourceName } from '../../cli/terminal/io.ts';
import { printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { complete } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { checkRequest, DEFAULT_LANGUAGE, isObject, type RequestOf } from '../../contract.ts';
import { InputError, type Issue, UsageError } from '../../errors.ts';
import { shellWord } from '../../text/shell.ts';
import type { CommandModule } from '../shared/command.ts';
import { readJsonFile } from '../shared/json-input.ts';
import { chosenName } from '../shared/questions.ts';
import { CREATION_FIELDS } from './shared/known-agent.ts';

const FLAGS = {
  name: ['--name <text>', "the agent's name", filled],
  prompt: ['--prompt <text>', 'base instructions for its behaviour', filled],
  promptFile: ['--prompt-file <file>', 'the same from a file, or - for standard input', filled],
  voice: ['--voice <id>', 'voice (vagent voice list)', identifier],
  language: ['--language <code>', `language (default ${DEFAULT_LANGUAGE})`, String],
  description: ['--description <text>', 'what the agent is for', String],
  greeting: ['--greeting <text>', 'greeting message', String],
  goal: ['--goal <text>', 'goal of its conversations, such as schedule_appointment', String],
  input: ['--input <file>', 'these fields from a file of agent export, or - for standard input; flags win', filled],
} as const;
type Options = OptionsOf<typeof FLAGS>;

/** Fields of create-agent; whatever is missing may still be given or asked. */
type AgentFields = Partial<RequestOf<'createAgent'>>;

export const command: CommandModule = {
  examples: [
    'vagent agent create --name "Front desk" --prompt "You answer calls of a clinic." --voice 1',
    'vagent agent create --input front-desk.json --name "Front desk 2"',
    'vagent agent create --name Recall --prompt-file recall.txt --voice 3 --language es --goal schedule_appointment',
  ],
  exits: 'changing',
  operation: 'createAgent',
  takes: (command) => command.takesFlags(FLAGS),
  run,
};

async function run(context: Context, options: Options): Promise<void> {
  const { io } = context;
  const file = options.input === undefined ? {} : await readAgentFile(options.input, io);
  const flagged = {
    agent_name: options.name,
    agent_description: options.description,
    base_prompt: await givenPrompt(options, io),
    voice_id: options.voice,
    language: options.language,
    greeting: options.greeting,
    conversation_goal: options.goal,
  };
  const given: AgentFields = { ...file, ...defined(flagged) };
  const { language } = given;
  const voices = async () =>
    (await import('../shared/choices.ts')).voiceChoices(await context.services.chosen(), language);
  const { name, prompt, voice } = await complete(
    io,
    { name: given.agent_name, prompt: given.base_prompt, voice: given.voice_id },
    {
      name: { flag: '--name', message: 'Name of the agent', parse: filled },
      prompt: { flag: '--prompt or --prompt-file', message: 'Base instructions', parse: filled, mayHaveLines: true },
      voice: { flag: '--voice', message: 'Voice', choices: voices, parse: identifier },
    },
  );
  if (io.answers.length > 0) {
    const { requireConsent } = await import('../shared/consent.ts');
    const facts = { Name: name, Voice: chosenName(io, '--voice') ?? voice, Language: language, Instructions: prompt };
    await requireConsent({ facts, question: 'Create this agent?', ringsPhones: false }, context);
  }
  const service = await context.services.chosen();
  const response = await service.createAgent({ ...given, agent_name: name, base_prompt: prompt, voice_id: voice });
  await printRecord(context, response, { idColumn: 'agent_id' });
  suggestNext(context, `vagent call <your own number> --agent ${response.agent_id}`, 'to hear it');
}

/** Bytes: a prompt is far shorter. */
const LONGEST_PROMPT_FILE = 16 * 1024 * 1024;

async function givenPrompt({ prompt, promptFile }: Options, io: Io): Promise<string | undefined> {
  if (promptFile === undefined) return prompt;
  if (prompt !== undefined) throw new UsageError('--prompt and --prompt-file cannot be used together.');
  const bytes = await io.read(promptFile, '--prompt-file', LONGEST_PROMPT_FILE);
  if (!isUtf8(bytes)) throw new InputError(`${sourceName(promptFile)} is not UTF-8.`);
  const text = bytes.toString('utf8').trim();
  if (text === '') throw new InputError(`${sourceName(promptFile)} holds no prompt.`);
  return text;
}

// A file of fields, as `agent export` writes it -------------------------------------------------------------------------

/** Throws InputError, which names each field that is unknown or of the wrong type. */
async function readAgentFile(input: string, io: Io): Promise<AgentFields> {
  const source = sourceName(input);
  const value = await readJsonFile(input, io);
  if (Array.isArray(value)) {
    const file = input === '-' ? '' : ` ${shellWord(input)}`;
    throw new InputError(`${source} holds a list of ${value.length}; one agent is created at a time.`, {
      hint: `Its first: jq '.[0]'${file} | vagent agent create --input -`,
    });
  }
  if (!isObject(value)) throw new InputError(`${source} must hold a JSON object, with the fields of one agent.`);
  const given = defined(value);
  const checked = checkRequest('createAgent', given);
  // Fields that are missing may be given by flags.
  const wrong = checked.ok ? [] : checked.issues.filter(({ field }) => given[field] !== undefined);
  const issues = [...unknownFields(given), ...wrong];
  if (issues.length === 0) return given;
  throw new InputError(`${source} is not a description of an agent.`, {
    issues,
    hint: `Fields: ${CREATION_FIELDS.join(', ')}.`,
  });
}

function unknownFields(value: object): Issue[] {
  const unknown = Object.keys(value).filter((name) => !CREATION_FIELDS.includes(name));
  return unknown.map((field) => {
    const meant = nearest(field, CREATION_FIELDS);
    return { field, message: `no field of a new agent${meant === undefined ? '' : `: did you mean ${meant}?`}` };
  });
}

/** Those that have a value. */
function defined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

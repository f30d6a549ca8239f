import { isUtf8 } from 'node:buffer';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { DEFAULT_LANGUAGE } from '../../contract.ts';
import { InputError, UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { filled, identifier } from '../../flags/values.ts';
import { type Io, sourceName } from '../../terminal/io.ts';
import { suggestNext } from '../../terminal/next.ts';
import { printRecord } from '../../terminal/output.ts';
import { complete } from '../../terminal/prompt.ts';
import { chosenName } from '../shared/questions.ts';
import { readAgentFile } from './shared/agent-file.ts';

type TextOption = 'input' | 'name' | 'prompt' | 'promptFile' | 'language' | 'description' | 'greeting' | 'goal';
type Options = { [name in TextOption]?: string } & { voice?: number };

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: [
      'vagent agent create --name "Front desk" --prompt "You answer calls of a clinic." --voice 1',
      'vagent agent create --input front-desk.json --name "Front desk 2"',
      'vagent agent create --name Recall --prompt-file recall.txt --voice 3 --language es --goal schedule_appointment',
    ],
    exits: EXITS.changing,
    operation: 'createAgent',
  });
  command
    .option('--name <text>', "the agent's name", filled)
    .option('--prompt <text>', 'base instructions for its behaviour', filled)
    .option('--prompt-file <file>', 'the same from a file, or - for standard input', filled)
    .option('--voice <id>', 'voice (vagent voice list)', identifier)
    .option('--language <code>', `language (default ${DEFAULT_LANGUAGE})`)
    .option('--description <text>', 'what the agent is for')
    .option('--greeting <text>', 'greeting message')
    .option('--goal <text>', 'goal of its conversations, such as schedule_appointment')
    .option('--input <file>', 'these fields from a file of agent export, or - for standard input; flags win', filled)
    .action((options: Options) => run(options, context));
}

export async function run(options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const file = options.input === undefined ? {} : await readAgentFile(options.input, io);
  const { name, prompt, voice } = await complete(
    io,
    {
      name: options.name ?? file.agent_name,
      prompt: (await givenPrompt(options, io)) ?? file.base_prompt,
      voice: options.voice ?? file.voice_id,
    },
    {
      name: { flag: '--name', message: 'Name of the agent', parse: filled },
      prompt: { flag: '--prompt or --prompt-file', message: 'Base instructions', parse: filled, mayHaveLines: true },
      voice: {
        flag: '--voice',
        message: 'Voice',
        choices: async () =>
          (await import('../shared/choices.ts')).voiceChoices(
            await context.service(),
            options.language ?? file.language,
          ),
        parse: identifier,
      },
    },
  );
  if (io.answers.length > 0) {
    const { requireConsent } = await import('../shared/consent.ts');
    const facts = {
      Name: name,
      Voice: chosenName(io, '--voice') ?? voice,
      Language: options.language ?? file.language,
      Instructions: prompt,
    };
    await requireConsent({ facts, question: 'Create this agent?', ringsPhones: false }, context);
  }
  const service = await context.service();
  const response = await service.createAgent({
    agent_name: name,
    agent_description: options.description ?? file.agent_description,
    base_prompt: prompt,
    voice_id: voice,
    language: options.language ?? file.language,
    greeting: options.greeting ?? file.greeting,
    conversation_goal: options.goal ?? file.conversation_goal,
  });
  await printRecord(io, flags, response, { idColumn: 'agent_id' });
  suggestNext(io, flags, `vagent call <your own number> --agent ${response.agent_id}`, 'to hear it');
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

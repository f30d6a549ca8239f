import type { Option } from 'commander';
import { EXIT_CODES, wireName } from '../cli/flags/help.ts';
import type { PlainCommand } from '../cli/flags/plain-command.ts';
import type { Described } from '../cli/flags/values.ts';
import { printList } from '../cli/terminal/output.ts';
import type { Context } from '../context.ts';
import type { CommandModule } from './shared/command.ts';

export const command: CommandModule = {
  notes: `
For programs: with --json, each command has its path, summary, arguments, flags, formats (what -o takes), exit_codes and
operation, as its --help has them. Beside the commands stand the flags of every command, and what the exit codes mean.
An unexpected failure (1) and an interrupt (130) can end each command.`,
  examples: ['vagent commands', "vagent commands --json | jq -r '.commands[] | select(.operation != null) | .path'"],
  exits: 'offline',
  lists: true,
  run,
};

async function run(context: Context, _flags: object, { parent }: PlainCommand): Promise<void> {
  const root = parent as PlainCommand;
  const commands = (await root.leaves()).map(described);
  const flags = root.options.map(flagOf);
  await printList(context, { commands, flags, exit_codes: EXIT_CODES }, 'commands', {
    columns: ['path', 'summary', 'arguments', 'flags', 'formats', 'exit_codes', 'operation'],
    brief: ['path', 'summary'],
  });
}

function described(command: PlainCommand) {
  const { exits = [], formats = [], operation } = command.explanation ?? {};
  return {
    path: command.path.replace(/^vagent /, ''),
    summary: command.summary(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      required: argument.required,
      repeatable: argument.variadic,
      default: defaultIn(argument.description),
      summary: argument.description,
    })),
    flags: command.options.filter(({ hidden }) => !hidden).map(flagOf),
    formats,
    exit_codes: exits,
    operation: operation === undefined ? null : wireName(operation),
  };
}

function flagOf({ flags, short, long, description, parseArg }: Option) {
  const { choices, isRepeatable = false } = (parseArg ?? {}) as Described;
  const name = long ?? flags;
  return {
    name,
    short: short ?? null,
    takes: /<.*>/.exec(flags)?.[0] ?? null,
    default: defaultIn(description),
    choices: choices ?? null,
    repeatable: isRepeatable,
    summary: description,
  };
}

/** Commands say what is taken without a flag where they say what it does. */
function defaultIn(text: string): string | null {
  const [, after, before] = /\(default:? ([^)]+)\)|(\S+) \(default\)/.exec(text) ?? [];
  return after ?? before ?? null;
}

import type { PlainCommand } from '../cli/flags/plain-command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { CommandModule } from './shared/command.ts';
import { readTopic, TOPICS, type Topic } from './shared/topics.ts';

export const command: CommandModule = {
  examples: ['vagent help call', 'vagent help logs export', 'vagent help settings'],
  exits: 'offline',
  formats: [],
  takes: (command) =>
    command.argument('[command or topic...]', 'a command as it is called, or a topic of vagent --help'),
  run,
};

async function run({ io }: Context, path: string[], _flags: object, { parent }: PlainCommand): Promise<void> {
  const program = parent as PlainCommand;
  const [name = '', ...rest] = path;
  const topics = program.parent === null ? Object.keys(TOPICS) : [];
  const command = program.child(name);
  if (!topics.includes(name) || (command !== undefined && rest.length > 0)) return program.helpOf(path, topics);
  if (rest.length > 0) {
    throw new UsageError(`${name} is a topic, and takes nothing after it.`, { hint: `See vagent help ${name}.` });
  }
  const { renderMarkdown } = await import('../cli/terminal/markdown.ts');
  const text = await renderMarkdown(await readTopic(name as Topic), io.columns);
  if (command === undefined) return io.screen(text);
  // `logs` is a command and a topic: both are shown.
  command.addHelpText('after', `\n${text.trimEnd()}`);
  await program.helpOf(path);
}

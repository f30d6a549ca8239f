import type { Command } from 'commander';
import { EXITS, explain } from '../cli/flags/help.ts';
import type { PlainCommand } from '../cli/flags/plain-command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { readTopic, TOPICS, type Topic } from './shared/topics.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent help call', 'vagent help logs export', 'vagent help settings'],
    exits: EXITS.offline,
  });
  command
    .argument('[command or topic...]', 'a command as it is called, or a topic of vagent --help')
    .action((path: string[]) => run(path, command.parent as PlainCommand, context));
}

export async function run(path: string[], program: PlainCommand, { io }: Context): Promise<void> {
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

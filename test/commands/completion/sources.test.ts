/** Every flag and argument is completed, unless nobody can foresee its value. */
import { expect, test } from 'vitest';
import { rootCommand } from '../../../bin/docs/commands.mts';
import type { PlainCommand } from '../../../src/cli/flags/plain-command.ts';
import { sourceOfArgument, sourceOfFlag } from '../../../src/commands/completion/complete.ts';

/** Values that are a text, a count, one in a time, results, a sum, a time, hours, an address, or a column of a file not read. */
const KINDS =
  'text template char command n n/time results amount share rate duration time hours column YYYY-MM-DD url address a,b';
const UNFORESEEN = new RegExp(`^(${KINDS.replaceAll(' ', '|')}|operation:fault.*)$`);

/** What is new, or would be dangerous to complete. */
const NEW = [
  ...['--account <name>', '--allow-host <name>', '--org <id>', '--to <number>', '--to <place>', '--probe <number>'],
  ...['vagent call to', 'vagent profile add name', 'vagent local advance duration', 'vagent local topup amount'],
  ...['--max-size <size>', '--recall-status <status>', '--columns <which>', '--jq <filter>', '--notify <command|url>'],
  ...['--once <key>', '--sheet <name>'],
];

/** Flags and arguments for which there are no candidates, below a command. */
async function notCompleted(command: PlainCommand): Promise<string[]> {
  await command.complete();
  const flags = command.options
    .filter((option) => option.required && sourceOfFlag(option) === 'nothing')
    .filter(({ flags }) => !UNFORESEEN.test(/<(.*)>/.exec(flags)?.[1] ?? ''))
    .map(({ flags }) => flags);
  const args = command.registeredArguments
    .filter((_argument, at) => sourceOfArgument(command, at) === 'nothing')
    .map((argument) => `${command.path} ${argument.name()}`);
  const below = await Promise.all(command.commands.map((child) => notCompleted(child as PlainCommand)));
  return [...flags, ...args, ...below.flat()];
}

test('every flag and argument is completed, if its value can be foreseen', async () => {
  expect([...new Set(await notCompleted(rootCommand()))].toSorted()).toEqual(NEW.toSorted());
});

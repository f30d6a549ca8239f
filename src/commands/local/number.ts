import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { E164 } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { numberArgument } from '../../flags/values.ts';
import { printList, printRecord } from '../../terminal/output.ts';
import { readPhone } from '../shared/phone.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent local number list', 'vagent local number add +14155550142'],
    exits: EXITS.engine,
  });
  command
    .argument('<action>', 'add, remove or list')
    .argument('[number]', 'number to add or remove, such as +14155550142', numberArgument)
    .action((action: string, number: string | undefined) => run(action, number, context));
}

export async function run(action: string, written: string | undefined, context: Context): Promise<void> {
  const { io, flags, settings } = context;
  if (action === 'list') {
    if (written !== undefined) throw new UsageError('vagent local number list takes no number.');
    const { timeline } = await context.local();
    const { snapshot } = await timeline.read();
    const numbers = snapshot.state.organization.numbers.map((registered) => ({ number: registered }));
    return printList(io, flags, { numbers }, { key: 'numbers', columns: ['number'] });
  }
  if (action !== 'add' && action !== 'remove')
    throw new UsageError(`${JSON.stringify(action)} is not one of add, remove, list.`);
  if (written === undefined) throw new UsageError(`vagent local number ${action} needs a number.`);
  const number =
    action === 'remove' && E164.test(written)
      ? written
      : await readPhone(
          written,
          { place: '<number>', country: settings.profile()?.country, hasCountryFlag: false },
          io,
        );
  const { addNumber, removeNumber } = await import('../../engine/controls.ts');
  const change = { add: addNumber, remove: removeNumber }[action];
  const { timeline } = await context.local();
  const numbers = await timeline.change(({ state }) => {
    change(state, number);
    return state.organization.numbers;
  });
  await printRecord(io, flags, { numbers });
}

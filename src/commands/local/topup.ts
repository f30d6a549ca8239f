import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { EXITS, explain } from '../../cli/flags/help.ts';
import { askedArgument } from '../../cli/flags/plain-command.ts';
import { printRecord } from '../../cli/terminal/output.ts';
import { complete } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { fromMicros, micros } from '../../engine/money.ts';
import { noteNextTime } from '../shared/consent.ts';

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: ['vagent local topup 25'],
    exits: EXITS.engine,
  });
  askedArgument(command, '<amount>', 'a decimal above 0, such as 25 or 12.50', amount).action(
    (added: number | undefined) => run(added, context),
  );
}

function amount(text: string): number {
  try {
    const value = micros(text);
    if (value > 0) return value;
  } catch {
    // Reported below, with the allowed values.
  }
  throw new InvalidArgumentError('It must be a decimal above 0 with at most 6 decimals, such as 12.50.');
}

export async function run(given: number | undefined, context: Context): Promise<void> {
  const question = { flag: '<amount>', message: 'Amount to add', parse: amount };
  const { added } = await complete(context.io, { added: given }, { added: question });
  const { topUp } = await import('../../engine/controls.ts');
  const { timeline } = await context.local.engine();
  const balance = await timeline.change(({ state }) => topUp(state, added));
  await printRecord(context.io, context.flags, { added: fromMicros(added), balance: fromMicros(balance) });
  noteNextTime(context);
}

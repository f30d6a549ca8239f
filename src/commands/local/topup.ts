import { InvalidArgumentError } from 'commander';
import { printRecord } from '../../cli/terminal/output.ts';
import { orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { fromMicros, micros } from '../../engine/money.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';

export const command: CommandModule = {
  examples: ['vagent local topup 25'],
  exits: 'engine',
  takes: (command) => command.asked('<amount>', 'a decimal above 0, such as 25 or 12.50', amount),
  run,
};

function amount(text: string): number {
  try {
    const value = micros(text);
    if (value > 0) return value;
  } catch {
    // Reported below, with the allowed values.
  }
  throw new InvalidArgumentError('It must be a decimal above 0 with at most 6 decimals, such as 12.50.');
}

async function run(context: Context, given: number | undefined): Promise<void> {
  const question = { flag: '<amount>', message: 'Amount to add', parse: amount };
  const added = await orAsk(context.io, given, question);
  const { topUp } = await import('../../engine/controls.ts');
  const { timeline } = await context.local.engine();
  const balance = await timeline.change(({ state }) => topUp(state, added));
  await printRecord(context, { added: fromMicros(added), balance: fromMicros(balance) });
  noteNextTime(context);
}

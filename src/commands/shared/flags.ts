/** What flags of several commands mean: those that override the guards against calling somebody twice, and a price. */
import { InvalidArgumentError } from 'commander';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import type { OptionsOf } from '../../cli/flags/values.ts';
import { fromMicros, micros } from '../../engine/money.ts';
import { MAX_PRICE_PER_MINUTE } from '../../engine/policy.ts';

const FLAGS = {
  again: ['--again', 'also call numbers of campaigns that were sent before'],
  excludeSent: ['--exclude-sent', 'leave out numbers that were sent before, or may have been'],
  force: ['--force', 'send even if the outcome of an earlier attempt is unknown'],
} as const;

export type GuardOptions = OptionsOf<typeof FLAGS>;

export function addGuardFlags(command: PlainCommand): PlainCommand {
  command.takesFlags(FLAGS, 'Numbers that were sent before');
  command.options.find(({ long }) => long === '--again')?.conflicts('excludeSent');
  return command;
}

/** The value of `--price-per-minute`: the price of each started minute, in millionths. */
export function pricePerMinute(text: string): number {
  try {
    const price = micros(text);
    if (price <= MAX_PRICE_PER_MINUTE) return price;
  } catch {
    // Reported below, with the allowed values.
  }
  const dearest = fromMicros(MAX_PRICE_PER_MINUTE);
  throw new InvalidArgumentError(`It must be a decimal from 0 to ${dearest} with at most 6 decimals, such as 0.10.`);
}

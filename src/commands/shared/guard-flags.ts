/** The flags that override the guards against calling somebody twice. */
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import type { OptionsOf } from '../../cli/flags/values.ts';

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

/** The flags that override the guards against calling somebody twice. */
import type { PlainCommand } from '../../cli/flags/plain-command.ts';

export interface GuardOptions {
  again?: true;
  excludeSent?: true;
  force?: true;
}

export function addGuardFlags(command: PlainCommand): PlainCommand {
  return command
    .optionsGroup('Numbers that were sent before')
    .addOption(
      command.createOption('--again', 'also call numbers of campaigns that were sent before').conflicts('excludeSent'),
    )
    .option('--exclude-sent', 'leave out numbers that were sent before, or may have been')
    .option('--force', 'send even if the outcome of an earlier attempt is unknown')
    .optionsGroup('Flags');
}

/** What every command is: what it takes, what its help says, and what it does. */
import type { EXITS, Explanation } from '../../cli/flags/help.ts';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import type { Context } from '../../context.ts';

export interface CommandModule extends Omit<Explanation, 'exits' | 'formats'> {
  exits: keyof typeof EXITS;
  /** Where it is not all of them. */
  formats?: Explanation['formats'];
  /** Whether it prints a list, which can be sorted; some do for the argument `list` alone. */
  lists?: true | 'list';
  /** Whether it goes on after it has printed something: each part of its JSON is a document of its own. */
  isLive?: true;
  /** Adds its flags and arguments to the command, whose name and summary are set. */
  takes?: (command: PlainCommand) => unknown;
  /** Gets the arguments in their order, those that are missing as undefined, and then the flags. */
  run: (context: Context, ...taken: never[]) => Promise<void>;
}

/** The flags of a command line as they were written, so that a suggested command can repeat them. */
import type { Command } from 'commander';
import { shellWord } from '../text/shell.ts';
import type { PlainCommand } from './plain-command.ts';

export class WrittenFlags {
  readonly #command: PlainCommand;

  constructor(command: Command) {
    this.#command = command as PlainCommand;
  }

  /** The given flags among some, quoted for a shell, with a space before each. */
  only(flags: readonly string[]): string {
    return this.#written((flag) => flags.includes(flag));
  }

  /** All given flags except some. */
  except(flags: readonly string[]): string {
    return this.#written((flag) => !flags.includes(flag));
  }

  #written(isWanted: (flag: string) => boolean): string {
    return [...this.#command.given()]
      .filter(([flag]) => isWanted(flag))
      .map(([flag, text]) => (text === undefined ? ` ${flag}` : ` ${withValue(flag, text)}`))
      .join('');
  }
}

/** A value that looks like a flag needs an equals sign before it, or it would be taken for one. */
export function withValue(flag: string, text: string): string {
  return `${flag}${/^-./.test(text) ? '=' : ' '}${shellWord(text)}`;
}

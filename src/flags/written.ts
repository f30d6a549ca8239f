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

  /** The whole command, with what was answered at its questions and without some flags, to be pasted into a shell. */
  completedBy(answers: readonly Answer[], without: readonly string[] = []): string {
    const command = this.#command;
    const isArgument = ({ flag }: Answer) => flag.startsWith('<');
    const words = [...command.args, ...answers.filter(isArgument).map(({ text = '' }) => text)].map(shellWord);
    const flags = answers.filter((answer) => !isArgument(answer)).map(written);
    return [command.path, ...words].join(' ') + this.except(without) + flags.map((flag) => ` ${flag}`).join('');
  }

  #written(isWanted: (flag: string) => boolean): string {
    return this.#command
      .given()
      .filter(({ flag }) => isWanted(flag))
      .map((given) => ` ${written(given)}`)
      .join('');
  }
}

/** An answer as it would be given on the command line: a flag, or an argument such as `<to>`, and its text. */
export interface Answer {
  flag: string;
  /** Undefined for a flag without a value. */
  text?: string;
  /** In the words of the list that it was chosen from. */
  name?: string | undefined;
}

function written({ flag, text }: Pick<Answer, 'flag'> & { text?: string | undefined }): string {
  return text === undefined ? flag : withValue(flag, text);
}

/** A value that looks like a flag needs an equals sign before it, or it would be taken for one. */
export function withValue(flag: string, text: string): string {
  return `${flag}${/^-./.test(text) ? '=' : ' '}${shellWord(text)}`;
}

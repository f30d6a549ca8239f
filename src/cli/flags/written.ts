/** The flags of a command line as they were written, so that a suggested command can repeat them. */
import type { Command } from 'commander';
import { shellWord } from '../../text/shell.ts';
import type { PlainCommand } from './plain-command.ts';

/** The flags whose file is written; those of all others are read. */
const OUTPUTS = ['--out', '--rejects', '--html'];
/** The arguments that are files. */
const FILE_ARGUMENTS = ['file', 'contacts'];

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

  /** The files that are named, also at questions: those that are read, with `-` for standard input, and those that are written. */
  files(answers: readonly Answer[]): { read: string[]; written: string[] } {
    const named = this.#command.given().flatMap(({ flag, text, isFile }) => (isFile && text ? [{ flag, text }] : []));
    const asked = answers.flatMap(({ flag, text }) => (text && /^(<file>|--contacts)$/.test(flag) ? [text] : []));
    const isWritten = ({ flag }: { flag: string }) => OUTPUTS.includes(flag);
    const texts = (given: readonly { text: string }[]) => given.map(({ text }) => text);
    return {
      read: [...texts(named.filter((given) => !isWritten(given))), ...this.#fileArguments(), ...asked],
      written: texts(named.filter(isWritten)),
    };
  }

  #fileArguments(): string[] {
    const { args, registeredArguments } = this.#command;
    return args.filter((_text, at) => FILE_ARGUMENTS.includes(registeredArguments[at]?.name() ?? ''));
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

/** The flags of a command line as they were written, so that a suggested command can repeat them. */
import { shellWord } from '../../text/shell.ts';
import type { PlainCommand } from './plain-command.ts';

/** The flags whose file is written; those of all others are read. */
const OUTPUTS = ['--out', '--rejects', '--html'];
/** The arguments that are files. */
const FILE_ARGUMENTS = ['file', 'contacts'];

/** The given flags that are wanted, quoted for a shell, with a space before each. */
export function flagsAsWritten(command: PlainCommand, isWanted: (flag: string) => boolean): string {
  const given = command.given().filter(({ flag }) => isWanted(flag));
  return given.map((flag) => ` ${written(flag)}`).join('');
}

/** The whole command, with what was answered at its questions and without some flags, to be pasted into a shell. */
export function completedBy(
  command: PlainCommand,
  answers: readonly Answer[],
  without: readonly string[] = [],
): string {
  const isArgument = ({ flag }: Answer) => flag.startsWith('<');
  const words = [...command.args, ...answers.filter(isArgument).map(({ text = '' }) => text)].map(shellWord);
  const flags = answers.filter((answer) => !isArgument(answer)).map((answer) => ` ${written(answer)}`);
  const isAnswered = (flag: string) => answers.some((answer) => answer.flag === flag) && !isRepeatable(command, flag);
  const isKept = (flag: string) => !without.includes(flag) && !isAnswered(flag);
  const allFlags = flagsAsWritten(command, isKept) + flags.join('');
  const isLikeAFlag = words.some((word) => /^'?-./.test(word));
  return isLikeAFlag
    ? `${command.path}${allFlags} -- ${words.join(' ')}`
    : [command.path, ...words].join(' ') + allFlags;
}

function isRepeatable(command: PlainCommand, flag: string): boolean {
  return command.given().some((given) => given.flag === flag && given.isRepeatable);
}

/** The files that are named, also at questions: those that are read, with `-` for standard input, and those that are written. */
export function filesOf(command: PlainCommand, answers: readonly Answer[]): { read: string[]; written: string[] } {
  const named = command.given().flatMap(({ flag, text, isFile }) => (isFile && text ? [{ flag, text }] : []));
  const asked = answers.flatMap(({ flag, text }) => (text && /^(<file>|--contacts)$/.test(flag) ? [text] : []));
  const isArgument = (at: number) => FILE_ARGUMENTS.includes(command.registeredArguments[at]?.name() ?? '');
  const texts = (isOutput: boolean) =>
    named.filter(({ flag }) => OUTPUTS.includes(flag) === isOutput).map(({ text }) => text);
  return {
    read: [...texts(false), ...command.args.filter((_text, at) => isArgument(at)), ...asked],
    written: texts(true),
  };
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

/** A message as lines of a terminal. */
import { hung, widthOf } from '../../text/width.ts';

/** A command that somebody may copy. */
const COMMAND = /(?<![\w/])vagent [a-z]/;

/** Rows and lines of a file, which are set off. */
const SET_OFF = /^ +[^ →]/;

/**
 * The message broken between words to lines of at most `columns` characters. A line with a command, or of a file, stays as it is,
 * so that it can be copied: the terminal breaks it, and copies it without the break.
 */
export function fitMessage(message: string, columns: number): string {
  return message
    .split('\n')
    .flatMap((line) => {
      const stays = widthOf(line) <= columns || COMMAND.test(line) || SET_OFF.test(line);
      return stays ? line : fitLine(line, columns);
    })
    .join('\n');
}

/** One line; what follows a break is indented as deep as its beginning. */
export function fitLine(line: string, columns: number): string[] {
  const [indent = ''] = /^ *(?:→ )?/.exec(line) ?? [];
  return hung(indent, line.slice(indent.length), columns);
}

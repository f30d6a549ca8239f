/** What a check of contacts says of a row, and what mends it; what is wrong with a number, `numbers.ts` says. */
import { FIRST_LINE_ADVISED_WORDS } from '../contract.ts';
import type { Fault, WarningCode } from './problems.ts';

/** Characters that a cell of a spreadsheet holds at most; what is longer was swallowed by a quote that is not closed. */
export const MAX_CELL = 32_767;

export function cellDamage(value: string): Fault {
  return value.length > MAX_CELL
    ? {
        code: 'too_long',
        message: `a cell of ${value.length} characters, where a spreadsheet's has at most ${MAX_CELL}`,
        fix: 'Look for a quote that is opened and not closed.',
      }
    : {
        code: 'nul_character',
        message: 'the cell holds a NUL character',
        fix: 'Save the file anew as CSV UTF-8; it may have been UTF-16.',
      };
}

export function missingValue(flag: string, column: string): Fault {
  return {
    code: 'missing_value',
    message: `${flag} needs ${column}, which is empty`,
    fix: `Fill it in, or say what else: {{${column}|…}}.`,
  };
}

export const swallowedRows: Fault<WarningCode> = {
  code: 'swallowed_rows',
  message: 'the cell has several lines, of which some look like rows of their own',
  fix: 'Look for a quote that is opened and closed in the wrong places.',
};

export function unwrapped(wrapping: string, number: string): Fault<WarningCode> {
  return { code: 'unwrapped', message: `${wrapping} was taken off`, fix: `None, if ${number} is the number.` };
}

export function withoutPrefix(prefix: string, number: string): Fault<WarningCode> {
  return {
    code: 'missing_prefix',
    message: `a national number without its ${prefix}, which a spreadsheet may have dropped`,
    fix: `None, if ${number} is the number.`,
  };
}

export function unassigned(number: string): Fault<WarningCode> {
  return {
    code: 'unassigned_number',
    message: `${number} is well-formed, but by its country's numbering plan it is nobody's`,
    fix: 'Check it: it is called as it stands.',
  };
}

/** How many words a first line has, if they are too many; otherwise 0. */
export function wordsBeyondLimit(firstLine: string): number {
  // So many words take at least so many characters, and the spaces between them.
  if (firstLine.length <= FIRST_LINE_ADVISED_WORDS * 2) return 0;
  const words = firstLine.trim().split(/\s+/).length;
  return words > FIRST_LINE_ADVISED_WORDS ? words : 0;
}

export function longFirstLine(words: number): Fault<WarningCode> {
  return {
    code: 'long_first_line',
    message: `the first line has ${words} words`,
    fix: `Keep it under ${FIRST_LINE_ADVISED_WORDS}, as the service advises.`,
  };
}

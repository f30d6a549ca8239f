/** The problems and warnings of a row, each with its fix. Those of a number are in `numbers/`. */
import { FIRST_LINE_ADVISED_WORDS } from '../../contract.ts';
import { phoneKey } from '../../text/phone.ts';
import { FIX_BY_FLAG, type Problem, quoted, type WarningCode } from '../problems.ts';

/** The most characters in a spreadsheet's cell; a longer one has swallowed others after a quote that is not closed. */
export const MAX_CELL = 32_767;

/** Characters of such a cell that the report shows. */
export const SHOWN_OF_A_LONG_CELL = 100;

export function raggedRow(cells: number, width: number): Problem {
  return {
    code: 'ragged_row',
    message: `${cells} ${cells === 1 ? 'cell' : 'cells'}, where the header has ${width}`,
    fix: 'Put cells that contain the delimiter in quotes, and leave no cell out.',
  };
}

export function duplicate(message: string): Problem {
  return {
    code: 'duplicate',
    message,
    fix: FIX_BY_FLAG.duplicate,
  };
}

export function cellProblem(value: string): Problem {
  return value.length > MAX_CELL
    ? {
        code: 'too_long',
        message: `a cell of ${value.length} characters, where a spreadsheet's has at most ${MAX_CELL}`,
        fix: 'Look for a quote that is opened and not closed.',
      }
    : {
        code: 'nul_character',
        message: 'the cell holds a NUL character',
        fix: 'Save the file again as CSV UTF-8; it may have been UTF-16.',
      };
}

/** `template` is what messages call it. */
export function missingValue(template: string, column: string): Problem {
  return {
    code: 'missing_value',
    message: `${template} needs ${column}, which is empty`,
    fix: `Fill it in, or give a fallback: {{${column}|…}}.`,
  };
}

export function unknownZone(written: string): Problem {
  return {
    code: 'unknown_zone',
    message: `${quoted(written)} is not a time zone`,
    fix: 'Write an IANA name like Europe/Berlin, or leave the cell empty: then the number tells.',
  };
}

/** `zones`: those in which the number may be. */
export function noCommonHour(number: string, zones: readonly string[]): Problem {
  const code = 'no_common_hour';
  if (zones.length === 0) {
    return { code, message: `nobody can say in which time zone ${number} is`, fix: FIX_BY_FLAG.zone };
  }
  const message = `the window is never open at once in the time zones where ${number} may be: ${named(zones)}`;
  return { code, message, fix: FIX_BY_FLAG.window };
}

const MOST_NAMED = 3;

function named(zones: readonly string[]): string {
  const rest = zones.length - MOST_NAMED;
  return zones.slice(0, MOST_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

export const swallowedRows: Problem<WarningCode> = {
  code: 'swallowed_rows',
  message: 'the cell has several lines, of which some look like rows of their own',
  fix: 'Look for a quote that is opened and closed in the wrong places.',
};

export function unwrapped(wrapping: string, number: string): Problem<WarningCode> {
  const were = wrapping.includes(' and ') ? 'were' : 'was';
  return { code: 'unwrapped', message: `${wrapping} ${were} removed`, fix: `None, if ${number} is the number.` };
}

export function withoutPrefix(prefix: string, number: string): Problem<WarningCode> {
  return {
    code: 'missing_prefix',
    message: `a national number without its ${prefix}, which a spreadsheet may have dropped`,
    fix: `None, if ${number} is the number.`,
  };
}

export function unassigned(number: string): Problem<WarningCode> {
  const today = phoneKey(number);
  if (today !== number) {
    return {
      code: 'unassigned_number',
      message: `${number} is the old spelling of ${today}`,
      fix: `Write ${today}: the old one is called as it is, and may reach nobody.`,
    };
  }
  return {
    code: 'unassigned_number',
    message: `${number} is well-formed, but not assigned in its country's numbering plan`,
    fix: 'Check it: it is called as it stands.',
  };
}

export function premium(number: string): Problem<WarningCode> {
  return {
    code: 'premium_number',
    message: `${number} is a premium-rate number: its owner earns from each call`,
    fix: 'Check it: it is called as it stands, and may cost far more.',
  };
}

export function unfilled(placeholder: string): Problem<WarningCode> {
  return {
    code: 'unfilled_placeholder',
    message: `${placeholder} was left in the text`,
    fix: 'Fill it in: the agent is given the text as it is. {{column}} inserts a column.',
  };
}

export function longFirstLine(words: number): Problem<WarningCode> {
  return {
    code: 'long_first_line',
    message: `the first line has ${words} words`,
    fix: `Keep it under ${FIRST_LINE_ADVISED_WORDS}, as the service advises.`,
  };
}

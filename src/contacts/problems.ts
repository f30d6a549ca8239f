/** What can be wrong with a row, by the codes of the command line's contract. */

export type ProblemCode =
  | 'missing_phone'
  | 'not_e164'
  | 'spreadsheet_damage'
  | 'invisible_character'
  | 'ragged_row'
  | 'missing_value'
  | 'duplicate'
  | 'nul_character'
  | 'too_long'
  | 'unknown_zone'
  | 'no_common_hour';

export type WarningCode =
  | 'unassigned_number'
  | 'premium_number'
  | 'long_first_line'
  | 'unfilled_placeholder'
  | 'unwrapped'
  | 'missing_prefix'
  | 'swallowed_rows';

/** What is wrong: `message` names it, `fix` says what to do. */
export interface Problem<Code extends string = ProblemCode> {
  code: Code;
  message: string;
  fix: string;
}

/**
 * The fixes that name a flag. They are text of the report and of the file of rejects, a row at a time, so they are not left to
 * the terminal, as the advice on errors is.
 */
export const FIX_BY_FLAG = {
  duplicate: 'Remove one of them, or use --duplicates skip (or keep, to call twice).',
  exitCode: 'What 00 means depends on the country: write + instead, or say --country.',
  national: 'Write it with + and the country code, or say --country for national numbers.',
  zone: 'Write its time zone into a column, and name that with --zone-column.',
  window: 'Widen the window, or write its time zone into a column and name that with --zone-column.',
};

/** The same fixes where no flag names the country. */
export const FIX_WITHOUT_FLAG: Record<string, string> = {
  [FIX_BY_FLAG.exitCode]: 'What 00 means depends on the country: write + instead.',
  [FIX_BY_FLAG.national]: 'Write it with + and the country code.',
};

/** Follows the fix of a number that a spreadsheet damaged. */
export const FORMAT_AS_TEXT = ' Format the column as text before the numbers go in.';

/** A value and its place: `line` is the line of the file on which its row begins, `column` the header of its cell. */
export interface CellValue {
  line: number;
  column: string;
  value: string;
}

export type RowProblem<Code extends string = ProblemCode> = CellValue & Problem<Code>;
export type Warning = RowProblem<WarningCode>;

/** A text for a message: quoted and shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

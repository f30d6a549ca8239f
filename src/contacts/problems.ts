/** What can be wrong with a row, in the words of the command line's contract. */

export type ProblemCode =
  | 'missing_phone'
  | 'not_e164'
  | 'spreadsheet_damage'
  | 'invisible_character'
  | 'ragged_row'
  | 'missing_value'
  | 'duplicate'
  | 'nul_character'
  | 'too_long';

export type WarningCode = 'unassigned_number' | 'long_first_line' | 'unwrapped' | 'missing_prefix' | 'swallowed_rows';

/** What is wrong, whatever the place: `message` names the damage, `fix` says what to do. */
export interface Fault<Code extends string = ProblemCode> {
  code: Code;
  message: string;
  fix: string;
}

/** A fault with its place: `line` is the line of the file on which the row begins, `column` the header of the cell. */
export interface Placed<Code extends string = ProblemCode> extends Fault<Code> {
  line: number;
  column: string;
  value: string;
}

export type Problem = Placed;
export type Warning = Placed<WarningCode>;

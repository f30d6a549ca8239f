/** One way to read a file. */
import type { InputError } from '../../errors.ts';
import type { CheckedFile } from '../check-file.ts';
import type { ContactRules } from '../rules.ts';

/** A file that was refused, or a check by which rows cannot be used. */
export type Refused = InputError | CheckedFile;

/** A file that can be read again. */
export interface Reread {
  name: string;
  bytes: () => AsyncIterable<Buffer>;
}

export type ReadingRules = Pick<
  ContactRules,
  'mapping' | 'templates' | 'country' | 'encoding' | 'delimiter' | 'headerLine' | 'sheet'
>;

export interface Reading {
  /** The rule that it sets, and to what; of `mapping` the column of the number. */
  rule: 'encoding' | 'delimiter' | 'headerLine' | 'mapping' | 'country';
  value: string;
  /** Some lines of the file, as it has them. */
  lines: readonly { line: number; text: string }[];
  /** The first cell that it changes, as the file has it where that can be shown, and as the reading has it. */
  before?: string;
  first: string;
}

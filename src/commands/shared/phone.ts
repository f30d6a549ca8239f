/** Phone numbers of flags and arguments, read as those of a contacts file. */
import type { Io } from '../../cli/terminal/io.ts';
import { cell } from '../../cli/terminal/output.ts';
import { type NumberPlace, readNumber } from '../../contacts/numbers/dialable.ts';
import { UsageError } from '../../errors.ts';

/**
 * The E.164 number that is sent or compared, and a note of it where it was written otherwise. Throws UsageError for a text that is
 * no number, or could be two.
 */
export async function readPhone(text: string, where: NumberPlace, io: Io): Promise<string> {
  const number = await readNumber(text, where);
  if (number !== text) io.note(`${where.place} ${cell(text)} is ${number}.`);
  return number;
}

/** Throws UsageError if there is no such country. */
export async function requireCountry(code: string): Promise<void> {
  const { isCountry } = await import('../../contacts/numbers/phone-cell.ts');
  if (!isCountry(code)) throw new UsageError(`--country ${code} is not the ISO code of a country, such as DE.`);
}

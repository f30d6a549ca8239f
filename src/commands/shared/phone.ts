/** Phone numbers of flags and arguments, read as those of a contacts file. */
import { type NumberPlace, readNumber } from '../../contacts/numbers/dialable.ts';
import type { Io } from '../../terminal/io.ts';
import { cell } from '../../terminal/output.ts';

/**
 * The E.164 number that is sent or compared, and a note of it where it was written otherwise. Throws UsageError for a text that is
 * no number, or could be two.
 */
export async function readPhone(text: string, where: NumberPlace, io: Io): Promise<string> {
  const number = await readNumber(text, where);
  if (number !== text) io.note(`${where.place} ${cell(text)} is ${number}.`);
  return number;
}

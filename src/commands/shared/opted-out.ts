/** Who opted out, for a command that calls nobody: it works also where that cannot be known, and says so. */
import type { Context } from '../../context.ts';
import { FileError, UnavailableError } from '../../errors.ts';

/** Keys of phones (`phoneKeyOfDigits`). */
export async function optedOutIfKnown({ register, io }: Context): Promise<ReadonlySet<number> | undefined> {
  try {
    return await (await register.optedOut()).phones();
  } catch (error) {
    if (!(error instanceof FileError || error instanceof UnavailableError)) throw error;
    io.warn(`it is not known who opted out, and nobody is left out for that. ${error.message}`);
    return undefined;
  }
}

/** Reads a single number, such as that of a flag, as strictly as the numbers of a file. */
import { E164 } from '../../contract.ts';
import { UsageError } from '../../errors.ts';

/**
 * Countries whose national prefix is 0, 1 or none. A number whose calling code is followed by neither digit can mean nothing
 * else, so the library is not loaded.
 */
const PLAIN = /^\+(?:1|27|3[1-49]|4[13-9]|6[145]|81|91)[2-9]\d+$/;

/**
 * Throws UsageError if an E.164 number has a digit that makes it wrong, such as +44020… for +4420…. `place` is the flag or
 * argument.
 */
export async function requireDialable(number: string, place: string): Promise<void> {
  if (PLAIN.test(number)) return;
  const { readE164 } = await import('./dialled.ts');
  const reading = readE164(number);
  if ('code' in reading) throw new UsageError(`${place}: ${reading.message}.`, { hint: reading.fix });
}

/** Where a single number stands. */
export interface NumberPlace {
  /** The flag or argument, for messages. */
  place: string;
  /** ISO code of the country of numbers in national form. */
  country: string | undefined;
  /** Whether a flag beside it names the country. */
  hasCountryFlag: boolean;
}

/** The E.164 number of a text, read as a cell of a contacts file. Throws UsageError: a number is never guessed. */
export async function readNumber(text: string, { place, country, hasCountryFlag }: NumberPlace): Promise<string> {
  if (E164.test(text)) {
    await requireDialable(text, place);
    return text;
  }
  const [{ numberReader }, { FORMAT_AS_TEXT, withoutFlag }] = await Promise.all([
    import('./phone-cell.ts'),
    import('../problems.ts'),
  ]);
  const reading = numberReader(country)(text);
  if (!('code' in reading)) return reading.number;
  const { message, fix } = reading;
  const inPlace = hasCountryFlag ? fix : withoutFlag(fix);
  throw new UsageError(`${place}: ${message}.`, { hint: inPlace.replace(FORMAT_AS_TEXT, '') });
}

/** Warnings before a number is called: not assigned in its country's numbering plan, or premium-rate. */
export async function warningsOf(number: string): Promise<string[]> {
  const [{ readE164 }, { isPremium }, { WARNINGS }] = await Promise.all([
    import('./dialled.ts'),
    import('./numbering-plans.ts'),
    import('../problems.ts'),
  ]);
  const reading = readE164(number);
  const isUnassigned = !('code' in reading) && !reading.isAssigned;
  const warnings = [
    ...(isUnassigned ? [WARNINGS.unassigned(number)] : []),
    ...(isPremium(number) ? [WARNINGS.premium(number)] : []),
  ];
  return warnings.map(({ message, fix }) => `${message}. ${fix}`);
}

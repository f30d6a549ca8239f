/** The country of national numbers. */
import { UsageError } from '../../errors.ts';

/** Throws UsageError if there is no such country. */
export async function requireCountry(code: string): Promise<void> {
  const { isCountry } = await import('../../contacts/numbers/phone-cell.ts');
  if (!isCountry(code)) throw new UsageError(`--country ${code} is not the ISO code of a country, such as DE.`);
}

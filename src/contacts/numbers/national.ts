/** Numbers in national form, as people write them inside their country. */
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { E164 } from '../../contract.ts';
import { digitsOf, WRITTEN_NUMBER } from '../../text/written-number.ts';
import { FIX_BY_FLAG, FORMAT_AS_TEXT, type Problem, quoted } from '../problems.ts';
import { nationalPrefixMissing, planOf } from './numbering-plans.ts';
import { noNumberOf, notE164, type PhoneNumber, severalReadings } from './phone-number.ts';

/** Reads a text without an exit code, as it is dialled inside the country. */
export function readNational(text: string, country: CountryCode, wrapping: string | undefined): PhoneNumber | Problem {
  const found = parsePhoneNumberFromString(text, { extract: false, defaultCountry: country });
  const plan = planOf(country);
  // A country that shares the calling code may have shorter numbers.
  const withoutZero = text.includes('(0)') ? text.replace('(0)', '') : undefined;
  if (found !== undefined && withoutZero !== undefined) {
    // Where the 0 is part of some numbers, as in Italy, the number with it is another than the one without.
    const other = parsePhoneNumberFromString(withoutZero, { extract: false, defaultCountry: country });
    if (other?.isValid() === true && other.number !== found.number) return severalReadings(text, [found, other]);
  }
  const isWhole =
    found !== undefined &&
    found.ext === undefined &&
    E164.test(found.number) &&
    plan.lengths.includes(found.nationalNumber.length);
  const isValid = isWhole && found.isValid();
  if (isWhole && (isValid || plan.shape.test(found.nationalNumber))) {
    const { number } = found;
    // It is not assigned in this country, but with a + it is a number of another country.
    if (!isValid && hasLostPlus(text)) return withoutCountry(text);
    const digits = digitsOf(text);
    const prefix = nationalPrefixMissing(digits, found.nationalNumber, plan);
    const withPlus = `+${digits}`;
    // The library may take the country's own calling code for an area code.
    if (number !== withPlus && isNumberOf(country, withPlus))
      return severalReadings(text, [{ number }, { number: withPlus }]);
    // A number without its national prefix may have lost its 0 or its +: then it has two readings.
    if (prefix === undefined || number === withPlus) return { number, isAssigned: isValid, wrapping };
    if (isValid && !hasLostPlus(text)) return { number, isAssigned: true, wrapping, missingPrefix: prefix };
  }
  if (hasLostPlus(text)) return withoutCountry(text);
  return noNumberOf(country, text);
}

function isNumberOf(country: CountryCode, number: string): boolean {
  if (!number.startsWith(`+${planOf(country).callingCode}`)) return false;
  const found = parsePhoneNumberFromString(number, { extract: false });
  return found?.country === country && found.number === number && found.isValid();
}

/** Whether a `+` in front makes a number of some country. */
function hasLostPlus(text: string): boolean {
  // With other characters than digits and punctuation it is not one number.
  if (!/^\(?[1-9]/.test(text) || !WRITTEN_NUMBER.test(text)) return false;
  return parsePhoneNumberFromString(`+${digitsOf(text)}`, { extract: false })?.isValid() === true;
}

/** Why a text cannot be called if no country is given. */
export function withoutCountry(text: string): Problem {
  if (hasLostPlus(text)) {
    return {
      code: 'spreadsheet_damage',
      message: `${quoted(text)} has lost its +, as in a spreadsheet`,
      fix: `Write +${digitsOf(text)}, if that is the number.${FORMAT_AS_TEXT}`,
    };
  }
  if (text.startsWith('+')) return notE164(text, 'Write one number: + and 7 to 15 digits, nothing else.');
  if (text.startsWith('00')) {
    return notE164(text, FIX_BY_FLAG.exitCode);
  }
  return notE164(text, FIX_BY_FLAG.national);
}

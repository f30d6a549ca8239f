/** The reading of a cell of the phone column: the number to call, or a problem. */

import { type Problem, quoted } from '../problems.ts';

export interface PhoneNumber {
  /** E.164. */
  number: string;
  /** Whether it is assigned in its country's numbering plan. */
  isAssigned: boolean;
  /** What was removed around the number, such as a spreadsheet's `="…"`. */
  wrapping: string | undefined;
  /** The national prefix that was missing, such as 0. */
  missingPrefix?: string;
}

export function isProblem(reading: PhoneNumber | Problem): reading is Problem {
  return 'code' in reading;
}

export function notE164(text: string, fix: string): Problem {
  return { code: 'not_e164', message: `${quoted(text)} is not an E.164 number, like +14155550100`, fix };
}

const WITH_PLUS = 'Correct it, or write it with + and the country code.';

export function severalReadings(text: string, numbers: readonly { number: string }[]): Problem {
  const readings = numbers.map(({ number }) => number);
  if (readings.length > 1) return notE164(text, `It could be ${readings.join(' or ')}: write the one that is meant.`);
  const [only] = readings;
  return notE164(text, only === undefined ? WITH_PLUS : `Write ${only}, if that is the number.`);
}

export function noNumberOf(country: string, text: string): Problem {
  return { code: 'not_e164', message: `${quoted(text)} is not a number of ${country}`, fix: WITH_PLUS };
}

/** Premium-rate numbers, whose owner earns from each call, by the numbering plans. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { callingCodeOf, rawPlansOf } from './numbering-plans.ts';

/** By calling code: the shape of premium-rate numbers in any of its countries; undefined if there are none. */
const shapes = new Map<string, RegExp | undefined>();

/** Whether an E.164 number is premium-rate. The library decides, and is used only if the plan does not exclude it. */
export function isPremium(e164: string): boolean {
  const callingCode = callingCodeOf(e164);
  if (callingCode !== undefined && !mayBePremium(callingCode, e164.slice(1 + callingCode.length))) return false;
  return parsePhoneNumberFromString(e164, { extract: false })?.getType() === 'PREMIUM_RATE';
}

function mayBePremium(callingCode: string, nationalNumber: string): boolean {
  let shape = shapes.get(callingCode);
  if (shape === undefined && !shapes.has(callingCode)) {
    shape = premiumShape(callingCode);
    shapes.set(callingCode, shape);
  }
  return shape?.test(nationalNumber) === true;
}

function premiumShape(callingCode: string): RegExp | undefined {
  const patterns = rawPlansOf(callingCode).flatMap((plan) => plan.type('PREMIUM_RATE')?.pattern() || []);
  return patterns.length === 0 ? undefined : new RegExp(`^(?:${[...new Set(patterns)].join('|')})$`);
}

/** Numbers of old files as keys of phones. */
import { E164 } from '../../contract.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';

/** Null if it is no number: of a call that was forgotten, or written by hand. */
export function phoneIn(number: unknown): number | null {
  return typeof number === 'string' && E164.test(number) ? phoneKeyOfNumber(number) : null;
}

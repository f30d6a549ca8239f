/** Fingerprints that recognise a contact list sent before: its phone numbers without their texts, in any order. */
import { createHash } from 'node:crypto';
import { phoneKeyOfDigits } from '../text/phone.ts';

export interface Called {
  /** SHA-256 over the numbers as they are dialled, sorted and without repeats. */
  numbersSha256: string;
  /** The phones behind the numbers, as the digits of their keys, ascending and without repeats. */
  phones: Float64Array;
}

/** `numbers` are the digits of E.164 numbers: at most 15, which a double holds exactly. They are sorted in place. */
export function calledBy(numbers: Float64Array): Called {
  const sorted = eachOnce(numbers.sort());
  const hasOldSpellings = sorted.some((number) => phoneKeyOfDigits(number) !== number);
  const phones = hasOldSpellings ? eachOnce(sorted.map(phoneKeyOfDigits).sort()) : sorted;
  return { numbersSha256: sha256Of(sorted), phones };
}

function eachOnce(sorted: Float64Array): Float64Array {
  let kept = 0;
  for (let at = 0; at < sorted.length; at++) {
    const number = sorted[at] as number;
    if (at === 0 || number !== sorted[kept - 1]) sorted[kept++] = number;
  }
  return sorted.subarray(0, kept);
}

function sha256Of({ buffer, byteOffset, byteLength }: Float64Array): string {
  return createHash('sha256')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex');
}

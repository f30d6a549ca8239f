/**
 * Random draws depend on keys, not on a sequence: the result of an attempt depends only on its key, so nothing else can change
 * it, such as another campaign, another order, or time advanced in other steps.
 */

/** Separates the draws of trigger-calls and campaigns that have the same numbers, and those of samples. */
const STREAMS = { call: 1, campaign: 2, identifier: 3, sample: 4 };
export type Stream = keyof typeof STREAMS;

/**
 * Combines a key into 32 well-mixed bits: the store's random seed (any safe integer of 0 or more), the call number or campaign
 * id (depending on `stream`), the contact's position, and the number of the attempt.
 */
export function keyBits(seed: number, stream: Stream, id: number, contact: number, attempt: number): number {
  let bits = mix(seed | 0, Math.floor(seed / 2 ** 32) | 0);
  bits = mix(bits, STREAMS[stream]);
  bits = mix(bits, id);
  bits = mix(bits, contact);
  return mix(bits, attempt);
}

/** One of a key's random draws, chosen by its number: uniform in [0, 1). */
export function draw(bits: number, number: number): number {
  return mix(bits, number + 1) / 2 ** 32;
}

/** One element of a list that is not empty, chosen by the draw with this number. */
export function pick<T>(items: readonly T[], bits: number, number: number): T {
  return items[Math.floor(draw(bits, number) * items.length)] as T;
}

/**
 * Combines two 32-bit words: a golden-ratio step, then the finalizer of MurmurHash3, in which every input bit affects every
 * output bit.
 */
function mix(left: number, right: number): number {
  let bits = (Math.imul(left ^ Math.imul(right, 0x9e3779b1), 0x85ebca6b) + 0x6d2b79f5) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

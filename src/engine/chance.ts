/**
 * Chance is keyed, never streamed: what happens to one attempt depends on its key alone, so nothing that happens elsewhere
 * (another campaign, another order, another way of cutting time) can change it.
 */

/** Keeps the draws of trigger-calls and campaigns apart where their numbers are the same. */
export type Stream = 'call' | 'campaign' | 'identifier';
const STREAMS: Record<Stream, number> = { call: 1, campaign: 2, identifier: 3 };

/**
 * Folds a key into 32 well-mixed bits: the store's seed (any safe integer of 0 or more), whose call it is (a call number or
 * campaign id, by `stream`), the contact's position, and the number of the attempt.
 */
export function keyBits(seed: number, stream: Stream, id: number, contact: number, attempt: number): number {
  let bits = mix(seed | 0, Math.floor(seed / 2 ** 32) | 0);
  bits = mix(bits, STREAMS[stream]);
  bits = mix(bits, id);
  bits = mix(bits, contact);
  return mix(bits, attempt);
}

/** The draw numbered `slot` of a key: uniform in [0, 1). */
export function draw(bits: number, slot: number): number {
  return mix(bits, slot + 1) / 2 ** 32;
}

/** One element of a list that is not empty, by the draw numbered `slot`. */
export function pick<T>(items: readonly T[], bits: number, slot: number): T {
  return items[Math.floor(draw(bits, slot) * items.length)] as T;
}

/** Combines two 32-bit words: a golden-ratio step, then the finalizer of MurmurHash3, whose avalanche is full. */
function mix(left: number, right: number): number {
  let bits = (Math.imul(left ^ Math.imul(right, 0x9e3779b1), 0x85ebca6b) + 0x6d2b79f5) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

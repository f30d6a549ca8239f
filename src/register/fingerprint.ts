/** By what contacts are known again: whom they call, whatever the texts, the order and the name of the file. */
import { createHash } from 'node:crypto';
import type { Contact } from '../contract.ts';

/** A SHA-256 over the numbers, sorted, each once. An E.164 number has 15 digits at the most, which a double holds exactly. */
export function fingerprint(contacts: readonly Contact[]): string {
  const numbers = Float64Array.from(contacts, ({ phone_number }) => Number(phone_number.slice(1))).sort();
  const once = numbers.filter((number, at) => number !== numbers[at - 1]);
  return createHash('sha256').update(new Uint8Array(once.buffer)).digest('hex');
}

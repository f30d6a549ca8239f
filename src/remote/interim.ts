/** Interim answers (100 to 199), which a service may send before the real one. undici takes a 100 for an error. */
import type { Socket } from 'node:net';

/** How an interim answer begins. 101 is left out: no HTTP follows it. */
const BEGINNING = /^HTTP\/1\.\d 1(?!01)/;
const EXAMPLE = 'HTTP/1.1 100';
const WHOLE = /^HTTP\/1\.\d 1(?!01)[\s\S]*?\r?\n\r?\n/;
/** The most characters in an interim answer, as in the header of any answer. */
const LONGEST = 16_384;

/** Removes interim answers before the first answer of a connection. */
export function withoutInterim(socket: Socket): void {
  const read = socket.read.bind(socket);
  let held: string | undefined = '';
  socket.read = (size?: number): Buffer | null => {
    const chunk: Buffer | null = read(size);
    if (chunk === null || held === undefined) return chunk;
    held += chunk.toString('latin1');
    while (WHOLE.test(held)) held = held.replace(WHOLE, '');
    const mayBecomeOne = BEGINNING.test(held + EXAMPLE.slice(held.length));
    if (mayBecomeOne && held.length <= LONGEST) return null;
    const rest = Buffer.from(held, 'latin1');
    held = undefined;
    return rest;
  };
}

/** Reads the numbers in a file of kept contacts: parsing ten million lines as JSON would take too long. */
import { E164 } from '../contract.ts';
import { FileError } from '../errors.ts';
import type { FileSystem } from '../files/file-system.ts';
import { LineChunks } from '../files/json-lines.ts';

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const ZERO = 0x30;
/** The most digits of an E.164 number. */
const MOST_DIGITS = 15;
/** How each line that was written here begins. */
const BEGINNING = Buffer.from('{"phone_number":"+');

/** Reused for one campaign after the other: ten such arrays would take as much memory as everything else. */
let scratch = new Float64Array(0);

/**
 * The digits of its `count` numbers, in the order of the file; the array is reused by the next read. Throws FileError if the
 * file does not hold exactly these, and system errors.
 */
export function readNumbers(fs: FileSystem, path: string, count: number): Float64Array {
  const chunks = new LineChunks(fs, path, 0);
  try {
    const { size } = fs.statSync(path);
    if (size < count * BEGINNING.length) damaged(path, `it is too short for ${count} contacts`);
    if (scratch.length < count) scratch = new Float64Array(count);
    const numbers = scratch.subarray(0, count);
    let lines = 0;
    for (let bytes = chunks.next(); bytes !== undefined; bytes = chunks.next()) {
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(NEWLINE, start);
        if (lines === count) damaged(path, `it holds more than the ${count} contacts that were sent`);
        numbers[lines] = numberOf(bytes, start, end) ?? damaged(path, `line ${lines + 1} is not a contact`);
        lines += 1;
        start = end + 1;
      }
    }
    if (lines < count) damaged(path, `it ends after ${lines} of ${count} contacts`);
    return numbers;
  } finally {
    chunks.close();
  }
}

/** The digits of the number on a line. */
function numberOf(bytes: Buffer, start: number, end: number): number | undefined {
  for (let at = 0; at < BEGINNING.length; at++) {
    if (bytes[start + at] !== BEGINNING[at]) return numberIn(bytes.toString('utf8', start, end));
  }
  const first = start + BEGINNING.length;
  let number = 0;
  let at = first;
  for (; at < end && bytes[at] !== QUOTE; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return at - first <= MOST_DIGITS ? number : undefined;
}

/** For a line that was edited by hand. */
function numberIn(line: string): number | undefined {
  try {
    const contact: { phone_number?: unknown } | null = JSON.parse(line);
    const number = String(contact?.phone_number);
    return E164.test(number) ? Number(number.slice(1)) : undefined;
  } catch {
    return undefined;
  }
}

function damaged(path: string, why: string): never {
  throw new FileError(`${path} is damaged: ${why}.`, { code: 'register_damaged' });
}

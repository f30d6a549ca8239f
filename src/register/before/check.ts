/** A sum over a JSON object's own text, which was its last field: a disk that turns a bit must not turn the hours of calls. */
import { crc32 } from 'node:zlib';

const FIELD = ',"check":"';
const LENGTH = `${FIELD}00000000"}`.length;
const LOW = 2 ** 32;

/** The JSON without its check; undefined if it is not what was written `at` this byte of its file. */
export function checkedJson(text: string, at = 0): string | undefined {
  const body = text.slice(0, -LENGTH);
  const sum = crc32(body, at % LOW)
    .toString(16)
    .padStart(8, '0');
  return text.slice(-LENGTH) === `${FIELD}${sum}"}` ? `${body}}` : undefined;
}

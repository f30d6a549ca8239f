/** A sum over a JSON object's own text, kept as its last field: a disk that turns a bit must not turn the hours of calls. */
import { crc32 } from 'node:zlib';

const HEX_DIGITS = 8;
const FIELD = ',"check":"';
const CLOSING = '"}';
const FIELD_LENGTH = FIELD.length + HEX_DIGITS + CLOSING.length;
const LOW = 2 ** 32;

/** `object` is the JSON of an object that is not empty; `at` is where it stands, so that it does not pass anywhere else. */
export function withCheck(object: string, at = 0): string {
  const body = object.slice(0, -1);
  return `${body}${ending(body, at)}`;
}

/** The JSON as it was before its check was added; undefined if it is not what was written there. */
export function checkedJson(text: string, at = 0): string | undefined {
  const body = text.slice(0, -FIELD_LENGTH);
  return text.slice(-FIELD_LENGTH) === ending(body, at) ? `${body}}` : undefined;
}

function ending(body: string, at: number): string {
  return `${FIELD}${crc32(body, at % LOW)
    .toString(16)
    .padStart(HEX_DIGITS, '0')}${CLOSING}`;
}

/**
 * The body of a POST: the same bytes as from JSON.stringify, in pieces, because a campaign may be longer than the longest
 * string.
 */

/** Array items encoded at a time. */
const ITEMS = 1000;

/** The JSON of an object, in pieces to be sent one after the other. */
export function encodeBody(fields: Record<string, unknown>): Buffer[] {
  const chunks: Buffer[] = [];
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    text += `${chunks.length === 0 && text === '' ? '{' : ','}${JSON.stringify(name)}:`;
    if (!Array.isArray(value)) {
      text += JSON.stringify(value);
      continue;
    }
    text += '[';
    for (let at = 0; at < value.length; at += ITEMS) {
      const items = JSON.stringify(value.slice(at, at + ITEMS)).slice(1, -1);
      chunks.push(Buffer.from(`${text}${at === 0 ? '' : ','}${items}`));
      text = '';
    }
    text += ']';
  }
  return [...chunks, Buffer.from(`${text}}`)];
}

/**
 * JSON exactly as it was written. JavaScript rounds, shortens and reorders: `12345678901234567890`, `1.10` and `1e400` become
 * other digits, and fields named `10` and `2` change places. A service's data is shown as it was sent, so a text with such
 * values is read into a tree that keeps them. If a field occurs twice, the last one counts.
 */

/** A number that JavaScript would write differently. */
export class NumberAsWritten {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    isAnythingSpecial = true;
  }
}

/** The names of an object's fields in their order, if JavaScript would reorder them. */
const NAMES = Symbol('names');

/** Whether such a value was ever read: usually not, and then JSON.stringify writes everything correctly. */
let isAnythingSpecial = false;

const INDEX = /^\d+$/;

/** Reads JSON. Throws SyntaxError. */
export function readJson(text: string): unknown {
  return asWritten(text, JSON.parse(text));
}

/**
 * Given the `value` that JSON.parse made of a text: the same value if nothing was lost, otherwise a tree that keeps it as
 * written.
 */
export function asWritten(text: string, value: unknown): unknown {
  if (!MAYBE_SPECIAL.test(text)) return value;
  // What would be lost is marked before it is parsed, by a sign that is in none of its strings.
  const strings = JSON.stringify(value);
  let mark = '#';
  while (strings.includes(mark)) mark += '#';
  const marked = text.replace(TOKENS, (token: string, name?: string) => {
    if (name !== undefined) return `"${mark}${name}":`;
    return token.startsWith('"') || JSON.stringify(Number(token)) === token ? token : `"${mark}${token}"`;
  });
  return JSON.parse(marked, (_name, part) => unmarked(part, mark));
}

function unmarked(part: unknown, mark: string): unknown {
  if (typeof part === 'string' && part.startsWith(mark)) return new NumberAsWritten(part.slice(mark.length));
  if (typeof part !== 'object' || part === null || part instanceof NumberAsWritten || Array.isArray(part)) return part;
  const fields = Object.entries(part);
  if (!fields.some(([name]) => name.startsWith(mark))) return part;
  return objectOf(fields.map(([name, field]) => [name.startsWith(mark) ? name.slice(mark.length) : name, field]));
}

/** Names of digits, other strings, and numbers. */
const TOKENS = /"(\d+)"\s*:|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Where parsing a text may lose something: a name of digits, or a number with an exponent, of many digits, very small, a 0 with a
 * sign, or with a 0 at the end of its decimals. Most texts have nothing of the kind. What only looks so is read with more care too.
 */
const MAYBE_SPECIAL =
  /"\d+"\s*:|(?:^|[:[,\s])(?:-0(?![.\d])|-?(?:\d+\.?\d*[eE]|[\d.]{16}|0\.000000|\d+\.\d*0(?=[\s,\]}]|$)))/;

/** Writes JSON on one line, or indented by this many spaces. */
export function writeJson(value: unknown, indentation = 0): string {
  if (!isAnythingSpecial) return JSON.stringify(value, null, indentation);
  return written(value, ' '.repeat(indentation), '') ?? 'null';
}

/** The fields of an object in the order in which they were written. */
export function fieldsOf(object: object): [name: string, value: unknown][] {
  const names = (object as { [NAMES]?: string[] })[NAMES];
  if (names === undefined) return Object.entries(object);
  const fields = object as Record<string, unknown>;
  // A field that was added later comes last.
  return [...new Set([...names, ...Object.keys(object)])].flatMap((name) =>
    Object.hasOwn(fields, name) ? [[name, fields[name]] satisfies [string, unknown]] : [],
  );
}

/** An object with these fields, which keeps their order. */
export function objectOf(fields: readonly (readonly [name: string, value: unknown])[]): Record<string, unknown> {
  const object = Object.fromEntries(fields);
  if (!fields.some(([name]) => INDEX.test(name))) return object;
  isAnythingSpecial = true;
  return Object.assign(object, { [NAMES]: [...new Set(fields.map(([name]) => name))] });
}

/** An object with some fields of an item, null where it has none. */
export function picked(item: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return objectOf(names.map((name) => [name, item[name] ?? null]));
}

function written(value: unknown, indentation: string, margin: string): string | undefined {
  if (value instanceof NumberAsWritten) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = margin + indentation;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const each of value) parts.push(written(each, indentation, inner) ?? 'null');
  } else {
    const colon = indentation === '' ? ':' : ': ';
    for (const [name, each] of fieldsOf(value)) {
      const text = written(each, indentation, inner);
      if (text !== undefined) parts.push(JSON.stringify(name) + colon + text);
    }
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0 || indentation === '') return `${open}${parts.join(',')}${close}`;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`;
}

// What was read of it, beside how it was sent --------------------------------------------------------------------------

/** Commands use what was read, and show the original. */
const originals = new WeakMap<object, object>();

/** From now on, `original` is shown in place of `read`. */
export function keepOriginal(read: object, original: object): void {
  originals.set(read, original);
}

/** The original of something that was read, or the value itself. */
export function originalOf<T extends object>(read: T): T {
  return (originals.get(read) ?? read) as T;
}

/** The same with some fields changed, both for use and for display. */
export function withFields<T extends object, C extends object>(read: T, changes: C): T & C {
  const changed = { ...read, ...changes };
  keepOriginal(changed, { ...originalOf(read), ...changes });
  return changed;
}

// JSON that anybody may have written -----------------------------------------------------------------------------------

/** Undefined if it cannot be read: that is never an error. */
export function parsed(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}

/** An object, whose fields are still to be looked at. */
export function fieldsIn(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** A list of texts. */
export function textsIn(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

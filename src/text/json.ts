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

/** The `value` that JSON.parse made of a text if nothing was lost, otherwise a tree that keeps it as written. */
export function asWritten(text: string, value: unknown): unknown {
  if (!isSpecial(text)) return value;
  isAnythingSpecial = true;
  return new Reader(text).value();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
/** Every integer with this many digits is exact in a double. */
const SAFE_DIGITS = 15;

/** Whether parsing a JSON text would lose something. One pass over the text, because most texts have nothing of the kind. */
function isSpecial(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const first = text.charCodeAt(at + 1);
      if (isDigit(first) && INDEX.test(text.slice(at + 1, end)) && isName(text, end)) return true;
      at = end;
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (end - at > SAFE_DIGITS || !isDigits(text, at, end)) {
        const number = text.slice(at, end);
        if (JSON.stringify(Number(number)) !== number) return true;
      }
      at = end - 1;
    }
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isDigits(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

/** The index of the quote that ends the string beginning at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isDigit(text.charCodeAt(end)) || '.eE+-'.includes(text[end] ?? ' ')) end += 1;
  return end;
}

/** Whether the string that ends at `end` is the name of a field. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return text[at] === ':';
}

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

/** An object that has under each name what is made of it. */
export function eachNamed<Name extends string, T>(names: readonly Name[], make: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>;
}

/** The same counts in the order of their names. */
export function byName(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1)));
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

/** Reads a text that is certainly valid JSON. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    this.#skip(/[\s:]*/y);
    switch (this.#text[this.#at]) {
      case '{':
        return objectOf(this.#parts('}', () => [this.#string(), this.value()] as const));
      case '[':
        return this.#parts(']', () => this.value());
      case '"':
        return this.#string();
      default: {
        const text = this.#skip(/[^\s,\]}]+/y);
        const value: unknown = JSON.parse(text);
        return typeof value === 'number' && JSON.stringify(value) !== text ? new NumberAsWritten(text) : value;
      }
    }
  }

  #parts<T>(end: string, part: () => T): T[] {
    const parts: T[] = [];
    this.#at += 1;
    for (this.#skip(/\s*/y); this.#text[this.#at] !== end; this.#skip(/[\s,]*/y)) parts.push(part());
    this.#at += 1;
    return parts;
  }

  #string(): string {
    const start = this.#at;
    this.#at = endOfString(this.#text, start) + 1;
    return JSON.parse(this.#text.slice(start, this.#at));
  }

  /** Returns what `pattern`, a sticky expression, matches here, and moves past it. */
  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }
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

/** Keeps keys out of all output: everything written to a stream or a file passes a Redactor. */
import { fieldsOf, NumberAsWritten, objectOf } from './json.ts';
import { unescaped } from './url.ts';

const MASK = '<API_KEY>';
/** Shorter secrets would mask ordinary text, and no real key is that short. */
const SHORTEST_SECRET = 6;
/** The pattern of all spellings of more marks could be too large to be compiled: no key has so many, and it is masked as it is. */
const MOST_MARKS = 50;

interface Secret {
  /** A part of every spelling: a text without it needs no slow search. */
  anchor: string;
  spellings: RegExp;
}

export class Redactor {
  readonly #secrets = new Map<string, Secret[]>();

  /** From now on, `secret` is masked in every spelling: as it is, escaped for a URL, JSON or CSV, or in base64. */
  add(secret: string): void {
    if (secret.length < SHORTEST_SECRET || this.#secrets.has(secret)) return;
    const isKey = secret.replace(/[A-Za-z0-9]/g, '').length <= MOST_MARKS;
    const spelling = isKey ? [...secret].map(anySpelling).join('') : escapeForRegExp(secret);
    const escaped = { anchor: longestPlainRun(secret), spellings: new RegExp(spelling, 'g') };
    this.#secrets.set(secret, [escaped, ...base64Spellings(secret)]);
  }

  /** The same value with each of its parts masked. */
  mask<T>(value: T): T {
    return this.#secrets.size === 0 ? value : masked(value, (text) => this.redact(text));
  }

  /** Whether a secret is in an address, also where its letters are escaped. */
  isIn(address: string): boolean {
    return unescaped(address).some((text) => this.redact(text) !== text);
  }

  redact(text: string): string {
    let shown = text;
    for (const secrets of this.#secrets.values()) {
      for (const { anchor, spellings } of secrets) {
        if (shown.includes(anchor)) shown = shown.replace(spellings, MASK);
      }
    }
    return shown;
  }
}

/**
 * A value with the key masked at any depth: in texts, in names of fields, and in numbers, because a key may consist of digits.
 * Masking JSON text as a whole could make it invalid.
 */
export function masked<T>(value: T, redact: (text: string) => string): T {
  return mask(value) as T;

  function mask(part: unknown): unknown {
    if (typeof part === 'string') return redact(part);
    if (typeof part === 'number') {
      const shown = redact(String(part));
      return shown === String(part) ? part : shown;
    }
    if (typeof part !== 'object' || part === null) return part;
    if (part instanceof NumberAsWritten) {
      const shown = redact(part.text);
      return shown === part.text ? part : shown;
    }
    if (Array.isArray(part)) return part.map(mask);
    return objectOf(fieldsOf(part).map(([name, field]) => [redact(name), mask(field)]));
  }
}

/** Letters and digits, because they are spelled the same everywhere. */
function longestPlainRun(secret: string): string {
  const runs = secret.match(/[A-Za-z0-9]+/g) ?? [''];
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

/**
 * Enough for JSON nested in JSON three times. All repetitions are bounded and unambiguous, because a text may be crafted to be
 * slow.
 */
const BACKSLASHES = String.raw`\\{0,16}`;
/** The beginning of an escape in URLs, JSON and web pages, also of an escape that is itself escaped. */
const ESCAPE = String.raw`(?:%(?:25){0,4}5[cC]){0,4}(?:\\{1,16}|%|&)[#;A-Za-z0-9]{0,14}?`;
const ENTITIES: Record<string, string> = {
  '&': '|amp',
  '<': '|lt',
  '>': '|gt',
  '"': '|quot',
  "'": '|apos',
  ' ': '|nbsp',
};

/**
 * One character in any spelling: as it is, after backslashes, repeated like quotes in CSV, or escaped once or several times,
 * which an escape's beginning and the character's code show. Some spellings write a non-ASCII character as several bytes or as
 * two units.
 */
function anySpelling(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character;
  const plain = escapeForRegExp(character);
  const escaped = `${BACKSLASHES}${plain}`;
  const repeated = character === '"' ? `(?:${escaped}){1,8}` : escaped;
  const inForms = character === ' ' ? '|\\+' : '';
  const point = character.codePointAt(0) as number;
  // Up to 9 both are the same, and two ways to match one thing are two to the power of their number.
  const code = [...new Set([eitherCase(point.toString(16)), point])].join('|') + (ENTITIES[character] ?? '');
  const byCode = `${ESCAPE}(?:${code})(?:;|%(?:25){0,4}3[bB])?`;
  if (point < 0x80) return `(?:${repeated}|${byCode}${inForms})`;
  const hex = [...Buffer.from(character)].map((byte) => eitherCase(byte.toString(16).padStart(2, '0')));
  const percent = hex.map((byte) => `%(?:25){0,4}${byte}`).join('');
  const units = [...Array(character.length).keys()].map((at) => character.charCodeAt(at).toString(16).padStart(4, '0'));
  const unicode = units.map((unit) => `${BACKSLASHES}u${eitherCase(unit)}`).join('');
  return `(?:${repeated}|${percent}|${unicode}|${byCode})`;
}

function eitherCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** The two base64 digits that can themselves be escaped, or replaced by those of the alphabet for URLs. */
const BASE64_DIGITS: Record<string, string> = { '+': `(?:${anySpelling('+')}|-)`, '/': `(?:${anySpelling('/')}|_)` };

/**
 * Inside the base64 of a longer text, the secret has three spellings, depending on its offset; its first and last bits are
 * shared with its neighbours.
 */
function base64Spellings(secret: string): Secret[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    const spelling = [...own].map((digit) => BASE64_DIGITS[digit] ?? digit).join('');
    return { anchor: longestPlainRun(own), spellings: new RegExp(spelling, 'g') };
  });
}

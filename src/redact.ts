/** The one place that keeps keys out of what is shown: everything written to a stream or a file passes a Redactor. */

const MASK = '<API_KEY>';
/** Shorter secrets would mask ordinary text; no real key is that short. */
const SHORTEST_SECRET = 6;

interface Secret {
  /** A part of every spelling: where a text lacks it, the slow search is spared. */
  anchor: string;
  spellings: RegExp;
}

export class Redactor {
  readonly #secrets = new Map<string, Secret[]>();

  /** From now on `secret` is masked wherever it shows: as it is, escaped for a URL, JSON or CSV, or in base64. */
  add(secret: string): void {
    if (secret.length < SHORTEST_SECRET || this.#secrets.has(secret)) return;
    const escaped = {
      anchor: longestPlainRun(secret),
      spellings: new RegExp([...secret].map(anySpelling).join(''), 'g'),
    };
    this.#secrets.set(secret, [escaped, ...base64Spellings(secret)]);
  }

  /** The same value, masked part by part. */
  mask<T>(value: T): T {
    return this.#secrets.size === 0 ? value : masked(value, (text) => this.redact(text));
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
 * A value with the key masked wherever it stands, however deep: in texts, in the names of fields, and in numbers, for a key
 * may be of digits alone. A text of JSON that is masked as a whole would be none afterwards.
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
    if (Array.isArray(part)) return part.map(mask);
    return Object.fromEntries(Object.entries(part).map(([name, field]) => [redact(name), mask(field)]));
  }
}

/** Letters and digits are spelled the same everywhere. */
function longestPlainRun(secret: string): string {
  const runs = secret.match(/[A-Za-z0-9]+/g) ?? [''];
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

/** As many as JSON in JSON in JSON needs. Everything has a bound, and one way to be read: a text may be made to be slow. */
const BACKSLASHES = String.raw`\\{0,16}`;
/** What begins an escape in addresses, JSON and pages, also one that is inside another. */
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
 * One character as it is, after backslashes, repeated as quotes in CSV are, or escaped, also more than once: it is told by an
 * escape's beginning and the character's own code. One beyond ASCII is several bytes, or two units, in some spellings.
 */
function anySpelling(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character;
  const plain = escapeForRegExp(character);
  const escaped = `${BACKSLASHES}${plain}`;
  const repeated = character === '"' ? `(?:${escaped}){1,8}` : escaped;
  const inForms = character === ' ' ? '|\\+' : '';
  const point = character.codePointAt(0) as number;
  const code = `${eitherCase(point.toString(16))}|${point}${ENTITIES[character] ?? ''}`;
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

/** The two digits that are escaped themselves, and those of the alphabet for URLs in their place. */
const BASE64_DIGITS: Record<string, string> = { '+': `(?:${anySpelling('+')}|-)`, '/': `(?:${anySpelling('/')}|_)` };

/** The secret inside base64 of a longer text reads in three ways, by where it starts; its first and last bits are shared. */
function base64Spellings(secret: string): Secret[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    const spelling = [...own].map((digit) => BASE64_DIGITS[digit] ?? digit).join('');
    return { anchor: longestPlainRun(own), spellings: new RegExp(spelling, 'g') };
  });
}

/**
 * Checks the bytes of a JSON object as they arrive, without building values: whether it is valid, how much it holds, that no
 * name occurs twice in an object (a parser would silently keep the last one), and where the values of its fields are.
 */

/** Why bytes are refused: the message completes a sentence about them. */
export class InvalidJson extends Error {}

export interface JsonLimits {
  /** The deepest nesting of objects and arrays. */
  depth: number;
  /** The number of objects and arrays. */
  containers: number;
  /** Bytes of all names in one object. */
  nameBytes: number;
}

/** Where the value of a field is: from its first byte to just after its last. */
export interface Range {
  start: number;
  end: number;
  /** Of a list: some of the commas between its items, so that a long one can be parsed a piece at a time. */
  cuts: readonly number[];
}

/** Bytes between two of them, at least. */
const PIECE = 1 << 20;

/** What may come next. */
const VALUE = 0;
const VALUE_OR_END = 1;
const NAME = 2;
const NAME_OR_END = 3;
const COLON = 4;
const COMMA_OR_END = 5;
const IN_TEXT = 6;
const ESCAPED = 7;
const IN_HEX = 8;
/** A number, or a word such as `true`. */
const IN_TOKEN = 9;
const NOTHING = 10;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON_SIGN = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const U = 0x75;

const ESCAPES = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));
const ENDS_TOKEN = new Set([...' \n\r\t,:"[]{}'].map((character) => character.charCodeAt(0)));
const TOKEN = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
/** As much of a token as may be the beginning of one. */
const BEGINNING =
  /^(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?|-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?)/;

export class JsonScan {
  /** The fields read so far, by name. */
  readonly fields = new Map<string, Range>();
  readonly #limits: JsonLimits;
  #next = VALUE;
  #at = 0;
  /** For each container around the next byte, whether it is an object. */
  readonly #isObject: boolean[] = [];
  #containers = 0;
  /** The names in each of them so far, and their bytes. */
  readonly #names: Set<string>[] = [];
  readonly #nameBytes: number[] = [];
  /** Where the string that is being read began, after its quote, or the token. */
  #textStart = 0;
  #isName = false;
  #hasEscapes = false;
  /** Characters left of `\uXXXX`. */
  #left = 0;
  /** The name of the field that is being read. */
  #field = '';
  #valueStart = 0;
  #cuts: number[] = [];
  #pieceStart = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Checks the new part of `bytes`, of which `length` have arrived. Throws InvalidJson. */
  read(bytes: Buffer, length: number): void {
    let at = this.#at;
    while (at < length) {
      const byte = bytes[at] as number;
      const next = this.#next;
      if (next === IN_TEXT) {
        at = this.#readText(bytes, at, length);
        continue;
      }
      if (next === IN_TOKEN) {
        at = this.#readToken(bytes, at, length);
        continue;
      }
      if ((byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) && (next < IN_TEXT || next === NOTHING)) {
        at++;
        continue;
      }
      switch (next) {
        case VALUE:
        case VALUE_OR_END:
          if (byte === CLOSE_ARRAY && next === VALUE_OR_END) this.#close(at);
          else this.#open(byte, at);
          break;
        case NAME:
        case NAME_OR_END:
          if (byte === CLOSE_OBJECT && next === NAME_OR_END) this.#close(at);
          else if (byte === QUOTE) this.#beginText(at, true);
          else throw notJson(at);
          break;
        case COLON:
          if (byte !== COLON_SIGN) throw notJson(at);
          this.#next = VALUE;
          break;
        case COMMA_OR_END: {
          const isObject = this.#isObject[this.#isObject.length - 1];
          if (byte === COMMA) {
            this.#next = isObject ? NAME : VALUE;
            if (!isObject && at - this.#pieceStart >= PIECE && this.#isObject.length === 2) this.#cut(at);
          } else if (byte === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) this.#close(at);
          else throw notJson(at);
          break;
        }
        case ESCAPED:
          if (byte === U) {
            this.#next = IN_HEX;
            this.#left = 4;
          } else if (ESCAPES.has(byte)) this.#next = IN_TEXT;
          else throw notJson(at);
          break;
        case IN_HEX:
          if (!isHex(byte)) throw notJson(at);
          this.#left -= 1;
          if (this.#left === 0) this.#next = IN_TEXT;
          break;
        default:
          throw notJson(at);
      }
      at++;
    }
    this.#at = at;
    if (this.#isName && (this.#next === IN_TEXT || this.#next === ESCAPED)) this.#requireShortName(at);
  }

  /** Called after the last byte. Throws InvalidJson if the object is not complete. */
  end(): void {
    if (this.#next !== NOTHING) throw new InvalidJson('is not JSON: it ends too early');
  }

  /** Returns where it stopped: after the string, at an escape, or at the end of the bytes. */
  #readText(bytes: Buffer, from: number, length: number): number {
    let at = from;
    while (at < length) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        if (this.#isName) this.#endName(bytes, at);
        else this.#endValue(at + 1);
        return at + 1;
      }
      if (byte === BACKSLASH) {
        this.#hasEscapes = true;
        this.#next = ESCAPED;
        return at + 1;
      }
      if (byte < 0x20) throw notJson(at);
      at++;
    }
    return at;
  }

  /** Returns where it stopped: at the first byte behind the token, or at the end of the bytes. */
  #readToken(bytes: Buffer, from: number, length: number): number {
    let at = from;
    while (at < length && !ENDS_TOKEN.has(bytes[at] as number)) at++;
    if (at === length) return at;
    const token = bytes.toString('latin1', this.#textStart, at);
    if (!TOKEN.test(token)) throw notJson(this.#textStart + (BEGINNING.exec(token)?.[0].length ?? 0));
    this.#endValue(at);
    return at;
  }

  #open(byte: number, at: number): void {
    const depth = this.#isObject.length;
    if (depth === 0 && byte !== OPEN_OBJECT) throw new InvalidJson('must be a JSON object');
    if (depth === 1) {
      this.#valueStart = this.#pieceStart = at;
      this.#cuts = [];
    }
    switch (byte) {
      case OPEN_OBJECT:
      case OPEN_ARRAY: {
        const isObject = byte === OPEN_OBJECT;
        if (depth === this.#limits.depth) throw new InvalidJson(`goes deeper than ${depth} objects and arrays`);
        this.#containers += 1;
        if (this.#containers > this.#limits.containers) {
          throw new InvalidJson(`holds more than ${this.#limits.containers} objects and arrays`);
        }
        this.#isObject.push(isObject);
        if (isObject) {
          const names = this.#names[depth];
          if (names === undefined) this.#names[depth] = new Set();
          else names.clear();
          this.#nameBytes[depth] = 0;
        }
        this.#next = isObject ? NAME_OR_END : VALUE_OR_END;
        return;
      }
      case QUOTE:
        this.#beginText(at, false);
        return;
      default:
        this.#next = IN_TOKEN;
        this.#textStart = at;
    }
  }

  #cut(at: number): void {
    this.#cuts.push(at);
    this.#pieceStart = at;
  }

  #close(at: number): void {
    this.#isObject.pop();
    this.#endValue(at + 1);
  }

  #endValue(end: number): void {
    const depth = this.#isObject.length;
    if (depth === 1) this.fields.set(this.#field, { start: this.#valueStart, end, cuts: this.#cuts });
    this.#next = depth === 0 ? NOTHING : COMMA_OR_END;
  }

  #beginText(at: number, isName: boolean): void {
    this.#next = IN_TEXT;
    this.#isName = isName;
    this.#hasEscapes = false;
    this.#textStart = at + 1;
  }

  #endName(bytes: Buffer, end: number): void {
    const depth = this.#isObject.length - 1;
    this.#nameBytes[depth] = this.#requireShortName(end);
    const written = bytes.toString('utf8', this.#textStart, end);
    // Two spellings of one name count as the same name.
    const name = this.#hasEscapes ? (JSON.parse(`"${written}"`) as string) : written;
    const names = this.#names[depth] as Set<string>;
    if (names.has(name)) throw new InvalidJson(`has ${shown(name)} twice in one object`);
    names.add(name);
    if (depth === 0) this.#field = name;
    this.#isName = false;
    this.#next = COLON;
  }

  /** Returns the bytes of the object's names including this one. */
  #requireShortName(end: number): number {
    const bytes = (this.#nameBytes[this.#isObject.length - 1] ?? 0) + end - this.#textStart;
    if (bytes <= this.#limits.nameBytes) return bytes;
    throw new InvalidJson(`has an object whose names take more than ${this.#limits.nameBytes} bytes`);
  }
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function notJson(at: number): InvalidJson {
  return new InvalidJson(`is not JSON: byte ${at + 1} does not belong there`);
}

function shown(name: string): string {
  return name.length <= 100 ? JSON.stringify(name) : 'a name';
}

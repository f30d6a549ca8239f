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

/** What may come next; the last three are the rest of a string, the rest of a number or word such as `true`, and nothing. */
type Next = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'text' | 'token' | 'nothing';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const ENDS_TOKEN = new Set([...' \n\r\t,:"[]{}'].map((character) => character.charCodeAt(0)));
const TOKEN = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** An object or array that has not ended. */
interface Container {
  /** Those of an object so far; undefined for an array. */
  names: Set<string> | undefined;
  nameBytes: number;
}

export class JsonScan {
  /** The fields read so far, by name. */
  readonly fields = new Map<string, Range>();
  readonly #limits: JsonLimits;
  #next: Next = 'value';
  #at = 0;
  /** Those around the next byte, the outermost first. */
  readonly #around: Container[] = [];
  #containers = 0;
  /** Where the string that is being read began, after its quote, or the token. */
  #start = 0;
  #isName = false;
  #hasEscapes = false;
  #isEscaped = false;
  /** The name of the field that is being read, and where its value and the last piece of it began. */
  #field = '';
  #valueStart = 0;
  #pieceStart = 0;
  #cuts: number[] = [];

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Checks the new part of `bytes`, of which `length` have arrived. Throws InvalidJson. */
  read(bytes: Buffer, length: number): void {
    let at = this.#at;
    while (at < length) {
      if (this.#next === 'text') at = this.#readText(bytes, at, length);
      else if (this.#next === 'token') at = this.#readToken(bytes, at, length);
      else this.#readSign(bytes[at] as number, at++);
    }
    this.#at = at;
    if (this.#isName && this.#next === 'text') this.#requireShortName(at);
  }

  /** Called after the last byte. Throws InvalidJson if the object is not complete. */
  end(): void {
    if (this.#next !== 'nothing') throw new InvalidJson('is not JSON: it ends too early');
  }

  #readSign(byte: number, at: number): void {
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return;
    const next = this.#next;
    const isObject = this.#around.at(-1)?.names !== undefined;
    if (next === 'value' || (next === 'value or end' && byte !== CLOSE_ARRAY)) this.#begin(byte, at);
    else if ((next === 'name' || next === 'name or end') && byte === QUOTE) this.#beginText(at, true);
    else if (next === 'colon' && byte === COLON) this.#next = 'value';
    else if (next === 'comma or end' && byte === COMMA) {
      this.#next = isObject ? 'name' : 'value';
      if (!isObject && this.#around.length === 2 && at - this.#pieceStart >= PIECE) this.#cut(at);
    } else if (next.endsWith('or end') && byte === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
      this.#around.pop();
      this.#endValue(at + 1);
    } else throw notJson(at);
  }

  #begin(byte: number, at: number): void {
    const depth = this.#around.length;
    if (depth === 0 && byte !== OPEN_OBJECT) throw new InvalidJson('must be a JSON object');
    if (depth === 1) {
      this.#valueStart = this.#pieceStart = at;
      this.#cuts = [];
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#open(byte === OPEN_OBJECT);
    else if (byte === QUOTE) this.#beginText(at, false);
    else {
      this.#next = 'token';
      this.#start = at;
    }
  }

  #open(isObject: boolean): void {
    const { depth, containers } = this.#limits;
    if (this.#around.length === depth) throw new InvalidJson(`goes deeper than ${depth} objects and arrays`);
    this.#containers += 1;
    if (this.#containers > containers) throw new InvalidJson(`holds more than ${containers} objects and arrays`);
    this.#around.push({ names: isObject ? new Set() : undefined, nameBytes: 0 });
    this.#next = isObject ? 'name or end' : 'value or end';
  }

  #beginText(at: number, isName: boolean): void {
    this.#next = 'text';
    this.#isName = isName;
    this.#hasEscapes = false;
    this.#start = at + 1;
  }

  /** Returns where it stopped: after the string, or at the end of the bytes. */
  #readText(bytes: Buffer, from: number, length: number): number {
    for (let at = from; at < length; at++) {
      const byte = bytes[at] as number;
      if (byte < 0x20) throw notJson(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = this.#hasEscapes = true;
      else if (byte === QUOTE) {
        if (this.#isName) this.#endName(bytes, at);
        else {
          if (this.#hasEscapes) this.#textTo(bytes, at);
          this.#endValue(at + 1);
        }
        return at + 1;
      }
    }
    return length;
  }

  /** The string that ends here. */
  #textTo(bytes: Buffer, end: number): string {
    try {
      // A string may be longer than JavaScript holds.
      const written = bytes.toString('utf8', this.#start, end);
      return this.#hasEscapes ? JSON.parse(`"${written}"`) : written;
    } catch {
      throw notJson(this.#start);
    }
  }

  /** Returns where it stopped: at the first byte behind the token, or at the end of the bytes. */
  #readToken(bytes: Buffer, from: number, length: number): number {
    let at = from;
    while (at < length && !ENDS_TOKEN.has(bytes[at] as number)) at++;
    if (at === length) return at;
    if (!TOKEN.test(bytes.toString('latin1', this.#start, at))) throw notJson(this.#start);
    this.#endValue(at);
    return at;
  }

  #cut(at: number): void {
    this.#cuts.push(at);
    this.#pieceStart = at;
  }

  #endValue(end: number): void {
    const depth = this.#around.length;
    if (depth === 1) this.fields.set(this.#field, { start: this.#valueStart, end, cuts: this.#cuts });
    this.#next = depth === 0 ? 'nothing' : 'comma or end';
  }

  #endName(bytes: Buffer, end: number): void {
    const around = this.#around.at(-1) as Container;
    around.nameBytes = this.#requireShortName(end);
    // Two spellings of one name count as the same name.
    const name = this.#textTo(bytes, end);
    if (around.names?.has(name)) throw new InvalidJson(`has ${shown(name)} twice in one object`);
    around.names?.add(name);
    if (this.#around.length === 1) this.#field = name;
    this.#isName = false;
    this.#next = 'colon';
  }

  /** Returns the bytes of the object's names including this one. */
  #requireShortName(end: number): number {
    const bytes = (this.#around.at(-1)?.nameBytes ?? 0) + end - this.#start;
    if (bytes <= this.#limits.nameBytes) return bytes;
    throw new InvalidJson(`has an object whose names take more than ${this.#limits.nameBytes} bytes`);
  }
}

function notJson(at: number): InvalidJson {
  return new InvalidJson(`is not JSON: byte ${at + 1} does not belong there`);
}

function shown(name: string): string {
  return name.length <= 100 ? JSON.stringify(name) : 'a name';
}

/** Reads the body of a request as it arrives: limited in bytes and scanned before any of it is parsed. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { InvalidJson, type JsonLimits, JsonScan, type Range } from '../../text/json-scan.ts';

/** Bytes reserved at first; they double as data arrives, whatever length is announced. */
const FIRST_ROOM = 1 << 14;

/** A JSON object whose fields are parsed when they are used. */
export class Body {
  readonly #bytes: Buffer;
  readonly #scan: JsonScan;

  constructor(bytes: Buffer, scan: JsonScan) {
    this.#bytes = bytes;
    this.#scan = scan;
  }

  has(name: string): boolean {
    return this.#scan.fields.has(name);
  }

  /** Bytes of a field's value; 0 if the field is missing. */
  size(name: string): number {
    const { start, end } = this.#scan.fields.get(name) ?? { start: 0, end: 0 };
    return end - start;
  }

  isArray(name: string): boolean {
    const range = this.#scan.fields.get(name);
    return range !== undefined && this.#bytes[range.start] === '['.charCodeAt(0);
  }

  parse(name: string): unknown {
    const range = this.#scan.fields.get(name);
    return range === undefined ? undefined : JSON.parse(this.#bytes.toString('utf8', range.start, range.end));
  }

  /** The same of a list, however long: others get a turn after each piece of it. */
  async parseList(name: string): Promise<unknown[]> {
    const { start, end, cuts } = this.#scan.fields.get(name) as Range;
    const list: unknown[] = [];
    let from = start + 1;
    for (const to of [...cuts, end - 1]) {
      const items = JSON.parse(`[${this.#bytes.toString('utf8', from, to)}]`) as unknown[];
      for (const item of items) list.push(item);
      from = to + 1;
      await nextTurn();
    }
    return list;
  }
}

/**
 * Reads a body of at most `maxBytes`. It is received to its end, so that the sender can read the reply, but nothing is kept
 * after it is known to be wrong. Throws the ServiceError to reply with.
 */
export function readBody(incoming: IncomingMessage, maxBytes: number, limits: JsonLimits): Promise<Body> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  const scan = new JsonScan(limits);
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  let failure: unknown;
  const attempt = (work: () => void) => {
    if (failure !== undefined || length > maxBytes) return;
    try {
      work();
    } catch (error) {
      const isInvalid = error instanceof InvalidJson;
      failure = isInvalid ? new ServiceError(400, 'invalid_json', `The body ${error.message}.`) : error;
      bytes = Buffer.alloc(0);
    }
  };
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      const before = length;
      length += chunk.length;
      if (length > maxBytes) reject(tooLarge(maxBytes));
      attempt(() => {
        bytes = before === 0 ? chunk : withRoom(bytes, before, length, maxBytes);
        if (before > 0) chunk.copy(bytes, before);
        scan.read(bytes, length);
      });
    });
    incoming.on('end', () => {
      const whole = bytes.subarray(0, length);
      attempt(() => {
        if (!isUtf8(whole)) throw new InvalidJson('is not UTF-8');
        scan.end();
      });
      if (failure === undefined) resolve(new Body(whole, scan));
      else reject(failure);
    });
    const gone = () => {
      if (incoming.readableEnded) return;
      // Nobody receives this reply: it distinguishes a client that has gone from a server that failed.
      reject(new ServiceError(400, 'invalid_json', 'The connection was lost before the body had come.'));
    };
    incoming.on('error', gone).on('close', gone);
  });
}

/**
 * Resolves when the whole request has arrived, read or not, or after `milliseconds`: a client that is answered while it still
 * sends may lose the reply with the connection.
 */
export function heardOut(incoming: IncomingMessage, milliseconds: number): Promise<void> {
  if (incoming.complete) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    incoming.once('end', done).once('close', done).resume();
  });
}

/** The first `used` bytes with room for `needed`. */
function withRoom(bytes: Buffer, used: number, needed: number, maxBytes: number): Buffer {
  // The first chunk lies in a buffer of the connection, which has no further room.
  if (needed <= bytes.length) return bytes;
  const grown = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(FIRST_ROOM, needed, 2 * bytes.length)));
  bytes.copy(grown, 0, 0, used);
  return grown;
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(413, 'payload_too_large', `A request body has at most ${maxBytes} bytes here.`);
}

/** A call log in memory that moves while it is read: calls come and go between two answers, which come in any order. */
import type { CallLogEntry, RequestOf, ResponseOf, Service } from '../../src/contract.ts';

type Answer = ResponseOf<'getCallLogs'>;

/**
 * Puts calls that come in, the oldest first, where they stand; `random` is from 0 to below 1. All of a time at once: to put
 * each into a log of thousands by itself takes longer than all else.
 */
export const PLACES = {
  'newest first': (log: string[], added: string[]) => void log.unshift(...added.reverse()),
  'oldest first': (log: string[], added: string[]) => void log.push(...added),
  'in no order': scatter,
};
export type Place = keyof typeof PLACES;

export interface Movement {
  /** Calls at the start. */
  calls: number;
  place: Place;
  /** Calls in a page at most. */
  cap: number;
  /** Calls that come, and that go, before an answer. */
  come(): number;
  go(): number;
  random(): number;
  /** Requests are answered in the order in which they came. */
  isOrderly?: boolean;
  /** What is sent in place of parts of an honest answer. */
  page?: (honest: Answer, request: { number: number; offset: number }) => Partial<Answer>;
}

export class MovingLog {
  readonly ids: string[];
  readonly #movement: Movement;
  readonly #waiting: (() => void)[] = [];
  #count: number;
  requests = 0;

  constructor(movement: Movement) {
    this.#movement = movement;
    this.ids = Array.from({ length: movement.calls }, (_none, at) => `call_${at}`);
    this.#count = movement.calls;
  }

  readonly service = { getCallLogs: (request: RequestOf<'getCallLogs'>) => this.#answer(request) } as Service;

  async #answer({ offset = 0, limit = 100 }: RequestOf<'getCallLogs'>): Promise<Answer> {
    this.requests += 1;
    const number = this.requests;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      setImmediate(() => this.#serveAny());
    });
    this.#move();
    const ids = this.ids.slice(offset, offset + Math.min(limit, this.#movement.cap));
    const calls = ids.map((call_id): CallLogEntry => ({ call_id }));
    const honest: Answer = { success: true, calls, total: this.ids.length, limit: ids.length, offset };
    return { ...honest, ...this.#movement.page?.(honest, { number, offset }) };
  }

  /** Of the requests that are under way, any one is answered, or the first. */
  #serveAny(): void {
    const { isOrderly = false, random } = this.#movement;
    const [serve] = this.#waiting.splice(isOrderly ? 0 : Math.floor(random() * this.#waiting.length), 1);
    serve?.();
  }

  #move(): void {
    const { come, go, place, random } = this.#movement;
    for (let left = go(); left > 0 && this.ids.length > 0; left--) {
      this.ids.splice(Math.floor(random() * this.ids.length), 1);
    }
    const added = Array.from({ length: come() }, () => `call_${this.#count++}`);
    if (added.length > 0) PLACES[place](this.ids, added, random);
  }
}

function scatter(log: string[], added: string[], random: () => number): void {
  const before = [...log];
  const places = added.map(() => Math.floor(random() * (before.length + 1))).sort((one, other) => one - other);
  log.length = 0;
  let from = 0;
  for (const [at, id] of added.entries()) {
    for (const place = places[at] as number; from < place; from++) log.push(before[from] as string);
    log.push(id);
  }
  for (; from < before.length; from++) log.push(before[from] as string);
}

/** Numbers from 0 to below 1, the same for the same seed. */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

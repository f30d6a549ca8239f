/** What identifies an entry of the call log. */
import { createHash } from 'node:crypto';
import type { CallLogEntry } from '../../contract.ts';
import { instantOf } from '../select.ts';

/** The call_id as text; undefined if it does not identify a call: missing, empty, or a number that may have been rounded. */
export function callIdOf({ call_id }: Pick<CallLogEntry, 'call_id'>): string | undefined {
  if (typeof call_id === 'string') return call_id.trim() === '' ? undefined : call_id;
  return Number.isSafeInteger(call_id) ? String(call_id) : undefined;
}

/** The beginning of the mark of an entry without a call_id; no call_id begins like this. */
const UNNAMED = '\0';

/** The call_id; for an entry without one, its content, so that two with the same content have the same mark. */
export function markOf(call: CallLogEntry): string {
  return callIdOf(call) ?? UNNAMED + createHash('sha256').update(JSON.stringify(call)).digest('base64');
}

/**
 * Keys of entries in the order of the log. An entry with a call_id has that as its key; for others the key is their content and
 * how many before had the same content, so that no two entries share a key.
 */
export class Keys {
  readonly #counts = new Map<string, number>();

  /** `had`: keys that were given before. */
  constructor(had: Iterable<string> = []) {
    for (const key of had) if (isUnnamed(key)) this.#next(key.slice(0, key.indexOf(' ')));
  }

  keyOf(mark: string): string {
    return isUnnamed(mark) ? `${mark} ${this.#next(mark)}` : mark;
  }

  #next(mark: string): number {
    const count = (this.#counts.get(mark) ?? 0) + 1;
    this.#counts.set(mark, count);
    return count;
  }
}

/** Whether a mark or a key belongs to an entry without a call_id. */
export function isUnnamed(mark: string): boolean {
  return mark.startsWith(UNNAMED);
}

type Timed = Pick<CallLogEntry, 'timestamp'>;

/**
 * The calls of a file or of a window of the log, by call_id and time. A service that was set up anew may use ids again: an
 * entry with a known id but a later time is another call.
 */
export class KnownCalls {
  /** When the latest call of an id was made, in milliseconds since the epoch; undefined if that cannot be read. */
  readonly #times = new Map<string, number | undefined>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** `later`: the id is known, but from an earlier call. */
  find(id: string, call: Timed): 'same' | 'later' | undefined {
    if (!this.#times.has(id)) return undefined;
    const known = this.#times.get(id) ?? Number.POSITIVE_INFINITY;
    return (instantOf(call) ?? known) > known ? 'later' : 'same';
  }

  add(id: string, call: Timed): void {
    if (this.find(id, call) === 'same') return;
    this.#count += 1;
    this.#times.set(id, instantOf(call));
  }
}

/**
 * The calls of a file or of a window of the log, by call_id and time. A service that was set up anew may use ids again: an
 * entry with a known id but a later time is another call.
 */
import type { CallLogEntry } from '../contract.ts';
import { instantOf } from './select.ts';

type Timed = Pick<CallLogEntry, 'timestamp'>;

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

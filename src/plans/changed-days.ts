/** The window in a zone whose clocks were changed: from the change on as its new clocks have it, before it and after it always. */
import type { ZoneChange } from '../text/zone-changes.ts';
import type { Opening } from './hours.ts';
import { joined } from './opening-lists.ts';
import type { ZoneDays } from './zone-days.ts';

const DAY = 86_400_000;

export class ChangedDays {
  readonly #days: Pick<ZoneDays, 'openings'>;
  readonly #from: number;
  readonly #until: number;

  /** `days`: those of the zone that shows the time of the new clocks. */
  constructor(days: Pick<ZoneDays, 'openings'>, { from, until }: Pick<ZoneChange, 'from' | 'until'>) {
    this.#days = days;
    this.#from = from;
    this.#until = until;
  }

  /** As those of `ZoneDays`. */
  openings(first: number, end: number): readonly Opening[] {
    const parts = [
      { from: first * DAY, until: Math.min(this.#from, end * DAY) },
      ...this.#days.openings(first, end).map(({ from, until }) => ({
        from: Math.max(from, this.#from),
        until: Math.min(until, this.#until),
      })),
      { from: Math.max(this.#until, first * DAY), until: end * DAY },
    ];
    return joined(parts.filter(({ from, until }) => from < until));
  }
}

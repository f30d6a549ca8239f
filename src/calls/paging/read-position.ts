/**
 * How far a log was read: the rows of the last page that was taken, and their places. If a later page shows any of them, none
 * is missing in between, because rows keep their order whatever arrives or disappears.
 */
import { isUnnamed } from './identity.ts';

export interface Overlap {
  /** The index in the new page of the last row that was read before. */
  at: number;
  /** How many places it has moved away from the beginning of the log. */
  shift: number;
}

export class ReadPosition {
  /** The marks of the last page's rows, and how far before `position` each was. */
  #distances = new Map<string, number>();
  /** The first offset that was not read. */
  position = 0;
  /** How many calls the service counted then; undefined if it gave no count, or a wrong one. */
  total: number | undefined;

  constructor(position: number, total?: number, marks: readonly string[] = []) {
    this.moveTo(position, total, marks);
  }

  get isKnown(): boolean {
    return this.#distances.size > 0;
  }

  has(mark: string): boolean {
    return this.#distances.has(mark);
  }

  moveTo(position: number, total: number | undefined, marks: readonly string[]): void {
    this.position = position;
    this.total = total;
    this.#distances = new Map(marks.map((mark, at) => [mark, marks.length - at]));
  }

  /**
   * Where a page shows rows of the last one. Rows without a call_id count only if no other row does, for the smallest possible
   * shift up to `growth`: several may have the same content, and one row too many is better than one too few.
   */
  overlap(offset: number, marks: readonly string[], growth: number): Overlap | undefined {
    const shiftAt = (at: number) => offset + at + (this.#distances.get(marks[at] ?? '') ?? Number.NaN) - this.position;
    let unnamed: Overlap | undefined;
    for (let at = marks.length - 1; at >= 0; at--) {
      const shift = shiftAt(at);
      if (Number.isNaN(shift)) continue;
      if (!isUnnamed(marks[at] as string)) {
        // The rows right after it that moved by the same distance.
        let last = at;
        while (shiftAt(last + 1) === shift) last += 1;
        return { at: last, shift };
      }
      if (shift <= growth && shift < (unnamed?.shift ?? Number.POSITIVE_INFINITY)) unnamed = { at, shift };
    }
    return unnamed;
  }
}

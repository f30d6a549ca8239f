/**
 * How far apart the pages of a log are requested. While the log does not move, each page follows the one before, with one
 * shared row if that costs nothing. Once it moves, pages requested ahead overlap by more than it moves between two of them; if
 * that overlap would be too large, they are requested one by one.
 */

/** As a share of a page: the largest overlap with which pages are still requested ahead. */
const OVERLAP_AHEAD = 1 / 16;
/** From this many rows in a page, one shared row costs almost nothing. */
const OVERLAP_OF_ONE = 32;
/**
 * As a share of a page: if the log moves this much between two requests, the next page is requested where its rows will be by
 * then.
 */
const FAST = 1 / 2;

export class PageSpacing {
  /** Rows of the largest page so far. */
  fullPage = 0;
  isOneByOne: boolean;
  readonly #isAgain: boolean;
  /** The largest change of the count from one page to the next, and the largest drop. */
  #movement = 0;
  #loss = 0;
  #pace = 0;

  /** `isAgain`: gaps are suspected, and overlaps must show whether there are any. */
  constructor(isOneByOne: boolean, isAgain: boolean) {
    this.isOneByOne = isOneByOne;
    this.#isAgain = isAgain;
  }

  /**
   * Takes note that the service's count changed by `moved`; `isLater` if that is not just because answers arrived out of order.
   */
  heed(moved: number, isLater: boolean): void {
    this.#movement = Math.max(this.#movement, Math.abs(moved));
    if (isLater) this.#loss = Math.max(this.#loss, -moved);
    this.isOneByOne ||= moved !== 0 && this.#overlapAhead > this.fullPage * OVERLAP_AHEAD;
  }

  /** Places by which the rows that were read move from one request to the next. */
  set pace(places: number) {
    this.#pace = places;
  }

  /** How far after the present place the next page should begin, because its rows will have moved there when it is answered. */
  get lead(): number {
    const isFast = this.#pace >= Math.max(1, this.fullPage * FAST);
    return isFast ? this.#pace - Math.floor(this.fullPage / 4) : 0;
  }

  /** Rows before `end` that the next page shows again; the service counts `total` calls. */
  overlap(end: number, total: number | undefined): number {
    return Math.min(this.#wanted(end, total), Math.max(0, this.fullPage - 1));
  }

  #wanted(end: number, total: number | undefined): number {
    if (total === undefined) return 1;
    if (this.#movement === 0) {
      const pages = (from: number) => Math.ceil((total - from) / this.fullPage);
      return this.fullPage >= OVERLAP_OF_ONE && pages(end - 1) === pages(end) ? 1 : 0;
    }
    if (!this.isOneByOne) return this.#overlapAhead;
    // When rows disappear before a page, rows of the page move out of it as well.
    if (this.#loss > 0) return Math.min(2 * this.#loss + 1, Math.floor(this.fullPage / 2));
    // If the log grows by whole pages, only an overlap shows whether a page follows.
    const isNeeded = this.#isAgain || this.#movement >= this.fullPage;
    return isNeeded || this.fullPage >= OVERLAP_OF_ONE ? 1 : 0;
  }

  /** More than the log moves between two pages that are requested together. */
  get #overlapAhead(): number {
    return 2 * this.#movement + 1;
  }
}

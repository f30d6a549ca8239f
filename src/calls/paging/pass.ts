/**
 * One pass through a log that grows and shrinks while it is read, and whose order is not documented.
 *
 * The next page starts after the calls *returned*, not after those requested: services cap pages and report as `limit` what
 * they returned. All calls that the service counts at first must be read; later ones may be. Three things show that a page
 * follows what was read before: rows that both contain; an unchanged count; or, if the page was certainly answered later, a
 * count that grew by less than the page holds, because new rows would show in it. Any other page may have a gap before it, so
 * the place where the reading was is searched for. If that fails, the pass is in doubt. Answers to parallel requests arrive out
 * of order, and so do their counts.
 */
import { totalOf } from '../../contract.ts';
import type { Answer, PagesAhead } from './ahead.ts';
import { markOf } from './identity.ts';
import { PageSpacing } from './page-spacing.ts';
import type { Overlap, ReadPosition } from './read-position.ts';

/** After this many pages in a row with nothing new, the service is taken to have no more. */
const BARREN_PAGES = 3;
/** How often the place of the reading is searched for, and after how many failures the search is given up. */
const SEARCHES = 4;
const LOST_SEARCHES = 3;
/**
 * The most requests, as a multiple of those that the first count needs, plus some: beyond that the log grows faster than it is
 * read, or its counts contradict one another.
 */
const REQUESTS = 4;
const MORE_REQUESTS = 20;

/** What one request brought; `isRepeated`: this pass has read the row before. */
export interface Shown {
  answer: Answer;
  rows: readonly { mark: string; isRepeated: boolean }[];
}

interface PassOptions {
  start: number;
  /** Pages requested at a time. */
  concurrency: number;
  /** This is a second pass: a page may hold only known calls and still count. */
  isAgain: boolean;
  reached: ReadPosition;
  /** Takes what was shown and returns whether any of it is new. */
  take(shown: Shown): boolean;
  /** How many calls were taken, in this pass and earlier ones. */
  taken(): number;
}

interface Page {
  offset: number;
  answer: Answer;
  marks: readonly string[];
  /** What the service counted when it answered. */
  total: number | undefined;
  /** How many more than at the answer before. */
  growth: number;
  isNew: boolean;
  /** Requested after everything that was taken before had been answered. */
  isLater: boolean;
}

export class Pass {
  readonly #ahead: PagesAhead;
  readonly #options: PassOptions;
  readonly #reached: ReadPosition;
  readonly #spacing: PageSpacing;
  #requests = 0;
  #barren = 0;
  #lost = 0;
  /** Places by which the rows that were read have moved away from the beginning. */
  #shifted = 0;
  /** The service's first count; the calls that existed then must be read. */
  first: number | undefined;
  /** The lowest count: calls that disappear during the reading are not a gap. */
  least: number | undefined;
  /** The last count. */
  last: number | undefined;
  /** Whether there may be gaps, and whether calls arrived faster than they could be read. */
  isInDoubt = false;
  isOutgrown = false;

  constructor(ahead: PagesAhead, options: PassOptions) {
    this.#ahead = ahead;
    this.#options = options;
    this.#reached = options.reached;
    this.#spacing = new PageSpacing(options.concurrency === 1, options.isAgain);
  }

  /** The offset at which reading continues. */
  get position(): number {
    return this.#reached.position;
  }

  /** How many calls the service counted when the reading was at this position. */
  get total(): number | undefined {
    return this.#reached.total;
  }

  /** Reads the log. Yields after each answer whose calls were taken. */
  async *run(): AsyncGenerator<Pick<Page, 'offset' | 'answer'>> {
    for (let isOver = false; !isOver; ) {
      const page = await this.#next();
      const isPlaced = this.#place(page);
      if (isPlaced) this.#askAhead();
      yield page;
      isOver = this.#isOver(isPlaced ? page : yield* this.#search(page));
    }
  }

  // Asking --------------------------------------------------------------------------------------------------------------

  async #next(): Promise<Page> {
    const { position } = this.#reached;
    const { lead, fullPage } = this.#spacing;
    const ahead = this.#ahead.next(position - fullPage / 2, position);
    const offset = ahead ?? (lead > 0 ? position + lead : this.#startBehind(position));
    return this.#take(offset, await this.#ahead.page(offset), ahead === undefined);
  }

  #askAhead(): void {
    const { concurrency } = this.#options;
    const { position, total } = this.#reached;
    const { isOneByOne, lead, fullPage } = this.#spacing;
    if (isOneByOne || total === undefined || this.#barren > 0 || lead > 0) return;
    const owed = (this.first ?? total) + this.#shifted;
    this.#ahead.askAhead({
      from: this.#startBehind(position),
      after: (offset) => this.#startBehind(offset + fullPage),
      end: position < owed ? Math.min(total, owed) : total,
      count: concurrency,
    });
  }

  /** The start of the page that follows what was read up to `end`. */
  #startBehind(end: number): number {
    const { isKnown, total } = this.#reached;
    return isKnown ? Math.max(this.#options.start, end - this.#spacing.overlap(end, total)) : end;
  }

  #take(offset: number, answer: Answer, isLater: boolean): Page {
    this.#requests += 1;
    const marks = answer.calls.map(markOf);
    const total = totalOf(answer);
    const overlap = this.#reached.overlap(offset, marks, this.#growth(total));
    const rows = marks.map((mark, at) => ({
      mark,
      isRepeated: overlap !== undefined && at <= overlap.at && this.#reached.has(mark),
    }));
    const isNew = this.#options.take({ answer, rows });
    const before = this.last;
    this.#hear(total, offset + marks.length, marks.length);
    const credible = this.#credible(total, offset, marks.length);
    const growth = credible === undefined || before === undefined ? 0 : credible - before;
    return { offset, answer, marks, total: credible, growth, isNew, isLater };
  }

  #hear(total: number | undefined, end: number, returned: number): void {
    this.#spacing.fullPage = Math.max(this.#spacing.fullPage, returned);
    if (total === undefined) return;
    this.least = Math.min(this.least ?? total, total);
    if (total >= end) {
      this.first ??= total;
      this.last = total;
    }
  }

  /** A count below the rows that were read is wrong, and ignored. */
  #credible(total: number | undefined, offset: number, returned: number): number | undefined {
    return total !== undefined && (returned === 0 || total >= offset + returned) ? total : undefined;
  }

  // Placing -------------------------------------------------------------------------------------------------------------

  #growth(total: number | undefined): number {
    const { total: before } = this.#reached;
    return total === undefined || before === undefined ? 0 : Math.max(0, total - before);
  }

  /** Whether the page's place is known. If so, the position moves to its end, or stays. */
  #place(page: Page): boolean {
    const { offset, marks, total, isNew } = page;
    const { position, total: before, isKnown } = this.#reached;
    const moved = total === undefined || before === undefined ? undefined : total - before;
    this.#spacing.heed(moved ?? 0, page.isLater);
    if (!isKnown && marks.length > 0) return this.#accept(page, 0);

    const overlap = this.#reached.overlap(offset, marks, this.#growth(total));
    if (overlap !== undefined) return this.#placeByOverlap(page, overlap, moved);

    if (marks.length === 0) {
      if (offset > position || (moved !== undefined && moved < 0)) return false;
      this.#barren += 1;
      return true;
    }
    const isUntouched = moved === undefined || (moved >= 0 && moved < marks.length);
    if (offset !== position || !isUntouched) return false;
    if (isNew || this.#options.isAgain) return this.#accept(page, 0);
    this.#barren += 1;
    return true;
  }

  #placeByOverlap(page: Page, { at, shift }: Overlap, moved: number | undefined): boolean {
    const { marks, total } = page;
    const isCredible = shift <= Math.max(0, moved ?? 0);
    if (at < marks.length - 1) return this.#accept(page, isCredible ? shift : 0);
    if (isCredible && total !== undefined) {
      // All of its rows were read before; the rows that follow have moved as far.
      this.#heedShift(shift, page);
      this.#reached.position += shift;
      this.#reached.total = total;
    }
    this.#barren += 1;
    return true;
  }

  #accept(page: Page, shift: number): true {
    const { offset, marks, total } = page;
    this.#heedShift(shift, page);
    this.#reached.moveTo(offset + marks.length, total, marks);
    // If pages differ in size, the start of the page after the next is unknown.
    if (marks.length < this.#spacing.fullPage && this.position < (total ?? 0)) this.#spacing.isOneByOne = true;
    this.#barren = 0;
    this.#lost = 0;
    return true;
  }

  #heedShift(shift: number, { total, growth }: Page): void {
    const moved = this.#growth(total);
    // Several requests may lie between; the last one shows how fast the log moves.
    this.#spacing.pace = moved > 0 ? Math.round((shift * Math.max(0, growth)) / moved) : 0;
    this.#shifted += Math.max(0, shift);
  }

  // Searching -----------------------------------------------------------------------------------------------------------

  /** Searches for the place of the reading, which `stray` does not show. Returns the page that showed it, or else `stray`. */
  async *#search(stray: Page): AsyncGenerator<Page, Page> {
    let page = stray;
    for (let search = 0; search < SEARCHES && this.#lost < LOST_SEARCHES; search++) {
      const offset = this.#guess(page, search, stray.offset < this.position);
      page = this.#take(offset, await this.#ahead.ask(offset), true);
      const isFound = this.#reached.overlap(offset, page.marks, this.#growth(page.total)) !== undefined;
      if (isFound) {
        const { position } = this.#reached;
        this.#place(page);
        // Otherwise the place is where it was, and nothing follows it.
        if (this.#reached.position !== position) this.#barren = 0;
        this.#lost = 0;
      }
      yield page;
      if (!isFound) continue;
      // A page that was answered too early may follow now.
      if (stray.offset <= this.#reached.position) this.#follow(stray);
      this.#askAhead();
      return page;
    }
    this.#lost += 1;
    this.isInDoubt = true;
    const end = stray.offset + stray.marks.length;
    if (stray.marks.length > 0 && end > this.#reached.position) this.#reached.moveTo(end, stray.total, stray.marks);
    else this.#barren += 1;
    return stray;
  }

  #follow(stray: Page): void {
    const { marks, total, offset } = stray;
    const overlap = this.#reached.overlap(offset, marks, this.#growth(total));
    const follows =
      overlap === undefined ? offset === this.position && total === this.total : overlap.at < marks.length - 1;
    if (follows && marks.length > 0) this.#accept(stray, overlap === undefined ? 0 : Math.min(0, overlap.shift));
  }

  /** `isBefore`: the page just before was requested already. */
  #guess({ total, growth, isLater }: Page, search: number, isBefore: boolean): number {
    const { position, total: counted } = this.#reached;
    const moved = total === undefined || counted === undefined ? 0 : total - counted;
    const full = this.#spacing.fullPage;
    let guess = position - 1;
    if (moved < 0 && (isLater || (total ?? 0) < (this.first ?? 0))) {
      guess += 2 * moved;
    } else if (moved >= full && (search > 0 || isBefore)) {
      // All new rows came in before the place; as many again may come before the answer.
      guess += moved + Math.max(0, growth) - Math.floor(full / 2);
    } else {
      guess -= Math.floor(((search + (isBefore ? 1 : 0)) * full) / 2);
    }
    return Math.max(this.#options.start, guess);
  }

  // Ending --------------------------------------------------------------------------------------------------------------

  #isOver({ marks, answer }: Page): boolean {
    if (this.#barren >= BARREN_PAGES) return true;
    const { position, total } = this.#reached;
    const { fullPage } = this.#spacing;
    const counted = totalOf(answer);
    if (counted !== undefined && position >= counted && marks.length === 0) return true;
    if (total === undefined) return this.#lost >= LOST_SEARCHES;
    if (position >= total) {
      // A short page is the last one. After a full one another may follow, whatever the count.
      const isLast = marks.length < fullPage;
      const isAll = this.#options.start + this.#options.taken() + this.#shifted >= total;
      if (this.#barren > 0 || (isAll && isLast)) return true;
    }
    const { first = total } = this;
    // All calls of the first count were read where they were, and newer ones come after them.
    if (position >= first && this.#shifted === 0 && first < total && total - position > fullPage) return true;
    // A count that only says how many were shown so far grows with the reading.
    const most = this.#shifted === 0 ? Math.max(first, position) : first;
    const needed = Math.ceil((most - this.#options.start) / Math.max(1, fullPage));
    if (this.#requests <= REQUESTS * needed + MORE_REQUESTS) return false;
    this.isOutgrown = this.#shifted > 0;
    return true;
  }
}

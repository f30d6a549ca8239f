/**
 * One pass through a log that grows and shrinks while it is read, and whose order is not documented.
 *
 * The next page starts after the calls *returned*, not after those requested: services cap pages and report as `limit` what
 * they returned. All calls that the service counts at first must be read; later ones may be. Three things show that a page
 * follows what was read before: rows that both contain, because rows keep their order whatever arrives or disappears; an
 * unchanged count; or a count that grew by less than the page holds, because new rows would show in it. Any other page may have a
 * gap before it, so the place where the reading was is searched for. If that fails, the pass is in doubt. Answers to parallel
 * requests arrive out of order, and so do their counts.
 */
import { type CallLogEntry, type ResponseOf, totalOf } from '../../contract.ts';
import { isUnnamed, Keys, markOf } from './identity.ts';

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
/** As a share of a page: the largest overlap with which pages are still requested ahead. */
const OVERLAP_AHEAD = 1 / 16;
/** From this many rows in a page, one shared row costs almost nothing. */
const OVERLAP_OF_ONE = 32;
/** As a share of a page: if the log moves this much between two requests, the next page is requested where its rows will be. */
const FAST = 1 / 2;

type Answer = ResponseOf<'getCallLogs'>;

/** Keys in the order in which they were added. */
export type SeenKeys = Pick<Set<string>, 'size' | 'has'> & Iterable<string> & { add(key: string): unknown };

/** What one request brought. */
export interface Shown {
  /** The calls that were not seen before. */
  calls: CallLogEntry[];
  /** What identifies each of them: its call_id, if it has one. */
  keys: string[];
  response: Answer;
  offset: number;
}

interface Taken extends Shown {
  /** What identifies each row, known or not. */
  marks: readonly string[];
  /** What the service counted when it answered; undefined if it gave no count, or a wrong one. */
  total: number | undefined;
  /** How many more than at the answer before. */
  growth: number;
  /** Requested after everything that was taken before had been answered. */
  isLater: boolean;
  /** The last row that was read before, and how many places it has moved away from the beginning of the log. */
  overlap: { at: number; shift: number } | undefined;
}

interface PassOptions {
  ask(offset: number): Promise<Answer>;
  /** Gets the key of each call that it shows. */
  seen: SeenKeys;
  /** Where the log begins, and where the reading does. */
  start: number;
  position: number;
  /** How many calls the service counted there, and the keys of the rows before, if an earlier run stopped there. */
  total?: number | undefined;
  marks?: readonly string[];
  concurrency: number;
  /** This is a second pass: a page may hold only known calls and still count. */
  isAgain: boolean;
}

export class Pass {
  readonly #options: PassOptions;
  readonly #keys: Keys;
  /** Pages that were requested ahead, by their offsets. */
  #asked: { offset: number; answer: Promise<Answer> }[] = [];
  #requests = 0;
  #barren = 0;
  #lost = 0;
  /** The marks of the rows of the last page that was taken, and how far before `position` each was. */
  #distances = new Map<string, number>();
  /** Places by which the rows that were read have moved away from the beginning. */
  #shifted = 0;
  /** Rows of the largest page so far. */
  #fullPage = 0;
  #isOneByOne: boolean;
  /** The largest change of the count from one page to the next, and the largest drop. */
  #movement = 0;
  #loss = 0;
  /** Places by which the rows that were read move from one request to the next. */
  #pace = 0;
  /** The offset at which reading continues, and how many calls the service counted then. */
  position = 0;
  total: number | undefined;
  /** The service's first count; the calls that existed then must be read. */
  first: number | undefined;
  /** The lowest count: calls that disappear during the reading are not a gap. */
  least: number | undefined;
  last: number | undefined;
  /** Whether there may be gaps, and whether calls arrived faster than they could be read. */
  isInDoubt = false;
  isOutgrown = false;
  /** Entries without a call_id that it showed, and whether it met any call that was seen before. */
  unnamed = 0;
  hasKnown = false;

  constructor(options: PassOptions) {
    this.#options = options;
    this.#keys = new Keys(options.isAgain ? [] : options.seen);
    this.#isOneByOne = options.concurrency === 1;
    this.#moveTo(options.position, options.total, options.marks ?? []);
  }

  /** Reads the log. Yields after each answer whose calls were taken. */
  async *run(): AsyncGenerator<Shown> {
    for (let isOver = false; !isOver; ) {
      const page = await this.#next();
      const isPlaced = this.#place(page);
      if (isPlaced) this.#askAhead();
      yield page;
      isOver = this.#isOver(isPlaced ? page : yield* this.#search(page));
    }
  }

  // Asking --------------------------------------------------------------------------------------------------------------

  async #next(): Promise<Taken> {
    const [ahead] = this.#asked;
    if (ahead !== undefined && ahead.offset <= this.position && ahead.offset >= this.position - this.#fullPage / 2) {
      this.#asked.shift();
      return this.#take(ahead.offset, await ahead.answer, false);
    }
    this.#asked = [];
    const lead = this.#lead;
    return this.#takeAt(lead > 0 ? this.position + lead : this.#startBehind(this.position));
  }

  /** How far after the present place the next page should begin, because its rows will have moved there when it is answered. */
  get #lead(): number {
    const isFast = this.#pace >= Math.max(1, this.#fullPage * FAST);
    return isFast ? this.#pace - Math.floor(this.#fullPage / 4) : 0;
  }

  #askAhead(): void {
    const { position, total } = this;
    if (this.#isOneByOne || total === undefined || this.#barren > 0 || this.#lead > 0) return;
    const owed = (this.first ?? total) + this.#shifted;
    const end = position < owed ? Math.min(total, owed) : total;
    const last = this.#asked.at(-1);
    let from = last === undefined ? position : last.offset + this.#fullPage;
    while (this.#asked.length < this.#options.concurrency) {
      const offset = this.#startBehind(from);
      if (offset >= end) return;
      const answer = this.#options.ask(offset);
      // A failure reaches whoever takes the page, if anyone does.
      answer.catch(() => {});
      this.#asked.push({ offset, answer });
      from = offset + this.#fullPage;
    }
  }

  /** The start of the page that follows what was read up to `end`. */
  #startBehind(end: number): number {
    if (this.#distances.size === 0) return end;
    const overlap = Math.min(this.#overlapBefore(end), Math.max(0, this.#fullPage - 1));
    return Math.max(this.#options.start, end - overlap);
  }

  /** Rows before `end` that the next page should show again. */
  #overlapBefore(end: number): number {
    const { total } = this;
    if (total === undefined) return 1;
    if (this.#movement === 0) {
      const pages = (from: number) => Math.ceil((total - from) / this.#fullPage);
      return this.#fullPage >= OVERLAP_OF_ONE && pages(end - 1) === pages(end) ? 1 : 0;
    }
    if (!this.#isOneByOne) return this.#overlapAhead;
    // When rows disappear before a page, rows of the page move out of it as well.
    return this.#loss > 0 ? Math.min(2 * this.#loss + 1, Math.floor(this.#fullPage / 2)) : 1;
  }

  /** More than the log moves between two pages that are requested together. */
  get #overlapAhead(): number {
    return 2 * this.#movement + 1;
  }

  // Taking --------------------------------------------------------------------------------------------------------------

  async #takeAt(offset: number): Promise<Taken> {
    return this.#take(offset, await this.#options.ask(offset), true);
  }

  #take(offset: number, response: Answer, isLater: boolean): Taken {
    const { seen } = this.#options;
    const before = this.last;
    const total = this.#hear(totalOf(response), offset, response.calls.length);
    const marks = response.calls.map(markOf);
    const overlap = this.#overlapOf(offset, marks, total);
    const growth = total === undefined || before === undefined ? 0 : total - before;
    const taken: Taken = { calls: [], keys: [], response, offset, marks, total, growth, isLater, overlap };
    for (const [at, call] of response.calls.entries()) {
      const mark = marks[at] as string;
      // Only its place tells an entry without a call_id from another one with the same content.
      if (isUnnamed(mark) && at <= (overlap?.at ?? -1) && this.#distances.has(mark)) continue;
      const key = this.#keys.keyOf(mark);
      if (seen.has(key)) {
        this.hasKnown = true;
        continue;
      }
      seen.add(key);
      taken.calls.push(call);
      taken.keys.push(key);
      if (isUnnamed(key)) this.unnamed += 1;
    }
    return taken;
  }

  /** Takes note of a count and returns it; one below the rows that were read is wrong, and ignored. */
  #hear(total: number | undefined, offset: number, returned: number): number | undefined {
    this.#requests += 1;
    this.#fullPage = Math.max(this.#fullPage, returned);
    if (total === undefined) return undefined;
    this.least = Math.min(this.least ?? total, total);
    if (total < offset + returned) return returned === 0 ? total : undefined;
    this.first ??= total;
    this.last = total;
    return total;
  }

  /**
   * Where a page shows rows of the last one. Rows without a call_id count only if no other row does, for the smallest possible
   * shift: several may have the same content, and one row too many is better than one too few.
   */
  #overlapOf(offset: number, marks: readonly string[], total: number | undefined): Taken['overlap'] {
    const shiftAt = (at: number) => offset + at + (this.#distances.get(marks[at] ?? '') ?? Number.NaN) - this.position;
    let unnamed: Taken['overlap'];
    let least = Math.max(0, this.#movedTo(total) ?? 0) + 1;
    for (let at = marks.length - 1; at >= 0; at--) {
      const shift = shiftAt(at);
      if (Number.isNaN(shift)) continue;
      if (!isUnnamed(marks[at] as string)) {
        // The rows right after it that moved by the same distance.
        let last = at;
        while (shiftAt(last + 1) === shift) last += 1;
        return { at: last, shift };
      }
      if (shift >= least) continue;
      unnamed = { at, shift };
      least = shift;
    }
    return unnamed;
  }

  /** How many calls the log has gained since the position was reached; undefined if that is unknown. */
  #movedTo(total: number | undefined): number | undefined {
    return total === undefined || this.total === undefined ? undefined : total - this.total;
  }

  // Placing -------------------------------------------------------------------------------------------------------------

  /** Whether the page's place is known. If so, the position moves to its end, or stays. */
  #place(page: Taken): boolean {
    const { offset, marks, total, overlap } = page;
    const moved = this.#movedTo(total) ?? 0;
    this.#heed(moved, page.isLater);
    if (this.#distances.size === 0 && marks.length > 0) return this.#accept(page);
    if (overlap !== undefined) {
      const shift = overlap.shift <= Math.max(0, moved) ? overlap.shift : undefined;
      if (overlap.at < marks.length - 1) return this.#accept(page, shift);
      if (shift !== undefined && total !== undefined) {
        // All of its rows were read before; the rows that follow have moved as far.
        this.#heedShift(shift, page);
        this.position += shift;
        this.total = total;
      }
    } else if (marks.length === 0) {
      if (offset > this.position || moved < 0) return false;
    } else {
      if (offset !== this.position || moved < 0 || moved >= marks.length) return false;
      if (page.calls.length > 0 || this.#options.isAgain) return this.#accept(page);
    }
    this.#barren += 1;
    return true;
  }

  #heed(moved: number, isLater: boolean): void {
    this.#movement = Math.max(this.#movement, Math.abs(moved));
    if (isLater) this.#loss = Math.max(this.#loss, -moved);
    // If the overlap would be too large, pages are requested one by one.
    this.#isOneByOne ||= moved !== 0 && this.#overlapAhead > this.#fullPage * OVERLAP_AHEAD;
  }

  #accept(page: Taken, shift = 0): true {
    const { offset, marks, total } = page;
    this.#heedShift(shift, page);
    this.#moveTo(offset + marks.length, total, marks);
    // If pages differ in size, the start of the page after the next is unknown.
    if (marks.length < this.#fullPage && this.position < (total ?? 0)) this.#isOneByOne = true;
    this.#barren = 0;
    this.#lost = 0;
    return true;
  }

  #heedShift(shift: number, { total, growth }: Taken): void {
    const moved = Math.max(0, this.#movedTo(total) ?? 0);
    // Several requests may lie between; the last one shows how fast the log moves.
    this.#pace = moved > 0 ? Math.round((shift * Math.max(0, growth)) / moved) : 0;
    this.#shifted += Math.max(0, shift);
  }

  #moveTo(position: number, total: number | undefined, marks: readonly string[]): void {
    this.position = position;
    this.total = total;
    this.#distances = new Map(marks.map((mark, at) => [mark, marks.length - at]));
  }

  // Searching -----------------------------------------------------------------------------------------------------------

  /** Searches for the place of the reading, which `stray` does not show. Returns the page that showed it, or else `stray`. */
  async *#search(stray: Taken): AsyncGenerator<Shown, Taken> {
    let page = stray;
    for (let search = 0; search < SEARCHES && this.#lost < LOST_SEARCHES; search++) {
      page = await this.#takeAt(this.#guess(page, search, stray.offset < this.position));
      const { position } = this;
      if (page.overlap !== undefined) {
        this.#place(page);
        // Otherwise the place is where it was, and nothing follows it.
        if (this.position !== position) this.#barren = 0;
        this.#lost = 0;
      }
      yield page;
      if (page.overlap === undefined) continue;
      // A page that was answered too early may follow now.
      if (stray.offset <= this.position) this.#follow(stray);
      this.#askAhead();
      return page;
    }
    this.#lost += 1;
    this.isInDoubt = true;
    const end = stray.offset + stray.marks.length;
    if (stray.marks.length > 0 && end > this.position) this.#moveTo(end, stray.total, stray.marks);
    else this.#barren += 1;
    return stray;
  }

  #follow(stray: Taken): void {
    const { offset, marks, total } = stray;
    const overlap = this.#overlapOf(offset, marks, total);
    const follows =
      overlap === undefined ? offset === this.position && total === this.total : overlap.at < marks.length - 1;
    if (follows && marks.length > 0) this.#accept(stray, overlap === undefined ? 0 : Math.min(0, overlap.shift));
  }

  /** `isBefore`: the page just before was requested already. */
  #guess({ total, growth, isLater }: Taken, search: number, isBefore: boolean): number {
    const moved = this.#movedTo(total) ?? 0;
    const full = this.#fullPage;
    let guess = this.position - 1;
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

  #isOver({ marks, response }: Taken): boolean {
    if (this.#barren >= BARREN_PAGES) return true;
    const { position, total } = this;
    const fullPage = this.#fullPage;
    const counted = totalOf(response);
    if (counted !== undefined && position >= counted && marks.length === 0) return true;
    if (total === undefined) return this.#lost >= LOST_SEARCHES;
    if (position >= total) {
      // A short page is the last one. After a full one another may follow, whatever the count.
      const isAll = this.#options.start + this.#options.seen.size + this.#shifted >= total;
      if (this.#barren > 0 || (isAll && marks.length < fullPage)) return true;
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

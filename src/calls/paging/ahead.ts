/** The pages of a log by offset. The next pages may be requested while one is being used. */
import type { RequestOf, ResponseOf, Service } from '../../contract.ts';

export type Answer = ResponseOf<'getCallLogs'>;

interface Ahead {
  /** Where the first page to request now begins. */
  from: number;
  /** Where the page after the one at `offset` begins. */
  after(offset: number): number;
  /** No page begins at this offset or after it. */
  end: number;
  /** The most pages to request. */
  count: number;
}

export class PagesAhead {
  readonly #service: Service;
  readonly #request: RequestOf<'getCallLogs'>;
  #asked: { offset: number; answer: Promise<Answer> }[] = [];

  constructor(service: Service, request: RequestOf<'getCallLogs'>) {
    this.#service = service;
    this.#request = request;
  }

  /** Where the next page begins that was requested ahead, if it is between `first` and `last`. Any other is of no use. */
  next(first: number, last: number): number | undefined {
    const [next] = this.#asked;
    if (next !== undefined && next.offset >= first && next.offset <= last) return next.offset;
    this.#asked = [];
    return undefined;
  }

  page(offset: number): Promise<Answer> {
    const [next] = this.#asked;
    if (next?.offset !== offset) return this.ask(offset);
    this.#asked.shift();
    return next.answer;
  }

  ask(offset: number): Promise<Answer> {
    return this.#service.getCallLogs({ ...this.#request, offset });
  }

  askAhead({ from, after, end, count }: Ahead): void {
    const last = this.#asked.at(-1);
    let offset = last === undefined ? from : after(last.offset);
    for (; offset < end && this.#asked.length < count; offset = after(offset)) {
      const answer = this.ask(offset);
      // A failure reaches the caller who takes the page, if any does.
      answer.catch(() => {});
      this.#asked.push({ offset, answer });
    }
  }
}

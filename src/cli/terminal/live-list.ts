/** The choices of a question, searched as a person types. Most pages are read only when somebody searches. */
import { setImmediate as turn } from 'node:timers/promises';
import { asMeant } from './keyboard.ts';

export interface Choice<T> {
  name: string;
  value: T;
}

/** Choices shown at once: the library lays every one out at each key. */
const MOST_SHOWN = 100;

export class LiveList<T> {
  readonly #pages: AsyncIterator<Choice<T>[]>;
  readonly #read: Choice<T>[] = [];
  #isComplete = false;
  /** Why later pages could not be read. */
  #failure: string | undefined;
  /** The page that is being read. */
  #reading: Promise<void> = Promise.resolve();

  private constructor(pages: AsyncIterator<Choice<T>[]>) {
    this.#pages = pages;
  }

  /** Reads the first page with choices. Throws what reading throws. */
  static async open<T>(pages: AsyncIterable<Choice<T>[]> | Promise<Choice<T>[]>): Promise<LiveList<T>> {
    const list = new LiveList(Symbol.asyncIterator in pages ? pages[Symbol.asyncIterator]() : once(pages));
    while (!list.#isComplete && list.#read.length === 0) await list.#readPage();
    // One page ahead, because a list that ends with its first page says so at once.
    list.#readAhead();
    await turn();
    return list;
  }

  nameOf(value: T): string | undefined {
    return this.#read.find((choice) => choice.value === value)?.name;
  }

  get isEmpty(): boolean {
    return this.#read.length === 0;
  }

  /**
   * The choices whose names hold every word of a text, in any case; first those that begin with the text's first word, such as
   * an id. Without a text, the first choices. `remark` is what a person should know about the rest of the list, as one line.
   */
  async find(text: string): Promise<{ choices: Choice<T>[]; remark: string | undefined }> {
    const words = asMeant(text).toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0) await this.#readAll();
    const matching = this.#read.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
    const isExact = ({ name }: Choice<T>) => words.length > 0 && name.toLowerCase().split(/\s+/, 1)[0] === words[0];
    const ranked = [...matching.filter(isExact), ...matching.filter((choice) => !isExact(choice))];
    const choices = ranked.slice(0, MOST_SHOWN);
    return { choices, remark: this.#remark(ranked.length - choices.length) };
  }

  #remark(more: number): string | undefined {
    if (this.#failure !== undefined) return `The rest of the list cannot be read: ${this.#failure}`;
    if (!this.#isComplete) return 'More: type to search.';
    return more === 0 ? undefined : `${more} more: type to search.`;
  }

  async #readAll(): Promise<void> {
    await this.#reading;
    while (!this.#isComplete) {
      this.#readAhead();
      await this.#reading;
    }
  }

  #readAhead(): void {
    if (this.#isComplete) return;
    this.#reading = this.#readPage().catch((error: unknown) => {
      this.#failure = (error as Error).message;
      this.#isComplete = true;
    });
  }

  async #readPage(): Promise<void> {
    const { done, value } = await this.#pages.next();
    if (done === true) this.#isComplete = true;
    else for (const choice of value) this.#read.push(choice);
  }
}

async function* once<T>(page: Promise<T>): AsyncGenerator<T> {
  yield await page;
}

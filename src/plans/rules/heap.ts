/** A binary heap: adding, and taking the least one, need few comparisons however many there are. */
export class Heap<Item> {
  readonly #compare: (one: Item, other: Item) => number;
  readonly #items: Item[] = [];

  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(items[parent] as Item, item) <= 0) break;
      items[at] = items[parent] as Item;
      at = parent;
    }
    items[at] = item;
  }

  /** Removes the least one; undefined if there is none. */
  take(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const moving = items.pop();
    if (moving === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#compare(items[child + 1] as Item, items[child] as Item) < 0) child++;
      if (this.#compare(moving, items[child] as Item) <= 0) break;
      items[at] = items[child] as Item;
      at = child;
    }
    items[at] = moving;
    return first;
  }
}

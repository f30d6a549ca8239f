/** What is kept of organizations: of as many as were used lately, so that what was read of them is not read again. */
const KEPT = 256;

export class Recent<Value> {
  /** The one that was used last at the end. */
  readonly #kept = new Map<number, Value>();

  has(organizationId: number): boolean {
    return this.#kept.has(organizationId);
  }

  get(organizationId: number, make: () => Value): Value {
    const value = this.#kept.get(organizationId) ?? make();
    this.#kept.delete(organizationId);
    this.#kept.set(organizationId, value);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
    return value;
  }
}

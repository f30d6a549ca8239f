/** Keeps a service's original data beside what was read of it: commands use the latter and show the former. */

const originals = new WeakMap<object, object>();

/** From now on, `original` is shown in place of `read`. */
export function keepOriginal(read: object, original: object): void {
  originals.set(read, original);
}

/** The original of something that was read, or the value itself. */
export function originalOf<T extends object>(read: T): T {
  return (originals.get(read) ?? read) as T;
}

/** The same with some fields changed, both for use and for display. */
export function withFields<T extends object, C extends object>(read: T, changes: C): T & C {
  const changed = { ...read, ...changes };
  keepOriginal(changed, { ...originalOf(read), ...changes });
  return changed;
}

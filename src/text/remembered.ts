/** The same function, which finds what belongs to a key once and returns the same thing from then on. */
export function remembered<K, V>(find: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    let found = known.get(key);
    if (found === undefined && !known.has(key)) {
      found = find(key);
      known.set(key, found);
    }
    return found as V;
  };
}

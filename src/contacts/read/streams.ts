/** Looks at the beginning of a stream before the rest is read. */

/** The beginning of a stream: at least `bytes` bytes, or all of it. */
export async function gather(chunks: AsyncIterator<Buffer>, bytes: number): Promise<Buffer> {
  const gathered: Buffer[] = [];
  for (let size = 0; size < bytes; ) {
    const next = await chunks.next();
    if (next.done) break;
    gathered.push(next.value);
    size += next.value.length;
  }
  return gathered.length === 1 ? (gathered[0] as Buffer) : Buffer.concat(gathered);
}

/** A stream whose beginning was read already, whole again. */
export async function* continued<T>(beginning: T, pieces: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield beginning;
    yield* pieces;
  } finally {
    await pieces.return(undefined);
  }
}

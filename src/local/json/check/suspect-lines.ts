/** Lines of the store that may be damaged: damage is returned, never thrown. */
import type * as z from 'zod/mini';
import type { FileSystem } from '../../../files/file-system.ts';
import { type Line, readLines } from '../../../files/json-lines.ts';

export interface SuspectLine extends Line {
  /** What is wrong, completing a sentence about the line; if set, the text must not be used. */
  damage: string | undefined;
}

/** The damage of a last line without its line break. */
export const CUT_OFF = 'is cut off';

/** The lines of a file's first `end` bytes, as far as they exist. Throws system errors. */
export function* suspectLines(fs: FileSystem, path: string, end: number): Generator<SuspectLine, void> {
  // Not spread: for a million lines, that would take longer than reading them.
  for (const { number, start, length, text, isUtf8, isWhole } of readLines(fs, path, undefined, end)) {
    const damage = isWhole ? (isUtf8 ? undefined : 'is not UTF-8') : CUT_OFF;
    yield { number, start, length, text, isUtf8, isWhole, damage };
  }
}

/** The value of a line, or what is wrong with it; `kind` is what it should be. */
export function readValue<T>(
  line: SuspectLine,
  schema: z.ZodMiniType<T>,
  kind: string,
): { value: T; damage: undefined } | { value: undefined; damage: string } {
  if (line.damage !== undefined) return { value: undefined, damage: line.damage };
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    return { value: undefined, damage: 'is not JSON' };
  }
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, damage: undefined };
  const field = result.error.issues[0]?.path.join('.') ?? '';
  return { value: undefined, damage: field === '' ? `is not a ${kind}` : `is not a ${kind}: its ${field} is wrong` };
}

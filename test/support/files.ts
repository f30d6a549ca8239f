/** What a folder holds, to be compared with what it holds later. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every file of a folder but the store's lock, path → digest: two folders of the same digests hold the same bytes. */
export function digestsIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => !path.endsWith('/lock'));
  const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), digest(path)]));
}

/** The names in a folder, and what is left in the hidden folders of files that were being made; of locks nothing. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .flatMap((name) => {
      if (name.endsWith('.vagent')) return readdirSync(join(folder, name)).map((left) => join(name, left));
      return name.startsWith('.') ? [] : [name];
    })
    .filter((name) => !name.endsWith('.vagent/lock'));
}

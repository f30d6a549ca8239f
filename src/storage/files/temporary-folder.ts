/** A folder for what a command keeps on disk only while it runs. Nobody but the user can look into it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFileErrors } from './file-error.ts';
import { quietly } from './file-system.ts';

export interface TemporaryFolder {
  file(name: string): string;
  remove(): void;
}

/** Throws FileError. */
export function temporaryFolder(): TemporaryFolder {
  const parent = tmpdir();
  const folder = withFileErrors('write', parent, () => mkdtempSync(join(parent, 'vagent-')));
  return {
    file: (name) => join(folder, name),
    remove: () => quietly(() => rmSync(folder, { recursive: true, force: true })),
  };
}

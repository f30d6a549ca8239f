/** One folder for everything that a run of the tests leaves behind, removed when it ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'vagent-run-'));
  process.env.VAGENT_TEST_TMP = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

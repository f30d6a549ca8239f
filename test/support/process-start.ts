/**
 * What the processes of a run of the tests are started with: one folder for everything that they leave behind, removed when
 * the run ends, and trust in the service of the examples.
 */
import { mkdtempSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(home(), 'vagent-run-'));
  process.env.VAGENT_TEST_TMP = folder;
  process.env.NODE_EXTRA_CA_CERTS = join(import.meta.dirname, 'certificates/voice-example.pem');
  // Not at one go: meanwhile vitest hears from its workers that they have ended.
  return () => rm(folder, { recursive: true, force: true });
}

/** Bytes that a run of all tests leaves behind, and more. */
const ENOUGH = 4 * 2 ** 30;

/**
 * Where the folders of the tests are: in memory where there is room, for on a disk half of the time goes into waiting for fsync.
 * That data survives a power cut is shown by the tests of faults, which know what each call has synced.
 */
function home(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize > ENOUGH) return '/dev/shm';
  } catch {
    // There is none.
  }
  return tmpdir();
}

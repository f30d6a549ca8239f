/** Reads a file that another program may be writing at this moment: half of it must not pass for the whole. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError, VagentError } from '../../../errors.ts';
import { systemFiles } from '../../../files/file-system.ts';

const MOST_READINGS = 5;
/** Milliseconds. */
const PAUSE = 200;

/**
 * What `read` makes of the file, or throws, once the file was the same before and after. Throws UnavailableError,
 * `list_changing`, if it never is.
 */
export async function readSettled<T>(path: string, read: () => Promise<T>): Promise<T> {
  for (let reading = 1; ; reading++) {
    const before = markOf(path);
    const result = await attempt(read);
    if (before === markOf(path)) {
      if ('error' in result) throw result.error;
      return result.value;
    }
    if (reading === MOST_READINGS) {
      throw new UnavailableError(`${path} was changed whenever it was read. Nothing was sent.`, {
        code: 'list_changing',
        hint: 'The next run reads it again. Write it under another name, and rename it when it is whole.',
      });
    }
    await sleep(PAUSE);
  }
}

/** Only what is wrong with a file may be over when it is read again. */
async function attempt<T>(read: () => Promise<T>): Promise<{ value: T } | { error: VagentError }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof VagentError && (error.exitCode === 3 || error.exitCode === 9)) return { error };
    throw error;
  }
}

/** Another whenever the file was written or replaced. What is no ordinary file, such as a pipe, cannot be read twice. */
function markOf(path: string): string {
  const found = systemFiles.statSync(path, { bigint: true, throwIfNoEntry: false });
  return !found?.isFile() ? '' : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** Where a user's files are kept, and the environment variables that change it. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { FileError } from '../errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The error code if there is no place for a user's files. */
export const NO_HOME = 'no_home';

/** Where profiles are kept. */
export function configFolder(env: Environment): string {
  return env.VAGENT_CONFIG_DIR || join(configHome(env), 'vagent');
}

/** Where programs keep their settings. */
export function configHome(env: Environment): string {
  return env.XDG_CONFIG_HOME || join(homeFolder(env), '.config');
}

/** Where programs keep files that are not settings. */
export function dataHome(env: Environment): string {
  return env.XDG_DATA_HOME || join(homeFolder(env), '.local', 'share');
}

/** Where the local engine's store and the register of what was sent are kept. */
export function stateFolder(env: Environment): string {
  return env.VAGENT_STATE_DIR || join(env.XDG_STATE_HOME || join(homeFolder(env), '.local', 'state'), 'vagent');
}

export function homeFolder(env: Environment): string {
  try {
    return env.HOME || homedir();
  } catch (cause) {
    throw new FileError('There is no home folder: HOME is not set, and the system knows none for this user.', {
      code: NO_HOME,
      hint: 'Set HOME, or name folders with VAGENT_STATE_DIR and VAGENT_CONFIG_DIR.',
      cause,
    });
  }
}

/** The folders in which the program keeps what must not be lost, by the settings of a command. */
import { join } from 'node:path';
import type { LockedFiles, OwnFolder } from '../files/own-files.ts';
import { isDatabase } from '../files/store-place.ts';
import type { Settings } from './settings.ts';

const STORE = /^(store\.json|lock$|calls$|campaigns$|organizations$|unfinished$)/i;
/** The database, with what SQLite puts beside it, and what an earlier vagent kept. */
const REGISTER = /^(vagent\.db|locks$|register\.|campaigns$|redials$|plans$)/i;
const STATE = /^(registers$|completion$|lists\.json)/i;
const CONFIG = /^\.?config\.json/i;

/** A store or a register that no setting names is as full of what must not be lost. */
export const LOCKED_FILES: readonly LockedFiles[] = [
  { lock: 'lock', names: STORE, what: 'a store' },
  { lock: 'vagent.db', names: REGISTER, what: 'a register' },
  { lock: 'register.lock', names: REGISTER, what: 'a register' },
];

/** Also those of profiles that are not in effect: they are as easily named. */
export function ownFolders(settings: Settings): OwnFolder[] {
  const profiles = quietly(() => Object.values(settings.config().profiles)) ?? [];
  const state = quietly(() => settings.stateFolder());
  const of = (paths: readonly (string | undefined)[], names: RegExp, what: string) =>
    paths.flatMap((path) =>
      path === undefined || quietly(() => isDatabase(path)) !== false ? [] : [{ path, names, what }],
    );
  return [
    ...of(
      [quietly(() => settings.store()), state && join(state, 'store'), ...profiles.map(({ store }) => store)],
      STORE,
      'the store',
    ),
    ...of(
      [quietly(() => settings.register()), state, ...profiles.map(({ register }) => register)],
      REGISTER,
      'the register and the plans',
    ),
    ...of([state], STATE, 'the state of vagent'),
    ...of([quietly(() => settings.configFolder())], CONFIG, 'the profiles'),
  ];
}

/** A command that needs no store works even if its settings are wrong. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

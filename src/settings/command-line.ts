/** The command line that runs: how it reads, and what holds for every file that it names to be written. */
import { join } from 'node:path';
import type { PlainCommand } from '../cli/flags/plain-command.ts';
import { type Answer, completedBy, filesOf, flagsAsWritten } from '../cli/flags/written.ts';
import { UsageError } from '../errors.ts';
import { quietly } from '../storage/files/file-system.ts';
import type { Work } from '../storage/files/in-progress.ts';
import { isSame, type LockedFiles, type OwnFolder, requireNotOwn, requireNotRead } from '../storage/files/own-files.ts';
import { isDatabase } from '../storage/files/store-place.ts';
import type { Settings } from './settings.ts';

export interface CommandLine extends Work {
  /** What the process exits with if nothing is thrown. */
  exitCode: number;
  /** Whether it was shown with all answers. */
  isShown: boolean;
  /** With what was answered at its questions, and what could be, to be pasted into a shell; some flags can be left out. */
  inFull(without?: readonly string[], more?: readonly Answer[]): string;
  /** The flags that were given among some, or all but some, quoted for a shell, with a space before each. */
  only(flags: readonly string[]): string;
  except(flags: readonly string[]): string;
  /**
   * Throws UsageError if the program keeps the file, or the command reads it, or writes it otherwise. `alsoRead`: files
   * that what the command works on was made from.
   */
  requireFree(named: string, alsoRead?: readonly string[]): void;
}

export interface CommandLineParts {
  settings: Settings;
  /** What was answered at questions. */
  answers: readonly Answer[];
  /** The command, once the command line is parsed. */
  chosen: () => PlainCommand;
  command: () => string;
}

export function commandLineOf({ settings, answers, chosen, command }: CommandLineParts): CommandLine {
  return {
    exitCode: 0,
    isShown: false,
    inFull: (without, more = []) => completedBy(chosen(), [...answers, ...more], without),
    only: (some) => flagsAsWritten(chosen(), (flag) => some.includes(flag)),
    except: (some) => flagsAsWritten(chosen(), (flag) => !some.includes(flag)),
    get command() {
      return command();
    },
    requireFree(named, alsoRead = []) {
      const { read, written } = filesOf(chosen(), answers);
      requireNotRead(named, [...read, ...alsoRead]);
      if (written.filter((other) => isSame(named, other)).length > 1) {
        throw new UsageError(`${named} is to be written twice: name two files.`);
      }
      requireNotOwn(named, ownFolders(settings), LOCKED_FILES);
    },
  };
}

// What the program keeps ---------------------------------------------------------------------------------------------

const STORE = /^(store\.json|lock$|calls$|campaigns$|organizations$|unfinished$)/i;
/** The database, with what SQLite puts beside it, and what an earlier vagent kept. */
const REGISTER = /^(vagent\.db|locks$|register\.|campaigns$|redials$|plans$)/i;
const STATE = /^(registers$|completion$|lists\.json)/i;
const CONFIG = /^\.?config\.json/i;

/** A store or a register that no setting names is as full of what must not be lost. */
const LOCKED_FILES: readonly LockedFiles[] = [
  { lock: 'lock', names: STORE, what: 'a store' },
  { lock: 'vagent.db', names: REGISTER, what: 'a register' },
  { lock: 'register.lock', names: REGISTER, what: 'a register' },
];

/** Also those of profiles that are not in effect: they are as easily named. A command works even if its settings are wrong. */
function ownFolders(settings: Settings): OwnFolder[] {
  const profiles = quietly(() => Object.values(settings.config().profiles)) ?? [];
  const state = quietly(settings.stateFolder);
  const stores = [quietly(settings.store), state && join(state, 'store'), ...profiles.map(({ store }) => store)];
  const registers = [quietly(settings.register), state, ...profiles.map(({ register }) => register)];
  const of = (paths: readonly (string | undefined)[], names: RegExp, what: string) =>
    paths
      .filter((path) => path !== undefined)
      .filter((path) => quietly(() => isDatabase(path)) === false)
      .map((path) => ({ path, names, what }));
  return [
    ...of(stores, STORE, 'the store'),
    ...of(registers, REGISTER, 'the register and the plans'),
    ...of([state], STATE, 'the state of vagent'),
    ...of([quietly(settings.configFolder)], CONFIG, 'the profiles'),
  ];
}

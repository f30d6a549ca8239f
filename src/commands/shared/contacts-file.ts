/** Reads and checks a contacts file as the flags say; `contacts/` does the work. */
import { statSync } from 'node:fs';
import { sourceName } from '../../cli/terminal/io.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import type { AcceptedRows, CheckedFile, CheckOptions } from '../../contacts/check-file.ts';
import type { Context } from '../../context.ts';
import { FileError, InputError, UnavailableError, UsageError } from '../../errors.ts';
import { type ContactOptions, type PlaceOptions, rulesOf } from './contacts-flags.ts';
import { requireOwnCsv } from './export-format.ts';

/** What the command that reads the file adds to its flags. */
export interface ReadOptions extends ContactOptions, PlaceOptions {
  /** The flag or argument that names the file, for messages. */
  flag: string;
  keepsContacts?: CheckOptions['keepsContacts'];
  hashes?: CheckOptions['hashes'];
  leaveOut?: CheckOptions['leaveOut'];
  accepted?: AcceptedRows | undefined;
}

/** The options with the file of the argument as that of the flag. Throws UsageError if both are given. */
export function withFile<O extends { contacts?: string }>(file: string | undefined, options: O): O {
  if (file === undefined) return options;
  if (options.contacts === undefined) return { ...options, contacts: file };
  throw new UsageError(`The contacts are given twice: ${file}, and --contacts ${options.contacts}.`);
}

export async function readContacts(
  path: string,
  options: ReadOptions,
  { io, settings, line }: Context,
): Promise<CheckedFile> {
  const { flag, rejects, keepsContacts, hashes, leaveOut, accepted } = options;
  if (rejects === '-') throw new UsageError('--rejects - is standard output: name another file.');
  if (rejects !== undefined) requireOwnCsv(rejects, '--rejects', line);
  const { checkContactsFile } = await import('../../contacts/check-file.ts');
  const open = (named: string, by: string) => ({ name: sourceName(named), bytes: io.chunks(named, by) });
  const rules = await rulesOf({ ...options, country: options.country ?? settings.profile()?.country }, open);
  const size = sizeOf(path);
  let read = 0;
  async function* counted(bytes: AsyncIterable<Buffer>) {
    for await (const chunk of bytes) {
      read += chunk.length;
      yield chunk;
    }
  }
  const progress = new Progress(io, 'Checking contacts');
  try {
    return await checkContactsFile(
      { ...open(path, flag), bytes: counted(io.chunks(path, flag)) },
      { ...rules, skipsInvalid: options.skipInvalid === true, rejects, keepsContacts, hashes, leaveOut },
      {
        async create(named, fill) {
          const { writingFile } = await import('../../storage/files/in-progress.ts');
          return writingFile(named, line, fill);
        },
        accepted,
        progress: (rows) => progress.at(rows, undefined, size === undefined ? undefined : read / size),
      },
    );
  } finally {
    progress.end();
  }
}

/** The error for a file with rows that cannot be used; `consequence` is such as `nothing was sent`. */
export function unusableRows(
  path: string,
  { report: { rows, problems }, unusable }: CheckedFile,
  consequence: string,
): InputError {
  return new InputError(`${sourceName(path)}: ${unusable} of ${rows} rows cannot be used; ${consequence}.`, {
    hint: 'vagent contacts check, with the same flags, shows how to fix each; --skip-invalid leaves them out.',
    issues: problems.map(({ line, message }) => ({ field: `line ${line}`, message })),
  });
}

/** In bytes; undefined for a pipe, and for what cannot be read, which is reported when it is opened. */
function sizeOf(path: string): number | undefined {
  try {
    return path === '-' ? undefined : statSync(path).size || undefined;
  } catch {
    return undefined;
  }
}

/** Keys of phones (`phoneKeyOfDigits`). */
export async function optedOutIfKnown({ register, io }: Context): Promise<ReadonlySet<number> | undefined> {
  try {
    return await (await register.optedOut()).phones();
  } catch (error) {
    if (!(error instanceof FileError || error instanceof UnavailableError)) throw error;
    io.warn(`it is not known who opted out, and nobody is left out for that. ${error.message}`);
    return undefined;
  }
}

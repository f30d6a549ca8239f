/** Checks a contacts file as the flags say; `contacts/` does the work. */
import { requireNameFor } from '../../calls/format-by-name.ts';
import type { CheckedFile, CheckOptions } from '../../contacts/check-file.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { sourceName } from '../../terminal/io.ts';
import { Progress } from '../../terminal/progress.ts';

export async function checkContacts(
  path: string,
  options: CheckOptions,
  { io, settings, commandLine }: Context,
): Promise<CheckedFile> {
  if (options.rejects !== undefined) await requireOwnFile(options.rejects, [path, ...(options.exclude ?? [])]);
  const { checkContactsFile } = await import('../../contacts/check-file.ts');
  const country = options.country ?? settings.profile()?.country;
  const progress = new Progress(io, 'Checking contacts');
  try {
    return await checkContactsFile(
      path,
      { ...options, country },
      {
        open: (named, flag) => ({ name: sourceName(named), bytes: io.chunks(named, flag) }),
        async create(named, fill) {
          const { writingFile } = await import('../../files/in-progress.ts');
          return writingFile(named, { command: commandLine }, fill);
        },
        progress: (rows) => progress.at(rows),
      },
    );
  } finally {
    progress.end();
  }
}

/** Throws UsageError if `--rejects` would replace a file that is read, under any of its names. */
async function requireOwnFile(rejects: string, sources: readonly string[]): Promise<void> {
  requireNameFor('a CSV', ['csv', 'tsv', 'txt'], rejects, '--rejects');
  const { wouldReplace } = await import('../../files/in-progress.ts');
  if (rejects !== '-' && !sources.some((source) => wouldReplace(rejects, source))) return;
  throw new UsageError(`--rejects ${rejects}: name another file.`);
}

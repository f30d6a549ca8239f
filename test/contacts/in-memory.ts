/** Checks contacts files that stand in memory only, as a command checks those on a disk. */
import { type CheckedFile, checkContactsFile } from '../../src/contacts/check-file.ts';
import type { ContactOptions } from '../../src/contacts/rules.ts';

export const FILE = 'a.csv';
export const REJECTS = 'rejects.csv';

export interface CheckedInMemory extends CheckedFile {
  /** What was written to the file of rejects, where the options name one. */
  rejects: string;
}

/** `files` are FILE and the lists of --exclude, by their names. */
export async function checkInMemory(
  files: Record<string, AsyncIterable<Buffer>>,
  options: ContactOptions,
): Promise<CheckedInMemory> {
  let rejects = '';
  const write = (text: string) => {
    rejects += text;
  };
  const checked = await checkContactsFile(
    FILE,
    { ...options, flag: '<file>', keepsContacts: true },
    {
      open: (name) => ({ name, bytes: files[name] as AsyncIterable<Buffer> }),
      create: (_path, fill) => fill({ write }),
      progress: () => {},
    },
  );
  return { ...checked, rejects };
}

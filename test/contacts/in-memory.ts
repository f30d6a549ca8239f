/** Checks contacts files that stand in memory only, as a command checks those on a disk. */
import { Readable } from 'node:stream';
import { type ContactOptions, type ReadOptions, rulesOf } from '../../src/commands/shared/contacts.ts';
import { type CheckedFile, checkContactsFile } from '../../src/contacts/check-file.ts';
import type { Whereabouts } from '../../src/contacts/zones/zones.ts';

export const FILE = 'a.csv';
export const REJECTS = 'rejects.csv';

export interface CheckedInMemory extends CheckedFile {
  /** What was written to the file of rejects, where the options name one. */
  rejects: string;
  /** The columns of the file, and the cells of each contact. */
  columns: readonly string[];
  cells: string[][];
  /** Where each contact is, if the options ask. */
  places: (Whereabouts | undefined)[];
}

/** `files` are FILE and the lists of --exclude, by their names. */
export async function checkInMemory(
  files: Record<string, string | Buffer>,
  options: ContactOptions & Pick<ReadOptions, 'acceptsZones'>,
): Promise<CheckedInMemory> {
  let rejects = '';
  let columns: readonly string[] = [];
  const cells: string[][] = [];
  const places: (Whereabouts | undefined)[] = [];
  const write = (text: string) => {
    rejects += text;
  };
  const open = (name: string) => ({ name, bytes: Readable.from([Buffer.from(files[name] as string)]) });
  const rules = await rulesOf(options, open);
  const checked = await checkContactsFile(
    open(FILE),
    { ...rules, skipsInvalid: options.skipInvalid === true, rejects: options.rejects, keepsContacts: true },
    {
      create: (_path, fill) => fill({ write }),
      progress: () => {},
      accepted: {
        begin(header) {
          columns = header ?? [];
        },
        row(found, _contact, place) {
          cells.push([...found]);
          places.push(place);
        },
      },
    },
  );
  return { ...checked, rejects, columns, cells, places };
}

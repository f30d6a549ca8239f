/**
 * Removes what an earlier vagent kept, once all of it is in rows. Of a register one line is left, which keeps that
 * vagent from beginning anew.
 */
import { readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Rows } from '../../storage/database/sql.ts';
import { quietly, systemFiles, withFileErrors } from '../../storage/files/file-system.ts';
import { leaveSeal, namesIn, standingOf } from './seal.ts';
import { removeOldTables } from './shared-form.ts';

/** Its files, by the folder that holds them; folders of plans are removed with all that is in them. */
const FILES: Readonly<Record<string, RegExp>> = {
  '': /^register\.(index|import|lock|jsonl\.new)(\.new)?$/,
  campaigns: /^[1-9]\d{0,14}\.(jsonl|rows\.jsonl|phones|summary\.json)(\.new)?$/,
  redials: /^[1-9]\d{0,14}\.json(\.new)?$/,
  plans: /^([1-9]\d{0,14}(\.new)?|lock|opted-out\.(jsonl|lock|count\.json(\.new)?))$/,
};

/** How many files were removed; of tables, nothing is counted. Throws FileErrors. */
export async function tidy(rows: Rows, stateFolder: string): Promise<number> {
  if (!rows.isShared) return withFileErrors('write', dirname(rows.location), () => tidyFolder(dirname(rows.location)));
  await rows.write(removeOldTables);
  const copies = join(stateFolder, 'registers');
  return withFileErrors('write', copies, () => {
    const removed = remove(join(copies, rows.location.replaceAll(/[^\w.-]+/g, '_')));
    quietly(() => rmdirSync(copies));
    return removed;
  });
}

/** Nothing is removed where it is not certain that all was brought over. */
function tidyFolder(folder: string): number {
  if (standingOf(systemFiles, folder) !== 'sealed') return 0;
  let removed = 0;
  for (const [name, files] of Object.entries(FILES)) {
    for (const file of namesIn(systemFiles, join(folder, name)))
      if (files.test(file)) removed += remove(join(folder, name, file));
    // Somebody else may keep something there as well.
    if (name !== '') quietly(() => rmdirSync(join(folder, name)));
  }
  leaveSeal(systemFiles, folder);
  return removed;
}

/** A file, or a folder with all that is in it; how many files that is. */
function remove(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  const count = stat.isDirectory() ? readdirSync(path, { recursive: true }).length : 1;
  rmSync(path, { recursive: true, force: true });
  return count;
}

/** Roots that are sound except for their times: the rest of such a store can be checked all the same. */
import { join } from 'node:path';
import { LAST_INSTANT } from '../../../contract.ts';
import type { FileSystem } from '../../../files/file-system.ts';
import { ROOT_NAME, type Root, rootSchema } from '../root.ts';
import { upgraded } from '../upgrade.ts';

/** Takes the place of an invalid time. */
const PROVISIONAL: Record<string, number> = {
  last: LAST_INSTANT,
  offset: 0,
  start_time: LAST_INSTANT,
  anchor: LAST_INSTANT,
  retry_due: LAST_INSTANT,
};

/** The root with provisional times; undefined if anything else is wrong with it. */
export function rootBesideTimes(fs: FileSystem, folder: string): Root | undefined {
  try {
    const { data: value } = upgraded(JSON.parse(fs.readFileSync(join(folder, ROOT_NAME), 'utf8')));
    for (const { path } of rootSchema.safeParse(value).error?.issues ?? []) setProvisional(value, path);
    return rootSchema.safeParse(value).data;
  } catch {
    return undefined;
  }
}

function setProvisional(root: unknown, path: readonly PropertyKey[]): void {
  const field = String(path.at(-1));
  const holder = path.slice(0, -1).reduce((value, key) => (value as Record<PropertyKey, unknown>)[key], root);
  if (Object.hasOwn(PROVISIONAL, field)) (holder as Record<string, unknown>)[field] = PROVISIONAL[field];
}

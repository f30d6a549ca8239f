/** Opens the state folder of a machine: its own, or its copy of one that it shares. */
import { join, resolve } from 'node:path';
import { isDatabase } from '../files/store-place.ts';
import { ownState, type StateFolder } from './state-folder.ts';

export interface Place {
  /** A folder, or the address of a database. */
  place: string;
  /** This machine's folder, whose `registers` holds the copies. */
  stateFolder: string;
  /** The person at work: `user@host`. */
  by: () => string;
}

/** Throws InputError if it is no address of a database. The driver is loaded only where one is named. */
export async function openState({ place, stateFolder, by }: Place): Promise<StateFolder> {
  if (!isDatabase(place)) return ownState(resolve(place));
  const { SharedState } = await import('./shared-state.ts');
  return new SharedState({ url: place, folder: join(stateFolder, 'registers'), by: by() });
}

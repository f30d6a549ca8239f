/** Where the store and the register are: flag > environment > profile, as folders or addresses of databases. */
import { readPlace } from '../files/store-place.ts';
import type { GlobalFlags } from '../flags/global.ts';
import type { Environment } from './folders.ts';
import type { Config, Profile } from './profiles.ts';
import { byRank } from './target.ts';

const PLACES = ['store', 'register'] as const;
type PlaceName = (typeof PLACES)[number];

/** Undefined if none is set. Throws InputError if it is a misspelt address. */
export function chosenPlace(
  what: PlaceName,
  flags: GlobalFlags,
  env: Environment,
  profile: Profile | undefined,
): string | undefined {
  const from = (place: string | undefined, source: string) =>
    place ? { place, name: `${what} in ${source}` } : undefined;
  const ofVariable =
    what === 'store' ? from(env.VAGENT_STORE, 'VAGENT_STORE') : from(env.VAGENT_REGISTER, 'VAGENT_REGISTER');
  const given = from(flags[what], `--${what}`);
  const chosen = given ?? byRank(flags, ofVariable, from(profile?.[what], 'the profile'));
  return chosen && readPlace(chosen.place, chosen.name);
}

/** Throws InputError if a flag is a misspelt address: before anything is shown, or kept, that repeats the flags. */
export function requirePlaces(flags: GlobalFlags): void {
  for (const what of PLACES) chosenPlace(what, flags, {}, undefined);
}

/** Places of profiles, of earlier versions or written by hand, that are misspelt: they may hold a password. */
export function oddPlaces({ profiles }: Config): string[] {
  const places = Object.values(profiles).flatMap(({ store, register }) => [store ?? '', register ?? '']);
  return places.filter((place) => place !== '' && !isSound(place));
}

function isSound(place: string): boolean {
  try {
    return readPlace(place, 'store') !== '';
  } catch {
    return false;
  }
}

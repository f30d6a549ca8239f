/** Where the numbers of a world are from, and the zones that stand in a column of its files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Person, World } from './world.ts';

export interface PlaceOfNumbers {
  country: string;
  /** All but the last four digits. */
  prefix: string;
  /** Where some of its people live, whatever the program says. */
  homes?: readonly string[];
}

/** The tables beside this file. */
const tables: {
  places: PlaceOfNumbers[];
  oddZones: string[];
  oddZonesOf: Record<string, string[]>;
  changesOfClocks: [at: string, zone: string][];
  turningPoints: string[];
} = JSON.parse(readFileSync(join(import.meta.dirname, 'people.json'), 'utf8'));

/**
 * What the numbers of a place have in common; their zones are asked of `contacts check --zones`, beside the homes. The clocks of
 * Vancouver, Edmonton and Morocco were changed in 2026, after the zone data of many a Node.js was made. Numbers that are free of
 * charge are of no country: nobody can say where.
 */
export const PLACES: readonly PlaceOfNumbers[] = tables.places;

/**
 * For the rows whose column names a zone: half hours, quarters, the date line, changes of clocks at midnight and by odd amounts.
 */
export const ODD_ZONES: readonly string[] = tables.oddZones;

/** Those of them that are in a country whose days are skipped: looked up on a map. */
export const ODD_ZONES_OF: Record<string, readonly string[]> = tables.oddZonesOf;

/** When clocks go forward or back, in milliseconds since the epoch, and where. */
export const CHANGES_OF_CLOCKS = tables.changesOfClocks.map(([at, zone]) => ({ point: Date.parse(at), zone }));

/** Instants around which worlds begin: clocks go forward or back somewhere, or a year ends. */
export const TURNING_POINTS = tables.turningPoints.map((text) => Date.parse(text));

export function phoneOf({ place, digits }: Person): string {
  return `${placeOf(place).prefix}${String(digits).padStart(4, '0')}`;
}

export function placeOf(place: number): PlaceOfNumbers {
  return PLACES[place] as PlaceOfNumbers;
}

/** Everybody: those of the world and its crowd, who live where the others do. */
export function everybody({ people, crowd }: World): Person[] {
  const more = Array.from({ length: crowd }, (_none, at): Person => {
    const like = people[at % people.length] as Person;
    return { ...like, digits: (like.digits + 1 + Math.floor(at / people.length)) % 10_000 };
  });
  return [...people, ...more];
}

/** Where the contacts of a file are, for a person: the most frequent zones, and what is not sure. */

import { cell } from '../../cli/terminal/output.ts';
import type { PlaceCount } from '../../contacts/report/report.ts';

/** Places shown of each kind; --json has all. */
const SHOWN = 5;
/** Zones named of a place that has several. */
const NAMED = 2;

/** A section for each kind of place; the most frequent come first, as they are given. */
export function placeSections(places: readonly PlaceCount[], bold: (text: string) => string): string[][] {
  const [one, several, none] = [
    places.filter(({ zones }) => zones.length === 1),
    places.filter(({ zones }) => zones.length > 1),
    places.filter(({ zones }) => zones.length === 0),
  ];
  return [
    section('In one time zone', one, bold),
    section('In any of several time zones', several, bold),
    none.length === 0 ? [] : [bold(`In which time zone, nobody can say (${contactsIn(none)})`)],
  ];
}

function section(title: string, places: readonly PlaceCount[], bold: (text: string) => string): string[] {
  if (places.length === 0) return [];
  const shown = places.slice(0, SHOWN);
  const width = String(shown[0]?.contacts ?? 0).length;
  const rest = places.slice(SHOWN);
  return [
    bold(`${title} (${contactsIn(places)})`),
    ...shown.map(({ zones, country, contacts }) => {
      return `  ${String(contacts).padStart(width)}  ${country ?? '--'}  ${named(zones)}`;
    }),
    ...(rest.length > 0 ? [`  … and ${contactsIn(rest)} in ${rest.length} more (--json shows all)`] : []),
  ];
}

function named(zones: readonly string[]): string {
  const more = zones.length - NAMED;
  return zones.slice(0, NAMED).map(cell).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function contactsIn(places: readonly PlaceCount[]): number {
  return places.reduce((sum, { contacts }) => sum + contacts, 0);
}

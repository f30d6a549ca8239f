/** The time zones of a country, and the names by which this runtime knows them. */
import { remembered } from './remembered.ts';

/** Newer runtimes have a method where older ones have a property; the types know neither. */
interface LocaleWithZones {
  timeZones?: readonly string[];
  getTimeZones?(): readonly string[] | undefined;
}

/** The name under which Intl has a zone of the IANA database; it is one that Temporal knows too. */
export const canonicalName = remembered(
  (timeZone: string): string => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone,
);

/** As Intl lists them, by whatever names; empty if it knows none of that country. `country`: two letters. */
export function listedZones(country: string): readonly string[] {
  const locale = new Intl.Locale(`und-${country}`) as LocaleWithZones;
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

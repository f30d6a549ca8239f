/** What is kept of a call to be shown, and decides nothing. */
import type { CallLogEntry } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';

/** How each is read from an entry of the log; empty where there is none. A plan keeps them under these names. */
const DETAILS = {
  recording_url: ({ recording_url }: CallLogEntry) => plainText(recording_url),
};

export type Details = { [Name in keyof typeof DETAILS]?: string | undefined };

export const DETAIL_NAMES = Object.keys(DETAILS) as (keyof Details)[];

/** Those that an entry has. `redact` masks the key. */
export function detailsOf(entry: CallLogEntry, redact: (text: string) => string): Details {
  const details: Details = {};
  for (const name of DETAIL_NAMES) {
    const text = redact(DETAILS[name](entry));
    if (text !== '') details[name] = text;
  }
  return details;
}

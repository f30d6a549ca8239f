/** What else was sent, as far as it may still explain an entry that was not told apart yet. */
import type { LaunchedCall, LaunchedCampaign } from '../../calls/attribution/launched.ts';
import type { Party } from '../../calls/attribution/together.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';
import { type Busy, callersAt } from '../free-at.ts';
import type { LoadedPlan } from '../plan.ts';
import type { KeptEntry } from './kept-entry.ts';

/** In the place of a phone that is called no more. */
const NOBODY = 0;

export interface Others {
  campaigns: readonly (LaunchedCampaign & Party)[];
  calls: readonly LaunchedCall[];
}

/**
 * Other requests without the phones that they cannot have called at the times of the entries: what they may do is over, or the log
 * has shown it before. On the local engine they may do everything.
 */
export function unfinished(
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  { campaigns, calls, busy }: Others & { busy: readonly Busy[] },
): Others {
  const keys = new Set([...campaigns, ...calls].map(({ key }) => key));
  const known = busy.filter(({ key, isCertain }) => keys.has(key) && !isCertain);
  if (known.length === 0) return { campaigns, calls };
  const callers = callersAt(loaded, known, new Set(entries.map(({ phone }) => phone)));
  /** The requests that may have called a phone. */
  const callersOf = new Map<number, Set<number>>();
  for (const { phone, at, isCertain } of entries) {
    const [row] = loaded.roster.rowsOfPhone(phone);
    if (row === undefined) continue;
    const all = callersOf.get(phone) ?? new Set();
    callersOf.set(phone, all);
    for (const key of at === undefined || !isCertain ? keys : callers(row, at)) all.add(key);
  }
  const isKnown = new Set(known.map(({ key }) => key));
  const isOver = (key: number, phone: number) => isKnown.has(key) && callersOf.get(phone)?.has(key) === false;
  return {
    campaigns: campaigns.map((campaign) => {
      const { key, contacts } = campaign;
      if (!contacts.phones.some((phone) => isOver(key, phone))) return campaign;
      const phones = contacts.phones.map((phone) => (isOver(key, phone) ? NOBODY : phone));
      const left = { phones, identifierOf: (row: number) => contacts.identifierOf(row) };
      return { ...campaign, contacts: left, phones: () => phones };
    }),
    calls: calls.filter(({ key, to }) => !isOver(key, phoneKeyOfNumber(to))),
  };
}

/** What another register adds to this one: requests that are not here, and outcomes that are not known here. */
import { isRefused, type Past } from '../history.ts';
import type { Earlier } from '../ledger.ts';
import { bySending, type EndedLine, type SentLine } from '../lines.ts';
import { serviceKey } from '../service-key.ts';
import { earlierOf, type Foreign } from './import-lines.ts';

export interface Merge {
  /** With the entries that they get here, in the order of sending. */
  added: Foreign[];
  /** By the entry there: the entry here, of added and of known requests. */
  entries: Map<number, number>;
  /** By the entry here: the end of requests whose outcome was unknown. */
  completed: Map<number, EndedLine>;
  /** By the entry here: requests that came without the people they called, who are known there. */
  restored: Map<number, SentLine>;
  /** The entries here of campaigns that have original rows there, and may lack them here. */
  withRows: Set<number>;
  /** Requests of the other register whose people the guards here do not know afterwards, because they were forgotten. */
  unguarded: SentLine[];
}

/** `firstEntry` is the first free number. */
export function mergeOf(here: Iterable<Past>, there: readonly Foreign[], firstEntry: number): Merge {
  const known = new Map<string, Past[]>();
  for (const request of here) {
    const key = keyOf(request.sent);
    const same = known.get(key);
    if (same === undefined) known.set(key, [request]);
    else same.push(request);
  }
  const entries = new Map<number, number>();
  const completed = new Map<number, EndedLine>();
  const restored = new Map<number, SentLine>();
  const unguarded: SentLine[] = [];
  const withRows = new Set<number>();
  const added: Foreign[] = [];
  let next = firstEntry;
  for (const foreign of [...there].sort((one, other) => bySending(one.sent, other.sent))) {
    const { sent, ended } = foreign;
    const standing = takeSame(known.get(keyOf(sent)), foreign);
    if (standing === undefined) {
      entries.set(sent.entry, next++);
      if (sent.forgotten === undefined) added.push(foreign);
      else added.push({ sent: { ...sent, forgotten_elsewhere: true }, ended });
      if (sent.forgotten !== undefined && isGuarded(earlierOf(foreign))) unguarded.push(sent);
      continue;
    }
    const { entry, forgotten, forgotten_elsewhere } = standing.sent;
    entries.set(sent.entry, entry);
    const isWhole = sent.forgotten === undefined;
    const isRestored = isWhole && forgotten_elsewhere === true && !isRefused(standing);
    if (isRestored) restored.set(entry, sent);
    else if (forgotten !== undefined && isGuarded(standing)) unguarded.push(sent);
    if (foreign.hasRows && forgotten === undefined && !isRefused(standing)) withRows.add(entry);
    const isNews = isKnown(earlierOf(foreign)) && !isKnown(standing) && forgotten === undefined && isWhole;
    // Forgetting also took texts from the answer.
    const isAsGood = isRestored && (isKnown(earlierOf(foreign)) || !isKnown(standing));
    if (ended !== undefined && (isNews || isAsGood)) completed.set(entry, { ...ended, entry });
  }
  for (const [entry, sent] of restored) restored.set(entry, renumbered(sent, entries));
  const newLines = ({ sent, ended }: Foreign): Foreign => {
    const line = renumbered(sent, entries);
    return { sent: line, ended: ended && { ...ended, entry: line.entry } };
  };
  return { added: added.map(newLines), entries, completed, restored, withRows, unguarded };
}

/** Whether a guard would refuse to call the same people again. */
function isGuarded(request: Earlier): boolean {
  return request.sent.operation === 'createCampaign' ? !isRefused(request) : !isKnown(request);
}

/** The other machine may have sent the same twice within a millisecond: each stands for one request. */
function takeSame(candidates: Past[] = [], foreign: Foreign): Past | undefined {
  const { sent } = foreign;
  const alike = candidates.filter((candidate) => isSame(candidate.sent, sent));
  const id = idOf(earlierOf(foreign));
  const same =
    alike.find((candidate) => candidate.sent.by === sent.by) ??
    // The service numbers each campaign once, whoever is said to have sent it.
    alike.find((candidate) => id !== undefined && idOf(candidate) === id);
  if (same !== undefined) candidates.splice(candidates.indexOf(same), 1);
  return same;
}

function idOf({ sent, outcome, answer }: Earlier): unknown {
  return sent.operation === 'createCampaign' && outcome === 'accepted' ? answer?.campaign_id : undefined;
}

/** Of one that was forgotten, nothing else can be compared. */
function isSame(here: SentLine, there: SentLine): boolean {
  if (here.forgotten !== undefined || there.forgotten !== undefined) return true;
  return contentOf(here) === contentOf(there);
}

function keyOf({ service, organization_id, at, operation }: SentLine): string {
  return JSON.stringify([serviceKey(service), organization_id, Date.parse(at), operation]);
}

function contentOf(sent: SentLine): string {
  const fields = Object.entries(sent.request).sort(([one], [other]) => (one < other ? -1 : 1));
  const contacts = sent.operation === 'createCampaign' ? [sent.contacts.count, sent.contacts.numbers_sha256] : [];
  return JSON.stringify([fields, contacts]);
}

function isKnown({ outcome }: Earlier): boolean {
  return outcome === 'accepted' || outcome === 'refused' || outcome === 'not_sent';
}

function renumbered(sent: SentLine, entries: ReadonlyMap<number, number>): SentLine {
  const entry = entries.get(sent.entry) as number;
  const line: SentLine = { ...sent, entry };
  if (line.operation === 'createCampaign' && line.part_of !== undefined) {
    const first = entries.get(line.part_of);
    if (first === undefined) delete line.part_of;
    else line.part_of = first;
  }
  return line;
}

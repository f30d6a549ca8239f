/**
 * Brings a plan up to date with the call log of its service: what came of the calls of its waves, who else called its phones, and
 * what is said by now of old calls.
 */
import { concurrencyOf, type Page, withProgress } from '../../calls/paging/pages.ts';
import { type CallLogEntry, DEFAULT_CALLS_PER_HOUR } from '../../contract.ts';
import { firstDaySince, LATENESS } from '../../text/iso.ts';
import { phoneKey } from '../../text/phone.ts';
import { DAY, HOUR } from '../../text/units.ts';
import { askedOf, lastingOf, reconcileCalls } from '../log/attempts.ts';
import { attribute, type Callers, campaignsIn, wavesIn, withoutPending } from '../log/attribute.ts';
import { hearAgain, unheardSince } from '../log/hear-again.ts';
import {
  changesUntil,
  isFinal,
  type KeptEntry,
  keptEntry,
  knownAs,
  recordedAfter,
  saidAgain,
  saysTheSame,
} from '../log/kept-entry.ts';
import { readNewEntries } from '../log/new-entries.ts';
import { type OwnWave, openWave, pastWave, type RefusedWave, spanOf } from '../log/own-calls.ts';
import { countedIn, eventsOf, rowsOfWave } from '../rows/history.ts';
import { contactsOf } from '../rows/people.ts';
import type { LogRecord, PlanSession } from '../rows/stored-plan.ts';
import { rowsOf } from '../rules/events.ts';
import { type LoadedPlan, NEWS_OF_UNSEEN } from '../rules/plan.ts';
import { lookBack } from '../rules/rules.ts';
import { optOutsHeard } from './other-plans.ts';
import { type Moment, type PlanPorts, serviceNow } from './ports.ts';
import type { SentRequests } from './requests.ts';

/** When the log was read, and whether with all that it says of earlier requests. */
export interface Reconciled extends Moment {
  hasHeardAll: boolean;
}

/** What is read of the log. `hearsAll`: also what it says by now of every request that may have called a phone of the plan. */
interface Asked {
  sent: SentRequests;
  hearsAll: boolean;
}

/** Reads what is new and commits what it means. */
export async function reconcile(session: PlanSession, asked: Asked, ports: PlanPorts): Promise<Reconciled> {
  const { stored, loaded } = session;
  const { sent } = asked;
  const last = await stored.logRecord(loaded);
  const { recorded } = last;
  const { entries, same, out, hasHeardAll, readAt, reading } = await readLog(loaded, last, asked, ports);
  const moment = await serviceNow(loaded.plan, ports);
  const { now, ahead } = moment;
  const news = entries.filter((entry) => knownAs(entry, recorded) === undefined);
  const attributed = attribute(loaded, news, await callersOf(session, news, sent), now);
  // Before the plan knows of it, so that it is not lost to the others if this process is stopped.
  await (await ports.register.optedOut()).add(out);
  const revised = saidAgain(entries, recorded, same);
  const seen = await session.write(async (sql) => {
    await session.commitIn(sql, [...attributed.others, ...revised]);
    const { own, others } = withoutPending(loaded, attributed, sent.pending);
    const counted = await countedIn(sql, loaded.plan, askedOf(loaded, own));
    const calls = reconcileCalls(loaded, own, now, (row) => counted.get(row) ?? new Map());
    const after = recordedAfter(recorded, { entries, own, events: [...revised, ...calls], now: readAt });
    const read = { reading: reading && { ...reading, ahead }, recorded: after, ranAt: ports.clock.system() };
    await session.commitIn(sql, [...others, ...calls], read);
    loaded.lasting = lastingOf(loaded, own, now);
    return calls;
  });
  const unclear = new Map<string, number>();
  for (const event of seen)
    if (event.event === 'unclear') unclear.set(event.status, (unclear.get(event.status) ?? 0) + 1);
  if (unclear.size > 0) ports.onUnclear(loaded.plan.plan_id, unclear);
  loaded.ahead = ahead;
  return { ...moment, hasHeardAll };
}

/** Whether the log is worth reading although no call is awaited: what it said last may have changed, or a call come to light. */
export async function mayHaveNews({ stored, loaded }: PlanSession, now: number): Promise<boolean> {
  const { position, roster } = loaded;
  const isFresh = now < position.nextStart + NEWS_OF_UNSEEN;
  return (roster.counts.unseen > 0 && isFresh) || (await stored.logRecord(loaded)).recorded.size > 0;
}

// Reading the log -------------------------------------------------------------------------------------------------------

async function readLog(
  loaded: LoadedPlan,
  { reading: kept, recorded }: LogRecord,
  { sent, hearsAll }: Asked,
  ports: PlanPorts,
) {
  const { roster, plan, position } = loaded;
  const now = ports.clock.byAnswers() ?? (await ports.clock.now());
  const unheard = await unheardSince(sent.past, roster, kept?.heard);
  const counting = sinceOf(loaded, now, kept?.position === undefined);
  const since = Math.min(counting, kept === undefined ? (unheard ?? counting) : kept.heard.until - LATENESS);
  const { hear, phones } = await optOutsHeard(plan, ports);
  const asking = {
    service: await ports.services.chosen(),
    concurrency: concurrencyOf(ports),
    watch: (pages: AsyncGenerator<Page, unknown>) => withProgress(pages, 'Reading the call log', ports.notes),
  };
  // A first reading hears all; nobody is called by a plan that is not open.
  const hearsOld = kept !== undefined && (position.state === 'open' || unheard !== undefined);
  const again = hearsOld
    ? await hearAgain({
        ...{ ...asking, now, past: sent.past, roster, hear, kept: kept.again },
        isWhole: hearsAll || unheard !== undefined,
        known: kept.position?.rungs[0]?.below ?? 0,
      })
    : (kept?.again ?? { at: now, began: now, total: 0 });
  // Before this, and before the known part of the log, entries matter only if somebody opted out: a year of calls is not kept.
  const known = Math.min(counting, kept?.position === undefined ? counting : Date.parse(kept.position.day));
  const oldest = Date.parse(firstDaySince(known)) - DAY;
  const entries: KeptEntry[] = [];
  const same = new Set<string>();
  let isEmpty = true;
  /** Keeps those to phones of the plan. Whether it may still change. */
  const take = (call: CallLogEntry): boolean => {
    isEmpty = false;
    const entry = keptEntry(call, loaded, ports.notes.redact);
    if (entry === undefined) return false;
    hear(entry.phone, entry.result.outcome);
    if (entry.at !== undefined && entry.at < oldest) return false;
    if (saysTheSame(entry, recorded)) same.add(entry.result.identity);
    else entries.push(entry);
    return isFinal(entry) ? changesUntil(entry, recorded, now) > now : (entry.at ?? now) > now - LATENESS;
  };
  const place = await readNewEntries({ ...asking, position: kept?.position, day: firstDaySince(since), take });
  const from = Math.min(since, unheard ?? since, kept?.heard.from ?? since);
  const heard = { from, until: now, entry: sent.lookedAt };
  return {
    /** To phones of the plan, as far as they matter to its calls. */
    entries,
    /** Those that say what is known already, by their identity: an hour of them need not be kept. */
    same,
    /** Phones that opted out. */
    out: await phones(),
    hasHeardAll: kept === undefined || hearsAll,
    /** By the service's clock, in milliseconds since the epoch. */
    readAt: now,
    // What a log that is still empty may show of old calls is still to be heard.
    reading: isEmpty && place === undefined ? undefined : { heard, again, position: place },
  };
}

/**
 * From when on calls matter: those of waves that are waited for, and those that count for a cap or a gap. The call of any wave,
 * where somebody was recalled or the plan is over with somebody unseen; and where no place in the log is known: it may have been
 * empty until now, and its first entry be a late one.
 */
function sinceOf({ plan, position, roster }: LoadedPlan, now: number, isFirst: boolean): number {
  const caps = now - lookBack(plan.rules);
  if (position.waves === 0) return caps;
  const isOfAny = isFirst || roster.hasOpenRecalled() || (position.state !== 'open' && roster.counts.unseen > 0);
  const waves = isOfAny ? plan.createdAt : now - LATENESS;
  return Math.min(caps, waves, ...position.open.map(({ start }) => start));
}

// Whose the calls may be ------------------------------------------------------------------------------------------------

/** Only what was sent by the agent of the plan at their times is asked whom it called. */
async function callersOf(session: PlanSession, entries: readonly KeptEntry[], sent: SentRequests): Promise<Callers> {
  const { loaded } = session;
  const { isLocal } = loaded.plan;
  if (!isLocal) for (const part of campaignsIn(loaded, entries, sent.campaigns)) await part.load();
  return {
    ...{ others: [...sent.campaigns, ...sent.calls], pending: sent.pending, callsOnce: isLocal },
    waves: await ownWaves(session, entries, sent),
    refused: await refusedWaves(session, sent),
    sentAs: (wave: number) => sent.waves.get(wave),
  };
}

/** The waves that the entries may be calls of. */
async function ownWaves(
  { stored: { rows: database }, loaded }: PlanSession,
  entries: readonly KeptEntry[],
  sent: SentRequests,
): Promise<OwnWave[]> {
  const { plan, position, roster } = loaded;
  // Identifiers are read only for a service that shows them.
  const isShown = entries.some(({ call }) => call.custom_identifiers !== undefined);
  const own: OwnWave[] = [];
  for (const wave of wavesIn(loaded, entries, sent.waves)) {
    const open = position.open.find((candidate) => candidate.wave === wave);
    const part = sent.waves.get(wave);
    if (open !== undefined) {
      const rows = await rowsOfWave(database, plan, open);
      const contacts = isShown ? await contactsOf(database, plan, rows) : [];
      const identifiers = contacts.map(({ custom_identifiers }) => custom_identifiers || undefined);
      own.push(openWave(loaded, open, { rows, identifiers }));
    } else if (part !== undefined) {
      if (!plan.isLocal) await part.load();
      own.push(pastWave(roster, wave, part));
    }
  }
  return own;
}

/** The waves that the service refused, and whom they would have called: the register does not keep that of a refused request. */
async function refusedWaves({ stored, loaded }: PlanSession, { entries }: SentRequests): Promise<RefusedWave[]> {
  const refused = entries.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return [];
  const rows = new Map<number, Set<number>>();
  for await (const { wave, rows: runs } of eventsOf(stored.rows, loaded.plan, 'handed'))
    rows.set(wave, new Set(rowsOf(runs)));
  return refused.map(({ sent: { plan, request, contacts } }) => {
    const wave = plan?.wave ?? 0;
    const { call_from, start_time = '', calls_per_hour = DEFAULT_CALLS_PER_HOUR } = request;
    const paced = { start: Date.parse(start_time), interval: HOUR / calls_per_hour, contacts: contacts.count };
    return { wave, from: phoneKey(call_from), span: spanOf(paced), rows: () => rows.get(wave) ?? new Set() };
  });
}

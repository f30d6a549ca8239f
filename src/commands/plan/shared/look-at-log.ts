/** Brings a plan up to date with the call log: what came of the calls of its waves, and who else called its phones. */
import type { Context } from '../../../context.ts';
import type { Page } from '../../../paging/pages.ts';
import { withoutDoubtful } from '../../../plans/log/doubtful.ts';
import { hearAgain } from '../../../plans/log/hear-again.ts';
import { type Heard, unheardSince } from '../../../plans/log/heard.ts';
import { isFinal, type KeptEntry, keptEntry } from '../../../plans/log/kept-entry.ts';
import type { KeptReading, LogPosition } from '../../../plans/log/log-position.ts';
import { readNewEntries } from '../../../plans/log/new-entries.ts';
import type { OwnWave } from '../../../plans/log/own-calls.ts';
import { openWave, pastWave } from '../../../plans/log/own-waves.ts';
import { changed, changesUntil, knownAs, saidAgain, saysTheSame, toldAfter } from '../../../plans/log/read-again.ts';
import type { ToldEntries } from '../../../plans/log/told-entries.ts';
import { campaignsIn, tellApart, wavesIn } from '../../../plans/log/whose.ts';
import { isOptOut } from '../../../plans/opt-out.ts';
import type { LoadedPlan } from '../../../plans/plan.ts';
import type { PlanSession } from '../../../plans/rows/session.ts';
import type { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { askedOf, lastingOf, settle } from '../../../plans/settle.ts';
import { DAY, firstDaySince, LATENESS } from '../../../text/days.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
import { withProgress } from '../../shared/read-log.ts';
import { maskedEvents } from './masked-events.ts';
import { OtherPlans } from './plans-that-hear.ts';
import { refusedWaves } from './refused-waves.ts';
import type { SentRequests } from './sent-requests.ts';
import { type Moment, serviceNow } from './service-now.ts';
import { countsOfNew, unclearInWords } from './unclear-calls.ts';

/** Milliseconds after the last wave in which a plan that is over still looks for calls that nobody saw. */
const NEWS_OF_UNSEEN = 7 * DAY;

/** When the log was read, and whether with all that it says of earlier requests. */
export interface Looked extends Moment {
  hasHeardAll: boolean;
}

/** Reads what is new and commits what it means. `hearsAll`: and what the log says by now of every request that may have called a phone of the plan. */
export async function lookAtLog(
  stored: StoredPlan,
  session: PlanSession,
  sent: SentRequests,
  context: Context,
  { hearsAll }: { hearsAll: boolean },
): Promise<Looked> {
  const { loaded } = session;
  const last = await stored.lastLook(loaded);
  const { told } = last;
  const { entries, same, out, hasHeardAll, readAt, readingBy } = await newEntries(
    loaded,
    { ...last, sent, hearsAll },
    context,
  );
  const fresh = entries.filter((entry) => knownAs(entry, told) === undefined);
  const moment = await serviceNow(loaded.plan, context);
  const { now } = moment;
  if (!loaded.plan.isLocal) for (const part of campaignsIn(loaded, fresh, sent.campaigns)) await part.load('keys');
  const history = stored.historyOf(loaded);
  const callers = {
    waves: await ownWaves(stored, loaded, fresh, sent),
    refused: await refusedWaves(history, sent),
    campaigns: sent.campaigns,
    calls: sent.calls,
    busy: sent.busy,
    sentAs: (wave: number) => sent.waves.get(wave),
    callsOnce: loaded.plan.isLocal,
  };
  const apart = tellApart(loaded, fresh, callers, now);
  // Before the plan knows of it, so that it is not lost to the others if this process is stopped.
  await (await context.register.optedOut()).add(out);
  const revised = changed(maskedEvents(saidAgain(entries, told, same), context.io), told);
  const calls = await session.write(async (sql) => {
    await session.commitIn(sql, [...apart.others, ...revised]);
    const { own, others } = withoutDoubtful(loaded, apart, sent.busy);
    const counted = await history.countedIn(sql, askedOf(loaded, own));
    const countedOf = (row: number) => counted.get(row) ?? new Map();
    const seen = maskedEvents(settle(loaded, own, now, countedOf), context.io);
    const after = toldAfter(told, { entries, own, events: [...revised, ...seen], now: readAt });
    const looked = { reading: readingBy(moment.ahead), told: after, ranAt: context.systemNow() };
    await session.commitIn(sql, [...others, ...seen], looked);
    loaded.lasting = lastingOf(loaded, own, now);
    return seen;
  });
  const unclear = unclearInWords(countsOfNew(calls));
  if (unclear !== undefined) {
    const { io, flags } = context;
    const said = `${unclear} vagent plan status ${stored.planId} keeps count of them.`;
    // It is said once, and then perhaps only to cron.
    if (flags.quiet) io.error(`Warning: ${said}`);
    else io.warn(said);
  }
  loaded.ahead = moment.ahead;
  return { ...moment, hasHeardAll };
}

/** Whether the log is worth a look although no call is awaited: what it said last may have changed, or a call come to light. */
export async function mayHaveNews(stored: StoredPlan, { loaded }: PlanSession, now: number): Promise<boolean> {
  const { position, roster } = loaded;
  const isFresh = now < position.nextStart + NEWS_OF_UNSEEN;
  return (roster.counts.unseen > 0 && isFresh) || (await stored.lastLook(loaded)).told.size > 0;
}

interface LastLook {
  reading: KeptReading | undefined;
  told: ToldEntries;
  sent: SentRequests;
  hearsAll: boolean;
}

/**
 * The entries to phones of the plan that matter to its calls, the phones that opted out, when both were read, and a function that says
 * how far the log was read.
 */
async function newEntries(loaded: LoadedPlan, { reading: kept, told, sent, hearsAll }: LastLook, context: Context) {
  const { roster, position, plan } = loaded;
  const now = context.serviceClock.byAnswers() ?? (await context.serviceClock.now());
  const unheard = await unheardSince(sent.past, roster, kept?.heard);
  const counting = sinceOf(loaded, now, kept?.position === undefined);
  const since = Math.min(counting, kept === undefined ? (unheard ?? counting) : kept.heard.until - LATENESS);
  const oldest = oldestKept(counting, kept?.position);
  const others = await OtherPlans.of(plan, context);
  const entries: KeptEntry[] = [];
  const out = new Set<number>();
  /** Whoever's call it was: somebody who does not want to be called is not called by a plan either. */
  const hear = (phone: number, outcome: string) => {
    if (isOptOut(outcome, plan.rules)) out.add(phone);
    else others.hear(phone, outcome);
  };
  const reading = {
    service: await context.service(),
    concurrency: concurrencyOf(context),
    watch: (all: AsyncGenerator<Page, unknown>) => withProgress(all, 'Reading the call log', context.io),
  };
  // A first reading hears all; nobody is called by a plan that is not open.
  const hearsOld = kept !== undefined && (position.state === 'open' || unheard !== undefined);
  const again = hearsOld
    ? await hearAgain({
        ...{ ...reading, now, past: sent.past, roster, hear, kept: kept.again },
        isWhole: hearsAll || unheard !== undefined,
        known: kept.position?.rungs[0]?.below ?? 0,
      })
    : (kept?.again ?? { at: now, began: now, total: 0 });
  /** Those that say what is known already: an hour of them need not be kept. */
  const same = new Set<string>();
  let isEmpty = true;
  const place = await readNewEntries({
    ...reading,
    position: kept?.position,
    day: firstDaySince(since),
    take(call) {
      isEmpty = false;
      const entry = keptEntry(call, loaded);
      if (entry === undefined) return false;
      hear(entry.phone, entry.result.outcome);
      if (entry.at !== undefined && entry.at < oldest) return false;
      if (saysTheSame(entry, told)) same.add(entry.result.identity);
      else entries.push(entry);
      if (!isFinal(entry)) return (entry.at ?? now) > now - LATENESS;
      return changesUntil(entry, told, now) > now;
    },
  });
  for (const phone of await others.optedOut(context)) out.add(phone);
  const from = Math.min(since, unheard ?? since, kept?.heard.from ?? since);
  const heard: Heard = { from, until: now, entry: sent.lookedAt };
  // A log that shows nothing yet has told nothing: what it may show of old calls is still to be heard.
  const readingBy = (ahead: number): KeptReading | undefined =>
    isEmpty && place === undefined ? undefined : { heard, again, ahead, position: place };
  return { entries, same, out, hasHeardAll: kept === undefined || hearsAll, readAt: now, readingBy };
}

/** Entries from before this, and before the known part of the log, matter only if somebody opted out: a year of calls is not kept. */
function oldestKept(counting: number, position: LogPosition | undefined): number {
  const known = position === undefined ? counting : Math.min(counting, Date.parse(position.day));
  return Date.parse(firstDaySince(known)) - DAY;
}

/**
 * From when on calls matter: those of waves that are waited for, and those that count for a cap or a gap. The call of any wave, where
 * somebody was recalled or the plan is over with somebody unseen; and where no place in the log is known: it may have been empty
 * until now, and its first entry be a late one.
 */
function sinceOf({ plan, position, roster }: LoadedPlan, now: number, isFirst: boolean): number {
  const { minGap, maxPerNumber } = plan.rules;
  const caps = now - Math.max(minGap, maxPerNumber?.within ?? 0);
  if (position.waves === 0) return caps;
  const isOfAny = isFirst || roster.hasOpenRecalled() || (position.state !== 'open' && roster.counts.unseen > 0);
  const waves = isOfAny ? plan.createdAt : now - LATENESS;
  return Math.min(caps, waves, ...position.open.map(({ start }) => start));
}

/** The waves that the entries may be calls of. */
async function ownWaves(
  stored: StoredPlan,
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  sent: SentRequests,
): Promise<OwnWave[]> {
  const { position, roster } = loaded;
  const own: OwnWave[] = [];
  for (const wave of wavesIn(loaded, entries, sent.waves)) {
    const open = position.open.find((candidate) => candidate.wave === wave);
    const part = sent.waves.get(wave);
    if (open !== undefined) {
      const rows = await stored.historyOf(loaded).rowsOfWave(open);
      own.push(openWave(loaded, open, { rows, identifiers: await identifiersOf(stored, loaded, rows, entries) }));
    } else if (part !== undefined) {
      if (!loaded.plan.isLocal) await part.load('keys');
      own.push(pastWave(roster, wave, part));
    }
  }
  return own;
}

/** They are read only for a service that shows them. */
async function identifiersOf(
  stored: StoredPlan,
  loaded: LoadedPlan,
  rows: readonly number[],
  entries: readonly KeptEntry[],
): Promise<readonly (string | undefined)[]> {
  if (entries.every(({ call }) => call.custom_identifiers === undefined)) return [];
  const contacts = await stored.peopleOf(loaded).of(rows);
  return contacts.map(({ custom_identifiers }) => custom_identifiers || undefined);
}

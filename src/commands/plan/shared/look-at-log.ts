/** Brings a plan up to date with the call log: what came of the calls of its waves, and who else called its phones. */
import type { Context } from '../../../context.ts';
import { type Counted, countedCalls } from '../../../plans/counted-calls.ts';
import type { PlanFolder } from '../../../plans/folder/plan-folder.ts';
import type { PlanSession } from '../../../plans/folder/session.ts';
import { withoutDoubtful } from '../../../plans/log/doubtful.ts';
import { type Heard, unheardSince } from '../../../plans/log/heard.ts';
import { isFinal, type KeptEntry, keptEntry } from '../../../plans/log/kept-entry.ts';
import { keepReading, type LogPosition, readKept } from '../../../plans/log/log-position.ts';
import { readNewEntries } from '../../../plans/log/new-entries.ts';
import type { OwnWave } from '../../../plans/log/own-calls.ts';
import { openWave, pastWave } from '../../../plans/log/own-waves.ts';
import { changed, changesUntil, knownAs, saidAgain, saysTheSame, toldAfter } from '../../../plans/log/read-again.ts';
import { keepTold, readTold, type ToldEntries } from '../../../plans/log/told-entries.ts';
import { tellApart, wavesIn } from '../../../plans/log/whose.ts';
import { hasOptedOut } from '../../../plans/opt-out.ts';
import type { LoadedPlan } from '../../../plans/plan.ts';
import { type CountedOf, lastingOf, type SeenCall, settle } from '../../../plans/settle.ts';
import { DAY, firstDaySince, LATENESS } from '../../../text/days.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
import { withProgress } from '../../shared/read-log.ts';
import { maskedEvents } from './masked-events.ts';
import { plansThatHear } from './plans-that-hear.ts';
import { refusedWaves } from './refused-waves.ts';
import type { SentRequests } from './sent-requests.ts';
import { type Moment, serviceNow } from './service-now.ts';
import { countsOfNew, unclearInWords } from './unclear-calls.ts';

/** Milliseconds after the last wave in which a plan that is over still looks for calls that nobody saw. */
const NEWS_OF_UNSEEN = 7 * DAY;

/** When the log was read, whether with all that it says of earlier requests, and when that was done last. */
export interface Looked extends Moment {
  hasHeardAll: boolean;
  heardAllAt: number;
}

/** Reads what is new and commits what it means. `hearsAll`: and what the log says by now of every request that may have called a phone of the plan. */
export async function lookAtLog(
  folder: PlanFolder,
  session: PlanSession,
  sent: SentRequests,
  context: Context,
  { hearsAll }: { hearsAll: boolean },
): Promise<Looked> {
  const { loaded } = session;
  const told = toldOf(folder, session);
  const { entries, same, out, hasHeardAll, heardAllAt, readAt, keep } = await newEntries(
    folder,
    loaded,
    { told, sent, hearsAll },
    context,
  );
  const fresh = entries.filter((entry) => knownAs(entry, told) === undefined);
  const moment = await serviceNow(loaded.plan, context);
  const { now } = moment;
  const callers = {
    waves: ownWaves(folder, loaded, fresh, sent),
    refused: refusedWaves(folder, sent),
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
  await session.commit([...apart.others, ...revised]);
  const { own, others } = withoutDoubtful(loaded, apart, sent.busy);
  const calls = maskedEvents(settle(loaded, own, now, countedIn(folder, loaded, own)), context.io);
  await session.commit([...others, ...calls]);
  const unclear = unclearInWords(countsOfNew(calls));
  if (unclear !== undefined) {
    const { io, flags } = context;
    const said = `${unclear} vagent plan status ${folder.planId} keeps count of them.`;
    // It is said once, and then perhaps only to cron.
    if (flags.quiet) io.error(`Warning: ${said}`);
    else io.warn(said);
  }
  loaded.lasting = lastingOf(loaded, own, now);
  const after = toldAfter(told, { entries, own, events: [...revised, ...calls], now: readAt });
  // Before the place in the log: what is read again must be known again.
  if (told.size + after.size > 0) keepTold(folder.fs, folder.paths.told, after, session.journalBytes);
  loaded.ahead = moment.ahead;
  keep(moment.ahead);
  return { ...moment, hasHeardAll, heardAllAt };
}

/** By the journal, which is read only if it is asked. */
function countedIn(folder: PlanFolder, { roster }: LoadedPlan, calls: readonly SeenCall[]): CountedOf {
  let counted: Map<number, Counted> | undefined;
  return (row) => {
    counted ??= countedCalls(
      folder.events(),
      new Set(calls.flatMap((call) => roster.rowsOfPhone(roster.phoneOf(call.row)))),
    );
    return counted.get(row) ?? new Map();
  };
}

/** Whether the log is worth a look although no call is awaited: what it said last may have changed, or a call come to light. */
export function mayHaveNews(folder: PlanFolder, session: PlanSession, now: number): boolean {
  const { position, roster } = session.loaded;
  const isFresh = now < position.nextStart + NEWS_OF_UNSEEN;
  return (roster.counts.unseen > 0 && isFresh) || toldOf(folder, session).size > 0;
}

function toldOf(folder: PlanFolder, { loaded, journalBytes }: PlanSession): ToldEntries {
  const eventsFrom = (byte: number) => folder.events(byte);
  return readTold(folder.fs, folder.paths.told, { journalBytes, contacts: loaded.plan.contacts, eventsFrom });
}

/**
 * The entries to phones of the plan that matter to its calls, the phones that opted out, when both were read, and a function that keeps
 * how far the log was read.
 */
async function newEntries(
  folder: PlanFolder,
  loaded: LoadedPlan,
  { told, sent, hearsAll }: { told: ToldEntries; sent: SentRequests; hearsAll: boolean },
  context: Context,
) {
  const path = folder.paths.log;
  const kept = readKept(folder.fs, path);
  const now = context.serviceClock.byAnswers() ?? (await context.serviceClock.now());
  const known = hearsAll ? undefined : kept?.heard;
  const hasHeardAll = known === undefined;
  const heardAllAt = hasHeardAll ? now : (kept?.heardAllAt ?? Number.NEGATIVE_INFINITY);
  const unheard = unheardSince(sent.past, loaded.roster, known);
  const counting = sinceOf(loaded, now, kept?.position === undefined);
  const since = Math.min(counting, unheard ?? counting, kept === undefined ? counting : kept.heard.until - LATENESS);
  const oldest = oldestKept(counting, kept?.position);
  const plans = [{ rules: loaded.plan.rules, has: () => true }, ...(await plansThatHear(loaded.plan, context))];
  const entries: KeptEntry[] = [];
  const out = new Set<number>();
  /** Those that say what is known already: an hour of them need not be kept. */
  const same = new Set<string>();
  let isEmpty = true;
  const position = await readNewEntries({
    service: await context.service(),
    position: unheard === undefined ? kept?.position : undefined,
    day: firstDaySince(since),
    concurrency: concurrencyOf(context),
    watch: (reading) => withProgress(reading, 'Reading the call log', context.io),
    take(call) {
      isEmpty = false;
      const entry = keptEntry(call, loaded);
      if (entry === undefined) return false;
      // Whoever's call it was: somebody who does not want to be called is not called by a plan either.
      if (hasOptedOut(entry.phone, entry.result.outcome, plans)) out.add(entry.phone);
      if (entry.at !== undefined && entry.at < oldest) return false;
      if (saysTheSame(entry, told)) same.add(entry.result.identity);
      else entries.push(entry);
      if (!isFinal(entry)) return (entry.at ?? now) > now - LATENESS;
      return changesUntil(entry, told, now) > now;
    },
  });
  const heard: Heard = { from: Math.min(since, kept?.heard.from ?? since), until: now, entry: sent.lookedAt };
  const keep = (ahead: number) => {
    // A log that shows nothing yet has told nothing: what it may show of old calls is still to be heard.
    if (!isEmpty || position !== undefined) keepReading(folder.fs, path, { heard, heardAllAt, ahead, position });
  };
  return { entries, same, out, hasHeardAll, heardAllAt, readAt: now, keep };
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
function ownWaves(
  folder: PlanFolder,
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  sent: SentRequests,
): OwnWave[] {
  const { position, roster } = loaded;
  return [...wavesIn(loaded, entries, sent.waves)].flatMap((wave) => {
    const open = position.open.find((candidate) => candidate.wave === wave);
    if (open !== undefined) {
      const rows = folder.rowsOfWave(open);
      const identifiers = () =>
        folder.contactsOf(rows).map(({ custom_identifiers }) => custom_identifiers || undefined);
      return [openWave(loaded, open, { rows, identifiers })];
    }
    const part = sent.waves.get(wave);
    return part === undefined ? [] : [pastWave(roster, wave, part)];
  });
}

/** Reads what is new in the call log of a plan's service, and what it says by now of old calls. */
import { concurrencyOf, type Page, withProgress } from '../../calls/paging/pages.ts';
import type { CallLogEntry } from '../../contract.ts';
import { firstDaySince, LATENESS } from '../../text/iso.ts';
import { DAY } from '../../text/units.ts';
import { type HearAgainOptions, hearAgain, unheardSince } from '../log/hear-again.ts';
import { changesUntil, isFinal, type KeptEntry, keptEntry, saysTheSame, type ToldEntries } from '../log/kept-entry.ts';
import { type LogPosition, readNewEntries } from '../log/new-entries.ts';
import type { LastLook } from '../rows/stored-plan.ts';
import type { LoadedPlan } from '../rules/plan.ts';
import { optOutsHeard } from './other-plans.ts';
import type { PlanPorts } from './ports.ts';
import type { SentRequests } from './requests.ts';

/** `hearsAll`: also what the log says by now of every request that may have called a phone of the plan. */
export async function readLog(
  loaded: LoadedPlan,
  { reading: kept, told }: LastLook,
  { sent, hearsAll }: { sent: SentRequests; hearsAll: boolean },
  ports: PlanPorts,
) {
  const { roster, plan } = loaded;
  const now = ports.clock.byAnswers() ?? (await ports.clock.now());
  const unheard = await unheardSince(sent.past, roster, kept?.heard);
  const counting = sinceOf(loaded, now, kept?.position === undefined);
  const since = Math.min(counting, kept === undefined ? (unheard ?? counting) : kept.heard.until - LATENESS);
  const optOuts = await optOutsHeard(plan, ports);
  const asking = {
    service: await ports.services.chosen(),
    concurrency: concurrencyOf(ports),
    watch: (pages: AsyncGenerator<Page, unknown>) => withProgress(pages, 'Reading the call log', ports.notes),
  };
  const { hear } = optOuts;
  // A first reading hears all; nobody is called by a plan that is not open.
  const hearsOld = kept !== undefined && (loaded.position.state === 'open' || unheard !== undefined);
  const again = hearsOld
    ? await hearAgain({
        ...{ ...asking, now, past: sent.past, roster, hear, kept: kept.again },
        isWhole: hearsAll || unheard !== undefined,
        known: kept.position?.rungs[0]?.below ?? 0,
      })
    : (kept?.again ?? { at: now, began: now, total: 0 });
  const oldest = oldestKept(counting, kept?.position);
  const { taken, take } = takingFor(loaded, { told, now, hear, oldest }, ports);
  const position = await readNewEntries({ ...asking, position: kept?.position, day: firstDaySince(since), take });
  const from = Math.min(since, unheard ?? since, kept?.heard.from ?? since);
  const heard = { from, until: now, entry: sent.lookedAt };
  return {
    /** To phones of the plan, as far as they matter to its calls. */
    entries: taken.entries,
    /** Those that say what is known already, by their identity: an hour of them need not be kept. */
    same: taken.same,
    /** Phones that opted out. */
    out: await optOuts.phones(),
    /** Whether all that the log says of earlier requests was heard. */
    hasHeardAll: kept === undefined || hearsAll,
    /** By the service's clock, in milliseconds since the epoch. */
    readAt: now,
    // A log that shows nothing yet has told nothing: what it may show of old calls is still to be heard.
    reading: taken.isEmpty && position === undefined ? undefined : { heard, again, position },
  };
}

/** Takes the entries of the log, and keeps those to phones of the plan; before `oldest` they matter only if somebody opted out. */
function takingFor(
  loaded: LoadedPlan,
  { told, now, oldest, hear }: { told: ToldEntries; now: number; oldest: number; hear: HearAgainOptions['hear'] },
  { notes }: Pick<PlanPorts, 'notes'>,
) {
  const taken = { entries: [] as KeptEntry[], same: new Set<string>(), isEmpty: true };
  /** Whether it may still change. */
  const take = (call: CallLogEntry): boolean => {
    taken.isEmpty = false;
    const entry = keptEntry(call, loaded, notes.redact);
    if (entry === undefined) return false;
    hear(entry.phone, entry.result.outcome);
    if (entry.at !== undefined && entry.at < oldest) return false;
    if (saysTheSame(entry, told)) taken.same.add(entry.result.identity);
    else taken.entries.push(entry);
    if (!isFinal(entry)) return (entry.at ?? now) > now - LATENESS;
    return changesUntil(entry, told, now) > now;
  };
  return { taken, take };
}

/** Before this, and before the known part of the log, entries matter only if somebody opted out: a year of calls is not kept. */
function oldestKept(counting: number, position: LogPosition | undefined): number {
  const known = position === undefined ? counting : Math.min(counting, Date.parse(position.day));
  return Date.parse(firstDaySince(known)) - DAY;
}

/**
 * From when on calls matter: those of waves that are waited for, and those that count for a cap or a gap. The call of any wave,
 * where somebody was recalled or the plan is over with somebody unseen; and where no place in the log is known: it may have been
 * empty until now, and its first entry be a late one.
 */
function sinceOf({ plan, position, roster }: LoadedPlan, now: number, isFirst: boolean): number {
  const { minGap, maxPerNumber } = plan.rules;
  const caps = now - Math.max(minGap, maxPerNumber?.within ?? 0);
  if (position.waves === 0) return caps;
  const isOfAny = isFirst || roster.hasOpenRecalled() || (position.state !== 'open' && roster.counts.unseen > 0);
  const waves = isOfAny ? plan.createdAt : now - LATENESS;
  return Math.min(caps, waves, ...position.open.map(({ start }) => start));
}

/** Brings a plan up to date with the call log: what came of the calls of its waves, and who else called its phones. */
import { DEFAULT_CALLS_PER_HOUR } from '../../contract.ts';
import { phoneKey } from '../../text/phone.ts';
import { DAY, HOUR } from '../../text/units.ts';
import { askedOf, lastingOf, reconcileCalls } from '../log/attempts.ts';
import { attribute, type Callers, campaignsIn, wavesIn, withoutDoubtful } from '../log/attribute.ts';
import { type KeptEntry, knownAs, saidAgain, toldAfter } from '../log/kept-entry.ts';
import { type OwnWave, openWave, pastWave, type RefusedWave, spanOf } from '../log/own-calls.ts';
import type { PlanSession } from '../rows/stored-plan.ts';
import { rowsOf } from '../rules/events.ts';
import { type Moment, serviceNow } from './clock.ts';
import type { PlanPorts } from './ports.ts';
import { readLog } from './read-log.ts';
import type { SentRequests } from './requests.ts';

/** Milliseconds after the last wave in which a plan that is over still looks for calls that nobody saw. */
const NEWS_OF_UNSEEN = 7 * DAY;

/** When the log was read, and whether with all that it says of earlier requests. */
export interface Reconciled extends Moment {
  hasHeardAll: boolean;
}

/** Reads what is new and commits what it means. `hearsAll`: also what the log says now of all that may have called its phones. */
export async function reconcile(
  session: PlanSession,
  asked: { sent: SentRequests; hearsAll: boolean },
  ports: PlanPorts,
): Promise<Reconciled> {
  const { stored, loaded } = session;
  const { sent } = asked;
  const last = await stored.lastLook(loaded);
  const { told } = last;
  const { entries, same, out, hasHeardAll, readAt, reading } = await readLog(loaded, last, asked, ports);
  const moment = await serviceNow(loaded.plan, ports);
  const { now, ahead } = moment;
  const news = entries.filter((entry) => knownAs(entry, told) === undefined);
  const attributed = attribute(loaded, news, await callersOf(session, news, sent), now);
  // Before the plan knows of it, so that it is not lost to the others if this process is stopped.
  await (await ports.register.optedOut()).add(out);
  const revised = saidAgain(entries, told, same);
  const seen = await session.write(async (sql) => {
    await session.commitIn(sql, [...attributed.others, ...revised]);
    const { own, others } = withoutDoubtful(loaded, attributed, sent.pending);
    const counted = await stored.historyOf(loaded).countedIn(sql, askedOf(loaded, own));
    const calls = reconcileCalls(loaded, own, now, (row) => counted.get(row) ?? new Map());
    const after = toldAfter(told, { entries, own, events: [...revised, ...calls], now: readAt });
    const looked = { reading: reading && { ...reading, ahead }, told: after, ranAt: ports.clock.system() };
    await session.commitIn(sql, [...others, ...calls], looked);
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

/** Whether the log is worth a look although no call is awaited: what it said last may have changed, or a call come to light. */
export async function mayHaveNews({ stored, loaded }: PlanSession, now: number): Promise<boolean> {
  const { position, roster } = loaded;
  const isFresh = now < position.nextStart + NEWS_OF_UNSEEN;
  return (roster.counts.unseen > 0 && isFresh) || (await stored.lastLook(loaded)).told.size > 0;
}

/** Who may have made the calls: only what was sent by the agent of the plan at their times is asked whom it called. */
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
  { stored, loaded }: PlanSession,
  entries: readonly KeptEntry[],
  sent: SentRequests,
): Promise<OwnWave[]> {
  const { position, roster } = loaded;
  // Identifiers are read only for a service that shows them.
  const isShown = entries.some(({ call }) => call.custom_identifiers !== undefined);
  const own: OwnWave[] = [];
  for (const wave of wavesIn(loaded, entries, sent.waves)) {
    const open = position.open.find((candidate) => candidate.wave === wave);
    const part = sent.waves.get(wave);
    if (open !== undefined) {
      const rows = await stored.historyOf(loaded).rowsOfWave(open);
      const contacts = isShown ? await stored.peopleOf(loaded).of(rows) : [];
      const identifiers = contacts.map(({ custom_identifiers }) => custom_identifiers || undefined);
      own.push(openWave(loaded, open, { rows, identifiers }));
    } else if (part !== undefined) {
      if (!loaded.plan.isLocal) await part.load();
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
  for await (const event of stored.historyOf(loaded).events('handed'))
    rows.set(event.wave, new Set(rowsOf(event.rows)));
  return refused.map(({ sent: { plan, request, contacts } }) => {
    const wave = plan?.wave ?? 0;
    const { call_from, start_time = '', calls_per_hour = DEFAULT_CALLS_PER_HOUR } = request;
    const paced = { start: Date.parse(start_time), interval: HOUR / calls_per_hour, contacts: contacts.count };
    return { wave, from: phoneKey(call_from), span: spanOf(paced), rows: () => rows.get(wave) ?? new Set() };
  });
}

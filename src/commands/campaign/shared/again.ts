/** Reads who of a campaign is to be called again, with all that is known of them: what came of it, and what happened since. */
import type { ContactOutcome } from '../../../calls/attribution/attribution.ts';
import type { ContactState } from '../../../calls/attribution/states.ts';
import { type CallAgain, chooseAgain, ReachedPhones } from '../../../calls/call-again.ts';
import { phoneOf } from '../../../calls/select.ts';
import type { ExclusionList } from '../../../contacts/rows/exclusion-list.ts';
import type { Context } from '../../../context.ts';
import type { Contact } from '../../../contract.ts';
import { pages } from '../../../paging/pages.ts';
import { isOptOut } from '../../../plans/opt-out.ts';
import { DEFAULTS } from '../../../plans/rules.ts';
import type { OptedOut } from '../../../register/opted-out.ts';
import { plainText } from '../../../text/csv.ts';
import { phoneKeyOfNumber } from '../../../text/phone.ts';
import { concurrencyOf } from '../../shared/concurrency.ts';
import type { CampaignWord } from '../../shared/pick-campaign.ts';
import { readLog } from '../../shared/read-log.ts';
import { findLaunch, knownLaunches, type Launch, type Line, lineOf, linesOf } from './launch.ts';

export interface AgainOptions {
  states: readonly ContactState[];
  exclude: readonly ExclusionList[];
  /** Keys of phones (`phoneKeyOfDigits`) that a request of unknown outcome calls. */
  unknown: ReadonlySet<number>;
  optedOut: OptedOut;
}

export interface ReadAgain extends CallAgain {
  launch: Launch;
  /** How many of those to call the campaign may still call itself. */
  stillWaiting: number;
}

export async function readAgain(
  word: CampaignWord | undefined,
  { states, exclude, unknown, optedOut }: AgainOptions,
  context: Context,
): Promise<ReadAgain> {
  const launches = await knownLaunches(context);
  const launch = await findLaunch(word, launches, context);
  const began = await launches.now();
  const isOpen = ({ part }: Launch) => part.span.until >= began;
  // Of campaigns that are over nobody waits any more.
  const others = launches.campaigns.filter((other) => other !== launch && isOpen(other));
  const lines = await linesOf([launch, ...others], launches, context.io);
  const reached = new ReachedPhones();
  const out = new Set<number>();
  // Calls of other agents and from other numbers reach people as well.
  const start_date = lines.map(({ filters }) => filters.start_date ?? '').sort()[0];
  const reading = pages(await context.service(), { start_date }, { concurrency: concurrencyOf(context) });
  for await (const { calls } of readLog(reading, 'Reading calls', context.io)) {
    for (const call of calls) {
      reached.take(call);
      const phone = phoneKeyOfNumber(phoneOf(call.called_to));
      if (phone > 0 && isOptOut(plainText(call.call_outcome), DEFAULTS)) out.add(phone);
      for (const { attribution } of lines) attribution.take(call);
    }
  }
  await optedOut.add(out);
  const optedOutNow = await optedOut.phones();
  const now = await launches.now();
  for (const { attribution } of lines) attribution.resolve(now);

  const { part } = launch;
  await part.load('all');
  const waiting = waitingIn(lines, launch);
  const numbers: string[] = [];
  for await (const { contact } of part.sent()) numbers.push(contact.phone_number);
  let stillWaiting = 0;
  const chosen = chooseAgain(outcomesOf(launch, lines), {
    states: new Set(states),
    start: part.span.from,
    numbers,
    meanwhile: {
      reached,
      isUnknown: (number) => unknown.has(phoneKeyOfNumber(number)),
      isWaiting: (number) => waiting.has(phoneKeyOfNumber(number)),
      isExcluded: (number) => exclude.some((list) => list.numbers.lineOf(number) !== undefined),
      hasOptedOut: (number) => optedOutNow.has(phoneKeyOfNumber(number)),
    },
  });
  if (states.includes('waiting')) {
    const taken = new Set(chosen.rows);
    for (const { row, state } of outcomesOf(launch, lines)) if (state === 'waiting' && taken.has(row)) stillWaiting++;
  }
  return { ...chosen, launch, stillWaiting };
}

/** The contacts at some places, in their order, each with its original cells. */
export async function* contactsAt(
  rows: readonly number[],
  { part }: Launch,
): AsyncGenerator<{ contact: Contact; cells: readonly string[] }> {
  const wanted = new Set(rows);
  let row = 0;
  for await (const { contact, cells = [] } of part.sent()) {
    if (wanted.has(row++)) yield { contact, cells };
  }
}

function outcomesOf(launch: Launch, lines: readonly Line[]): Iterable<ContactOutcome> {
  return lineOf(launch, lines).attribution.outcomesOf(launch.part.key);
}

/** Keys of the phones that wait in a campaign other than `launch`. */
function waitingIn(lines: readonly Line[], launch: Launch): Set<number> {
  const waiting = new Set<number>();
  for (const { parts, attribution } of lines) {
    for (const { key, contacts } of parts) {
      if (key === launch.part.key || attribution.tallyOf(key).states.waiting === 0) continue;
      for (const { row, state } of attribution.outcomesOf(key)) {
        if (state === 'waiting') waiting.add(contacts.phones[row] as number);
      }
    }
  }
  return waiting;
}

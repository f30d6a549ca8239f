/** Reads who of a campaign is to be called again, with all that is known of them: what came of it, and what happened since. */

import { concurrencyOf, pages, readLog } from '../calls/paging/pages.ts';
import { phoneOf } from '../calls/select.ts';
import type { Contact, ContactState } from '../contract.ts';
import { isOptOut } from '../register/do-not-call.ts';
import type { Ports } from '../register/ports.ts';
import { plainText } from '../text/csv.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { type CallAgain, chooseAgain, type Meanwhile, ReachedPhones } from './call-again.ts';
import { knownLaunches } from './known-launches.ts';
import type { Launches, NamedLaunch } from './launches.ts';
import { type Line, lineOf, linesOf } from './lines.ts';

export interface Redial extends CallAgain {
  launch: NamedLaunch;
  /** How many of those to call the campaign may still call itself. */
  stillWaiting: number;
  /** Those to call, in the order of the campaign, each with its original cells. Throws FileError. */
  contacts(): AsyncIterable<{ contact: Contact; cells: readonly string[] }>;
  /** Remembers the list, so that a campaign to its people needs no leave; nothing on the local engine. */
  keep(): Promise<void>;
}

/** `find` says which campaign is meant; `states` are what came of those to call. */
export async function readRedial(
  find: (launches: Launches) => Promise<NamedLaunch>,
  { states, isExcluded }: { states: readonly ContactState[] } & Pick<Meanwhile, 'isExcluded'>,
  ports: Ports,
): Promise<Redial> {
  // Before everything else: what is sent meanwhile counts as unknown to the list.
  const known = await sentSoFar(ports);
  const optedOut = await ports.register.optedOut();
  const launches = await knownLaunches(ports);
  const launch = await find(launches);
  const began = await launches.now();
  // Of campaigns that are over nobody waits any more.
  const others = launches.campaigns.filter((one) => one.campaignId !== undefined && one.span.until >= began);
  const lines = await linesOf([launch, ...others], launches, ports.notes);
  const { reached, out } = await readCalls(lines, ports);
  await optedOut.add(out);
  const optedOutNow = await optedOut.phones();
  const now = await launches.now();
  for (const { attribution } of lines) attribution.resolve(now);

  await launch.load('all');
  const waiting = waitingIn(lines, launch);
  const numbers: string[] = [];
  for await (const { contact } of launch.sent()) numbers.push(contact.phone_number);
  const outcomesOf = () => lineOf(launch, lines).attribution.outcomesOf(launch);
  const chosen = chooseAgain(outcomesOf(), {
    ...{ states: new Set(states), start: launch.span.from, numbers },
    meanwhile: {
      ...{ reached, isExcluded },
      isUnknown: (number) => known?.unknown.has(phoneKeyOfNumber(number)) === true,
      isWaiting: (number) => waiting.has(phoneKeyOfNumber(number)),
      hasOptedOut: (number) => optedOutNow.has(phoneKeyOfNumber(number)),
    },
  });
  const taken = new Set(chosen.rows);
  let stillWaiting = 0;
  for (const { row, state } of outcomesOf()) if (state === 'waiting' && taken.has(row)) stillWaiting++;
  const contacts = () => contactsAt(taken, launch);
  return { ...chosen, launch, stillWaiting, contacts, keep: async () => known?.keep(launch, contacts()) };
}

/** What the register knows before anything else is read; undefined for the local engine. Throws FileErrors. */
async function sentSoFar({ register, clock }: Ports) {
  const target = register.target();
  if (target.isLocal) return undefined;
  const { service } = target;
  const opened = await register.open();
  const at = clock.system();
  const lastEntry = await opened.lastEntry();
  return {
    /** Keys of phones that a request of unknown outcome calls. */
    unknown: await opened.unknownPhones(service),
    async keep({ campaignId, name, key }: NamedLaunch, contacts: ReturnType<Redial['contacts']>): Promise<void> {
      const numbers: number[] = [];
      for await (const { contact } of contacts) numbers.push(Number(contact.phone_number.slice(1)));
      await opened.keepRedial({
        ...{ service, organizationId: target.organizationId, at, lastEntry },
        campaigns: [{ entry: key, campaign_id: campaignId, campaign_name: name }],
        numbers: Float64Array.from(numbers),
      });
    },
  };
}

/** Whom the calls of all agents and numbers have reached since, and who opted out in one of them. */
async function readCalls(lines: readonly Line[], ports: Ports) {
  const reached = new ReachedPhones();
  const out = new Set<number>();
  const start_date = lines.map(({ filters }) => filters.start_date ?? '').sort()[0];
  const reading = pages(await ports.services.chosen(), { start_date }, { concurrency: concurrencyOf(ports) });
  for await (const { calls } of readLog(reading, 'Reading calls', ports.notes)) {
    for (const call of calls) {
      reached.take(call);
      const phone = phoneKeyOfNumber(phoneOf(call.called_to));
      if (phone > 0 && isOptOut(plainText(call.call_outcome))) out.add(phone);
      for (const { attribution } of lines) attribution.take(call);
    }
  }
  return { reached, out };
}

async function* contactsAt(rows: ReadonlySet<number>, launch: NamedLaunch): ReturnType<Redial['contacts']> {
  let row = 0;
  for await (const { contact, cells = [] } of launch.sent()) if (rows.has(row++)) yield { contact, cells };
}

/** Keys of the phones that wait in a campaign other than `launch`. */
function waitingIn(lines: readonly Line[], launch: NamedLaunch): Set<number> {
  const waiting = new Set<number>();
  for (const { campaigns, attribution } of lines) {
    for (const other of campaigns) {
      if (other === launch || attribution.tallyOf(other).states.waiting === 0) continue;
      for (const { row, state } of attribution.outcomesOf(other)) {
        if (state === 'waiting') waiting.add(other.contacts.phones[row] as number);
      }
    }
  }
  return waiting;
}

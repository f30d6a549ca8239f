/** Which contacts of a campaign are to be called again: by what came of them, and by what has happened since. */
import { markOf } from '../calls/paging/identity.ts';
import { concurrencyOf, pages, readLog } from '../calls/paging/pages.ts';
import { certainInstantOf, phoneOf } from '../calls/select.ts';
import { type CallLogEntry, type Contact, isOpenState, isVoicemail } from '../contract.ts';
import { isOptOut } from '../register/do-not-call.ts';
import type { Ports } from '../register/ports.ts';
import { plainText } from '../text/csv.ts';
import { eachNamed } from '../text/json.ts';
import { phoneKey, phoneKeyOfNumber } from '../text/phone.ts';
import type { ContactOutcome } from './attribution/attribution.ts';
import { knownLaunches, type Launches, type NamedLaunch } from './launches.ts';
import { type Line, lineOf, linesOf } from './lines.ts';

/** Why a contact is not called again although its state would have it; the first that applies is counted. */
const HELD_BACK = ['do_not_call', 'unknown', 'waiting', 'reached', 'excluded', 'repeated'] as const;
export type HeldBack = (typeof HELD_BACK)[number];
/** Those that are known of phones besides the campaign. */
type Meanwhile = Exclude<HeldBack, 'reached' | 'repeated'>;

/** Conversations with people, from the entries of the log of all agents and numbers. */
export class ReachedPhones {
  readonly #conversations = new Map<string, { mark: string; at: number | undefined }[]>();

  /** Takes each entry once. */
  take(call: CallLogEntry): void {
    if (call.call_status !== 'completed' || isVoicemail(plainText(call.call_outcome))) return;
    const phone = phoneOf(call.called_to);
    const standing = this.#conversations.get(phone);
    const conversation = { mark: markOf(call), at: certainInstantOf(call) };
    if (standing === undefined) this.#conversations.set(phone, [conversation]);
    else standing.push(conversation);
  }

  /**
   * Whether somebody talked on the phone in a call other than `own`, not before `since`, in milliseconds since the epoch. A
   * conversation whose time is not known counts: nobody is called twice for want of a time.
   */
  since(phone: string, since: number, own: readonly { mark: string }[]): boolean {
    return (this.#conversations.get(phone) ?? []).some(
      ({ mark, at }) => (at === undefined || at >= since) && !own.some((call) => call.mark === mark),
    );
  }
}

export interface CallAgain {
  /** The places of the contacts in the campaign, in its order. */
  rows: number[];
  heldBack: Record<HeldBack, number>;
  /** How many of those to call have a call that may be of another campaign, so that this one may still call them. */
  ambiguous: number;
  /** How many of those to call the campaign may still call itself. */
  stillWaiting: number;
}

/** A campaign, and what is known besides. */
export interface Choice {
  wants(outcome: Pick<ContactOutcome, 'state' | 'calls'>): boolean;
  /** When the campaign began, in milliseconds since the epoch. */
  start: number;
  /** Of its contacts, in their order: E.164. */
  numbers: readonly string[];
  reached: ReachedPhones;
  meanwhile: Record<Meanwhile, (number: string) => boolean>;
}

/**
 * `outcomes` are those of the campaign, in the order of its contacts. A contact that was reached itself is held back only for a
 * conversation after its own.
 */
export function chooseAgain(
  outcomes: Iterable<ContactOutcome>,
  { wants, start, numbers, reached, meanwhile }: Choice,
): CallAgain {
  const rows: number[] = [];
  const heldBack = eachNamed(HELD_BACK, () => 0);
  const taken = new Set<string>();
  let [ambiguous, stillWaiting] = [0, 0];
  for (const outcome of outcomes) {
    const { row, state, calls } = outcome;
    if (!wants(outcome)) continue;
    const number = numbers[row] ?? '';
    const phone = phoneKey(number);
    const since = state === 'reached' ? Math.max(start, ...calls.flatMap(({ at }) => at ?? [])) : start;
    const isHeldBack: Record<HeldBack, (number: string) => boolean> = {
      ...meanwhile,
      reached: () => reached.since(phone, since, calls),
      repeated: () => taken.has(phone),
    };
    const reason = HELD_BACK.find((reason) => isHeldBack[reason](number));
    if (reason !== undefined) {
      heldBack[reason]++;
      continue;
    }
    taken.add(phone);
    rows.push(row);
    if (outcome.isAmbiguous) ambiguous++;
    if (isOpenState(state)) stillWaiting++;
  }
  return { rows, heldBack, ambiguous, stillWaiting };
}

// With all that is known of them --------------------------------------------------------------------------------------

export interface Redial extends CallAgain {
  launch: NamedLaunch;
  /** Those to call, in the order of the campaign, each with its original cells. Throws FileError. */
  contacts(): AsyncIterable<{ contact: Contact; cells: readonly string[] }>;
  /** Remembers the list, so that a campaign to its people needs no leave; nothing on the local engine. */
  keep(): Promise<void>;
}

/** `find` says which campaign is meant; `wants` says which outcomes are called again. */
export async function readRedial(
  find: (launches: Launches) => Promise<NamedLaunch>,
  { wants, isExcluded }: Pick<Choice, 'wants'> & { isExcluded(number: string): boolean },
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

  const waiting = waitingIn(lines, launch);
  const numbers: string[] = [];
  for await (const { contact } of launch.sent()) numbers.push(contact.phone_number);
  const chosen = chooseAgain(lineOf(launch, lines).attribution.outcomesOf(launch), {
    ...{ wants, start: launch.span.from, numbers, reached },
    meanwhile: {
      do_not_call: (number) => optedOutNow.has(phoneKeyOfNumber(number)),
      // A request of unknown outcome may call it, or may have called it.
      unknown: (number) => known?.unknown.has(phoneKeyOfNumber(number)) === true,
      waiting: (number) => waiting.has(phoneKeyOfNumber(number)),
      excluded: isExcluded,
    },
  });
  const taken = new Set(chosen.rows);
  const contacts = () => contactsAt(taken, launch);
  return { ...chosen, launch, contacts, keep: async () => known?.keep(launch, contacts()) };
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
      const { waiting: left, calling } = attribution.tallyOf(other).states;
      if (other === launch || left + calling === 0) continue;
      for (const { row, state } of attribution.outcomesOf(other)) {
        if (isOpenState(state)) waiting.add(other.contacts.phones[row] as number);
      }
    }
  }
  return waiting;
}

/**
 * Places a call and waits for its entry in the call log, which the service's answer does not identify. However the waiting ends,
 * the message says that the call is placed: a call that is repeated rings the same phone twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallLogEntry, isCallStatus, type RequestOf, type Service } from '../contract.ts';
import {
  InterruptedError,
  isTransient,
  OutcomeUnknownError,
  reworded,
  UnavailableError,
  UnseenError,
  VagentError,
} from '../errors.ts';
import { withoutControls } from '../text/controls.ts';
import { oneLine, plainText } from '../text/csv.ts';
import { firstDaySince } from '../text/iso.ts';
import type { Notes } from '../text/notes.ts';
import { phoneKey } from '../text/phone.ts';
import { SECOND } from '../text/units.ts';
import { callIdOf, isUnnamed, markOf } from './paging/identity.ts';
import { concurrencyOf, pages } from './paging/pages.ts';
import { CLOCK_LAG, certainInstantOf, phoneOf } from './select.ts';

interface PlacedCall {
  request: RequestOf<'triggerCall'>;
  /** Milliseconds since the epoch, by the clock of the program that asked for the call. */
  at: number;
  /** The marks (`markOf`) of earlier entries with the same agent and numbers. */
  earlier: ReadonlySet<string>;
}

/** Whether an entry has the agent and both numbers of a request. */
function isBetween({ agent_id, called_to, call_from }: CallLogEntry, request: RequestOf<'triggerCall'>): boolean {
  return (
    agent_id === request.use_agent_id &&
    phoneOf(called_to) === phoneKey(request.called_to) &&
    phoneOf(call_from) === phoneKey(request.call_from)
  );
}

/** Whether an entry may be that of the call. If several may be, there is no way to decide which one is. */
export function mayBe(call: CallLogEntry, { request, at, earlier }: PlacedCall): boolean {
  return isBetween(call, request) && !earlier.has(markOf(call)) && (certainInstantOf(call) ?? at) >= at - CLOCK_LAG;
}

/** Whether a field is still empty. Services may send the turns of a conversation as a list. */
function isBlank(value: unknown): boolean {
  return ['', '[]', '{}'].includes(plainText(value).trim());
}

/** Whether the call is over and the entry reports it: its status is final, and a completed call has its transcript. */
export function isReported({ call_status, transcript }: CallLogEntry): boolean {
  return call_status === 'completed' ? !isBlank(transcript) : isCallStatus(call_status);
}

/** Whether nothing more will be added to an entry: a completed call also has its outcome. */
export function isSettled(call: CallLogEntry): boolean {
  return isReported(call) && !(call.call_status === 'completed' && isBlank(call.call_outcome));
}

/** Milliseconds between the first two looks at the log, and the longest pause between two looks. */
export const FIRST_PAUSE = SECOND;
const LONGEST_PAUSE = 10 * SECOND;
const GROWTH = 1.5;

/** Milliseconds: the longer a call has lasted, the longer the pause. */
export function nextPause(pause: number): number {
  return Math.min(LONGEST_PAUSE, pause * GROWTH);
}

/** Milliseconds before the end at which the log is looked at for the last time; of a short wait, a quarter of it. */
const LAST_LOOK = SECOND;

interface WaitOptions {
  /** Milliseconds for all of it: whatever is under way then is given up. */
  timeoutMs: number;
  hint: string;
  /** When the call was placed before that is not placed again, in milliseconds since the epoch; asked when there is a reply. */
  placedBefore?: () => number | undefined;
}

interface WaitPorts {
  notes: Notes;
  signal: AbortSignal;
  clock: { system(): number; now(): Promise<number> };
  register: { target(): { isLocal: boolean } };
}

/**
 * The call's entry, perhaps without its transcript. Throws OutcomeUnknownError if several entries match, or the service does
 * not answer the call in time, UnseenError if no entry came in time, and InterruptedError. If the log cannot be read
 * beforehand, no call is placed.
 */
export async function callAndWait(
  service: Service,
  request: RequestOf<'triggerCall'>,
  options: WaitOptions,
  ports: WaitPorts,
): Promise<CallLogEntry> {
  const over = new AbortController();
  const untilOver = { signal: AbortSignal.any([ports.signal, over.signal]) };
  const after = <T>(milliseconds: number, what: T) => {
    const timer = sleep(milliseconds, what, untilOver);
    timer.catch(() => {});
    return timer;
  };
  const lastLook = options.timeoutMs - Math.min(LAST_LOOK, options.timeoutMs / 4);
  const time = { closing: after(lastLook, 'closing' as const), passed: after(options.timeoutMs, 'passed' as const) };
  try {
    return await placedAndSeen(service, request, { ...options, ...time, untilOver }, ports);
  } finally {
    over.abort();
  }
}

/** Its two moments, which are rejected when the wait is over or interrupted. */
interface Waiting extends WaitOptions {
  closing: Promise<'closing'>;
  passed: Promise<'passed'>;
  untilOver: { signal: AbortSignal };
}

async function placedAndSeen(
  service: Service,
  request: RequestOf<'triggerCall'>,
  waiting: Waiting,
  ports: WaitPorts,
): Promise<CallLogEntry> {
  const { notes, signal, clock } = ports;
  const { timeoutMs, hint } = waiting;
  const within = `within ${timeoutMs / SECOND} s`;
  /** What is under way when somebody interrupts tells itself what that means. */
  const passed = waiting.passed.catch(() => new Promise<never>(() => {}));
  let since = await clock.now();
  const read: Read = async (isWanted) => {
    const wanted: CallLogEntry[] = [];
    // The service's days may be those of another zone, so one more day is requested.
    const filters = { start_date: firstDaySince(since), agent_id: request.use_agent_id };
    for await (const { calls } of pages(service, filters, { concurrency: concurrencyOf(ports) })) {
      for (const call of calls) if (isWanted(call)) wanted.push(call);
    }
    return wanted;
  };
  const looking = read((call) => isBetween(call, request)).catch((error: unknown) => {
    if (!(error instanceof VagentError)) throw error;
    throw reworded(error, { message: `${error.message} ${NOT_SENT}` });
  });
  const earlier = await Promise.race([looking, passed]);
  if (earlier === 'passed') throw new UnavailableError(`The call log was not read ${within}. ${NOT_SENT}`);
  if (signal.aborted) throw new InterruptedError(`Interrupted. ${NOT_SENT}`);

  const at = await clock.now();
  const reply = await Promise.race([service.triggerCall(request), passed]);
  if (reply === 'passed') {
    const message = `The service did not answer ${within}: the call to ${request.called_to} may be placed.`;
    throw new OutcomeUnknownError(message, { hint });
  }
  const { room_name } = reply;
  const room = room_name ? ` (${cell(room_name)})` : '';
  notes.note(`The call to ${request.called_to} is placed${room}; waiting for its entry in the call log.`);
  const before = waiting.placedBefore?.();
  since = before ?? since;
  const placed: PlacedCall =
    before === undefined
      ? { request, at, earlier: new Set(earlier.map(markOf)) }
      : { request, at: before, earlier: new Set() };
  const entry = await waitForEntry(read, placed, waiting, ports);
  if (isReported(entry)) return entry;
  const { call_status } = entry;
  const status = call_status ? cell(call_status) : 'not reported';
  if (call_status === 'completed') notes.warn('the call has no transcript yet.');
  else notes.warn(`the call may not be over: its status is ${status}.`);
  return entry;
}

/** A call that was asked for under a key may have been placed before. */
const NOT_SENT = 'Nothing was sent.';

/** Reads the whole log and returns the wanted entries. */
type Read = (isWanted: (call: CallLogEntry) => boolean) => Promise<CallLogEntry[]>;

async function waitForEntry(
  read: Read,
  placed: PlacedCall,
  { timeoutMs, hint, closing, passed, untilOver }: Waiting,
  { notes, signal, clock }: WaitPorts,
): Promise<CallLogEntry> {
  const to = placed.request.called_to;
  const progress = notes.progress('Waiting for the call log, in seconds');
  const began = clock.system();
  /** Each entry that may be the call's, as it was last seen. */
  const candidates = new Map<string, CallLogEntry>();
  let failure: VagentError | undefined;
  try {
    for (let pause = FIRST_PAUSE, isLast = false; ; pause = nextPause(pause)) {
      // The end of the time also ends a read that takes too long. Shortly before it, the log is read once more.
      const looking = read((call) => mayBe(call, placed)).catch((error: unknown) => {
        if (isTransient(error)) return error;
        throw error;
      });
      const found = await Promise.race([looking, passed]);
      if (found === 'passed') break;
      failure = Array.isArray(found) ? undefined : found;
      if (Array.isArray(found)) {
        // An entry without a call_id cannot be recognised once the service has changed it.
        for (const mark of candidates.keys()) if (isUnnamed(mark)) candidates.delete(mark);
        for (const call of found) candidates.set(markOf(call), call);
      }
      const [entry] = candidates.values();
      if (candidates.size > 1) throw ambiguous([...candidates.values()], to, hint);
      if (entry !== undefined && isReported(entry)) return entry;
      if (isLast) break;
      progress.at(Math.round((clock.system() - began) / 1000), Math.round(timeoutMs / 1000));
      isLast = (await Promise.race([sleep(pause, undefined, untilOver), closing])) === 'closing';
    }
  } catch (error) {
    if (signal.aborted) throw new InterruptedError(`Interrupted, but the call to ${to} is placed.`, { hint });
    if (!(error instanceof VagentError) || error instanceof OutcomeUnknownError) throw error;
    const message = `The call to ${to} is placed, but its result cannot be read: ${error.message}`;
    const advice = error.hint === undefined ? hint : `${error.hint} ${hint}`;
    const { code, reason, status } = error;
    throw new OutcomeUnknownError(message, { code, reason, hint: advice, cause: error }, status);
  } finally {
    progress.end();
  }
  const [entry] = candidates.values();
  if (entry !== undefined) return entry;
  const why = failure === undefined ? '' : ` The last attempt to read it failed: ${failure.message}`;
  const seconds = timeoutMs / 1000;
  throw new UnseenError(`The call to ${to} is placed, but the call log did not show it within ${seconds} s.${why}`, {
    hint,
  });
}

function ambiguous(entries: readonly CallLogEntry[], to: string, hint: string): OutcomeUnknownError {
  const listed = entries.map((call) => cell(callIdOf(call) ?? 'one without a call_id')).join(', ');
  return new OutcomeUnknownError(
    `The call to ${to} is placed, but ${entries.length} new entries of the call log match it, and none is picked: ${listed}.`,
    { code: 'ambiguous_call', hint },
  );
}

function cell(value: unknown): string {
  return withoutControls(oneLine(value));
}

/**
 * Placing a call and waiting for its entry in the call log. Once the call is placed, however the waiting ends, whoever reads
 * it must learn that: a call that is repeated rings the same phone twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { firstDaySince } from '../calls/days.ts';
import { pages } from '../calls/pages.ts';
import { FIRST_PAUSE, isBetween, isSettled, mayBe, type PlacedCall, pauseAfter } from '../calls/wait.ts';
import type { Context } from '../context.ts';
import type { CallLogEntry, RequestOf, Service } from '../contract.ts';
import { InterruptedError, isPassing, OutcomeUnknownError, retold, UnseenError, VagentError } from '../errors.ts';
import { cell } from '../output.ts';
import { Progress } from '../progress.ts';

export interface Patience {
  /** Milliseconds to wait for the entry and its transcript. */
  timeoutMs: number;
  /** The command that shows the call later. */
  look: string;
}

/**
 * The call's entry, as far as it had come in time. Throws OutcomeUnknownError where several entries may be it, UnseenError
 * where none came, and InterruptedError; where the log cannot be read beforehand, nothing is placed.
 */
export async function callAndWait(
  context: Context,
  service: Service,
  request: RequestOf<'triggerCall'>,
  patience: Patience,
): Promise<CallLogEntry> {
  const { io, signal } = context;
  // Nobody says whose days the service means: one more is asked for.
  const filters = { start_date: firstDaySince(await context.serviceNow()), agent_id: request.use_agent_id };
  const { concurrency } = context;
  const read: Read = async (isWanted) => {
    const wanted: CallLogEntry[] = [];
    for await (const { calls } of pages(service, filters, { concurrency })) wanted.push(...calls.filter(isWanted));
    return wanted;
  };
  const earlier = await read((call) => isBetween(call, request)).catch((error: unknown) => {
    if (!(error instanceof VagentError)) throw error;
    throw retold(error, { message: `${error.message} No call was placed.`, hint: error.hint });
  });
  if (signal.aborted) throw new InterruptedError('Interrupted: no call was placed.');

  const at = await context.serviceNow();
  const { room_name } = await service.triggerCall(request);
  const room = room_name ? ` (${cell(room_name)})` : '';
  io.note(`The call to ${request.called_to} is placed${room}; waiting for its entry in the call log.`);
  const placed: PlacedCall = { request, at, earlier: new Set(earlier.map(({ call_id }) => call_id)) };
  const entry = await waitForEntry(context, read, placed, patience);
  if (!isSettled(entry)) {
    const isOver = entry.call_status === 'completed';
    io.warn(isOver ? 'the call has no transcript yet.' : `the call may not be over: its status is ${said(entry)}.`);
  }
  return entry;
}

/** The wanted ones of all the entries that there are now. */
type Read = (isWanted: (call: CallLogEntry) => boolean) => Promise<CallLogEntry[]>;

async function waitForEntry(
  { io, signal, systemNow }: Context,
  read: Read,
  placed: PlacedCall,
  { timeoutMs, look }: Patience,
): Promise<CallLogEntry> {
  const to = placed.request.called_to;
  const hint = `Do not repeat it: see what came of it with ${look}`;
  const progress = new Progress(io, 'Waiting for the call log, in seconds');
  const began = systemNow();
  const over = new AbortController();
  const untilOver = { signal: AbortSignal.any([signal, over.signal]) };
  const timeout = sleep(timeoutMs, 'timeout' as const, untilOver);
  /** By call_id, as each was last seen. */
  const candidates = new Map<string, CallLogEntry>();
  let failure: VagentError | undefined;
  try {
    for (let pause = FIRST_PAUSE, isLast = false; ; pause = pauseAfter(pause)) {
      // The timeout also ends a look that takes too long; when it came during a pause, the log is looked at once more.
      const looking = read((call) => mayBe(call, placed)).catch((error: unknown) => {
        if (!isPassing(error)) throw error;
        return error;
      });
      const found = await (isLast ? looking : Promise.race([looking, timeout]));
      if (found === 'timeout') break;
      failure = Array.isArray(found) ? undefined : found;
      for (const call of Array.isArray(found) ? found : []) candidates.set(call.call_id, call);
      const [entry] = candidates.values();
      if (candidates.size > 1) throw ambiguous([...candidates.keys()], to, hint);
      if (entry !== undefined && isSettled(entry)) return entry;
      if (isLast) break;
      progress.at(Math.round((systemNow() - began) / 1000), Math.round(timeoutMs / 1000));
      isLast = (await Promise.race([sleep(pause, undefined, untilOver), timeout])) === 'timeout';
    }
  } catch (error) {
    if (signal.aborted) throw new InterruptedError(`Interrupted, but the call to ${to} is placed.`, { hint });
    if (!(error instanceof VagentError) || error instanceof OutcomeUnknownError) throw error;
    const message = `The call to ${to} is placed, but what came of it cannot be read: ${error.message}`;
    throw retold(error, { message, hint: error.hint === undefined ? hint : `${error.hint} ${hint}` });
  } finally {
    progress.end();
    over.abort();
  }
  const [entry] = candidates.values();
  if (entry !== undefined) return entry;
  const why = failure === undefined ? '' : ` The last look failed: ${failure.message}`;
  const seconds = timeoutMs / 1000;
  throw new UnseenError(`The call to ${to} is placed, but the call log did not show it within ${seconds} s.${why}`, {
    hint,
  });
}

function said({ call_status }: CallLogEntry): string {
  return call_status ? cell(call_status) : 'not told';
}

function ambiguous(ids: readonly string[], to: string, hint: string): OutcomeUnknownError {
  const listed = ids.map(cell).join(', ');
  return new OutcomeUnknownError(
    `The call to ${to} is placed, but ${ids.length} new entries of the call log match it, and none is picked: ${listed}.`,
    { code: 'ambiguous_call', hint },
  );
}

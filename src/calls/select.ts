/** The filters that the service lacks: which of the calls it shows are wanted. */
import { type CallLogEntry, parseInstant } from '../contract.ts';

export interface Selection {
  call_status?: string | undefined;
  call_outcome?: string | undefined;
  called_to?: string | undefined;
  call_from?: string | undefined;
  /** Text in the transcript, in capitals or not. */
  search?: string | undefined;
  /** Milliseconds since the epoch: calls from then on. One whose time cannot be read is not left out. */
  since?: number | undefined;
}

/** Undefined where every call is wanted. */
export function selector(selection: Selection): ((call: CallLogEntry) => boolean) | undefined {
  const { search, since, ...equal } = selection;
  const fields = Object.entries(equal).filter(([, wanted]) => wanted !== undefined);
  const text = search?.toLowerCase();
  if (fields.length === 0 && text === undefined && since === undefined) return undefined;
  return (call) =>
    fields.every(([field, wanted]) => call[field] === wanted) &&
    (text === undefined || (call.transcript ?? '').toLowerCase().includes(text)) &&
    (since === undefined || (instantOf(call) ?? since) >= since);
}

/** When a call was made, in milliseconds since the epoch; undefined where the service's time cannot be read. */
export function instantOf({ timestamp }: CallLogEntry): number | undefined {
  return timestamp == null ? undefined : parseInstant(timestamp)?.epochMs;
}

/** The same, where the service's time says its zone: undefined where that would have to be guessed. */
export function certainInstantOf({ timestamp }: CallLogEntry): number | undefined {
  const instant = timestamp == null ? undefined : parseInstant(timestamp);
  return instant?.hasOffset ? instant.epochMs : undefined;
}

/** Milliseconds that the service's clock may be behind. */
export const CLOCK_TOLERANCE = 2 * 60_000;

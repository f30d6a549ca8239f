/** The filters that the service lacks: which of the calls it shows are wanted. */
import { type CallLogEntry, parseInstant } from '../contract.ts';
import { plainText } from '../csv.ts';

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

const NUMBERS: ReadonlySet<string> = new Set(['called_to', 'call_from']);

/** Undefined where every call is wanted. */
export function selector(selection: Selection): ((call: CallLogEntry) => boolean) | undefined {
  const { search, since, ...equal } = selection;
  const fields = Object.entries(equal).filter(([, wanted]) => wanted !== undefined);
  const text = search?.toLowerCase();
  if (fields.length === 0 && text === undefined && since === undefined) return undefined;
  return (call) =>
    fields.every(([field, wanted]) => (NUMBERS.has(field) ? phoneNumberOf : plainText)(call[field]) === wanted) &&
    (text === undefined || plainText(call.transcript).toLowerCase().includes(text)) &&
    (since === undefined || (instantOf(call) ?? since) >= since);
}

/** A phone number as text; a service that sends it as a number cannot send its plus. */
export function phoneNumberOf(value: unknown): string {
  return typeof value === 'number' ? `+${value}` : plainText(value);
}

/**
 * When a call was made, in milliseconds since the epoch; undefined where the service's time cannot be read. A number is none:
 * it may be of seconds or of milliseconds.
 */
export function instantOf({ timestamp }: Pick<CallLogEntry, 'timestamp'>): number | undefined {
  return typeof timestamp === 'string' ? parseInstant(timestamp)?.epochMs : undefined;
}

/** The same, where the service's time says its zone: undefined where that would have to be guessed. */
export function certainInstantOf({ timestamp }: CallLogEntry): number | undefined {
  const instant = typeof timestamp === 'string' ? parseInstant(timestamp) : undefined;
  return instant?.hasOffset ? instant.epochMs : undefined;
}

/** How long a call lasted; undefined where that is no number, or a negative one. */
export function secondsOf({ call_duration }: CallLogEntry): number | undefined {
  const isNumber = typeof call_duration === 'number' || /^\d+(\.\d+)?$/.test(plainText(call_duration));
  const seconds = isNumber ? Number(call_duration) : Number.NaN;
  return seconds >= 0 && seconds <= Number.MAX_SAFE_INTEGER ? seconds : undefined;
}

/** Milliseconds that the service's clock may be behind. */
export const CLOCK_LAG = 2 * 60_000;

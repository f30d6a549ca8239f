/** The filters that the service lacks, applied to the calls that it shows. */
import { type CallLogEntry, parseInstant } from '../contract.ts';
import { plainText } from '../text/csv.ts';
import { digitsOf, phoneKey, WORLD_EXIT_CODE, WRITTEN_NUMBER } from '../text/phone.ts';
import { folded } from '../text/spelling.ts';
import { MINUTE } from '../text/units.ts';

interface Selection {
  /** Any of several, in any spelling that a table shows. */
  call_status?: readonly string[] | undefined;
  call_outcome?: readonly string[] | undefined;
  called_to?: string | undefined;
  call_from?: string | undefined;
  /** Text in the transcript; upper and lower case are the same. */
  search?: string | undefined;
  /** Milliseconds since the epoch: calls from then on. A call whose time cannot be read is kept. */
  since?: number | undefined;
}

const NUMBERS: ReadonlySet<string> = new Set(['called_to', 'call_from']);
/** How tables call what a call does not have. */
export const NONE = '(none)';

/** What a label is, whatever its spelling. */
export function labelKey(label: string): string {
  return label.trim() === NONE ? '' : folded(label);
}

/** A list of labels; one that has commas itself is meant by all of them. */
export function labelKeys(labels: readonly string[]): Set<string> {
  return new Set([...labels, labels.join()].map(labelKey));
}

/** Undefined if every call is wanted. */
export function selector(selection: Selection): ((call: CallLogEntry) => boolean) | undefined {
  const { search, since, call_status, call_outcome, ...equal } = selection;
  const labels = Object.entries({ call_status, call_outcome }).flatMap(([field, wanted]) =>
    wanted === undefined ? [] : [[field, labelKeys(wanted)] as const],
  );
  const fields = Object.entries(equal).flatMap(([field, wanted]) =>
    wanted === undefined ? [] : [[field, NUMBERS.has(field) ? phoneKey(wanted) : wanted] as const],
  );
  const text = search?.toLowerCase();
  if (fields.length === 0 && labels.length === 0 && text === undefined && since === undefined) return undefined;
  return (call) =>
    labels.every(([field, wanted]) => wanted.has(labelKey(plainText(call[field])))) &&
    fields.every(([field, wanted]) => (NUMBERS.has(field) ? phoneOf : plainText)(call[field]) === wanted) &&
    (text === undefined || plainText(call.transcript).toLowerCase().includes(text)) &&
    (since === undefined || (instantOf(call) ?? since) >= since);
}

const E164 = /^\+\d+$/;
/** `tel:` before a number, and what may follow it. */
const IN_ADDRESS = /^(?:[a-z]+:)?([^;@?]*)/i;

/** The key of the phone that an entry names. A service that sends the number as a JSON number cannot send its plus. */
export function phoneOf(value: unknown): string {
  const text = typeof value === 'number' ? `+${value}` : plainText(value);
  return phoneKey(E164.test(text) ? text : readNumber(text));
}

/**
 * As services also write a number: `tel:+1-415-555-0100`, `0014155550100`, with spaces, or without its plus. Another text as it
 * is.
 */
function readNumber(text: string): string {
  const [, written = ''] =
    IN_ADDRESS.exec(
      text
        .normalize('NFKC')
        .replace(/\p{Cf}/gu, '')
        .trim(),
    ) ?? [];
  const number = written.trim().replace('(0)', '');
  const digits = digitsOf(number);
  const isLocal = !number.startsWith('+') && digits.startsWith('0') && !digits.startsWith(WORLD_EXIT_CODE);
  if (!WRITTEN_NUMBER.test(number) || isLocal) return text;
  return `+${digits.startsWith(WORLD_EXIT_CODE) ? digits.slice(WORLD_EXIT_CODE.length) : digits}`;
}

/**
 * When a call was made, in milliseconds since the epoch; undefined if the service's time cannot be read. A plain number is not
 * read: it may be seconds or milliseconds.
 */
export function instantOf(call: Pick<CallLogEntry, 'timestamp'>): number | undefined {
  return timeOf(call)?.epochMs;
}

/** The same, but only if the service's time names its zone; undefined if the zone would have to be guessed. */
export function certainInstantOf(call: CallLogEntry): number | undefined {
  const time = timeOf(call);
  return time?.hasOffset ? time.epochMs : undefined;
}

/** `hasOffset`: whether it names its zone. */
export function timeOf({ timestamp }: Pick<CallLogEntry, 'timestamp'>): ReturnType<typeof parseInstant> {
  return typeof timestamp === 'string' ? parseInstant(timestamp) : undefined;
}

/** How long a call lasted; undefined if that is not a number, or negative. */
export function secondsOf({ call_duration }: CallLogEntry): number | undefined {
  const isNumber = typeof call_duration === 'number' || /^\d+(\.\d+)?$/.test(plainText(call_duration));
  const seconds = isNumber ? Number(call_duration) : Number.NaN;
  return seconds >= 0 && seconds <= Number.MAX_SAFE_INTEGER ? seconds : undefined;
}

/** Milliseconds by which the service's clock may be behind. */
export const CLOCK_LAG = 2 * MINUTE;

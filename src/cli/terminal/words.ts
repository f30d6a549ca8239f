/** How fields and their values are called on a terminal: one table, from the names of the wire to words. */
import { type ContactState, parseInstant } from '../../contract.ts';
import { withoutControls } from '../../text/controls.ts';
import { plainText } from '../../text/csv.ts';
import { inUnits, shortTime, timeAndDistance } from '../../text/when.ts';

/**
 * What a field holds. An id, a phone number, a time and the like lose their meaning when they are cut; a text may be cut, a label
 * between its words.
 */
type Kind = 'text' | 'label' | 'status' | 'id' | 'count' | 'phone' | 'time' | 'duration' | 'money' | 'share';

const FIELDS: Record<string, [heading: string, kind: Kind]> = {
  call_id: ['Call', 'id'],
  timestamp: ['Time', 'time'],
  called_to: ['Number', 'phone'],
  call_from: ['From', 'phone'],
  call_status: ['Status', 'status'],
  call_duration: ['Duration', 'duration'],
  call_outcome: ['Outcome', 'label'],
  transcript: ['Transcript', 'text'],
  recording_url: ['Recording', 'text'],
  agent_id: ['Agent', 'count'],
  agent_name: ['Name', 'text'],
  agent_description: ['Description', 'text'],
  voice_id: ['Voice', 'count'],
  voice_name: ['Name', 'text'],
  language: ['Language', 'id'],
  language_name: ['Spoken', 'text'],
  preview_url: ['Preview', 'text'],
  created_at: ['Created', 'time'],
  updated_at: ['Updated', 'time'],
  campaign_id: ['Campaign', 'count'],
  campaign_name: ['Name', 'text'],
  plan_id: ['Plan', 'count'],
  plan_name: ['Name', 'text'],
  spent: ['Spent', 'money'],
  status: ['Status', 'status'],
  state: ['State', 'status'],
  reason: ['Reason', 'label'],
  paused: ['Paused', 'label'],
  total_contacts: ['Contacts', 'count'],
  start_time: ['Start', 'time'],
  sent_at: ['Sent', 'time'],
  phone_number: ['Number', 'phone'],
  number: ['Number', 'phone'],
  numbers: ['Numbers', 'phone'],
  custom_identifiers: ['Identifier', 'text'],
  first_call: ['First call', 'time'],
  last_call: ['Last call', 'time'],
  next_call: ['Next call', 'time'],
  last_result: ['Last result', 'status'],
  last_status: ['Last status', 'status'],
  last_outcome: ['Last outcome', 'label'],
  worst_case_finish: ['End at the latest', 'time'],
  finish: ['Last call', 'time'],
  by_hour: ['By hour, 0 to 23', 'label'],
  now: ['Clock', 'time'],
  of: ['Over the runs', 'text'],
  p5: ['5 %', 'count'],
  p50: ['Median', 'count'],
  p95: ['95 %', 'count'],
  by: ['Sent by', 'text'],
  base_url: ['Address', 'text'],
  organization_id: ['Organization', 'count'],
  api_key: ['Key', 'text'],
  api_key_command: ['Key command', 'text'],
  balance: ['Balance', 'money'],
  added: ['Added', 'money'],
  cost: ['Cost', 'money'],
  shortfall: ['Short by', 'money'],
  price_per_minute: ['Price a minute', 'money'],
  retry_delay: ['Retry delay', 'duration'],
  talk_seconds: ['Talk time', 'duration'],
  median_duration: ['Median duration', 'duration'],
  min_duration: ['Shortest', 'duration'],
  max_duration: ['Longest', 'duration'],
  answer_rate: ['Answered', 'share'],
  busy_rate: ['Busy', 'share'],
  no_answer_rate: ['No answer', 'share'],
  failed_rate: ['Failed', 'share'],
  room_name: ['Room', 'id'],
  sip_trunk_id: ['SIP trunk', 'id'],
  sip_call_to: ['SIP number', 'phone'],
  participant_identity: ['Participant', 'id'],
  participant_name: ['Participant name', 'id'],
};

/** The heading of a field: its words, where it is not in the table. */
export function headingOf(field: string): string {
  const known = Object.hasOwn(FIELDS, field) ? FIELDS[field]?.[0] : undefined;
  if (known !== undefined) return known;
  const words = oneLineOf(field).replace(/_/g, ' ').trim();
  return words === '' ? oneLineOf(field) : words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a field holds; undefined if nothing is known of it. */
function kindOf(field: string): Kind | undefined {
  return Object.hasOwn(FIELDS, field) ? FIELDS[field]?.[1] : undefined;
}

const RIGHT: readonly (Kind | undefined)[] = ['count', 'duration', 'money', 'share'];
const WHOLE: readonly (Kind | undefined)[] = [...RIGHT, 'id', 'phone', 'time', 'status'];

/** Whether a column of the field is aligned at its right. */
export function isRight(field: string): boolean {
  return RIGHT.includes(kindOf(field));
}

/** Whether its values are never cut. */
export function isWhole(field: string): boolean {
  return WHOLE.includes(kindOf(field));
}

export interface Wording {
  /** Milliseconds since the epoch: years other than its own are shown. */
  now: number;
  /** Masks keys: before words are made of a value, because a key in other words would not be recognised. */
  redact: (text: string) => string;
  /** Whether times also tell how far they are from `now`. */
  isRelative?: boolean;
}

/** A value in words, on one line. What is not of its field's kind is shown as it is. */
export function inWords(field: string, value: unknown, wording: Wording): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return listed(field, value, wording);
  const plain = plainText(value);
  const shown = wording.redact(plain);
  // A key has no other words.
  return shown === plain ? worded(kindOf(field), plain, wording) : oneLineOf(shown);
}

/** Lists and counts in words; anything else as JSON. */
function listed(field: string, value: object, wording: Wording): string {
  const { redact } = wording;
  if (Array.isArray(value) && value.every((part) => typeof part !== 'object' || part === null)) {
    return value.map((part) => inWords(field, part, wording)).join(', ');
  }
  const entries = Object.entries(value);
  if (!Array.isArray(value) && entries.length > 0 && entries.every(([, count]) => typeof count === 'number')) {
    return entries.map(([label, count]) => `${labelInWords(redact(label))} ${redact(String(count))}`).join(', ');
  }
  return oneLineOf(redact(plainText(value)));
}

function worded(kind: Kind | undefined, text: string, { now, isRelative }: Wording): string {
  if (kind === 'time' || kind === undefined) {
    const instant = parseInstant(text);
    // A time without a zone stays as it is: nobody's zone is guessed.
    if (!instant?.hasOffset) return oneLineOf(text);
    return isRelative ? timeAndDistance(instant.epochMs, now) : shortTime(instant.epochMs, now);
  }
  if (kind === 'status' || kind === 'label') return labelInWords(text);
  const number = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (kind === 'duration' && number >= 0 && number <= Number.MAX_SAFE_INTEGER) return inUnits(number);
  if (kind === 'money' && Math.abs(number) <= Number.MAX_SAFE_INTEGER) return money(number);
  if (kind === 'share' && Math.abs(number) <= 1) return `${Math.round(number * 10_000) / 100} %`;
  return oneLineOf(text);
}

/** With two decimals, and with more only where a price has them: `12.50`, `0.125`. */
function money(amount: number): string {
  const [, decimals = ''] = /\.(\d+)$/.exec(String(amount)) ?? [];
  return amount.toFixed(Math.max(2, Math.min(6, decimals.length)));
}

/** `no_answer` is `no answer`; a text that is no such label stays as it is. */
export function labelInWords(label: string): string {
  const shown = oneLineOf(label);
  return /^[\p{L}\d]+(_[\p{L}\d]+)+$/u.test(shown) ? shown.replaceAll('_', ' ') : shown;
}

function oneLineOf(text: string): string {
  return withoutControls(text.replace(/[\t\n\r]/g, ' '));
}

const STATE_COLOURS: Record<ContactState, number> = {
  ...{ waiting: 33, calling: 36, reached: 32, not_reached: 33, no_result: 31, excluded: 2, not_called: 2 },
};
/** Green, yellow, red, cyan and dim, as the escape sequences take them. */
const COLOURS: Record<string, number> = {
  ...STATE_COLOURS,
  ...{ voicemail: 33, busy: 33, no_answer: 33, failed: 31 },
  ...{ completed: 32, active: 32, ok: 32, accepted: 32, done: 32 },
  ...{ paused: 33, unknown: 33, stopped: 31, running: 36, scheduled: 36, open: 36 },
  ...{ draft: 2, skipped: 2, cancelled: 2 },
};

/** The colour of a status; undefined for any that is not known. */
export function colourOf(field: string, value: unknown): number | undefined {
  return kindOf(field) === 'status' && typeof value === 'string' && Object.hasOwn(COLOURS, value)
    ? COLOURS[value]
    : undefined;
}

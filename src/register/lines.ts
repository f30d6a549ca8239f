/**
 * The lines of the register: JSON, one value in each line, only ever appended. A request to a real service has one line before
 * it is sent and one after it has ended; if the second is missing, its outcome is unknown.
 */
import { operations, type RequestOf } from '../contract.ts';
import { FileError } from '../errors.ts';

interface SentRequest {
  /** Counts up from 1. */
  entry: number;
  event: 'sent';
  /** ISO 8601, UTC. */
  at: string;
  /** `user@host`. */
  by: string;
  /** The base URL, without a slash at its end. */
  service: string;
  organization_id: number;
  /** ISO 8601, UTC: when what it said of people was removed. */
  forgotten?: string;
  /** Whether that was done on another machine, before it came here: whom it called is taken over from one that still knows. */
  forgotten_elsewhere?: true;
}

export interface SentCall extends SentRequest {
  operation: 'triggerCall';
  /** As sent, without the credentials. */
  request: RequestOf<'triggerCall'>;
}

/** Which wave of which plan a campaign is. */
export interface PlanMark {
  id: number;
  wave: number;
  /** ISO 8601, UTC: when the plan was created. Plans of two machines may have the same id. */
  created_at: string;
}

export interface SentCampaign extends SentRequest {
  operation: 'createCampaign';
  /** The entry of the first part, if this is the second part of one campaign. */
  part_of?: number;
  /** Absent if it is no wave of a plan. */
  plan?: PlanMark;
  /** As sent, without the credentials and the contacts. */
  request: Omit<RequestOf<'createCampaign'>, 'contacts'>;
  contacts: ContactsSent;
}

/** Only operations that ring people's phones are registered. */
export type SentLine = SentCall | SentCampaign;

export interface ContactsSent {
  count: number;
  /** A hash of the called numbers, whatever their order. */
  numbers_sha256: string;
  /** The file's name as given, and the hash of its bytes; absent if the contacts did not come from a file. */
  file?: string;
  file_sha256?: string;
}

/**
 * `accepted` and `refused` are the service's answers. `not_sent`: the request was certainly not sent. `unknown`: it may have
 * been carried out.
 */
export type Outcome = 'accepted' | 'refused' | 'not_sent' | 'unknown';

export interface EndedLine {
  entry: number;
  event: 'ended';
  /** ISO 8601, UTC. */
  at: string;
  outcome: Outcome;
  /** The response, or a description of the failure. */
  answer: Record<string, unknown>;
  /** Milliseconds by which the service's clock was ahead of this machine's; absent if no answer of it had a date. */
  clock_ahead?: number;
}

export type Line = SentLine | EndedLine;

type Registered = 'entry' | 'event' | 'at';
/** A request that is about to be sent. */
export type Intent = Omit<SentCall, Registered> | Omit<SentCampaign, Registered>;
/** How a request ended. */
export type Ended = Pick<EndedLine, 'outcome' | 'answer' | 'clock_ahead'>;

/** A line as it is written in the file: an operation is named by the last part of its path. */
export type WrittenLine =
  | ((Omit<SentCall, 'operation'> | Omit<SentCampaign, 'operation'>) & { operation: string })
  | EndedLine;

const NAMES = { triggerCall: nameOf('triggerCall'), createCampaign: nameOf('createCampaign') };

function nameOf(operation: SentLine['operation']): string {
  return operations[operation].path.slice(1);
}

export function writtenLine(line: Line): string {
  const written: WrittenLine = line.event === 'sent' ? { ...line, operation: NAMES[line.operation] } : line;
  return JSON.stringify(written);
}

/** The line that a text holds; undefined if the text is damaged. */
export function parseLine(text: string): Line | undefined {
  try {
    return lineOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The line that a value of JSON is; undefined if it is none. */
export function lineOf(json: unknown): Line | undefined {
  const value = json as Partial<WrittenLine> | null | undefined;
  if (typeof value !== 'object' || value === null || !isEntry(value.entry)) return undefined;
  if (typeof value.at !== 'string' || Number.isNaN(Date.parse(value.at))) return undefined;
  if (value.event === 'sent') return parseSent(value);
  return value.event === 'ended' && typeof value.outcome === 'string' ? (value as EndedLine) : undefined;
}

/** Checks only what the guards rely on; the rest of a line is the request. */
function parseSent(value: Record<string, unknown>): SentLine | undefined {
  const { service, operation, request, contacts } = value;
  if (typeof service !== 'string' || typeof request !== 'object' || request === null) return undefined;
  if (operation === NAMES.triggerCall) {
    const { called_to } = request as Partial<SentCall['request']>;
    return typeof called_to === 'string' ? (named(value, 'triggerCall') as SentCall) : undefined;
  }
  const { count = -1, numbers_sha256 } = (contacts ?? {}) as Partial<ContactsSent>;
  const isCount = Number.isSafeInteger(count) && count >= 0;
  if (operation !== NAMES.createCampaign || !isCount || typeof numbers_sha256 !== 'string') return undefined;
  return named(value, 'createCampaign') as SentCampaign;
}

/** The same object: a million copies would take longer than reading them. */
function named(value: Record<string, unknown>, operation: SentLine['operation']): unknown {
  value.operation = operation;
  return value;
}

/** Whether a request is a wave of a plan; `createdAt` in milliseconds since the epoch. */
export function isWaveOf(sent: SentLine, plan: { plan_id: number; createdAt: number }): sent is SentCampaign {
  if (sent.operation !== 'createCampaign' || sent.plan === undefined) return false;
  return sent.plan.id === plan.plan_id && Date.parse(sent.plan.created_at) === plan.createdAt;
}

/** In the order of sending; an entry that was taken over from another machine has a higher number than later ones. */
export function bySending(one: SentLine, other: SentLine): number {
  return compareTimes(one.at, other.at) || one.entry - other.entry;
}

/** Times as they are written here, which are compared as texts because that is quicker. */
const AS_WRITTEN = /^\d{4}-.{18}Z$/;

function compareTimes(one: string, other: string): number {
  if (one === other) return 0;
  if (!AS_WRITTEN.test(one) || !AS_WRITTEN.test(other)) return Date.parse(one) - Date.parse(other);
  return one < other ? -1 : 1;
}

/** Whether another entry number can follow. */
function isEntry(entry: unknown): boolean {
  return Number.isSafeInteger(entry) && Number(entry) > 0 && Number(entry) < Number.MAX_SAFE_INTEGER;
}

/** How every line begins. */
const BEGINNING = '{"entry":';

/**
 * Whether the text after the last line break is the beginning of one line that its writer did not finish, or the zeros that a
 * file system puts in place of unwritten bytes. Anything else does not come from a crash.
 */
export function isTorn(tail: string): boolean {
  const text = tail.replace(/\0+$/, '');
  return BEGINNING.startsWith(text) || (text.startsWith(BEGINNING) && !/[\r\0]|.\{"entry":/.test(text));
}

/** The error for a damaged line. */
export function damagedLine(path: string, number: number): FileError {
  return new FileError(`${path}: line ${number} is damaged: it is not an entry of the register.`, {
    code: 'register_damaged',
    reason: { kind: 'register_line_damaged' },
  });
}

/** The lines of `register.jsonl`: a request has one from before it was sent, and one from when it had ended. */
import { operations, type RequestOf } from '../../contract.ts';
import { fieldsIn, parsed } from '../../text/parsed.ts';
import type { Intent, PlanMark } from '../requests.ts';
import { isCount } from './old-files.ts';

/** `at`: milliseconds since the epoch. `fields`: the whole line. */
export interface OldSent {
  event: 'sent';
  entry: number;
  at: number;
  /** What its request holds was not looked at yet. */
  intent: Intent;
  fields: Record<string, unknown>;
}

export interface OldEnded {
  event: 'ended';
  entry: number;
  at: number;
  outcome: string;
  fields: Record<string, unknown>;
}

/** Undefined if the text is no line of the register. */
export function oldLine(text: string): OldSent | OldEnded | undefined {
  const fields = fieldsIn(parsed(text));
  const at = timeIn(fields?.at);
  if (fields === undefined || at === null || !isCount(fields.entry) || fields.entry === 0) return undefined;
  const { entry, event, outcome } = fields;
  if (event === 'ended' && typeof outcome === 'string') return { event, entry, at, outcome, fields };
  const intent = event === 'sent' ? intentIn(fields) : undefined;
  return intent && { event: 'sent', entry, at, intent, fields };
}

const CALL = operations.triggerCall.path.slice(1);
const CAMPAIGN = operations.createCampaign.path.slice(1);

function intentIn(fields: Record<string, unknown>): Intent | undefined {
  const { service, operation, organization_id } = fields;
  const [sent, contacts] = [fieldsIn(fields.request), fieldsIn(fields.contacts)];
  if (typeof service !== 'string' || sent === undefined || !Number.isSafeInteger(organization_id)) return undefined;
  const common = { by: textIn(fields.by) ?? '', service, organization_id: organization_id as number };
  const request: unknown = sent;
  if (operation === CALL && typeof sent.called_to === 'string')
    return { ...common, operation: 'triggerCall', request: request as RequestOf<'triggerCall'> };
  if (operation !== CAMPAIGN || !isCount(contacts?.count) || typeof contacts.numbers_sha256 !== 'string')
    return undefined;
  const { count, numbers_sha256, file, file_sha256 } = contacts;
  return {
    ...{ ...common, operation: 'createCampaign', request: request as RequestOf<'createCampaign'> },
    contacts: { count, numbers_sha256, file: textIn(file), file_sha256: textIn(file_sha256) },
    plan: planIn(fields.plan),
  };
}

function planIn(value: unknown): PlanMark | undefined {
  const { id, wave, created_at } = fieldsIn(value) ?? {};
  const isWave = isCount(id) && isCount(wave) && timeIn(created_at) !== null;
  return isWave ? { id, wave, created_at: String(created_at) } : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Milliseconds since the epoch. */
export function timeIn(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** How every line begins. */
const BEGINNING = '{"entry":';

/**
 * Whether the text after the last line break is the beginning of one line that its writer did not finish, or the zeros
 * that a file system puts in place of unwritten bytes. Anything else does not come from a crash.
 */
export function isTorn(tail: string): boolean {
  const text = tail.replace(/\0+$/, '');
  return BEGINNING.startsWith(text) || (text.startsWith(BEGINNING) && !/[\r\0]|.\{"entry":/.test(text));
}

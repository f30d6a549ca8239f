/** The lines of `register.jsonl`: a request has one from before it was sent, and one from when it had ended. */
import { operations } from '../../contract.ts';

import { fieldsIn, parsed } from '../../text/parsed.ts';

export interface OldSent {
  event: 'sent';
  entry: number;
  at: number;
  operation: string;
  /** Whether it is a call; else it is a campaign. */
  isCall: boolean;
  service: string;
  organizationId: number;
  request: Record<string, unknown>;
  /** Of a campaign. */
  contacts: { count: number; sha256: string };
  /** The whole line. */
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
  const at = typeof fields?.at === 'string' ? Date.parse(fields.at) : Number.NaN;
  if (fields === undefined || Number.isNaN(at) || !isCount(fields.entry) || fields.entry === 0) return undefined;
  const { entry, event, outcome } = fields;
  if (event === 'sent') return sentLine(entry, at, fields);
  return event === 'ended' && typeof outcome === 'string' ? { event, entry, at, outcome, fields } : undefined;
}

const CALL = operations.triggerCall.path.slice(1);
const CAMPAIGN = operations.createCampaign.path.slice(1);

function sentLine(entry: number, at: number, fields: Record<string, unknown>): OldSent | undefined {
  const { service, operation, organization_id } = fields;
  const [request, contacts] = [fieldsIn(fields.request), fieldsIn(fields.contacts)];
  if (typeof service !== 'string' || request === undefined || !Number.isSafeInteger(organization_id)) return undefined;
  const common = { event: 'sent', entry, at, service, organizationId: organization_id as number, fields } as const;
  if (operation === CALL && typeof request.called_to === 'string')
    return { ...common, operation, isCall: true, request, contacts: { count: 1, sha256: '' } };
  if (operation !== CAMPAIGN || !isCount(contacts?.count) || typeof contacts.numbers_sha256 !== 'string')
    return undefined;
  const { count, numbers_sha256: sha256 } = contacts as { count: number; numbers_sha256: string };
  return { ...common, operation, isCall: false, request, contacts: { count, sha256 } };
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** How every line begins. */
const BEGINNING = '{"entry":';

/**
 * Whether the text after the last line break is the beginning of one line that its writer did not finish, or the zeros that a file system
 * puts in place of unwritten bytes. Anything else does not come from a crash.
 */
export function isTorn(tail: string): boolean {
  const text = tail.replace(/\0+$/, '');
  return BEGINNING.startsWith(text) || (text.startsWith(BEGINNING) && !/[\r\0]|.\{"entry":/.test(text));
}

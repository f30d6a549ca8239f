/** A request as a row of the register, and back. What somebody else has written there may be anything. */
import * as z from 'zod/mini';
import { callsContacts, isToContacts, traceOf } from '../contract.ts';
import { FileError } from '../errors.ts';
import type { Sql } from '../storage/database/sql.ts';
import { isoTime } from '../text/iso.ts';
import { fieldsIn, parsed } from '../text/json.ts';
import type { KeptRows } from '../text/kept-rows.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { DAY } from '../text/units.ts';
import type { ContactsSent, Ended, Intent, Outcome, Past, PlanMark, SentCampaign, SentLine } from './requests.ts';
import { keptRequest, nameOf, operationsByName } from './ringing.ts';
import { serviceKey } from './service-key.ts';
import { addRows, type Row } from './tables.ts';

/** Anything may stand there. */
export type StoredRequest = Record<string, unknown>;

/** `at` in milliseconds since the epoch; `rows`: those of the file that are kept. */
export async function insertRequest(
  sql: Sql,
  entry: number,
  intent: Intent,
  { at, rows }: { at: number; rows?: Pick<KeptRows, 'columns' | 'form'> | undefined },
): Promise<void> {
  const phone = isToContacts(intent) ? null : phoneKeyOfNumber(traceOf(intent).to);
  const row = requestRow({ ...intent, entry, at, operation: nameOf(intent.operation), phone });
  await addRows(sql, 'requests', [{ ...row, columns: rows === undefined ? null : columnsText(rows) }]);
}

/** An array of names, or, where the file was not UTF-8 with commas, an object with its form. */
function columnsText({ columns, form }: Pick<KeptRows, 'columns' | 'form'>): string {
  return JSON.stringify(form === undefined ? columns : { columns, ...form });
}

interface RequestParts extends Pick<Intent, 'by' | 'service' | 'organization_id'> {
  entry: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** As the register names it. */
  operation: string;
  request: Record<string, unknown>;
  /** Of a call, if it is known. */
  phone: number | null;
  /** Of a campaign. */
  contacts?: ContactsSent;
  plan?: PlanMark | undefined;
}

export function requestRow({ entry, at, by, service, organization_id, ...sent }: RequestParts): Row {
  const { operation, request, phone, contacts, plan } = sent;
  const { count, numbers_sha256, file = null, file_sha256 = null } = contacts ?? { count: 1, numbers_sha256: '' };
  const { campaign_name } = request;
  return {
    ...{ entry, operation, sent_at: at, sent_by: by, organization_id, service, service_key: serviceKey(service) },
    request: JSON.stringify(request),
    campaign_name: contacts !== undefined && typeof campaign_name === 'string' ? campaign_name : null,
    phone,
    ...{ contacts: count, numbers_sha256, file, file_sha256 },
    ...(plan && { plan_id: plan.id, wave: plan.wave, plan_created_at: Math.floor(plan.createdAt) }),
  };
}

/** How it ended, in its columns. `at` in milliseconds since the epoch. */
export function endRow({ outcome, answer, clock_ahead }: Ended, at: number): Row {
  const { campaign_id: id } = answer;
  const campaign_id = typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
  return { outcome, reply: JSON.stringify(answer), ended_at: at, clock_ahead: clock_ahead ?? null, campaign_id };
}

/** Milliseconds. */
const YEAR_9999 = Date.UTC(9999, 0);
const CENTURY = 100 * 366 * DAY;

const text = z.string();
const whole = z.int();
/** So that whatever is added to it is still a time. */
const instant = z.number().check(z.refine((at) => Math.abs(at) <= YEAR_9999));
const difference = z.number().check(z.refine((ms) => Math.abs(ms) <= CENTURY));

const common = z.object({
  entry: whole.check(z.minimum(1)),
  operation: text,
  sent_at: instant,
  sent_by: text,
  service: text,
  organization_id: whole,
  contacts: whole.check(z.minimum(0)),
  numbers_sha256: text,
  file: z.nullable(text),
  file_sha256: z.nullable(text),
  plan_id: z.nullable(whole),
  wave: z.nullable(whole),
  plan_created_at: z.nullable(instant),
  forgotten_at: z.nullable(instant),
  outcome: z.nullable(text),
  ended_at: z.nullable(instant),
  clock_ahead: z.nullable(difference),
  summary: z.nullable(text),
});

/** What a request is read from. */
export const COLUMNS = [...Object.keys(common.shape), 'request', 'reply'].join(', ');

/** Throws FileError, `register_damaged`, if the row is no request. */
export function requestIn(row: StoredRequest): Past {
  try {
    return readRequest(row);
  } catch (cause) {
    const entry = Number.isSafeInteger(row.entry) ? `entry ${row.entry}` : 'an entry';
    throw new FileError(`The register has ${entry} that this program has not written: it cannot be read.`, {
      code: 'register_damaged',
      reason: { kind: 'request_changed' },
      cause,
    });
  }
}

function readRequest(row: StoredRequest): Past {
  const read = common.parse(row);
  const { entry, sent_by: by, service, organization_id, forgotten_at, outcome, ended_at, clock_ahead, summary } = read;
  const operation = operationsByName.get(read.operation);
  const answer = outcome === null ? undefined : fieldsIn(parsed(row.reply));
  if (operation === undefined || (outcome !== null && answer === undefined)) throw new Error('is no request');
  const request: unknown = JSON.parse(String(row.request));
  const base = {
    ...{ entry, at: isoTime(read.sent_at), by, service, organization_id },
    forgotten: forgotten_at === null ? undefined : isoTime(forgotten_at),
  };
  const sent: SentLine = callsContacts(operation)
    ? { ...base, operation, request: keptRequest(operation, request), ...ofCampaign(read) }
    : { ...base, operation, request: keptRequest(operation, request) };
  return {
    sent,
    ...(answer !== undefined && { outcome: outcome as Outcome, answer }),
    ...{ endedAt: ended_at ?? undefined, clockAhead: clock_ahead ?? undefined, summary: summary ?? undefined },
  };
}

function ofCampaign(read: z.infer<typeof common>): Pick<SentCampaign, 'plan' | 'contacts'> {
  const { plan_id, wave, plan_created_at, contacts, numbers_sha256, file, file_sha256 } = read;
  return {
    plan: plan_id === null ? undefined : { id: plan_id, wave: wave ?? 0, createdAt: plan_created_at ?? 0 },
    contacts: { count: contacts, numbers_sha256, file: file ?? undefined, file_sha256: file_sha256 ?? undefined },
  };
}

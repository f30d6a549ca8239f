/** A request as a row of the register, and back. What somebody else has written there may be anything. */
import * as z from 'zod/mini';
import { operations, type RequestOf } from '../contract.ts';
import { FileError } from '../errors.ts';
import type { Sql } from '../storage/database/sql.ts';
import { isoTime } from '../text/iso.ts';
import { parsed } from '../text/json.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import { DAY } from '../text/units.ts';
import type { Ended, Intent, Outcome, Past, SentLine } from './requests.ts';
import { serviceKey } from './service-key.ts';
import { addRows, type Row } from './tables.ts';

/** Anything may stand there. */
export type StoredRequest = Record<string, unknown>;

export const NAMES = {
  triggerCall: operations.triggerCall.path.slice(1),
  createCampaign: operations.createCampaign.path.slice(1),
};

/** `at` in milliseconds since the epoch; `columns`: those of the file whose rows are kept. */
export async function insertRequest(
  sql: Sql,
  entry: number,
  intent: Intent,
  { at, columns }: { at: number; columns?: readonly string[] | undefined },
): Promise<void> {
  const ofFile = { columns: columns === undefined ? null : JSON.stringify(columns) };
  await addRows(sql, 'requests', [{ ...requestRow(entry, intent, at), ...ofFile }]);
}

export function requestRow(entry: number, intent: Intent, at: number): Row {
  const { service, organization_id, by, operation, request } = intent;
  const common = {
    ...{ entry, operation: NAMES[operation], sent_at: at, sent_by: by, organization_id },
    ...{ service, service_key: serviceKey(service), request: JSON.stringify(request) },
  };
  if (intent.operation === 'triggerCall')
    return { ...common, contacts: 1, numbers_sha256: '', phone: phoneKeyOfNumber(intent.request.called_to) };
  const { contacts, plan } = intent;
  const { count, numbers_sha256, file = null, file_sha256 = null } = contacts;
  const wave = plan && { plan_id: plan.id, wave: plan.wave, plan_created_at: Math.floor(plan.createdAt) };
  const { campaign_name } = intent.request;
  return { ...common, campaign_name, contacts: count, numbers_sha256, file, file_sha256, ...wave };
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
const positive = z.number().check(z.positive());
const time = z.string().check(z.refine((at) => !Number.isNaN(Date.parse(at))));
/** So that whatever is added to it is still a time. */
const instant = z.number().check(z.refine((at) => Math.abs(at) <= YEAR_9999));
const difference = z.number().check(z.refine((ms) => Math.abs(ms) <= CENTURY));

const call = z.looseObject({
  use_agent_id: whole,
  called_to: z.string().check(z.regex(/^(\+\d{1,15})?$/)),
  call_from: text,
  custom_identifiers: z.optional(text),
});
const campaign = z.looseObject({
  campaign_name: text,
  agent_id: whole,
  call_from: text,
  start_time: z.optional(time),
  calls_per_hour: z.optional(positive),
  retry_attempts: z.optional(whole.check(z.minimum(0))),
  retry_delay: z.optional(z.number().check(z.minimum(0))),
});
const common = z.object({
  entry: whole.check(z.minimum(1)),
  operation: z.enum([NAMES.triggerCall, NAMES.createCampaign]),
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
  const request: unknown = JSON.parse(String(row.request));
  const plan = read.plan_id !== null && {
    id: read.plan_id,
    wave: read.wave ?? 0,
    createdAt: read.plan_created_at ?? 0,
  };
  const base = {
    ...{ entry, at: isoTime(read.sent_at), by, service, organization_id },
    forgotten: forgotten_at === null ? undefined : isoTime(forgotten_at),
  };
  const sent: SentLine =
    read.operation === NAMES.triggerCall
      ? { ...base, operation: 'triggerCall', request: checked<RequestOf<'triggerCall'>>(call, request) }
      : {
          ...{ ...base, operation: 'createCampaign', plan: plan || undefined },
          request: checked<Omit<RequestOf<'createCampaign'>, 'contacts'>>(campaign, request),
          contacts: {
            ...{ count: read.contacts, numbers_sha256: read.numbers_sha256 },
            ...{ file: read.file ?? undefined, file_sha256: read.file_sha256 ?? undefined },
          },
        };
  return {
    sent,
    ...(outcome !== null && { outcome: outcome as Outcome, answer: checked(z.looseObject({}), parsed(row.reply)) }),
    ...{ endedAt: ended_at ?? undefined, clockAhead: clock_ahead ?? undefined, summary: summary ?? undefined },
  };
}

/** The value itself, with its fields in the order in which they were sent. */
function checked<T>(type: z.ZodMiniType, value: unknown): T {
  type.parse(value);
  return value as T;
}

/** A request as a row of the register, and back. What somebody else has written there may be anything. */
import * as z from 'zod/mini';
import { operations, type RequestOf } from '../contract.ts';
import type { Sql, Value } from '../database/sql.ts';
import { FileError } from '../errors.ts';
import { fieldsIn, parsed } from '../text/parsed.ts';
import { phoneKeyOfNumber } from '../text/phone.ts';
import type { Ended, Intent, Outcome, Past, SentLine } from './requests.ts';
import { serviceKey } from './service-key.ts';

/** What a request is read from. */
export const COLUMNS = [
  ...['entry', 'operation', 'sent_at', 'sent_by', 'service', 'organization_id', 'request', 'contacts'],
  ...['numbers_sha256', 'file', 'file_sha256', 'plan_id', 'wave', 'plan_created_at', 'forgotten_at'],
  ...['outcome', 'reply', 'ended_at', 'clock_ahead', 'summary'],
].join(', ');

/** A value of a row, as its engine gives it. */
export type Row = Record<string, unknown>;

const NAMES = { triggerCall: nameOf('triggerCall'), createCampaign: nameOf('createCampaign') };

function nameOf(operation: SentLine['operation']): string {
  return operations[operation].path.slice(1);
}

const WRITTEN = [
  ...['entry', 'operation', 'sent_at', 'sent_by', 'service', 'service_key', 'organization_id', 'request'],
  ...['campaign_name', 'phone', 'contacts', 'numbers_sha256', 'columns', 'file', 'file_sha256', 'plan_id'],
  ...['wave', 'plan_created_at'],
] as const;

/** `at` in milliseconds since the epoch; `columns`: those of the file whose rows are kept. */
export async function insertRequest(
  sql: Sql,
  entry: number,
  intent: Intent,
  { at, columns }: { at: number; columns?: readonly string[] | undefined },
): Promise<void> {
  const { service, organization_id, by, operation, request } = intent;
  const row: Partial<Record<(typeof WRITTEN)[number], Value>> = {
    entry,
    operation: NAMES[operation],
    sent_at: at,
    sent_by: by,
    service,
    service_key: serviceKey(service),
    organization_id,
    request: JSON.stringify(request),
    contacts: 1,
    numbers_sha256: '',
  };
  if (intent.operation === 'triggerCall') row.phone = phoneKeyOfNumber(intent.request.called_to);
  else {
    const { contacts, plan } = intent;
    row.campaign_name = intent.request.campaign_name;
    row.contacts = contacts.count;
    row.numbers_sha256 = contacts.numbers_sha256;
    row.file = contacts.file ?? null;
    row.file_sha256 = contacts.file_sha256 ?? null;
    row.columns = columns === undefined ? null : JSON.stringify(columns);
    row.plan_id = plan?.id ?? null;
    row.wave = plan?.wave ?? null;
    row.plan_created_at = plan === undefined ? null : Date.parse(plan.created_at);
  }
  await sql.insert('requests', WRITTEN, [WRITTEN.map((column) => row[column] ?? null)]);
}

/** The statement that completes a request, if nobody has before, and its values. `at` in milliseconds since the epoch. */
export function completing(entry: number, { outcome, answer, clock_ahead }: Ended, at: number): [string, Value[]] {
  const id = answer.campaign_id;
  const campaignId = typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
  return [
    `update requests set outcome = $2, reply = $3, ended_at = $4, clock_ahead = $5, campaign_id = $6
       where entry = $1 and outcome is null`,
    [entry, outcome, JSON.stringify(answer), at, clock_ahead ?? null, campaignId],
  ];
}

/** Milliseconds. */
const YEAR_9999 = Date.UTC(9999, 0);
const CENTURY = 100 * 366 * 86_400_000;

const text = z.string();
const whole = z.int();
const positive = z.number().check(z.positive());
const time = z.string().check(z.refine((at) => !Number.isNaN(Date.parse(at))));
/** So that whatever is added to it is still a time. */
const instant = z.number().check(z.refine((at) => Math.abs(at) <= YEAR_9999));
const difference = z.number().check(z.refine((ms) => Math.abs(ms) <= CENTURY));
const optional = <T extends z.ZodMiniType>(type: T) => z.nullable(type);

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
  file: optional(text),
  file_sha256: optional(text),
  plan_id: optional(whole),
  wave: optional(whole),
  plan_created_at: optional(instant),
  forgotten_at: optional(instant),
  outcome: optional(text),
  ended_at: optional(instant),
  clock_ahead: optional(difference),
  summary: optional(text),
});

/** Throws FileError, `register_damaged`, if the row is no request. */
export function requestIn(row: Row): Past {
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

function readRequest(row: Row): Past {
  const read = common.parse(row);
  const { entry, sent_by: by, service, organization_id, forgotten_at, outcome, ended_at, clock_ahead, summary } = read;
  const isCall = read.operation === NAMES.triggerCall;
  const request: unknown = JSON.parse(String(row.request));
  const base = {
    ...{ entry, at: iso(read.sent_at), by, service, organization_id },
    ...(forgotten_at !== null && { forgotten: iso(forgotten_at) }),
  };
  const sent: SentLine = isCall
    ? { ...base, operation: 'triggerCall', request: checked(call, request) as unknown as RequestOf<'triggerCall'> }
    : {
        ...base,
        operation: 'createCampaign',
        ...(read.plan_id !== null && {
          plan: { id: read.plan_id, wave: read.wave ?? 0, created_at: iso(read.plan_created_at ?? 0) },
        }),
        request: checked(campaign, request) as unknown as Omit<RequestOf<'createCampaign'>, 'contacts'>,
        contacts: {
          ...{ count: read.contacts, numbers_sha256: read.numbers_sha256 },
          ...(read.file !== null && { file: read.file }),
          ...(read.file_sha256 !== null && { file_sha256: read.file_sha256 }),
        },
      };
  return {
    sent,
    ...(outcome !== null && { outcome: outcome as Outcome, answer: objectIn(row.reply) }),
    ...(ended_at !== null && { endedAt: ended_at }),
    ...(clock_ahead !== null && { clockAhead: clock_ahead }),
    ...(summary !== null && { summary }),
  };
}

/** The value itself, with its fields in the order in which they were sent. */
function checked<T extends z.ZodMiniType>(type: T, value: unknown): unknown {
  type.parse(value);
  return value;
}

function objectIn(json: unknown): Record<string, unknown> {
  const fields = fieldsIn(parsed(json));
  if (fields === undefined) throw new Error('it is no object');
  return fields;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/**
 * The wire, whole: every operation with its method, path, fields, defaults and documented limits. Client, server, engine and
 * command line derive from this file, so a field or a limit is written here and nowhere else.
 *
 * Requests are strict: what is sent must be right. Responses are lenient: unknown fields pass through, integers
 * that arrive as strings are read, and every other odd value is kept as it came. An integer that a double cannot hold exactly
 * is refused, never rounded.
 *
 * Credentials are no part of a request here: the remote client adds them on the wire, the server takes them off.
 */
import * as z from 'zod/mini';
import { type Issue, REQUIRED } from './errors.ts';

export const DEFAULT_LIMIT = 100;
/** Documented for get-call-logs only; the maximum of get-agents is not shown. */
export const MAX_LIMIT = 1000;
export const DEFAULT_CALLS_PER_HOUR = 60;
export const DEFAULT_RETRY_ATTEMPTS = 2;
/** Seconds. */
export const DEFAULT_RETRY_DELAY = 3600;
export const DEFAULT_LANGUAGE = 'en';
export const DEFAULT_ACCOUNT = 'API';
/** Words; guidance of the interface, never a reason to refuse. */
export const FIRST_LINE_ADVISED_WORDS = 50;

/** More than this many faults are counted by nobody; a million bad contacts must not make a gigabyte of issues. */
const MAX_ISSUES = 100;

/** `+`, country code, number: 7 to 15 digits in all. */
export const E164 = /^\+[1-9]\d{6,14}$/;
export const AGENT_STATUSES = ['active', 'draft', 'paused'] as const;
/** Those that the interface names; a service may send others. */
export const CALL_STATUSES = ['completed', 'failed', 'busy', 'no_answer'] as const;
export const GENDERS = ['male', 'female'] as const;

// Requests ------------------------------------------------------------------------------------------------------------

const text = z.string('must be a string');
const filled = text.check(z.regex(/\S/, 'must not be empty'));
const integer = z.int('must be an integer');
const atLeast = (minimum: number) => integer.check(z.minimum(minimum, `must be ${minimum} or more`));
const id = atLeast(1);
const phoneNumber = text.check(z.regex(E164, 'must be an E.164 phone number, like +14155550100'));
const limit = atLeast(1);
const cappedLimit = limit.check(z.maximum(MAX_LIMIT, `must be ${MAX_LIMIT} or less`));
const offset = z._default(atLeast(0), 0);
const day = text.check(z.refine(isCalendarDate, 'must be a date that exists, as YYYY-MM-DD'));
const time = text.check(z.refine((value) => parseInstant(value) !== undefined, 'must be an ISO 8601 time'));

export const contact = z.object({
  phone_number: phoneNumber,
  custom_first_line: z.optional(text),
  custom_instruction: z.optional(text),
  custom_identifiers: z.optional(text),
});

/**
 * Contacts are checked in place: a schema would copy every one, and there may be a million. The schema speaks where the
 * quick look finds a fault.
 */
const contacts = z
  .array(z.custom<z.output<typeof contact>>(), 'must be an array')
  .check(z.minLength(1, 'must hold at least one contact'), (payload) => {
    for (const [at, value] of payload.value.entries()) {
      if (isPlainContact(value)) continue;
      for (const issue of contact.safeParse(value).error?.issues ?? []) {
        const { path, message } = issue;
        payload.issues.push({ code: 'custom', path: [at, ...path], message, input: value });
      }
      if (payload.issues.length >= MAX_ISSUES) return;
    }
  });

function isPlainContact(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { phone_number, custom_first_line, custom_instruction, custom_identifiers } = value as Record<string, unknown>;
  return (
    typeof phone_number === 'string' &&
    E164.test(phone_number) &&
    isTextOrAbsent(custom_first_line) &&
    isTextOrAbsent(custom_instruction) &&
    isTextOrAbsent(custom_identifiers)
  );
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

const triggerCallRequest = z.object({
  use_agent_id: id,
  called_to: phoneNumber,
  call_from: phoneNumber,
  custom_first_line: filled,
  custom_instruction: z.optional(text),
  called_by_account: z._default(text, DEFAULT_ACCOUNT),
  custom_identifiers: text,
});

const createCampaignRequest = z.object({
  campaign_name: filled,
  agent_id: id,
  call_from: phoneNumber,
  contacts,
  start_time: z.optional(time),
  calls_per_hour: z._default(atLeast(1), DEFAULT_CALLS_PER_HOUR),
  retry_attempts: z._default(atLeast(0), DEFAULT_RETRY_ATTEMPTS),
  retry_delay: z._default(atLeast(0), DEFAULT_RETRY_DELAY),
});

const getCallLogsRequest = z
  .object({
    start_date: z.optional(day),
    end_date: z.optional(day),
    agent_id: z.optional(id),
    limit: z._default(cappedLimit, DEFAULT_LIMIT),
    offset,
  })
  .check(
    z.refine(
      ({ start_date, end_date }) => start_date === undefined || end_date === undefined || start_date <= end_date,
      { path: ['start_date'], message: 'must not be after end_date' },
    ),
  );

const createAgentRequest = z.object({
  agent_name: filled,
  agent_description: z.optional(text),
  base_prompt: filled,
  voice_id: id,
  language: z._default(filled, DEFAULT_LANGUAGE),
  greeting: z.optional(text),
  conversation_goal: z.optional(text),
});

const getAgentsRequest = z.object({
  status: z.optional(z.enum(AGENT_STATUSES, `must be one of ${AGENT_STATUSES.join(', ')}`)),
  limit: z._default(limit, DEFAULT_LIMIT),
  offset,
});

const getVoicesRequest = z.object({
  language: z.optional(filled),
  gender: z.optional(z.enum(GENDERS, `must be one of ${GENDERS.join(', ')}`)),
});

// Responses -----------------------------------------------------------------------------------------------------------

/** A field that may come as anything. It is kept as it came, so that one odd value costs nobody a page. */
const kept = z.optional(z.unknown());
const keptInteger = z.optional(z.transform(readInteger));
/** Refused where it may have been rounded: an id that is off by one names something else. */
const keptId = z.optional(
  z.pipe(
    z.transform(readInteger),
    z.unknown().check(z.refine((value) => !isInexactId(value), 'must be an id that a number can hold')),
  ),
);
/** What a POST made is known by its id alone. */
const newId = z.pipe(z.transform(readInteger), z.int('must be an integer'));

/** The integer that a text spells; anything else is as it came. */
function readInteger(value: unknown): unknown {
  const integer = typeof value === 'string' ? parseInteger(value) : undefined;
  return String(integer) === value ? integer : value;
}

/** Whether a value is a number, or an integer in a text, that may not be the one which was meant. */
function isInexactId(value: unknown): boolean {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value));
  return isNumber && !Number.isSafeInteger(Number(value));
}

type Shape = Record<string, z.ZodMiniType>;

/** A shape as it is read: of what the interface documents only the names are relied on, and that integers may be texts. */
function asItComes<S extends Shape>(documented: S): { [K in keyof S]: typeof kept } {
  const readAs = (schema: z.ZodMiniType) => (schema === id ? keptId : schema === integer ? keptInteger : kept);
  const fields = Object.entries(documented).map(([name, schema]) => [name, readAs(schema)]);
  return Object.fromEntries(fields) as { [K in keyof S]: typeof kept };
}

/** An item of a list, and `exactly`: fields that must be right. */
function item<S extends Shape, E extends Shape = Record<never, never>>(documented: S, exactly: E = {} as E) {
  return z.looseObject({ ...exactly, ...asItComes(documented) }, 'must be an object');
}

function itemsOf<S extends z.ZodMiniType>(schema: S) {
  return z.array(schema, 'must be an array');
}

/** Nothing else tells calls apart. */
const call_id = z.union([z.string(), z.pipe(z.int(), z.transform(String))], 'must be a string');

const callFields = {
  agent_id: id,
  called_to: text,
  call_from: text,
  /** Seconds. */
  call_duration: integer,
  call_status: text,
  call_outcome: text,
  /** ISO 8601. */
  timestamp: text,
  transcript: text,
  recording_url: z.optional(text),
};

/** An entry as the interface documents it, and as the engine writes it. */
export const documentedCall = z.looseObject({ call_id, ...callFields });

const callLogEntry = item(callFields, { call_id });

const agent = item({
  agent_id: id,
  agent_name: text,
  agent_description: text,
  status: text,
  voice_id: id,
  language: text,
  created_at: text,
  updated_at: text,
});

const voice = item({
  voice_id: id,
  voice_name: text,
  language: text,
  language_name: text,
  gender: text,
  accent: text,
  style: text,
  preview_url: text,
});

/** Not `"true"` and not 1: that something was done is believed of nobody who does not say so as documented. */
const success = z.literal(true, 'must be true');

const triggerCallResponse = item(
  { sip_trunk_id: text, sip_call_to: text, room_name: text, participant_identity: text, participant_name: text },
  { success },
);

const createCampaignResponse = item(
  { campaign_name: text, status: text, total_contacts: integer },
  { success, campaign_id: newId },
);

/** `limit`, where there is one, is the number of items in this response, not the number asked for. */
const paging = { total: integer, limit: integer, offset: integer };

const getCallLogsResponse = item(paging, { success, calls: itemsOf(callLogEntry) });

const createAgentResponse = item({ agent_name: text, status: text }, { success, agent_id: newId });

const getAgentsResponse = item(paging, { success, agents: itemsOf(agent) });

const getVoicesResponse = item({ total: integer }, { success, voices: itemsOf(voice) });

/** How many items a service says there are; undefined where it does not say so in a number. */
export function totalOf({ total }: { total?: unknown }): number | undefined {
  return Number.isSafeInteger(total) && Number(total) >= 0 ? Number(total) : undefined;
}

// The table -----------------------------------------------------------------------------------------------------------

interface Operation {
  method: 'GET' | 'POST';
  path: `/${string}`;
  request: z.ZodMiniObject;
  response: z.ZodMiniObject;
}

export const operations = {
  triggerCall: {
    method: 'POST',
    path: '/trigger-call',
    request: triggerCallRequest,
    response: triggerCallResponse,
  },
  createCampaign: {
    method: 'POST',
    path: '/create-campaign',
    request: createCampaignRequest,
    response: createCampaignResponse,
  },
  getCallLogs: {
    method: 'GET',
    path: '/get-call-logs',
    request: getCallLogsRequest,
    response: getCallLogsResponse,
  },
  createAgent: {
    method: 'POST',
    path: '/create-agent',
    request: createAgentRequest,
    response: createAgentResponse,
  },
  getAgents: {
    method: 'GET',
    path: '/get-agents',
    request: getAgentsRequest,
    response: getAgentsResponse,
  },
  getVoices: {
    method: 'GET',
    path: '/get-voices',
    request: getVoicesRequest,
    response: getVoicesResponse,
  },
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

/** What a caller gives: fields with a default may be left out. */
export type RequestOf<K extends OperationName> = z.input<(typeof operations)[K]['request']>;
/** What a handler sees: defaults filled in. */
export type CheckedRequest<K extends OperationName> = z.output<(typeof operations)[K]['request']>;
export type ResponseOf<K extends OperationName> = z.output<(typeof operations)[K]['response']>;

export type Contact = z.output<typeof contact>;
/** What tells contacts apart: who is called, and for whom at the operator's. */
export type ContactKey = Pick<Contact, 'phone_number' | 'custom_identifiers'>;
/** As a service may send it: only its call_id is sure. */
export type CallLogEntry = z.output<typeof callLogEntry>;
export type DocumentedCall = z.output<typeof documentedCall>;
export type Agent = z.output<typeof agent>;
export type Voice = z.output<typeof voice>;

export interface Credentials {
  organization_id: number;
  api_key: string;
}

/** The service as one organization sees it. Methods reject with the errors of `errors.ts`. */
export type Service = { [K in OperationName]: (request: RequestOf<K>) => Promise<ResponseOf<K>> };

/** A Service of which every method is the same function, told which operation is asked. */
export function serviceOf(
  run: <K extends OperationName>(operation: K, request: RequestOf<K>) => Promise<ResponseOf<K>>,
): Service {
  const methods = operationNames.map((operation) => [
    operation,
    (request: RequestOf<typeof operation>) => run(operation, request),
  ]);
  return Object.fromEntries(methods) as Service;
}

/** The remote client is a Backend, the local engine is a Backend, and the HTTP server takes one. */
export type Backend = (credentials: Credentials) => Service;

/** The columns that the interface documents for the items of each list, in its order. */
export const listFields = {
  calls: Object.keys(callLogEntry.shape),
  agents: Object.keys(agent.shape),
  voices: Object.keys(voice.shape),
} as const;

// Checking ------------------------------------------------------------------------------------------------------------

export type Checked<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };

/** Checks a request of `operation` and fills in its defaults. Unknown fields are dropped. */
export function checkRequest<K extends OperationName>(operation: K, raw: unknown): Checked<CheckedRequest<K>> {
  const result = operations[operation].request.safeParse(raw);
  if (result.success) return { ok: true, value: result.data as CheckedRequest<K> };
  const issues = result.error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    field: path.join('.'),
    message: valueAt(raw, path) === undefined ? REQUIRED : message,
  }));
  return { ok: false, issues };
}

function valueAt(raw: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], raw);
}

/** The JSON type of one request field, or undefined where the operation has no such field. */
export function fieldType(operation: OperationName, field: string): 'integer' | 'string' | 'array' | undefined {
  const shape: Record<string, z.ZodMiniType> = operations[operation].request.shape;
  let schema = Object.hasOwn(shape, field) ? shape[field] : undefined;
  while (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniDefault) {
    schema = schema.def.innerType as z.ZodMiniType;
  }
  if (schema === undefined) return undefined;
  if (schema instanceof z.ZodMiniNumber) return 'integer';
  return schema instanceof z.ZodMiniArray ? 'array' : 'string';
}

/** The names of an operation's request fields, in the interface's order. */
export function requestFields(operation: OperationName): string[] {
  return Object.keys(operations[operation].request.shape);
}

/** Decimal digits only, and a value that a double holds exactly: `1e3`, `0x10` and an empty value are undefined. */
export function parseInteger(value: string): number | undefined {
  if (!/^-?\d+$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** True for `YYYY-MM-DD` naming a day of the calendar: 2026-02-30 is none. */
export function isCalendarDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

const ISO_TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * An ISO 8601 time in milliseconds since the epoch, or undefined if it is none. Without an offset it is read as UTC;
 * `hasOffset` tells the callers who must not guess.
 */
export function parseInstant(value: string): { epochMs: number; hasOffset: boolean } | undefined {
  const [, date, minutes, seconds, zone] = ISO_TIME.exec(value) ?? [];
  if (date === undefined || !isCalendarDate(date)) return undefined;
  const epochMs = Date.parse(`${date}T${minutes ?? '00:00'}${seconds ?? ':00'}${zone ?? 'Z'}`);
  return Number.isNaN(epochMs) ? undefined : { epochMs, hasOffset: zone !== undefined };
}

/**
 * The whole interface: every operation with its method, path, fields, defaults and documented limits. Client, server, engine
 * and command line derive from this file, so a field or a limit is written here and nowhere else.
 *
 * Requests are strict: values must be valid, and required texts must not be blank. Whether an id or a calling number exists is
 * left to the service. Responses are lenient: unknown fields pass through, integers that arrive as strings are converted, and
 * every other odd value is kept. An id that a double cannot hold exactly is refused, never rounded.
 *
 * Credentials are not part of a request here: the remote client adds them on the wire, and the server removes them.
 */
import * as z from 'zod/mini';
import { type CallTrace, type Issue, REQUIRED } from './errors.ts';

export const DEFAULT_LIMIT = 100;
/** Documented only for get-call-logs. */
export const MAX_LIMIT = 1000;
export const DEFAULT_CALLS_PER_HOUR = 60;
export const DEFAULT_RETRY_ATTEMPTS = 2;
/** Seconds. */
export const DEFAULT_RETRY_DELAY = 3600;
export const DEFAULT_LANGUAGE = 'en';
export const DEFAULT_ACCOUNT = 'API';
/** Words; the interface only advises it, so it is never a reason to refuse. */
export const FIRST_LINE_ADVISED_WORDS = 50;

/** Further issues are dropped, so that a million bad contacts do not make a gigabyte of issues. */
const MAX_ISSUES = 100;

/** `+`, country code, number: 7 to 15 digits in all. */
export const E164 = /^\+[1-9]\d{6,14}$/;
export const AGENT_STATUSES = ['active', 'draft', 'paused'] as const;
/** The documented ones; a service may send others. */
export const CALL_STATUSES = ['completed', 'failed', 'busy', 'no_answer'] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];
export const isCallStatus = (status: unknown): status is CallStatus => CALL_STATUSES.some((one) => one === status);

/** After which an attempt may be repeated: nobody took the call, or a machine did. */
export const RETRY_RESULTS = ['busy', 'no_answer', 'failed', 'voicemail'] as const;
export type RetryResult = (typeof RETRY_RESULTS)[number];
/** What attempts end with: their status, where a completed call has reached somebody or, if a machine took it, is a voicemail. */
export const RESULTS = ['reached', ...RETRY_RESULTS] as const;
export type Result = (typeof RESULTS)[number];
/** After how many seconds a plan tries again unless somebody says otherwise. */
export const RETRIED: Record<RetryResult, number> = { busy: 1800, no_answer: 14_400, failed: 1800, voicemail: 86_400 };
/** How results are shown: a call in which somebody was reached has the status of the service's interface. */
export const LAST_RESULTS = ['completed', ...RETRY_RESULTS] as const;

/**
 * Where a contact stands, of a campaign and of a plan alike.
 * `waiting`: it may still be called, for a first or another attempt. `calling`: it was submitted, and has no result yet.
 * `reached`: somebody talked; a voicemail is nobody. `not_reached`: no attempt is left.
 * `no_result`: the log never showed the call, or what came of it. `excluded`: it is on a list, or opted out.
 * `not_called`: the end of a plan came before its first or next attempt.
 */
export const CONTACT_STATES = [
  ...(['waiting', 'calling', 'reached', 'not_reached', 'no_result', 'excluded', 'not_called'] as const),
];
export type ContactState = (typeof CONTACT_STATES)[number];
export type StateCounts = Record<ContactState, number>;
/** What versions before called them, of campaigns and of plans. */
export const FORMER_STATES: Readonly<Record<string, ContactState>> = {
  ...{ never_called: 'no_result', new: 'waiting', again: 'waiting', handed: 'calling', exhausted: 'not_reached' },
  ...{ unseen: 'no_result', left: 'not_called' },
};
/** Of those who are still to be called, or being called: everybody else is done with. */
export const isOpenState = (state: ContactState): boolean => state === 'waiting' || state === 'calling';

/** Outcomes are labels of the service's own choice; these words are in those for a call that a machine took. */
const MACHINE = /voice.?mail|answering.?machine|\bmachine|\bamd\b|mailbox/i;

/** Whether a completed call with this outcome was taken by a machine. */
export function isVoicemail(outcome: string): boolean {
  return MACHINE.test(outcome.replaceAll('_', ' '));
}

/** Undefined for a call that is still going on, or whose status is the service's own. */
export function resultOf({ status, isVoicemail }: { status: string; isVoicemail: boolean }): Result | undefined {
  if (!isCallStatus(status)) return undefined;
  if (status !== 'completed') return status;
  return isVoicemail ? 'voicemail' : 'reached';
}

/** As it is shown: in the words of the service, its own statuses as they are; null where there is none. */
export function shownResult(call: { status: string; isVoicemail: boolean } | undefined): string | null {
  return call === undefined ? null : call.isVoicemail ? 'voicemail' : call.status || null;
}

export const GENDERS = ['male', 'female'] as const;

// Requests ------------------------------------------------------------------------------------------------------------

const text = z.string('must be a string');
/** JSON can write what is no text of Unicode, and no database keeps it. */
const unicode = text.check(z.refine(isUnicode, 'must not hold U+0000 or half of a surrogate pair'));
const optionalText = z.optional(unicode);
const filled = unicode.check(z.regex(/\S/, 'must not be empty'));
const integer = z.int('must be an integer');
const atLeast = (minimum: number) => integer.check(z.minimum(minimum, `must be ${minimum} or more`));
/** Whether the id exists is left to the service. */
const id = z.int('must be an integer');
const phoneNumber = text.check(z.regex(E164, 'must be an E.164 phone number, like +14155550100'));
const limit = atLeast(1);
const cappedLimit = limit.check(z.maximum(MAX_LIMIT, `must be ${MAX_LIMIT} or less`));
const offset = z._default(atLeast(0), 0);
const day = text.check(z.refine(isCalendarDate, 'must be a date that exists, as YYYY-MM-DD'));
const time = text.check(z.refine((value) => parseInstant(value) !== undefined, 'must be an ISO 8601 time'));

export const contact = z.object(
  {
    phone_number: phoneNumber,
    custom_first_line: optionalText,
    custom_instruction: optionalText,
    custom_identifiers: optionalText,
  },
  'must be an object',
);

declare const CHECKED: unique symbol;
/** A list in which every contact was checked. Only `checkContacts` makes one; it is frozen, so that it stays checked. */
export type CheckedContacts = readonly Contact[] & { readonly [CHECKED]: true };

/** Checks only that there is a contact; `checkContacts` checks each. */
const contacts = z
  .array(z.unknown(), 'must be an array')
  .check(z.minLength(1, 'must hold at least one contact')) as z.ZodMiniType as z.ZodMiniType<
  CheckedContacts,
  readonly Contact[]
>;

/** A contact as documented, with nothing that is null. */
export function isContact(value: unknown): value is Contact {
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
  return value === undefined || (typeof value === 'string' && isUnicode(value));
}

function isUnicode(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

// Responses -----------------------------------------------------------------------------------------------------------

/** Only `true`, not `"true"` or 1: success counts only if it is reported as documented. */
const success = z.literal(true, 'must be true');

/** A field that may have any type. It is kept as it came, so that one odd value does not make a whole page unreadable. */
const kept = z.optional(z.unknown());
const keptInteger = z.optional(z.transform(readInteger));
/** The id of what a POST made, outside of a list, must be an integer, because nothing else identifies it. */
const newId = z.pipe(z.transform(readInteger), z.int('must be an integer'));

/** Converts a text that spells an integer; returns any other value unchanged. */
function readInteger(value: unknown): unknown {
  const integer = typeof value === 'string' ? parseInteger(value) : undefined;
  return String(integer) === value ? integer : value;
}

/** Whether a value is a number, or an integer in a text, that may have been rounded. */
function isInexactId(value: unknown): boolean {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value));
  return isNumber && !Number.isSafeInteger(Number(value));
}

type Shape = Record<string, z.ZodMiniType>;
type Lists = Record<string, Shape>;

/** A text that services may send as a number. */
const callId = z.string('must be a string');

/** The kinds of fields that are checked when an answer is read. A field of any other kind is kept as it came. */
const LOOKED_AT = new Set<z.ZodMiniType>([id, callId, integer]);

/** Only the names of the documented fields are certain, not their types. */
type AsItComes<S> = { [K in keyof S]?: unknown } & Record<string, unknown>;

/**
 * Reads an item of a list: the same object, or a copy if integers came as texts. An id that may have been rounded is refused,
 * because an id that is off by one names something else.
 */
function item<S extends Shape>(documented: S) {
  const looked = Object.entries(documented).filter(([, schema]) => LOOKED_AT.has(schema));
  return z.pipe(
    z.custom<Record<string, unknown>>(isObject, 'must be an object'),
    z.transform((came, { issues }): AsItComes<S> => {
      let read = came;
      for (const [name, schema] of looked) {
        const value = schema === callId ? came[name] : readInteger(came[name]);
        const mustBeExact = schema === id || (schema === callId && typeof value === 'number');
        if (mustBeExact && isInexactId(value)) {
          issues.push({ code: 'custom', path: [name], message: 'must be an id that a number can hold', input: value });
        }
        if (value !== came[name]) read = { ...read, [name]: value };
      }
      return read as AsItComes<S>;
    }),
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A response with `success`, these lists and fields: its documented fields, and the schema that reads it. */
function response<F extends Shape, L extends Lists>(lists: L, fields: F) {
  let made: ReturnType<typeof reader<F, L>> | undefined;
  return {
    fields,
    lists,
    /** Made when it is first used, because most commands read the answers of one operation or of none. */
    get read() {
      made ??= reader(fields, lists);
      return made;
    },
  };
}

const NO_LISTS = {};

function reader<F extends Shape, L extends Lists>(fields: F, lists: L) {
  const readers = Object.entries(fields).map(([name, schema]) => [name, readerOf(schema)]);
  const listReaders = Object.entries(lists).map(([name, items]) => [name, z.array(item(items), 'must be an array')]);
  const shape = Object.fromEntries([['success', success], ...listReaders, ...readers]) as {
    success: typeof success;
  } & {
    [K in keyof L]: z.ZodMiniArray<ReturnType<typeof item<L[K]>>>;
  } & { [K in keyof F]: F[K] extends typeof newId ? F[K] : typeof kept };
  return z.looseObject(shape, 'must be an object');
}

function readerOf(schema: z.ZodMiniType): z.ZodMiniType {
  if (schema === newId) return newId;
  return schema === integer ? keptInteger : kept;
}

const callFields = {
  call_id: callId,
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

/** An entry of the call log as documented, and as the engine writes it. */
export const documentedCall = z.object(callFields);

const agentFields = {
  agent_id: id,
  agent_name: text,
  agent_description: text,
  status: text,
  voice_id: id,
  language: text,
  created_at: text,
  updated_at: text,
};

const voiceFields = {
  voice_id: id,
  voice_name: text,
  language: text,
  language_name: text,
  gender: text,
  accent: text,
  style: text,
  preview_url: text,
};

/** `limit`, if present, is the number of items in this response, not the number requested. */
const paging = { total: integer, limit: integer, offset: integer };

/** The total that a service reports; undefined if it is not a whole number. */
export function totalOf({ total }: { total?: unknown }): number | undefined {
  return Number.isSafeInteger(total) && Number(total) >= 0 ? Number(total) : undefined;
}

// The table -----------------------------------------------------------------------------------------------------------

/** What rings phones is a POST: a GET that failed is sent again. */
type Operation = ({ method: 'GET'; ringsPhones: false } | { method: 'POST'; ringsPhones: boolean }) & {
  path: `/${string}`;
  request: z.ZodMiniObject;
  response: { fields: Shape; lists: Lists; read: z.ZodMiniObject };
};

export const operations = {
  triggerCall: {
    method: 'POST',
    path: '/trigger-call',
    ringsPhones: true,
    request: z.object({
      use_agent_id: id,
      called_to: phoneNumber,
      call_from: unicode,
      custom_first_line: filled,
      custom_instruction: optionalText,
      called_by_account: z._default(unicode, DEFAULT_ACCOUNT),
      custom_identifiers: unicode,
    }),
    response: response(NO_LISTS, {
      sip_trunk_id: text,
      sip_call_to: text,
      room_name: text,
      participant_identity: text,
      participant_name: text,
    }),
  },
  createCampaign: {
    method: 'POST',
    path: '/create-campaign',
    ringsPhones: true,
    request: z.object({
      campaign_name: filled,
      agent_id: id,
      call_from: unicode,
      contacts,
      start_time: z.optional(time),
      calls_per_hour: z._default(atLeast(1), DEFAULT_CALLS_PER_HOUR),
      retry_attempts: z._default(atLeast(0), DEFAULT_RETRY_ATTEMPTS),
      retry_delay: z._default(atLeast(0), DEFAULT_RETRY_DELAY),
    }),
    response: response(NO_LISTS, {
      campaign_id: newId,
      campaign_name: text,
      status: text,
      total_contacts: integer,
    }),
  },
  getCallLogs: {
    method: 'GET',
    path: '/get-call-logs',
    ringsPhones: false,
    request: z
      .object({
        start_date: z.optional(day),
        end_date: z.optional(day),
        agent_id: z.optional(atLeast(0)),
        limit: z._default(cappedLimit, DEFAULT_LIMIT),
        offset,
      })
      .check(
        z.refine(
          ({ start_date, end_date }) => start_date === undefined || end_date === undefined || start_date <= end_date,
          { path: ['start_date'], message: 'must not be after end_date' },
        ),
      ),
    response: response({ calls: callFields }, paging),
  },
  createAgent: {
    method: 'POST',
    path: '/create-agent',
    ringsPhones: false,
    request: z.object({
      agent_name: filled,
      agent_description: optionalText,
      base_prompt: filled,
      voice_id: id,
      language: z._default(unicode, DEFAULT_LANGUAGE),
      greeting: optionalText,
      conversation_goal: optionalText,
    }),
    response: response(NO_LISTS, { agent_id: newId, agent_name: text, status: text }),
  },
  getAgents: {
    method: 'GET',
    path: '/get-agents',
    ringsPhones: false,
    request: z.object({
      status: z.optional(z.enum(AGENT_STATUSES, `must be one of ${AGENT_STATUSES.join(', ')}`)),
      limit: z._default(limit, DEFAULT_LIMIT),
      offset,
    }),
    response: response({ agents: agentFields }, paging),
  },
  getVoices: {
    method: 'GET',
    path: '/get-voices',
    ringsPhones: false,
    request: z.object({
      language: optionalText,
      gender: z.optional(z.enum(GENDERS, `must be one of ${GENDERS.join(', ')}`)),
    }),
    response: response({ voices: voiceFields }, { total: integer }),
  },
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

/** Whether it makes something that gets an id. */
export function givesId(operation: OperationName): boolean {
  return Object.values<z.ZodMiniType>(operations[operation].response.fields).includes(newId);
}

/** The request of a caller: fields with a default may be left out. */
export type RequestOf<K extends OperationName> = Requests[K];
type Requests = { [K in OperationName]: z.input<(typeof operations)[K]['request']> };
/** The request that a handler gets: defaults are filled in. */
export type CheckedRequest<K extends OperationName> = z.output<(typeof operations)[K]['request']>;
/** The response of a service: most fields may be missing or of another type. */
export type ResponseOf<K extends OperationName> = Responses[K];
type Responses = { [K in OperationName]: z.output<(typeof operations)[K]['response']['read']> };

/** The response of an engine: every documented field, of the documented type. */
export type AnswerOf<K extends OperationName> = Answers[K];
export type Answers = { [K in OperationName]: Documented<(typeof operations)[K]['response']> };
type Documented<R> = R extends { fields: infer F extends Shape; lists: infer L extends Lists }
  ? { success: true } & Fields<F> & { [N in keyof L]: Fields<L[N]>[] }
  : never;
type Fields<S extends Shape> = z.output<z.ZodMiniObject<S>>;

export type Contact = z.output<typeof contact>;
/** What identifies a contact: the number, and the operator's own identifier. */
export type ContactKey = Pick<Contact, 'phone_number' | 'custom_identifiers'>;
/** An entry as a service may send it: no field is certain, not even call_id. */
export type CallLogEntry = AsItComes<typeof callFields>;
export type Agent = AsItComes<typeof agentFields>;
/** The same as documented, and as the engine stores them. */
export type DocumentedCall = Fields<typeof callFields>;
export type DocumentedAgent = Fields<typeof agentFields>;
export type DocumentedVoice = Fields<typeof voiceFields>;

/** Sums over entries of the call log, wherever they are counted. Instants in milliseconds since the epoch. */
export interface CallCounts {
  /** Of each quarter of an hour that has calls, its start and the times of its first and last call. */
  quarters: readonly { start: number; isCompleted: boolean; calls: number; first: number; last: number }[];
  /** Of calls that are alike. `seconds` is null unless they are completed. */
  kinds: readonly { agentId: number; status: string; outcome: string; seconds: number | null; calls: number }[];
}

export interface Credentials {
  organization_id: number;
  api_key: string;
}

/** The id of the local engine's first organization, which is always there: its default. */
export const FIRST_ORGANIZATION = 1;
/** Its credentials. */
export const LOCAL_CREDENTIALS: Credentials = { organization_id: FIRST_ORGANIZATION, api_key: 'local-demo-key' };

/** Those of any organization of the local engine. */
export function localCredentials(organization_id: number): Credentials {
  if (organization_id === FIRST_ORGANIZATION) return LOCAL_CREDENTIALS;
  return { organization_id, api_key: `${LOCAL_CREDENTIALS.api_key}-${organization_id}` };
}

/** The operations as methods; `R` is what each resolves to. */
type Methods<R extends Record<OperationName, unknown>> = {
  [K in OperationName]: (request: RequestOf<K>) => Promise<R[K]>;
};

/** The service as one organization sees it. Methods reject with the errors of `errors.ts`. */
export type Service = Methods<Responses>;

/** A service by which nobody is called. */
export type SilentService = Omit<Service, RingingOperation>;

/** A Service whose methods all call `run` with the operation's name. */
export function serviceOf<R extends Responses = Responses>(
  run: <K extends OperationName>(operation: K, request: RequestOf<K>) => Promise<R[K]>,
): Methods<R> {
  const methods = operationNames.map((operation) => [
    operation,
    (request: RequestOf<typeof operation>) => run(operation, request),
  ]);
  return Object.fromEntries(methods) as Methods<R>;
}

/** The remote client is a Backend, the local engine is a Backend, and the HTTP server takes one. */
export type Backend = (credentials: Credentials) => Service;

type ListName = { [K in OperationName]: keyof (typeof operations)[K]['response']['lists'] }[OperationName];

/** The columns that the interface documents for the items of each list, in its order. */
export const listFields = Object.fromEntries(
  operationNames
    .flatMap((name) => Object.entries<Shape>(operations[name].response.lists))
    .map(([list, fields]) => [list, Object.keys(fields)]),
) as Record<ListName, string[]>;

// What rings phones ---------------------------------------------------------------------------------------------------

/** Every request of these passes the guards. Whoever adds one adds a row to `TRACES` and to `RINGING` of `register/ringing.ts`. */
export type RingingOperation = {
  [K in OperationName]: (typeof operations)[K]['ringsPhones'] extends true ? K : never;
}[OperationName];
/** Those that call a list of contacts; the others place one call. */
export type CampaignOperation = {
  [K in RingingOperation]: 'contacts' extends keyof RequestOf<K> ? K : never;
}[RingingOperation];
export type CallOperation = Exclude<RingingOperation, CampaignOperation>;

export const ringingOperations = operationNames.filter(
  (operation): operation is RingingOperation => operations[operation].ringsPhones,
);

export function callsContacts(operation: RingingOperation): operation is CampaignOperation {
  return 'contacts' in operations[operation].request.shape;
}

/** A request with the name of its operation. */
export interface Asked<K extends OperationName = OperationName> {
  operation: K;
  request: RequestOf<K>;
}

/** A request that rings phones. */
export type Sent = Asked<CallOperation> | Asked<CampaignOperation>;

export function ringsPhones(asked: Asked): asked is Sent {
  return operations[asked.operation].ringsPhones;
}

/** The same of a request, with its contacts or without them. */
export function isToContacts<R extends { operation: RingingOperation }>(
  request: R,
): request is Extract<R, { operation: CampaignOperation }> {
  return callsContacts(request.operation);
}

/** Such a request without its contacts: of a million, they are kept elsewhere. */
export type KeptRequest<K extends RingingOperation> = KeptRequests[K];
type KeptRequests = { [K in RingingOperation]: Omit<RequestOf<K>, 'contacts'> };

/** `to`: the one number that is called, in E.164. The guards judge a call by it, and the register keeps it. */
type TraceOf<K> = K extends CallOperation ? CallTrace & { to: string; identifiers?: string | undefined } : CallTrace;

const TRACES: { [K in RingingOperation]: (request: KeptRequest<K>) => TraceOf<K> } = {
  triggerCall: ({ use_agent_id, called_to, call_from, custom_identifiers }) => ({
    agentId: use_agent_id,
    from: call_from,
    to: called_to,
    identifiers: custom_identifiers,
  }),
  createCampaign: ({ agent_id, call_from, start_time }) => ({
    agentId: agent_id,
    from: call_from,
    startTime: start_time,
  }),
};

/** What finds the calls of a request in the call log. */
export function traceOf<K extends RingingOperation>(sent: { operation: K; request: KeptRequest<K> }): TraceOf<K> {
  return TRACES[sent.operation](sent.request);
}

// Checking ------------------------------------------------------------------------------------------------------------

export type Checked<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };

/** Checks a request of `operation` and fills in its defaults. Unknown fields are dropped; null counts as absent. */
export function checkRequest<K extends OperationName>(operation: K, raw: unknown): Checked<CheckedRequest<K>> {
  const checked = checkFields(operation, raw);
  if (!checked.ok || !hasContacts(checked.value)) return checked as Checked<CheckedRequest<K>>;
  const contacts = checkContacts(checked.value.contacts);
  if (!contacts.ok) return contacts;
  return { ok: true, value: { ...checked.value, contacts: contacts.value } as CheckedRequest<K> };
}

/** A checked request whose contacts were not checked one by one. */
export type CheckedFields<K extends OperationName> = {
  [F in keyof CheckedRequest<K>]: CheckedRequest<K>[F] extends CheckedContacts
    ? readonly unknown[]
    : CheckedRequest<K>[F];
};

/** Like `checkRequest`, but does not check the contacts one by one. */
export function checkFields<K extends OperationName>(operation: K, raw: unknown): Checked<CheckedFields<K>> {
  const given = withoutNulls(raw);
  const { request } = operations[operation];
  // The schema would copy a list of a million, so it gets only the first contact.
  const list = 'contacts' in request.shape && hasContacts(given) ? given.contacts : undefined;
  const result = request.safeParse(list === undefined ? given : { ...(given as object), contacts: list.slice(0, 1) });
  if (!result.success) {
    return { ok: false, issues: result.error.issues.slice(0, MAX_ISSUES).map((issue) => issueOf(issue, given)) };
  }
  const value = list === undefined ? result.data : { ...result.data, contacts: list };
  return { ok: true, value: value as CheckedFields<K> };
}

function hasContacts<T>(value: T): value is T & { contacts: readonly unknown[] } {
  return typeof value === 'object' && value !== null && 'contacts' in value && Array.isArray(value.contacts);
}

const checkedLists = new WeakSet<readonly unknown[]>();

/**
 * A list that was checked before is recognised and not checked again. A fast check passes nearly every contact; only the others
 * go through the schema, which copies each and names what is wrong.
 */
export function checkContacts(contacts: readonly unknown[]): Checked<CheckedContacts> {
  if (checkedLists.has(contacts)) return { ok: true, value: contacts as CheckedContacts };
  const issues: Issue[] = [];
  const list = [...contacts];
  for (const [at, value] of list.entries()) {
    if (isContact(value)) continue;
    const given = withoutNulls(value);
    if (isContact(given)) {
      list[at] = given;
      continue;
    }
    for (const issue of contact.safeParse(given).error?.issues ?? []) {
      const { field, message } = issueOf(issue, given);
      issues.push({ field: field === '' ? `contacts.${at}` : `contacts.${at}.${field}`, message });
    }
    if (issues.length >= MAX_ISSUES) break;
  }
  if (issues.length > 0) return { ok: false, issues: issues.slice(0, MAX_ISSUES) };
  checkedLists.add(Object.freeze(list));
  return { ok: true, value: list as readonly unknown[] as CheckedContacts };
}

/** Removes fields that are null: they count as absent. */
function withoutNulls(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || !Object.values(raw).includes(null) || Array.isArray(raw)) return raw;
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
}

function issueOf({ path, message }: { path: PropertyKey[]; message: string }, raw: unknown): Issue {
  const isAbsent = path.length > 0 && (raw as Record<PropertyKey, unknown> | undefined)?.[path[0] ?? ''] === undefined;
  return { field: path.join('.'), message: isAbsent ? REQUIRED : message };
}

/** The JSON type of a request field; undefined if the operation has no such field. */
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

/** Reads decimal digits whose value a double holds exactly; `1e3`, `0x10` and an empty text are undefined. */
export function parseInteger(value: string): number | undefined {
  if (!/^-?\d+$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The last day that was found to exist: most of the times that are read are of the same day as the one before. */
let lastDay = '';

/** Whether a text is `YYYY-MM-DD` and names a day that exists; 2026-02-30 does not. */
export function isCalendarDate(value: string): boolean {
  if (value === lastDay) return true;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(value)) return false;
  lastDay = value;
  return true;
}

/** The first and last instants that an ISO 8601 time of four-digit years can name, in milliseconds since the epoch. */
export const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z');
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

const ISO_TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * An ISO 8601 time in milliseconds since the epoch; undefined if the text is not one. Without an offset it is read as UTC;
 * `hasOffset` is for callers that must not guess the zone.
 */
export function parseInstant(value: string): { epochMs: number; hasOffset: boolean } | undefined {
  const [, date, minutes, seconds, zone] = ISO_TIME.exec(value) ?? [];
  if (date === undefined || !isCalendarDate(date)) return undefined;
  const epochMs = Date.parse(`${date}T${minutes ?? '00:00'}${seconds ?? ':00'}${zone ?? 'Z'}`);
  return Number.isNaN(epochMs) ? undefined : { epochMs, hasOffset: zone !== undefined };
}

/**
 * Every failure a person can meet, named by its consequence. The exit codes are those of the command line's contract;
 * `renderError` of `terminal/advice.ts` is the only place that shows an error.
 */

/** A field or line that is wrong: `field` is a path such as `contacts.3.phone_number`, or a flag. */
export interface Issue {
  field: string;
  message: string;
}

/** What finds the calls of a request in the call log. */
export interface CallTrace {
  agentId: number;
  from: string;
  /** Of a single call. */
  to?: string;
  /** ISO 8601, of a campaign that begins later. */
  startTime?: string | undefined;
}

/** Facts about a failure that decide what to do next. The core names no flag or command: `terminal/advice.ts` does. */
export type Reason =
  // The local engine
  | { kind: 'number_not_registered' }
  | { kind: 'agent_not_found' }
  | { kind: 'default_agent_not_found' }
  | { kind: 'organization_not_found' }
  | { kind: 'campaign_not_found' }
  | { kind: 'agent_not_active'; agentId: number }
  | { kind: 'balance_too_low' }
  | { kind: 'rates_incomplete' }
  // Its store. `damage`: what is wrong with the root, completing a sentence about it.
  | { kind: 'store_damaged'; damage?: string }
  | { kind: 'store_unreadable' }
  | { kind: 'store_foreign' }
  // `what`: of several machines it may be the register.
  | { kind: 'store_too_new'; what: string }
  | { kind: 'agent_cannot_call' }
  // Plans. `because`: why it was stopped.
  | { kind: 'plan_stopped'; planId: number; because: Reason | undefined }
  | { kind: 'wave_unknown'; planId: number }
  | { kind: 'wave_not_kept'; planId: number }
  | { kind: 'list_not_named'; planId: number; list: string }
  // A plan of another service. `organizationId`: that of the plan, where nothing else is another.
  | { kind: 'plan_elsewhere'; isLocal: boolean; organizationId?: number | undefined }
  // The server
  | { kind: 'cannot_listen' }
  // The register
  // `trace` and `at` are those of what was sent before; `organizationId` if that of the command line is another.
  | {
      kind: 'may_have_been_sent';
      isCampaign: boolean;
      trace: CallTrace;
      at: number;
      organizationId?: number | undefined;
    }
  | { kind: 'was_sent' }
  // `at`: when the list was made, in milliseconds since the epoch.
  | { kind: 'redial_too_old'; at: number; campaignIds: readonly number[] }
  // Rows that somebody else has written, and files that an earlier version has written beside them.
  | { kind: 'request_changed' }
  | { kind: 'contacts_changed' }
  // What is to be forgotten, and is not without force.
  | { kind: 'numbers_needed' }
  | { kind: 'plan_damaged'; planId: number }
  | { kind: 'plan_going_on'; planId: number }
  | { kind: 'sent_beside'; folder: string }
  | { kind: 'placed'; trace: CallTrace; at: number; campaignId?: number | undefined }
  | { kind: 'wave_placed'; planId: number }
  // Files of contacts. `line` looks like the header; `orLine` may be it as well.
  | { kind: 'header_below'; line: number; orLine?: number }
  | { kind: 'no_phone_column' }
  | { kind: 'several_columns'; field: string; first: string }
  | { kind: 'nul_in_header' }
  | { kind: 'unmarked_utf16'; encoding: string }
  | { kind: 'other_encoding'; isChosen: boolean; guess: string }
  | { kind: 'several_sheets'; sheets: readonly string[] }
  // Files of calls. `earlier`: the export that was cut off.
  | { kind: 'other_export'; earlier: string }
  | { kind: 'checkpoint_damaged' }
  | { kind: 'calls_of_other_agent'; agentId: number }
  | { kind: 'not_a_call_file' }
  // A remote service. `limit`: the words of the message for the time limit that ended the request (`within 30 s`).
  | { kind: 'refused'; status: number }
  | { kind: 'redirected' }
  // A file at an address that the service gave.
  | { kind: 'too_large' }
  | { kind: 'unanswered'; isTransient: boolean; limit?: string | undefined }
  | { kind: 'outcome_unknown'; limit?: string | undefined }
  | { kind: 'unreachable'; isUntrusted: boolean; limit?: string | undefined }
  | { kind: 'proxy_unreachable'; variable: string; limit?: string | undefined }
  | { kind: 'proxy_refused'; variable: string; isAboutCredentials: boolean };

export interface ErrorDetails {
  reason?: Reason | undefined;
  /** What to do next, as one sentence or command. It is shown after the advice for the reason. */
  hint?: string | undefined;
  issues?: Issue[] | undefined;
  /** Machine-readable code for JSON errors; each class has its own default. */
  code?: string;
  cause?: unknown;
}

/** The base of all expected failures. Anything that is not a `VagentError` is a bug and exits 1. */
export abstract class VagentError extends Error {
  abstract readonly exitCode: number;
  readonly code: string;
  readonly reason: Reason | undefined;
  readonly hint: string | undefined;
  readonly issues: Issue[];
  /** The HTTP status, if a service's answer caused the error. */
  readonly status: number | undefined = undefined;

  constructor(defaultCode: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = details.code ?? defaultCode;
    this.reason = details.reason;
    this.hint = details.hint;
    this.issues = details.issues ?? [];
  }
}

/** A class of failures that share an exit code; `defaultCode` is their machine-readable code unless the details have one. */
function failure<E extends number>(exitCode: E, defaultCode: string) {
  return class extends VagentError {
    readonly exitCode = exitCode;
    constructor(message: string, details?: ErrorDetails) {
      super(defaultCode, message, details);
    }
  };
}

/** The command line itself is wrong: nothing was done. */
export class UsageError extends failure(2, 'usage') {}

/** The input is wrong (a contacts file, a date range, a request body): nothing was done. */
export class InputError extends failure(3, 'invalid_input') {}

/** No key, an unreadable key, or one the service refuses. */
export class CredentialsError extends failure(4, 'credentials') {}

/** What was asked for does not exist. (A 404 of a service is a ServiceError.) */
export class NotFoundError extends failure(5, 'not_found') {}

/** The service could not be reached or failed, and nothing was done: it is safe to try again. */
export class UnavailableError extends failure(7, 'unavailable') {}

/** A call or campaign may have been placed. Repeating blindly may ring the same phone twice. */
export class OutcomeUnknownError extends VagentError {
  readonly exitCode = 8;
  constructor(
    message: string,
    details?: ErrorDetails,
    override readonly status: number | undefined = undefined,
  ) {
    super('outcome_unknown', message, details);
  }
}

/** The exit code of a wait if the call is over and was not completed. */
export const NOT_COMPLETED = 10;

/** The exit code of a run of a plan that goes on only when somebody has looked: it is stopped, waits, or lacks money. */
export const HALTED = 11;

/** The exit code of a wait whose time has passed before the call was seen to be over. */
export const TIMED_OUT = 12;

/** A call was placed, but the call log did not show it in time. */
export class UnseenError extends failure(TIMED_OUT, 'wait_timeout') {}

/** A local file or the store: missing, unreadable, locked, damaged, full, not writable. */
export class FileError extends failure(9, 'file') {}

/** Ctrl-C, or a prompt that was left. */
export class InterruptedError extends VagentError {
  readonly exitCode = 130;
  constructor(
    message = 'Interrupted.',
    details?: ErrorDetails,
    /** Whether a request was under way that may have been carried out. */
    readonly isOutcomeUnknown = false,
  ) {
    super('interrupted', message, details);
  }
}

/** Whether the request may have been carried out although it failed. */
export function leavesOutcomeUnknown(error: unknown): boolean {
  return error instanceof OutcomeUnknownError || (error instanceof InterruptedError && error.isOutcomeUnknown);
}

/**
 * The service answered, and its answer is a refusal. Thrown by the engine with the status it would answer over HTTP, and
 * by the remote client with the status it received; the server turns it back into a response.
 */
export class ServiceError extends VagentError {
  readonly exitCode: number;
  constructor(
    override readonly status: number,
    code: string,
    message: string,
    details: ErrorDetails = {},
  ) {
    super(code, message, details);
    this.exitCode = exitCodeOfStatus(status);
  }
}

/** Whether an error is the service's answer to a request, not a failure of the connection. */
export function isAnswer(error: unknown): error is VagentError {
  return error instanceof VagentError && error.status !== undefined;
}

/** Whether the same request may succeed a moment later: the meaning of exit code 7. */
export function isTransient(error: unknown): error is VagentError {
  return error instanceof VagentError && error.exitCode === 7;
}

/** A copy of the error, of the same class and exit code, with other words. */
export function reworded<E extends VagentError>(
  error: E,
  changes: Partial<Pick<VagentError, 'message' | 'hint' | 'reason'>>,
): E {
  const copy = Object.create(Object.getPrototypeOf(error), Object.getOwnPropertyDescriptors(error)) as E;
  for (const [name, value] of Object.entries(changes)) Object.defineProperty(copy, name, { value });
  return copy;
}

/** The message of an error, followed by its issues if it has several: for an error that does not end the command. */
export function inFull({ message, issues }: VagentError): string {
  const each = issues.length > 1 ? issues.map(({ field, message: fault }) => `\n  ${field}: ${fault}`) : [];
  return `${message}${each.join('')}`;
}

/** The time limit that ended a request, in the words of the message; undefined if something else ended it. */
export function limitOf({ reason }: VagentError): string | undefined {
  return reason !== undefined && 'limit' in reason ? reason.limit : undefined;
}

/** The message of an issue about a missing field. */
export const REQUIRED = 'is required';

/** The 400 of a request with invalid fields, with the same words and code wherever it is found. */
export function badRequest(issues: Issue[]): ServiceError {
  const code = issues.some(({ message }) => message === REQUIRED) ? 'missing_field' : 'invalid_parameter';
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const message = first === undefined ? 'The request is invalid.' : `${first.field} ${first.message}${more}.`;
  return new ServiceError(400, code, message, { issues });
}

function exitCodeOfStatus(status: number): number {
  if (status === 401 || status === 403) return 4;
  if (status === 402) return 6;
  if (status === 404) return 5;
  if (status === 429 || status >= 500) return 7;
  return 3;
}

/** The `code` of a Node system error (`ENOENT`, `ECONNREFUSED`), if `error` is one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

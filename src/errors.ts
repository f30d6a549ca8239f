/**
 * Every failure a person can meet, named by its consequence. The exit codes are those of the command line's contract;
 * `main.ts` is the only place that renders an error or turns it into an exit code.
 */

/** One field (or line) at fault: `field` is a path such as `contacts.3.phone_number`, or a flag. */
export interface Issue {
  field: string;
  message: string;
}

export interface ErrorDetails {
  /** What to do next, as one sentence or command. */
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
  readonly hint: string | undefined;
  readonly issues: Issue[];
  /** HTTP status, where a service's answer caused the error. */
  readonly status: number | undefined = undefined;

  constructor(defaultCode: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = details.code ?? defaultCode;
    this.hint = details.hint;
    this.issues = details.issues ?? [];
  }
}

/** The command line itself is wrong: nothing was done. */
export class UsageError extends VagentError {
  readonly exitCode = 2;
  constructor(message: string, details?: ErrorDetails) {
    super('usage', message, details);
  }
}

/** What was to be processed is wrong (a contacts file, a date range, a request body): nothing was done. */
export class InputError extends VagentError {
  readonly exitCode = 3;
  constructor(message: string, details?: ErrorDetails) {
    super('invalid_input', message, details);
  }
}

/** No key, an unreadable key, or one the service refuses. */
export class CredentialsError extends VagentError {
  readonly exitCode = 4;
  constructor(message: string, details?: ErrorDetails) {
    super('credentials', message, details);
  }
}

/** What was asked for is not there: everything was looked at, and nobody had to answer 404. */
export class NotFoundError extends VagentError {
  readonly exitCode = 5;
  constructor(message: string, details?: ErrorDetails) {
    super('not_found', message, details);
  }
}

/** The service could not be reached or failed, and surely nothing was done: it is safe to try again. */
export class UnavailableError extends VagentError {
  readonly exitCode = 7;
  constructor(message: string, details?: ErrorDetails) {
    super('unavailable', message, details);
  }
}

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

/** The exit code of a wait that ended with a call that was not completed, or without knowing what came of it. */
export const NOT_COMPLETED = 10;

/** A call was placed, and the call log did not show it for as long as was waited. */
export class UnseenError extends VagentError {
  readonly exitCode = NOT_COMPLETED;
  constructor(message: string, details?: ErrorDetails) {
    super('wait_timeout', message, details);
  }
}

/** A local file or the store: missing, unreadable, locked, damaged, full, not writable. */
export class FileError extends VagentError {
  readonly exitCode = 9;
  constructor(message: string, details?: ErrorDetails) {
    super('file', message, details);
  }
}

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

/** Whether what was asked for may have been done all the same. */
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

/** Whether an error is the service's answer to one request, rather than a failure of whatever carries it. */
export function isAnswer(error: unknown): error is VagentError {
  return error instanceof VagentError && error.status !== undefined;
}

/** Whether the same question may well be answered a moment later: exit code 7 says just that. */
export function isPassing(error: unknown): error is VagentError {
  return error instanceof VagentError && error.exitCode === 7;
}

/** The same failure, of the same exit code, told with what had been done before it. */
export function retold(error: VagentError, told: { message: string; hint: string | undefined }): VagentError {
  return Object.assign(error, told);
}

/** What an issue says of a field that is absent. */
export const REQUIRED = 'is required';

/** The 400 of a request with faulty fields, worded and coded alike wherever it is found. */
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

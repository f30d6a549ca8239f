/** What a service's reply means: a response, a refusal, or nothing that can be relied on. */
import { listFields, type OperationName, operations, type ResponseOf } from '../../contract.ts';
import { type Issue, OutcomeUnknownError, type Reason, ServiceError, UnavailableError } from '../../errors.ts';
import { asWritten, keepOriginal, NumberAsWritten } from '../../text/json.ts';

export interface Reply {
  status: number;
  /** The values of the headers Retry-After and Date. */
  retryAfter: string | undefined;
  date: string | undefined;
  body: string;
}

interface ReplyContext {
  baseUrl: URL;
  /** Masks the key in the service's words. */
  redact(text: string): string;
}

/** Returns the response, or throws the error that the reply stands for. */
export function readReply<K extends OperationName>(
  operation: K,
  { status, body }: Reply,
  { baseUrl: { host }, redact }: ReplyContext,
): ResponseOf<K> {
  const { method, path, response } = operations[operation];
  const isPost = method === 'POST';
  const isSuccess = status >= 200 && status < 300;

  if (isSuccess) {
    const value = parseJson(body);
    if ((value as { success?: unknown } | null | undefined)?.success !== false) {
      const read = response.read.safeParse(value);
      const original = value === undefined ? undefined : asWritten(body, value);
      if (read.success) return keepingOriginal(read.data, original as Fields) as ResponseOf<K>;
      const [issue] = read.error.issues;
      const why =
        value === undefined || issue === undefined ? described(redact(body)) : mismatch(issue, original, redact);
      throw unreadable(
        `${host} answered ${path} with ${status}, but not as the interface says: ${why}.`,
        isPost,
        status,
      );
    }
  }
  const safe = redact(body);
  const value = parseJson(safe);
  if (status >= 300 && status < 400) {
    const message = `${host} answered ${path} with a redirect (${status}), which is never followed: the key would go along.`;
    throw unreadable(message, isPost, status, { kind: 'redirected' });
  }
  const sentence = sentenceIn(value, safe);
  const hasFailed = status >= 500;
  // A status below 200 does not end an exchange, so the outcome is unknown.
  if (status < 200 || (hasFailed && isPost))
    throw unreadable(`${host} failed at ${path} (${status}): ${sentence}`, isPost, status);
  const message = hasFailed ? `${host} failed at ${path} (${status})` : `${path} was refused (${status})`;
  throw new ServiceError(status, machineCode(value) ?? `http_${status}`, `${message}: ${sentence}`, {
    reason: { kind: 'refused', status },
    issues: issuesOf(value),
  });
}

function unreadable(message: string, isPost: boolean, status: number, reason?: Reason): Error {
  if (isPost) return new OutcomeUnknownError(`${message} It may have been carried out.`, { reason }, status);
  return new UnavailableError(message, { reason: reason ?? { kind: 'unanswered', isTransient: true } });
}

type Fields = Record<string, unknown>;

/** Returns what was read; it and the items of its list are shown as the service sent them. */
function keepingOriginal(read: Fields, original: Fields): Fields {
  keepOriginal(read, original);
  for (const key of Object.keys(listFields)) {
    const came = original[key] as object[] | undefined;
    for (const [at, item] of ((read[key] ?? []) as object[]).entries()) {
      if (came?.[at] !== undefined && came[at] !== item) keepOriginal(item, came[at]);
    }
  }
  return read;
}

/** Describes an invalid field of a reply: where it is, what it must be, and what it is. */
function mismatch(
  { path, message }: { path: PropertyKey[]; message: string },
  reply: unknown,
  redact: ReplyContext['redact'],
): string {
  const place = path.join('.') || 'the answer';
  const value = path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown>)[key], reply);
  if (value === undefined) return `${place} is missing`;
  if (value instanceof NumberAsWritten) {
    const number = redact(value.text);
    return Number.isInteger(Number(number)) && !/e/i.test(number)
      ? `${place}: ${number} is too large to be read exactly`
      : `${place} ${message}, but is ${number}`;
  }
  const isNested = typeof value === 'object' && value !== null;
  const shown = isNested ? (Array.isArray(value) ? 'an array' : 'an object') : quote(redact(String(value)));
  return `${place} ${message}, but is ${typeof value === 'string' ? `"${shown}"` : shown}`;
}

/** The interface sets no limit to nesting, but a reply nested deeper than this could not be written as JSON again. */
const DEEPEST_REPLY = 200;

/** Undefined if the text is not JSON that can be read. */
function parseJson(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return isDeeper(value, DEEPEST_REPLY) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

/** Fields in which services put a sentence for people, the most useful first. */
const MESSAGE_FIELDS = ['message', 'detail', 'error_description', 'error', 'title', 'reason'];
const LONGEST_QUOTE = 300;
const DEEPEST_MESSAGE = 5;

/** The service's message, whatever its form: JSON with one of the usual fields, text, a web page, or nothing. */
function sentenceIn(value: unknown, body: string): string {
  return (messageIn(value) ?? described(body)).replace(/([^.?!…])$/, '$1.');
}

function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return quote(value) || undefined;
  if (typeof value !== 'object' || value === null || depth === DEEPEST_MESSAGE) return undefined;
  if (Array.isArray(value)) return messageIn(value[0], depth + 1);
  const fields = value as Record<string, unknown>;
  for (const name of [...MESSAGE_FIELDS, 'msg', 'errors']) {
    const found = messageIn(fields[name], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function described(body: string): string {
  if (body.trim() === '') return 'the answer was empty';
  if (!/^\s*</.test(body)) return quote(body);
  // A match cannot run over another tag: otherwise a page of opening tags would be searched anew from each of them.
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(body)?.[1] ?? /<h1[^<>]*>([^<]*)<\/h1>/i.exec(body)?.[1];
  return title === undefined ? 'it sent a web page' : `it sent a web page titled ${JSON.stringify(quote(title))}`;
}

/** Someone else's text in one short line, without characters that act on a terminal. */
function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;
}

function machineCode(value: unknown): string | undefined {
  const { error, code } = (value ?? {}) as { error?: unknown; code?: unknown };
  const candidate = typeof code === 'string' ? code : error;
  return typeof candidate === 'string' && /^[a-z0-9_.-]{1,60}$/i.test(candidate) ? candidate : undefined;
}

function issuesOf(value: unknown): Issue[] {
  const { issues } = (value ?? {}) as { issues?: unknown };
  if (!Array.isArray(issues)) return [];
  return issues.flatMap((issue: { field?: unknown; message?: unknown } | null) =>
    typeof issue?.field === 'string' && typeof issue.message === 'string'
      ? [{ field: issue.field, message: issue.message }]
      : [],
  );
}

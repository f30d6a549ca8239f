/** What a service's answer means: a response, a refusal, or nothing that can be relied on. */
import { type OperationName, operations, type ResponseOf } from '../contract.ts';
import { type Issue, OutcomeUnknownError, ServiceError, UnavailableError } from '../errors.ts';

const TRY_AGAIN = 'Nothing was changed: try again.';

/** What to do about a refusal. */
function nextStep(status: number, connection: string): string | undefined {
  if (status === 401) return `Check the key: vagent doctor${connection}`;
  if (status === 403) return `Check the key and what it may do: vagent doctor${connection}`;
  if (status === 402) return 'Top up the wallet of the organization, then try again.';
  if (status === 404) {
    return `Check the organization, agent, voice and number, and the path of the base URL: vagent doctor${connection}`;
  }
  if (status === 429) return 'The service asks for patience: wait, then try again.';
  return status >= 500 ? TRY_AGAIN : undefined;
}

export interface Answer {
  status: number;
  /** The headers of those names. */
  retryAfter: string | undefined;
  date: string | undefined;
  body: string;
}

export interface Reading {
  baseUrl: URL;
  /** The flags that say which service is meant, with a space before each. */
  connection: string;
  /** Masks the key in what the service said. */
  redact(text: string): string;
}

/** Returns the response, or throws what the answer means for whoever asked. */
export function readAnswer<K extends OperationName>(
  operation: K,
  { status, body }: Answer,
  { baseUrl: { host }, connection, redact }: Reading,
): ResponseOf<K> {
  const { method, path, response } = operations[operation];
  const isPost = method === 'POST';
  const isSuccess = status >= 200 && status < 300;

  if (isSuccess) {
    const value = parseJson(body);
    if ((value as { success?: unknown } | null | undefined)?.success !== false) {
      const read = response.safeParse(value);
      const inexact = hasInexact(value) ? inexactNumber(body) : undefined;
      if (read.success && inexact === undefined) return read.data as ResponseOf<K>;
      const [issue] = read.error?.issues ?? [];
      const why =
        value === undefined
          ? described(redact(body))
          : inexact === undefined && issue !== undefined
            ? fault(issue, value, redact)
            : `${inexact} is too large to be read exactly`;
      throw unreadable(
        `${host} answered ${path} with ${status}, but not as the interface says: ${why}.`,
        isPost,
        status,
      );
    }
  }
  const said = redact(body);
  const value = parseJson(said);
  if (status >= 300 && status < 400) {
    const message = `${host} answered ${path} with a redirect (${status}), which is never followed: the key would go along.`;
    throw unreadable(message, isPost, status, `Check the base URL: vagent doctor${connection}`);
  }
  const sentence = sentenceIn(value, said);
  const hasFailed = status >= 500;
  // Nothing below 200 ends an exchange: what comes of it nobody knows.
  if (status < 200 || (hasFailed && isPost))
    throw unreadable(`${host} failed at ${path} (${status}): ${sentence}`, isPost, status);
  const message = hasFailed ? `${host} failed at ${path} (${status})` : `${path} was refused (${status})`;
  throw new ServiceError(status, machineCode(value) ?? `http_${status}`, `${message}: ${sentence}`, {
    hint: nextStep(status, connection),
    issues: issuesOf(value),
  });
}

function unreadable(message: string, isPost: boolean, status: number, hint?: string): Error {
  if (!isPost) return new UnavailableError(message, { hint: hint ?? TRY_AGAIN });
  const said = `${message} It may have been carried out.`;
  return new OutcomeUnknownError(said, { hint }, status);
}

/** What is wrong with a part of an answer: where, what it must be, and what it is. */
function fault(
  { path, message }: { path: PropertyKey[]; message: string },
  answer: unknown,
  redact: Reading['redact'],
): string {
  const place = path.join('.') || 'the answer';
  const value = path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown>)[key], answer);
  if (value === undefined) return `${place} is missing`;
  const isNested = typeof value === 'object' && value !== null;
  const shown = isNested ? (Array.isArray(value) ? 'an array' : 'an object') : quote(redact(String(value)));
  return `${place} ${message}, but is ${typeof value === 'string' ? `"${shown}"` : shown}`;
}

/** Whether a number stands anywhere that may not be the one which was written: an integer beyond 2^53, or what is infinite. */
function hasInexact(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value) && !(Number.isFinite(value) && value % 1 !== 0);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasInexact);
}

/**
 * The first number of a JSON text that a double does not hold, wherever it stands: parsing would change it without a word.
 * With an exponent it was written as a double already, and only what is infinite then is refused.
 */
function inexactNumber(body: string): string | undefined {
  for (const [token] of body.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (!token.startsWith('"') && hasInexact(Number(token)) && (!/e/i.test(token) || !Number.isFinite(Number(token)))) {
      return token;
    }
  }
  return undefined;
}

/** Nothing says how deep an answer may go, but what goes deeper than this cannot be written down again. */
const DEEPEST_ANSWER = 200;

/** Undefined for what is no JSON that can be read. */
function parseJson(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return isDeeper(value, DEEPEST_ANSWER) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

/** Where services put the sentence for a person, the most telling first. */
const MESSAGE_FIELDS = ['message', 'detail', 'error_description', 'error', 'title', 'reason'];
const LONGEST_QUOTE = 300;
const DEEPEST_MESSAGE = 5;

/** What the service said, whatever the shape: JSON with one of the usual fields, text, a page, or nothing. */
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
  if (body.trim() === '') return 'it said nothing';
  if (!/^\s*</.test(body)) return quote(body);
  // No tag reaches into another: a page of nothing but beginnings would be searched anew from each.
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(body)?.[1] ?? /<h1[^<>]*>([^<]*)<\/h1>/i.exec(body)?.[1];
  return title === undefined ? 'it sent a web page' : `it sent a web page titled ${JSON.stringify(quote(title))}`;
}

/** One line of what somebody else wrote: short, and without anything that commands a terminal. */
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

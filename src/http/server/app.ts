/** Any Backend over HTTP: the contract's paths, its JSON, and errors in the form that the local engine's policy defines. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Backend,
  type Credentials,
  checkFields,
  fieldType,
  type OperationName,
  operationNames,
  operations,
  parseInteger,
  requestFields,
} from '../../contract.ts';
import { badRequest, type Issue, isAnswer, REQUIRED, ServiceError } from '../../errors.ts';
import type { JsonLimits } from '../../text/json-scan.ts';
import { heardOut, readBody } from './body.ts';

interface BodyLimits extends JsonLimits {
  /** For any body, and for one with a list in it. */
  bytes: number;
  bytesWithList: number;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  /** What the path means, if anything. */
  operation: OperationName | undefined;
}

/** Comes before every request is handled. It never resolves if it has cut the connection. */
export type Step = (exchange: Exchange, next: () => Promise<Reply>) => Promise<Reply>;

export interface AppOptions {
  backend: Backend;
  /**
   * Throws the operation's errors that do not depend on the items of a list, so that a long list is not parsed for a stranger.
   */
  admit(credentials: Credentials, operation: OperationName, request: object): Promise<void>;
  limits: BodyLimits;
  /** What every request passes first. */
  before: Step;
  /** Called with errors that the client sees only as a 500. */
  onFailure(error: unknown): void;
}

/** Milliseconds that a request is still received although its reply is known. */
const LINGERING = 5_000;

/** The function that replies to every request. */
export function createApp({ backend, admit, limits, before, onFailure }: AppOptions) {
  const handle = async ({ incoming, operation }: Exchange, url: URL, asked: Promise<Asked> | undefined) => {
    if (operation === undefined) throw new ServiceError(404, 'not_found', `There is no ${pathOf(url)} here.`);
    const { method, path } = operations[operation];
    if (incoming.method !== method) {
      const refused = new ServiceError(405, 'method_not_allowed', `${path} takes ${method} only.`);
      return { ...errorReply(refused), headers: { ...JSON_TYPE, allow: method } };
    }
    const { fields, list }: Asked = asked === undefined ? { fields: readQuery(operation, url) } : await asked;
    const { credentials, request } = splitCredentials(operation, fields);
    if (list !== undefined) {
      await admit(credentials, operation, request);
      request[list.name] = await list.parse();
    }
    const respond = backend(credentials)[operation] as (request: unknown) => Promise<object>;
    return jsonReply(200, await respond(request));
  };

  const failed = (error: unknown) => {
    if (!isAnswer(error)) onFailure(error);
    return errorReply(error);
  };

  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const url = urlOf(incoming);
    if (url === undefined) return send(incoming, outgoing, errorReply(UNREADABLE));
    const operation = operationNames.find((name) => operations[name].path === pathOf(url));
    const exchange = { incoming, outgoing, operation };
    // Starts at once, whatever steps come first: a request that arrived completely is carried out even if its sender has gone.
    const asked = incoming.method === 'POST' ? startReading(incoming, operation, limits) : undefined;
    const reply = await before(exchange, () => handle(exchange, url, asked).catch(failed));
    await send(incoming, outgoing, reply);
  };
}

const UNREADABLE = new ServiceError(400, 'invalid_parameter', 'The path cannot be read.');

/** Undefined for a path that some would read otherwise. */
function urlOf({ url = '' }: IncomingMessage): URL | undefined {
  return /^[^?]*\\/.test(url) ? undefined : new URL(`http://localhost${url}`);
}

function pathOf({ pathname }: URL): string {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}

type Fields = Record<string, unknown>;

/** A request's fields. A list too long to be parsed before the key is checked is kept apart. */
interface Asked {
  fields: Fields;
  list?: { name: string; parse(): Promise<unknown[]> };
}

/** Starts reading the body of a POST that has one; errors are reported when the result is used. */
function startReading(incoming: IncomingMessage, operation: OperationName | undefined, limits: BodyLimits) {
  if (operation === undefined || operations[operation].method !== 'POST') return undefined;
  const asked = readFields(incoming, operation, limits);
  asked.catch(() => {});
  return asked;
}

async function readFields(incoming: IncomingMessage, operation: OperationName, limits: BodyLimits): Promise<Asked> {
  const { 'content-type': type, 'content-encoding': encoding } = incoming.headers;
  requireJson(type, encoding);
  const isList = (name: string) => fieldType(operation, name) === 'array';
  const known = ['organization_id', 'api_key', ...requestFields(operation)];
  const body = await readBody(incoming, known.some(isList) ? limits.bytesWithList : limits.bytes, limits);
  const asked: Asked = { fields: {} };
  for (const name of known) {
    if (!body.has(name)) continue;
    if (body.size(name) <= limits.bytes) asked.fields[name] = body.parse(name);
    else if (isList(name) && body.isArray(name)) {
      // Before the key is checked, it need only be a list that is not empty.
      asked.fields[name] = [null];
      asked.list = { name, parse: () => body.parseList(name) };
    } else throw badRequest([{ field: name, message: `must take ${limits.bytes} bytes or fewer` }]);
  }
  return asked;
}

function requireJson(contentType = '', contentEncoding = 'identity'): void {
  if (contentType.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw new ServiceError(415, 'unsupported_media_type', 'Send the body as application/json.');
  }
  if (contentEncoding.trim().toLowerCase() !== 'identity') {
    throw new ServiceError(415, 'unsupported_media_type', 'Send the body as it is, in no encoding.');
  }
}

/** Query values in the contract's types: a text that is not a plain integer stays text, so that the check refuses it. */
function readQuery(operation: OperationName, { search, searchParams }: URL): Fields {
  const fields: Fields = {};
  for (const [name, value] of searchParams) {
    const isKnown = fieldType(operation, name) !== undefined;
    if (isKnown && value.includes(REPLACED) && !isUtf8(search))
      throw badRequest([{ field: name, message: 'must be UTF-8' }]);
    const isInteger = name === 'organization_id' || fieldType(operation, name) === 'integer';
    // A repeated parameter has no valid value in any field's type.
    if (Object.hasOwn(fields, name)) fields[name] = [];
    else fields[name] = isInteger && /^\d+$/.test(value) ? (parseInteger(value) ?? value) : value;
  }
  return fields;
}

/** Stands for what could not be read, unless it was sent. */
const REPLACED = '\ufffd';

/** Whether bytes that are written as %E4 and the like are UTF-8. */
function isUtf8(search: string): boolean {
  try {
    decodeURIComponent(search.replace(/%(?![\da-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

/** Removes the credentials; if they are missing or malformed, all errors of the request are reported at once. */
function splitCredentials(
  operation: OperationName,
  { organization_id, api_key, ...request }: Fields,
): { credentials: Credentials; request: Fields } {
  if (Number.isSafeInteger(organization_id) && typeof api_key === 'string' && api_key !== '') {
    return { credentials: { organization_id: organization_id as number, api_key }, request };
  }
  const issues: Issue[] = [];
  const wrong = (value: unknown, message: string) => (value === undefined || value === null ? REQUIRED : message);
  if (!Number.isSafeInteger(organization_id)) {
    issues.push({ field: 'organization_id', message: wrong(organization_id, 'must be an integer') });
  }
  if (typeof api_key !== 'string' || api_key === '') {
    issues.push({ field: 'api_key', message: wrong(api_key, 'must be a string that is not empty') });
  }
  const checked = checkFields(operation, request);
  throw badRequest(checked.ok ? issues : [...issues, ...checked.issues]);
}

const JSON_TYPE = { 'content-type': 'application/json' };

function jsonReply(status: number, value: object): Reply {
  return { status, headers: JSON_TYPE, body: JSON.stringify(value) };
}

/** An error as a reply: the service's replies unchanged, anything else as a 500 that reveals nothing internal. */
export function errorReply(error: unknown): Reply {
  const known = isAnswer(error) ? error : new ServiceError(500, 'server_error', 'The server failed.');
  const { status = 500, code, message, issues } = known;
  return jsonReply(status, { success: false, error: code, message, ...(issues.length > 0 ? { issues } : {}) });
}

/** Sends a reply once the request has arrived. */
export async function send(incoming: IncomingMessage, outgoing: ServerResponse, reply: Reply): Promise<void> {
  await heardOut(incoming, LINGERING);
  const { status, headers, body } = reply;
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Any Backend over HTTP: the contract's paths, its JSON, and errors in the form that the local engine's policy defines. */
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
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
} from '../contract.ts';
import { badRequest, type Issue, isAnswer, REQUIRED, ServiceError, type VagentError } from '../errors.ts';
import type { JsonLimits } from '../text/json-scan.ts';
import { readBody } from './body.ts';

export interface BodyLimits extends JsonLimits {
  /** For any body, and for one with a list in it. */
  bytes: number;
  bytesWithList: number;
}

type Env = { Bindings: HttpBindings; Variables: { asked: Promise<Asked> } };

export interface AppOptions {
  backend: Backend;
  /**
   * Throws the operation's errors that do not depend on the items of a list, so that a long list is not parsed for a stranger.
   */
  admit(credentials: Credentials, operation: OperationName, request: object): Promise<void>;
  limits: BodyLimits;
  /** Handlers that every request passes first, in order. */
  before: readonly MiddlewareHandler[];
  /** Called with errors that the client sees only as a 500. */
  onFailure(error: unknown): void;
}

export function createApp({ backend, admit, limits, before, onFailure }: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  for (const operation of operationNames) {
    const { method, path } = operations[operation];
    // Starts at once, whatever handlers come first: a request that arrived completely is carried out even if its sender has
    // gone.
    if (method === 'POST') app.use(path, startReading(operation, limits));
  }
  for (const middleware of before) app.use(middleware);

  for (const operation of operationNames) {
    const { method, path } = operations[operation];
    app.all(path, async ({ req, json, get }) => {
      if (req.method !== method) return methodNotAllowed(path, method);
      const { fields, list }: Asked =
        method === 'GET' ? { fields: readQuery(operation, new URL(req.url)) } : await get('asked');
      const { credentials, request } = splitCredentials(operation, fields);
      if (list !== undefined) {
        await admit(credentials, operation, request);
        request[list.name] = await list.parse();
      }
      const respond = backend(credentials)[operation] as (request: unknown) => Promise<object>;
      return json(await respond(request));
    });
  }

  app.notFound(({ req }) => errorResponse(new ServiceError(404, 'not_found', `There is no ${req.path} here.`)));
  app.onError((error) => {
    if (!isAnswer(error)) onFailure(error);
    return errorResponse(error);
  });
  return app;
}

function methodNotAllowed(path: string, method: string): Response {
  const response = errorResponse(new ServiceError(405, 'method_not_allowed', `${path} takes ${method} only.`));
  response.headers.set('allow', method);
  return response;
}

type Fields = Record<string, unknown>;

/** A request's fields. A list too long to be parsed before the key is checked is kept apart. */
interface Asked {
  fields: Fields;
  list?: { name: string; parse(): Promise<unknown[]> };
}

/** Starts reading a request's body; errors are reported when the result is used. */
function startReading(operation: OperationName, limits: BodyLimits): MiddlewareHandler<Env> {
  const isList = (name: string) => fieldType(operation, name) === 'array';
  const known = ['organization_id', 'api_key', ...requestFields(operation)];
  const maxBytes = known.some(isList) ? limits.bytesWithList : limits.bytes;

  const read = async ({ req, env }: Context<Env>): Promise<Asked> => {
    requireJson(req.header('content-type'), req.header('content-encoding'));
    const body = await readBody(env.incoming, maxBytes, limits);
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
  };

  return (context, next) => {
    if (context.req.method === 'POST') {
      const asked = read(context);
      asked.catch(() => {});
      context.set('asked', asked);
    }
    return next();
  };
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

/** An error as a response: the service's answers unchanged, anything else as a 500 that reveals nothing internal. */
export function errorResponse(error: unknown): Response {
  const answer = isAnswer(error) ? error : new ServiceError(500, 'server_error', 'The server failed.');
  return Response.json(errorBody(answer), { status: answer.status ?? 500 });
}

export function errorBody({ code, message, issues }: VagentError): object {
  return { success: false, error: code, message, ...(issues.length > 0 ? { issues } : {}) };
}

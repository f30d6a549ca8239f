/** Any Backend over HTTP: the contract's paths, its JSON, and errors in the shape of the local engine's policy. */
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import {
  type Backend,
  type Credentials,
  checkRequest,
  fieldType,
  type OperationName,
  operationNames,
  operations,
  parseInteger,
} from '../contract.ts';
import { badRequest, type Issue, isAnswer, REQUIRED, ServiceError } from '../errors.ts';

export interface AppOptions {
  backend: Backend;
  /** Bytes of a request body. */
  maxBodyBytes: number;
  /** What every request passes first, in order. */
  before: readonly MiddlewareHandler[];
  /** Hears of what the client is only told as a 500. */
  onFailure(error: unknown): void;
}

export function createApp({ backend, maxBodyBytes, before, onFailure }: AppOptions): Hono {
  const app = new Hono();
  for (const middleware of before) app.use(middleware);
  const tooLarge = bodyLimit({
    maxSize: maxBodyBytes,
    onError: () => {
      throw new ServiceError(413, 'payload_too_large', `A request body has at most ${maxBodyBytes} bytes.`);
    },
  });

  for (const operation of operationNames) {
    const { method, path } = operations[operation];
    if (method === 'POST') app.use(path, requirePost(path), tooLarge);
    app.all(path, async ({ req, json }) => {
      if (req.method !== method) throw methodNotAllowed(path, method);
      const fields =
        method === 'GET' ? readQuery(operation, new URL(req.url).searchParams) : readBody(await req.text());
      const { credentials, request } = splitCredentials(operation, fields);
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

/** Method, then media type, before a byte of the body is read. */
function requirePost(path: string) {
  return async (
    { req }: { req: { method: string; header(name: string): string | undefined } },
    next: () => Promise<void>,
  ) => {
    if (req.method !== 'POST') throw methodNotAllowed(path, 'POST');
    const mediaType = (req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
    if (mediaType !== 'application/json') {
      throw new ServiceError(415, 'unsupported_media_type', 'Send the body as application/json.');
    }
    await next();
  };
}

function methodNotAllowed(path: string, method: string): ServiceError {
  return new ServiceError(405, 'method_not_allowed', `${path} takes ${method} only.`);
}

type Fields = Record<string, unknown>;

function readBody(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError(400, 'invalid_json', 'The body is not JSON.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new ServiceError(400, 'invalid_json', 'The body must be a JSON object.');
}

/** Query values typed as the contract says: what is no plain integer stays text, and the check refuses it. */
function readQuery(operation: OperationName, query: URLSearchParams): Fields {
  const fields: Fields = {};
  for (const [name, value] of query) {
    const isInteger = name === 'organization_id' || fieldType(operation, name) === 'integer';
    // A repeated parameter is no value of any field's type.
    if (Object.hasOwn(fields, name)) fields[name] = null;
    else fields[name] = isInteger ? (parseInteger(value) ?? value) : value;
  }
  return fields;
}

/** Takes the credentials off; where they are missing or malformed, every fault of the request is told at once. */
function splitCredentials(
  operation: OperationName,
  { organization_id, api_key, ...request }: Fields,
): { credentials: Credentials; request: Fields } {
  if (Number.isSafeInteger(organization_id) && typeof api_key === 'string' && api_key !== '') {
    return { credentials: { organization_id: organization_id as number, api_key }, request };
  }
  const issues: Issue[] = [];
  if (!Number.isSafeInteger(organization_id)) {
    issues.push({ field: 'organization_id', message: organization_id === undefined ? REQUIRED : 'must be an integer' });
  }
  if (typeof api_key !== 'string' || api_key === '') {
    issues.push({ field: 'api_key', message: api_key === undefined ? REQUIRED : 'must be a string that is not empty' });
  }
  const checked = checkRequest(operation, request);
  throw badRequest(checked.ok ? issues : [...issues, ...checked.issues]);
}

/** An error as a response: the service's answers as they are, anything else as a 500 that tells nothing of the inside. */
export function errorResponse(error: unknown): Response {
  const answer = isAnswer(error) ? error : new ServiceError(500, 'server_error', 'The server failed.');
  const { code, message, issues, status } = answer;
  return Response.json(
    { success: false, error: code, message, ...(issues.length > 0 ? { issues } : {}) },
    { status: status ?? 500 },
  );
}

/** The local engine as a Backend: the service over the store, for whoever holds its organization's key. */
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type Backend,
  type CheckedRequest,
  type Credentials,
  checkRequest,
  type OperationName,
  operations,
  type RequestOf,
  type ResponseOf,
  serviceOf,
} from '../contract.ts';
import { type Handler, handlers, type Reads } from '../engine/handlers.ts';
import type { State } from '../engine/state.ts';
import { badRequest, ServiceError } from '../errors.ts';
import type { Transaction } from './store.ts';
import type { Timeline } from './timeline.ts';

export function localBackend(timeline: Timeline): Backend {
  return (credentials) => serviceOf((operation, request) => run(timeline, credentials, operation, request));
}

async function run<K extends OperationName>(
  timeline: Timeline,
  credentials: Credentials,
  operation: K,
  raw: RequestOf<K>,
): Promise<ResponseOf<K>> {
  const checked = checkRequest(operation, raw);
  if (!checked.ok) throw badRequest(checked.issues);
  const handler = handlers[operation] as Handler<K>;

  if (operations[operation].method === 'GET') {
    const { snapshot, now } = await timeline.read();
    authorize(snapshot.state, credentials);
    const callPage: Reads['callPage'] = (filter, limit, offset) => snapshot.callPage(filter, limit, offset);
    return handler(snapshot.state, checked.value, { now, callPage }).response;
  }
  return timeline.change((transaction, now) => {
    authorize(transaction.state, credentials);
    return apply(transaction, handler, checked.value, now);
  });
}

function apply<K extends OperationName>(
  transaction: Transaction,
  handler: Handler<K>,
  request: CheckedRequest<K>,
  now: number,
): ResponseOf<K> {
  const callPage = () => {
    throw new Error('an operation that changes the store reads no pages');
  };
  const { response, effects } = handler(transaction.state, request, { now, callPage });
  if (effects?.call !== undefined) transaction.appendCall(effects.call);
  if (effects?.contacts !== undefined) {
    transaction.addContacts(effects.contacts.campaignId, effects.contacts.contacts);
  }
  return response;
}

function authorize({ organization }: State, { organization_id, api_key }: Credentials): void {
  if (organization_id !== organization.organization_id) {
    throw new ServiceError(404, 'organization_not_found', `There is no organization ${organization_id}.`);
  }
  if (!isSameKey(api_key, organization.api_key)) {
    throw new ServiceError(401, 'invalid_api_key', 'The API key is not that of the organization.');
  }
}

/** In constant time: digests have one length, whatever the keys' lengths. */
function isSameKey(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

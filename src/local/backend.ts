/** The local engine as a Backend: the service over the store, for callers with its organization's key. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AnswerOf,
  type Answers,
  type Backend,
  type CheckedFields,
  type CheckedRequest,
  type Credentials,
  checkContacts,
  checkFields,
  givesId,
  type OperationName,
  operations,
  type RequestOf,
  serviceOf,
} from '../contract.ts';
import { requireBounds, requireContactBounds } from '../engine/bounds.ts';
import { callsAsked, type Handler, handlers } from '../engine/handlers.ts';
import type { State } from '../engine/state.ts';
import { badRequest, ServiceError } from '../errors.ts';
import type { Timeline } from './timeline.ts';

/** The timeline of an organization; undefined if there is none with this id. */
export type TimelineOf = (organizationId: number) => Promise<Timeline | undefined>;

export function localBackend(timelineOf: TimelineOf): Backend {
  return (credentials) => serviceOf<Answers>((operation, request) => run(timelineOf, credentials, operation, request));
}

/**
 * Runs all checks of a request except those of its single contacts, and throws as the operation would: a long list need not be
 * read for someone without the key.
 */
export type Admit = (credentials: Credentials, operation: OperationName, raw: unknown) => Promise<void>;

export function localAdmission(timelineOf: TimelineOf): Admit {
  return async (credentials, operation, raw) => {
    requireFields(operation, raw);
    const timeline = await requireOrganization(timelineOf, credentials.organization_id);
    authorize((await timeline.stored()).state, credentials);
  };
}

async function run<K extends OperationName>(
  timelineOf: TimelineOf,
  credentials: Credentials,
  operation: K,
  raw: RequestOf<K>,
): Promise<AnswerOf<K>> {
  const fields = requireFields(operation, raw);
  const handler = handlers[operation] as Handler<K>;
  const timeline = await requireOrganization(timelineOf, credentials.organization_id);

  if (operations[operation].method === 'GET') {
    const { snapshot, now } = await timeline.read((stored) => authorize(stored, credentials));
    const asked = operation === 'getCallLogs' ? (fields as CheckedRequest<'getCallLogs'>) : undefined;
    const page = asked && (await snapshot.callPage(callsAsked(asked), asked.limit, asked.offset));
    return handler(snapshot.state, fields as CheckedRequest<K>, { now, page }).response;
  }
  let request = fields as CheckedRequest<OperationName>;
  if (operation === 'createCampaign') {
    // A stranger's contacts are not checked; and nobody waits for the store while contacts are checked.
    authorize((await timeline.stored()).state, credentials);
    request = await withContacts(fields as CheckedFields<'createCampaign'>);
  }
  return timeline.change((transaction, now) => {
    authorize(transaction.state, credentials);
    const answer = () => {
      const { response, effects } = handler(transaction.state, request as CheckedRequest<K>, { now });
      if (effects?.call !== undefined) transaction.appendCall(effects.call);
      const added = effects?.contacts;
      if (added !== undefined) transaction.addContacts(added.campaignId, added.contacts);
      return response;
    };
    return givesId(operation) ? transaction.issueIds(answer) : answer();
  });
}

/** Throws the 404 that says that there is none. */
export async function requireOrganization(timelineOf: TimelineOf, organizationId: number): Promise<Timeline> {
  const timeline = await timelineOf(organizationId);
  if (timeline !== undefined) return timeline;
  throw new ServiceError(404, 'organization_not_found', `There is no organization ${organizationId}.`, {
    reason: { kind: 'organization_not_found' },
  });
}

/** Reports missing and wrong fields first, then those beyond the engine's bounds. Throws the 400 that names them. */
function requireFields<K extends OperationName>(operation: K, raw: unknown): CheckedFields<K> {
  const checked = checkFields(operation, raw);
  if (!checked.ok) throw badRequest(checked.issues);
  requireBounds(checked.value);
  return checked.value;
}

const CONTACTS_AT_ONCE = 20_000;

/**
 * A campaign with each of its contacts checked. There may be a million: others get a turn meanwhile. Throws the 400 that names
 * the invalid ones.
 */
async function withContacts(request: CheckedFields<'createCampaign'>): Promise<CheckedRequest<'createCampaign'>> {
  await nextTurn();
  const checked = checkContacts(request.contacts);
  if (!checked.ok) throw badRequest(checked.issues);
  for (let from = 0; from < checked.value.length; from += CONTACTS_AT_ONCE) {
    await nextTurn();
    requireContactBounds(checked.value, from, from + CONTACTS_AT_ONCE);
  }
  return { ...request, contacts: checked.value };
}

function authorize({ organization }: State, { api_key }: Credentials): void {
  if (!isSameKey(api_key, organization.api_key)) {
    throw new ServiceError(401, 'invalid_api_key', 'The API key is not that of the organization.');
  }
}

/**
 * In a time that depends only on the length of the given key. Written here, because to load node:crypto takes longer than a
 * command's own work.
 */
function isSameKey(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at % expected.length);
  }
  return difference === 0;
}

/** Checks of the local engine: its store at a glance, and what a call from it needs. Nothing is written. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { fromMicros } from '../engine/money.ts';
import { CALLING_AGENT_STATUS, MINIMUM_BALANCE } from '../engine/policy.ts';
import { DEFAULT_SEED, initialState, type State } from '../engine/state.ts';
import { CredentialsError, FileError, InputError, NotFoundError, ServiceError } from '../errors.ts';
import { fileError, systemFiles } from '../files.ts';
import { segmentPath } from '../local/call-log.ts';
import { campaignFolder } from '../local/queues.ts';
import { type Root, readRoot } from '../local/root.ts';
import type { Check } from './check.ts';
import { countryCheck, judgeAgent, mend, NONE_IS_SET } from './defaults.ts';
import { requireWritableFolder } from './settings.ts';

export function localChecks(context: Context): Check[] {
  const root = () => readRoot(systemFiles, context.settings.store)?.root;
  // A store that is not there yet is looked at as it will be made.
  const state = () => root()?.state ?? initialState({ seed: DEFAULT_SEED, now: context.systemNow(), empty: false });
  return [
    { name: 'store', what: 'store', needs: ['base_url'], look: () => glance(context, root()) },
    { name: 'key', what: 'key', needs: ['store', 'organization'], look: () => key(context, state()) },
    { name: 'balance', what: 'balance', needs: ['store'], look: () => balance(state()) },
    { name: 'agent', what: 'default agent', needs: ['store'], look: () => agent(context, state()) },
    { name: 'from', what: 'default from number', needs: ['store'], look: () => fromNumber(context, state()) },
    countryCheck(context),
  ];
}

/** The root, and whether what it commits is there: reading all of it is left to `vagent local check`. */
function glance({ settings: { store } }: Context, root: Root | undefined): string {
  requireWritableFolder(store, 'Name another with --store or VAGENT_STORE, or give yourself the right to write it.');
  if (root === undefined) return `${store} is made by the first change`;
  const files = [
    ...root.segments.map(({ seq, bytes }) => ({ path: segmentPath(store, seq), bytes })),
    ...root.queues.flatMap(({ campaign_id, contacts, retries }) => [
      { path: join(campaignFolder(store, campaign_id), 'contacts.jsonl'), bytes: contacts.bytes },
      { path: join(campaignFolder(store, campaign_id), 'retries.jsonl'), bytes: retries.bytes },
    ]),
  ];
  for (const { path, bytes } of files) {
    if (bytes === 0 || sizeOf(path) >= bytes) continue;
    const hint = 'vagent local check tells every damage; --repair keeps what is whole.';
    throw new FileError(`The store is damaged: ${path} is missing or cut off.`, { hint });
  }
  return `${store} is sound at a glance (vagent local check reads all of it)`;
}

function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    throw fileError(error, 'read', path);
  }
}

async function key(context: Context, { organization: held }: State): Promise<string> {
  const { organization_id, api_key } = await context.credentials();
  if (organization_id !== held.organization_id) {
    throw new NotFoundError(`There is no organization ${organization_id} in the store.`, {
      hint: `Its organization is ${held.organization_id}.`,
    });
  }
  const { source } = await context.key();
  if (api_key === held.api_key) return `from ${source}`;
  throw new CredentialsError(`The key from ${source} is not that of the store's organization.`, {
    hint: 'Leave it out: the local engine needs none.',
  });
}

function balance({ organization }: State): string {
  const [amount, minimum] = [organization.balance, MINIMUM_BALANCE].map(fromMicros);
  if (organization.balance >= MINIMUM_BALANCE) return String(amount);
  throw new ServiceError(402, 'insufficient_balance', `The balance is ${amount}, below the minimum of ${minimum}.`, {
    hint: 'vagent local topup 10',
  });
}

function agent(context: Context, { agents }: State): string {
  const agentId = context.settings.profile?.agent_id;
  const withId = agents.find(({ agent_id }) => agent_id === agentId);
  if (agentId !== undefined) return judgeAgent(context, agentId, withId);
  const active = agents.filter(({ status }) => status === CALLING_AGENT_STATUS).length;
  if (active > 0) return `${NONE_IS_SET}; ${active} of ${agents.length} agents can call`;
  throw new InputError('The store has no active agent.', {
    hint: 'vagent agent create, or vagent local agent <id> --status active',
  });
}

function fromNumber(context: Context, { organization: { numbers } }: State): string {
  const from = context.settings.profile?.from;
  if (from === undefined && numbers.length > 0) return `${NONE_IS_SET}; registered: ${numbers.join(', ')}`;
  if (from === undefined)
    throw new NotFoundError('No number is registered.', { hint: 'vagent local number add <number>' });
  if (numbers.includes(from)) return `${from}, registered`;
  throw new NotFoundError(`${from} is not registered.`, {
    hint: `vagent local number add ${from}, or: ${mend(context, '--from <number>')}`,
  });
}

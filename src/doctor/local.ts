/** Checks of the local engine: a quick check of its store, and what a call needs. Nothing is written. */
import type { Context } from '../context.ts';
import { fromMicros } from '../engine/money.ts';
import { CALLING_AGENT_STATUS, MINIMUM_BALANCE } from '../engine/policy.ts';
import type { State } from '../engine/state.ts';
import { CredentialsError, InputError, NotFoundError, ServiceError } from '../errors.ts';
import { isDatabase } from '../files/store-place.ts';
import type { Check } from './check.ts';
import { databaseChecks } from './database.ts';
import { addedAgain, countryCheck, judgeAgent, NONE_IS_SET } from './defaults.ts';
import { requireWritableFolder } from './writable.ts';

export function localChecks(context: Context): Check[] {
  // A store that does not exist yet is checked as it will be created.
  const state = async () => (await (await context.local()).store.snapshot()).state;
  return [
    { name: 'store', what: 'store', needs: ['base_url'], look: () => glance(context) },
    ...(isOverDatabase(context) ? databaseChecks(context) : []),
    { name: 'key', what: 'key', needs: ['store', 'organization'], look: async () => key(context, await state()) },
    { name: 'balance', what: 'balance', needs: ['store'], look: async () => balance(await state()) },
    { name: 'agent', what: 'default agent', needs: ['store'], look: async () => agent(context, await state()) },
    {
      name: 'from',
      what: 'default from number',
      needs: ['store'],
      look: async () => fromNumber(context, await state()),
    },
    countryCheck(context),
  ];
}

/** That the place of the store is none is told where it is opened. */
function isOverDatabase({ settings }: Context): boolean {
  try {
    return isDatabase(settings.store());
  } catch {
    return false;
  }
}

/** Checks that everything the store has committed is there. `vagent local check` reads all of it. */
async function glance(context: Context): Promise<string> {
  const { store } = await context.local();
  const { location } = store;
  await store.snapshot();
  if (!isDatabase(context.settings.store()))
    requireWritableFolder(
      location,
      'Name another with --store or VAGENT_STORE, or give yourself the right to write it.',
    );
  if ((await store.glance()) === 'new') return `${location} will be created by the first change`;
  return `${location} looks sound (vagent local check reads all of it)`;
}

async function key(context: Context, { organization: held }: State): Promise<string> {
  const { api_key } = await context.settings.credentials();
  const { source } = await context.settings.key();
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
  const agentId = context.settings.profile()?.agent_id;
  const withId = agents.find(({ agent_id }) => agent_id === agentId);
  if (agentId !== undefined) return judgeAgent(context, agentId, withId);
  const active = agents.filter(({ status }) => status === CALLING_AGENT_STATUS).length;
  if (active > 0) return `${NONE_IS_SET}; ${active} of ${agents.length} agents can call`;
  throw new InputError('The store has no active agent.', {
    hint: 'vagent agent create, or vagent local agent <id> --status active',
  });
}

function fromNumber(context: Context, { organization: { numbers } }: State): string {
  const from = context.settings.profile()?.from;
  if (from === undefined && numbers.length > 0) return `${NONE_IS_SET}; registered: ${numbers.join(', ')}`;
  if (from === undefined)
    throw new NotFoundError('No number is registered.', { hint: 'vagent local number add <number>' });
  if (numbers.includes(from)) return `${from}, registered`;
  throw new NotFoundError(`${from} is not registered.`, {
    hint: `vagent local number add ${from}, or: ${addedAgain(context, '--from <number>')}`,
  });
}

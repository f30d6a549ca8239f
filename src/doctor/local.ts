/** Checks of the local engine: a quick check of its store and its database, and what a call needs. Nothing is written. */
import type { Context } from '../context.ts';
import { fromMicros } from '../engine/money.ts';
import { CALLING_AGENT_STATUS, MINIMUM_BALANCE } from '../engine/policy.ts';
import { CredentialsError, FileError, InputError, NotFoundError, ServiceError } from '../errors.ts';
import { isDatabase } from '../storage/files/store-place.ts';
import { type Asked, type DatabaseFacts, judgeAgent, NONE_IS_SET, profileEdit } from './asked.ts';
import { requireWritableFolder } from './machine.ts';

/** Checks that everything the store has committed is there. `vagent local check` reads all of it. */
export async function store({ local, settings }: Context): Promise<string> {
  const engine = await local.engine();
  const { location } = engine.store;
  await engine.timeline.stored();
  if (!isDatabase(settings.store()))
    requireWritableFolder(
      location,
      'Name another with --store or VAGENT_STORE, or give yourself the right to write it.',
    );
  const isNew = (await engine.store.glance(settings.localOrganization())) === 'new';
  return isNew
    ? `${location} will be created by the first change`
    : `${location} looks sound (vagent local check reads all of it)`;
}

export async function key({ settings }: Context, asked: Asked): Promise<string> {
  const { organization: held } = await asked.state();
  const { api_key } = await settings.credentials();
  const { source } = await settings.key();
  if (api_key === held.api_key) return `from ${source}`;
  throw new CredentialsError(`The key from ${source} is not that of the store's organization.`, {
    hint: 'Leave it out: the simulator needs none.',
  });
}

export async function balance(_context: Context, asked: Asked): Promise<string> {
  const { organization } = await asked.state();
  const [amount, minimum] = [organization.balance, MINIMUM_BALANCE].map(fromMicros);
  if (organization.balance >= MINIMUM_BALANCE) return String(amount);
  throw new ServiceError(402, 'insufficient_balance', `The balance is ${amount}, below the minimum of ${minimum}.`, {
    reason: { kind: 'balance_too_low' },
  });
}

export async function agent(context: Context, asked: Asked): Promise<string> {
  const { agents } = await asked.state();
  const agentId = context.settings.profile()?.agent_id;
  const withId = agents.find(({ agent_id }) => agent_id === agentId);
  if (agentId !== undefined) return judgeAgent(context, agentId, withId);
  const active = agents.filter(({ status }) => status === CALLING_AGENT_STATUS).length;
  if (active > 0) return `${NONE_IS_SET}; ${active} of ${agents.length} agents can call`;
  throw new InputError('The store has no active agent.', {
    hint: 'vagent agent create, or vagent local agent <id> --status active',
  });
}

export async function fromNumber(context: Context, asked: Asked): Promise<string> {
  const { numbers } = (await asked.state()).organization;
  const from = context.settings.profile()?.from;
  if (from === undefined && numbers.length > 0) return `${NONE_IS_SET}; registered: ${numbers.join(', ')}`;
  if (from === undefined)
    throw new NotFoundError('No number is registered.', { hint: 'vagent local number add <number>' });
  if (numbers.includes(from)) return `${from}, registered`;
  throw new NotFoundError(`${from} is not registered.`, {
    hint: `Register it: vagent local number add ${from}. ${profileEdit(context, '--from <number>')}`,
  });
}

// Whether the database is one that vagent can use, and whether it will do so well ------------------------------------

export function databaseVersion({ version, isSupported }: DatabaseFacts): string {
  if (isSupported) return `PostgreSQL ${version}`;
  throw new FileError(`PostgreSQL ${version} is older than vagent needs.`, { hint: 'Install PostgreSQL 13 or newer.' });
}

export function databaseRights({ isReadOnly, mayWrite, forbiddenTables }: DatabaseFacts): string {
  if (isReadOnly) {
    throw new FileError('The database can only be read: it is a standby, or was made read-only.', {
      hint: 'Name the primary, or let its owner set default_transaction_read_only to off.',
    });
  }
  if (mayWrite) return 'this user may read and write the store';
  if (forbiddenTables.length > 0) {
    throw new FileError(`This user may not write ${forbiddenTables.join(', ')}.`, {
      hint: 'vagent help serve shows the rights of a writer and of a reader.',
    });
  }
  throw new FileError('This user may not create the schema of the store.', {
    hint: 'Let another user make the first change, or grant create on the database.',
  });
}

/** Milliseconds. Several servers stamp calls by clocks of their own machines. */
const CLOCKS_APART = 2_000;

export function databaseClock({ clockAhead }: DatabaseFacts): string {
  const apart = (Math.abs(clockAhead) / 1000).toFixed(1);
  const way = clockAhead > 0 ? 'ahead of' : 'behind';
  if (Math.abs(clockAhead) <= CLOCKS_APART) return 'the clock of the database and of this machine agree';
  throw new FileError(`The clock of the database is ${apart} s ${way} that of this machine.`, {
    hint: 'Set both by NTP: machines that share a store stamp calls by their own clocks.',
  });
}

/** Seconds. A transaction that stays open holds back what the database would clear away, and may hold rows that others wait for. */
const LONG = 60;

export function databaseTransactions({ longestTransaction }: DatabaseFacts): string {
  if (longestTransaction <= LONG) return 'none is open for long';
  throw new FileError(`A transaction of another program has been open for ${Math.round(longestTransaction)} s.`, {
    hint: 'select pid, query from pg_stat_activity order by xact_start shows which; end it.',
  });
}

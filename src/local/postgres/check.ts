/** Looks through the tables of an organization for what does not hold together: by SQL, because everything is there already. */
import { CALL_STATUSES, E164, FIRST_ORGANIZATION, LAST_INSTANT } from '../../contract.ts';
import { keyFlaw, UNGIVEN_ID } from '../../engine/soundness.ts';
import { FileError } from '../../errors.ts';
import type { Client } from '../../storage/database/connection.ts';
import { type NextIds, type Remark, report, type StoreReport, tooLow } from '../store.ts';
import { EMPTY_ENGINE, readKept } from './kept.ts';
import { MIGRATIONS, NEWEST } from './schema.ts';

const NUMBER = `'${E164.source}'`;

/** How many problems are told one by one. */
const TOLD = 100;

/** Begins a rule about the campaigns of an organization. */
const CAMPAIGNS = 'select p.campaign_id as id from campaigns p where p.organization_id = $1 and';
/** The same about something of each of its campaigns, next to which p stands. */
const OF_CAMPAIGNS = 'p on p.campaign_id = x.campaign_id where p.organization_id = $1 and';

/** Whether numbers from `first` on stand each once, `count` of them, which is a sound row; of none, whether there are none. */
const isGapless = (numbers: string, from: string, first: string, count: string) =>
  `(select count(*) = ${count} and coalesce(min(${numbers}) = ${first} and max(${numbers}) = ${first} + ${count} ` +
  `- 1, true) from ${from})`;

/**
 * What no row may be: what is said of the row, whose number is put in place of #, and a statement that selects the numbers of
 * the rows that break it. $1 is the organization.
 */
type Rule = readonly [table: string, message: string, sql: string];

const RULES: readonly Rule[] = [
  [
    'organizations',
    'counts another number of calls than there are',
    `select o.organization_id as id from organizations o where o.organization_id = $1
      and o.next_call_number - 1 - coalesce(o.calls_before_reset, 0)
        <> (select count(*) from calls c where c.organization_id = $1)`,
  ],
  [
    'calls',
    'call # is older than the one before it',
    `select call_number as id from (select call_number, at, lag(at) over (order by call_number) as before
      from calls where organization_id = $1) c where at < before`,
  ],
  [
    'calls',
    'the numbers of calls have a gap before #',
    `select call_number as id from (select call_number, lag(call_number) over (order by call_number) as before
      from calls where organization_id = $1) c where call_number <> before + 1`,
  ],
  [
    'calls',
    'call # has a number that is not counted',
    `select c.call_number as id from calls c join organizations o using (organization_id) where c.organization_id = $1
      and (c.call_number <= o.calls_before_reset or c.call_number >= o.next_call_number)`,
  ],
  [
    'calls',
    'call # is none that the engine places',
    `select c.call_number as id from calls c join organizations o using (organization_id) where c.organization_id = $1
      and (c.called_to !~ ${NUMBER} or c.call_from !~ ${NUMBER} or c.call_duration < 0
        or c.call_status not in (${CALL_STATUSES.map((status) => `'${status}'`)})
        or (c.call_status = 'completed') <> (c.call_duration > 0)
        or not isfinite(c.at) or extract(epoch from c.at) * 1000 > o.clock_last
        or num_nulls(c.campaign_id, c.contact, c.attempt) not in (0, 3))`,
  ],
  [
    'calls',
    'call # has another number among those of its agent',
    `select call_number as id from (select call_number, agent_call,
        row_number() over (partition by agent_id order by call_number) as place
      from calls where organization_id = $1) c where agent_call <> place`,
  ],
  [
    'calls',
    'call # has an agent that does not exist',
    `select c.call_number as id from calls c where c.organization_id = $1
      and not exists (select 1 from agents a where a.agent_id = c.agent_id and a.organization_id = $1)`,
  ],
  [
    'calls',
    'call # is not one of the contact that it names',
    `select c.call_number as id from calls c left join campaigns p on p.campaign_id = c.campaign_id and p.organization_id = $1
      left join contacts x on x.campaign_id = c.campaign_id and x.contact = c.contact
      where c.organization_id = $1 and c.campaign_id is not null
      and not coalesce(x.phone_number = c.called_to and p.call_from = c.call_from and p.agent_id = c.agent_id
        and c.contact < p.next_contact and c.attempt between 1 and 1 + p.retry_attempts, false)`,
  ],
  [
    'agents',
    'agent # counts another number of calls than there are',
    `select a.agent_id as id from agents a where a.organization_id = $1
      and a.calls <> (select count(*) from calls c where c.organization_id = $1 and c.agent_id = a.agent_id)`,
  ],
  [
    'campaigns',
    'campaign # has another number of contacts than it was given',
    `${CAMPAIGNS} p.total_contacts <> (select count(*) from contacts c where c.campaign_id = p.campaign_id)`,
  ],
  [
    'contacts',
    'the contacts of campaign # are not numbered from 0',
    `${CAMPAIGNS} not ${isGapless('contact', 'contacts c where c.campaign_id = p.campaign_id', '0', 'p.total_contacts')}`,
  ],
  [
    'contacts',
    'a contact of campaign # has no number that can be called',
    `select distinct x.campaign_id as id from contacts x join campaigns ${OF_CAMPAIGNS}
      x.phone_number !~ ${NUMBER}`,
  ],
  [
    'campaigns',
    'campaign # counts fewer attempts than it has calls',
    `${CAMPAIGNS} p.attempts < (select count(*) from calls c where c.campaign_id = p.campaign_id)`,
  ],
  [
    'campaigns',
    'campaign # counts other retries than there are',
    `${CAMPAIGNS} (p.retries_added <> (select count(*) from retries r where r.campaign_id = p.campaign_id)
        or p.retries_waiting <> p.retries_added - p.retries_taken)`,
  ],
  [
    'retries',
    'the retries of campaign # are not numbered from 0',
    `${CAMPAIGNS} not ${isGapless('number', 'retries r where r.campaign_id = p.campaign_id', '0', 'p.retries_added')}`,
  ],
  [
    'retries',
    'a retry of campaign # is none that can wait',
    `select distinct x.campaign_id as id from retries x join campaigns ${OF_CAMPAIGNS}
      (x.contact < 0 or x.contact >= p.next_contact or x.attempt < 2 or x.attempt > 1 + p.retry_attempts
        or x.due not between 0 and ${LAST_INSTANT})`,
  ],
  [
    'retries',
    'the retries of campaign # that wait are out of order, or two of one contact',
    `select distinct campaign_id as id from (select x.campaign_id, x.due,
        lag(x.due) over (partition by x.campaign_id order by x.number) as before,
        row_number() over (partition by x.campaign_id, x.contact) as time
      from retries x join campaigns ${OF_CAMPAIGNS} x.number >= p.retries_taken) w where due < before or time > 1`,
  ],
  [
    'retries',
    'a retry of campaign # that waits does not follow on its calls',
    `select distinct x.campaign_id as id from retries x
      join contacts c on c.campaign_id = x.campaign_id and c.contact = x.contact
      left join calls b on b.campaign_id = x.campaign_id and b.contact = x.contact and b.attempt = x.attempt - 1
      join campaigns ${OF_CAMPAIGNS} x.number >= p.retries_taken
      and (exists (select 1 from calls m where m.campaign_id = x.campaign_id and m.contact = x.contact and
      m.attempt = x.attempt)
        or coalesce(b.called_to <> c.phone_number or b.call_status = 'completed',
          exists (select 1 from calls f where f.campaign_id = x.campaign_id and f.contact = 0 and f.attempt = 1)))`,
  ],
  [
    'campaigns',
    'campaign # says another time than its next retry',
    `${CAMPAIGNS} p.retry_due is distinct from
      (select due from retries r where r.campaign_id = p.campaign_id and r.number = p.retries_taken)`,
  ],
  [
    'original_rows',
    'the original rows of campaign # are not one for each of its contacts',
    `${CAMPAIGNS} exists (select 1 from original_rows r where r.campaign_id = p.campaign_id)
      and not ${isGapless('contact', 'original_rows r where r.campaign_id = p.campaign_id', '-1', '(p.total_contacts + 1)')}`,
  ],
  [
    'original_rows',
    'an original row of campaign # has other columns than the first',
    `select distinct x.campaign_id as id from original_rows x join campaigns ${OF_CAMPAIGNS}
      (array_position(x.cells, null) is not null or array_ndims(x.cells) is distinct from 1 or array_lower(x.cells, 1) <> 1
        or cardinality(x.cells) is distinct from
          (select cardinality(r.cells) from original_rows r where r.campaign_id = x.campaign_id and r.contact = -1))`,
  ],
];

/** The same of tables since their second version; an older store gets it by its next change. */
const RULES_OF_WALLETS: readonly Rule[] = [
  [
    'organizations',
    'has a wallet that holds another amount than its movements add up to',
    `select o.organization_id as id from organizations o where o.organization_id = $1
      and o.balance <> (select coalesce(sum(m.amount), 0) from wallet_movements m where m.organization_id = $1)`,
  ],
  [
    'wallet_changes',
    'movement # is none that a wallet has',
    `select change_id as id from wallet_changes where organization_id = $1
      and (kind not in ('opening', 'top_up', 'correction') or not isfinite(at))`,
  ],
  [
    'calls',
    'call # has a charge below nothing, or one for no conversation',
    `select call_number as id from calls where organization_id = $1
      and (charge < 0 or (charge > 0 and call_status <> 'completed'))`,
  ],
];

export async function checkTables(client: Client, organizationId: number): Promise<StoreReport> {
  const problems: Remark[] = [];
  let problemCount = 0;
  const problem = (table: string, message: string) => {
    const file = organizationId === FIRST_ORGANIZATION ? table : `${table} of organization ${organizationId}`;
    if (problemCount++ < TOLD) problems.push({ file, line: null, message });
  };
  // It looks at everything the organization has, and at nothing else: where most rows are another's, a table would be read in full.
  await client.query('set local statement_timeout = 0; set local enable_seqscan = off');
  const {
    rows: [tables],
  } = await client.query<{ version: number }>('select max(version) as version from migrations');
  const version = tables?.version ?? 0;
  for (const [table, message, sql] of version < 2 ? RULES : [...RULES, ...RULES_OF_WALLETS]) {
    const { rows } = await client.query<{ id: number }>(sql, [organizationId]);
    for (const { id } of rows) problem(table, message.replace('#', String(id)));
  }
  const damage = await damageOf(client, organizationId);
  if (damage !== undefined && problemCount === 0) {
    problems.push({ file: 'organizations', line: null, message: damage });
    problemCount++;
  }
  const { rows } = await client.query<{ calls: number; campaigns: number }>(
    `select (select count(*) from calls where organization_id = $1) as calls,
            (select count(*) from campaigns where organization_id = $1) as campaigns`,
    [organizationId],
  );
  return { facts: rows[0] as { calls: number; campaigns: number }, problems, problemCount, leftovers: [] };
}

/** What is told of the table in which ids are counted. */
const COUNTED_ELSEWHERE = [UNGIVEN_ID, EMPTY_ENGINE];

/** What the engine refuses when it reads the organization; completes a sentence. */
async function damageOf(client: Client, organizationId: number): Promise<string | undefined> {
  try {
    const kept = await readKept(client, organizationId);
    const flaw = kept && keyFlaw(kept.state);
    return flaw && `organization ${organizationId} ${flaw}`;
  } catch (error) {
    if (!(error instanceof FileError && error.reason?.kind === 'store_damaged')) throw error;
    return COUNTED_ELSEWHERE.some((told) => error.message.includes(told)) ? undefined : error.reason.damage;
  }
}

/** Checks the ids that count up over all organizations: none may be given that any of them has given already. */
export async function checkIds(client: Client): Promise<StoreReport> {
  const [least, counted] = [await leastLeft(client), await countedIds(client)];
  if (least === undefined) return report([]);
  const messages = counted === undefined ? ['is empty'] : tooLow(counted, least);
  const problems = messages.map((message) => ({ file: 'engine', line: null, message }));
  return report([...problems, ...(await versionFlaws(client)), ...(await strays(client))]);
}

/** Of tables that say that they are older than they are, the next change would make again what is there. */
async function versionFlaws(client: Client): Promise<Remark[]> {
  const { rows } = await client.query<{ newest: number; many: number; is_newest: boolean }>(
    `select max(version)::int as newest, count(*)::int as many, exists (select 1 from information_schema.columns
       where table_schema = current_schema() and table_name = $1 and column_name = $2) as is_newest from migrations`,
    [NEWEST.table, NEWEST.column],
  );
  const [row] = rows;
  const isSound = row !== undefined && row.many === row.newest && row.is_newest === row.newest >= MIGRATIONS.length;
  return isSound ? [] : [{ file: 'migrations', line: null, message: 'names other versions than the tables have' }];
}

/** Tables with rows of what is in another, by the column that names it: no reference holds them together. */
const WHOSE = [
  ['contacts', 'campaign_id', 'campaigns'],
  ['retries', 'campaign_id', 'campaigns'],
  ['calls', 'organization_id', 'organizations'],
  ['wallet_changes', 'organization_id', 'organizations'],
] as const;

async function strays(client: Client): Promise<Remark[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema()',
  );
  const found: Remark[] = [];
  for (const [table, column, whose] of WHOSE) {
    if (!tables.some(({ name }) => name === table)) continue;
    const { rows } = await client.query<{ id: number }>(
      `select ${column} as id from ${table} t where not exists (select 1 from ${whose} w where w.${column} = t.${column}) limit 1`,
    );
    for (const { id } of rows)
      found.push({ file: table, line: null, message: `has rows of ${column} ${id}, which is not in ${whose}` });
  }
  return found;
}

/** Undefined if there is no organization. */
async function leastLeft(client: Client): Promise<NextIds | undefined> {
  const { rows } = await client.query<NextIds>(
    `select max(organization_id) + 1 as next_organization_id,
            greatest(max(demo_agent_id), (select max(agent_id) from agents)) + 1 as next_agent_id,
            coalesce((select max(campaign_id) from campaigns), 0) + 1 as next_campaign_id
       from organizations having count(*) > 0`,
  );
  return rows[0];
}

/** Undefined if the table is empty. */
export async function countedIds(client: Client): Promise<NextIds | undefined> {
  const { rows } = await client.query<NextIds>(
    'select next_organization_id, next_agent_id, next_campaign_id from engine',
  );
  return rows[0];
}

/** Looks through the tables of an organization for what does not hold together: by SQL, because everything is there already. */

import { FIRST_ORGANIZATION } from '../../contract.ts';
import type { Client } from '../../database/database.ts';
import type { Remark, StoreReport } from '../store.ts';

/** How many problems are told one by one. */
const TOLD = 100;

interface Rule {
  table: string;
  /** Completes a sentence about the row, whose number is put in place of #. */
  message: string;
  /** Selects the numbers of the rows that break it. $1 is the organization. */
  sql: string;
  /** The version of the tables that it is about; by default the first. An older store gets a newer version by its next change. */
  since?: number;
}

const RULES: readonly Rule[] = [
  {
    table: 'organizations',
    message: 'counts another number of calls than there are',
    sql: `select o.organization_id as id from organizations o where o.organization_id = $1
            and o.next_call_number - 1 - coalesce(o.calls_before_reset, 0)
              <> (select count(*) from calls c where c.organization_id = $1)`,
  },
  {
    table: 'calls',
    message: 'call # is older than the one before it',
    sql: `select call_number as id from (select call_number, at, lag(at) over (order by call_number) as before
            from calls where organization_id = $1) c where at < before`,
  },
  {
    table: 'calls',
    message: 'the numbers of calls have a gap before #',
    sql: `select call_number as id from (select call_number, lag(call_number) over (order by call_number) as before
            from calls where organization_id = $1) c where call_number <> before + 1`,
  },
  {
    table: 'organizations',
    message: 'has a wallet that holds another amount than its movements add up to',
    since: 2,
    sql: `select o.organization_id as id from organizations o where o.organization_id = $1
            and o.balance <> (select coalesce(sum(m.amount), 0) from wallet_movements m where m.organization_id = $1)`,
  },
  {
    table: 'agents',
    message: 'agent # counts another number of calls than there are',
    sql: `select a.agent_id as id from agents a where a.organization_id = $1
            and a.calls <> (select count(*) from calls c where c.organization_id = $1 and c.agent_id = a.agent_id)`,
  },
  {
    table: 'campaigns',
    message: 'campaign # has another number of contacts than it was given',
    sql: `select p.campaign_id as id from campaigns p where p.organization_id = $1
            and p.total_contacts <> (select count(*) from contacts c where c.campaign_id = p.campaign_id)`,
  },
  {
    table: 'campaigns',
    message: 'campaign # counts fewer attempts than it has calls',
    sql: `select p.campaign_id as id from campaigns p where p.organization_id = $1
            and p.attempts < (select count(*) from calls c where c.campaign_id = p.campaign_id)`,
  },
  {
    table: 'campaigns',
    message: 'campaign # counts other retries than there are',
    sql: `select p.campaign_id as id from campaigns p where p.organization_id = $1
            and (p.retries_added <> (select count(*) from retries r where r.campaign_id = p.campaign_id)
              or p.retries_waiting <> p.retries_added - p.retries_taken)`,
  },
];

export async function checkTables(client: Client, organizationId: number): Promise<StoreReport> {
  const problems: Remark[] = [];
  let problemCount = 0;
  // It looks at everything the organization has, and at nothing else: where most rows are another's, a table would be read in full.
  await client.query('set local statement_timeout = 0; set local enable_seqscan = off');
  const {
    rows: [tables],
  } = await client.query<{ version: number }>('select max(version) as version from migrations');
  const version = tables?.version ?? 0;
  for (const { table, message, sql, since = 1 } of RULES) {
    if (since > version) continue;
    const { rows } = await client.query<{ id: string }>(sql, [organizationId]);
    problemCount += rows.length;
    for (const { id } of rows.slice(0, TOLD - problems.length))
      problems.push({
        file: organizationId === FIRST_ORGANIZATION ? table : `${table} of organization ${organizationId}`,
        line: null,
        message: message.replace('#', id),
      });
  }
  const { rows } = await client.query<{ calls: string; campaigns: string }>(
    `select (select count(*) from calls where organization_id = $1) as calls,
            (select count(*) from campaigns where organization_id = $1) as campaigns`,
    [organizationId],
  );
  const { calls, campaigns } = rows[0] as { calls: string; campaigns: string };
  const facts = { calls: Number(calls), campaigns: Number(campaigns) };
  return { facts, problems, problemCount, leftovers: [], keepsOnlyCalls: false };
}

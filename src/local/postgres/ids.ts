/** Checks the ids that count up over all organizations: none may be given that any of them has given already. */
import type { Client } from '../../storage/database/database.ts';
import { type NextIds, tooLow } from '../next-ids.ts';
import type { IdsReport } from '../store.ts';
import { MIGRATIONS, NEWEST } from './schema.ts';

const TABLE = 'engine';

export async function checkIds(client: Client): Promise<IdsReport> {
  const [least, counted] = [await leastLeft(client), await countedIds(client)];
  if (least === undefined) return { problems: [], leftovers: [] };
  const messages = counted === undefined ? ['is empty'] : tooLow(counted, least);
  const problems = messages.map((message) => ({ file: TABLE, line: null, message }));
  return { problems: [...problems, ...(await versionFlaws(client)), ...(await strays(client))], leftovers: [] };
}

/** Of tables that say that they are older than they are, the next change would make again what is there. */
async function versionFlaws(client: Client): Promise<IdsReport['problems']> {
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

async function strays(client: Client): Promise<IdsReport['problems']> {
  const { rows: tables } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema()',
  );
  const found: IdsReport['problems'] = [];
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
    `select next_organization_id, next_agent_id, next_campaign_id from ${TABLE}`,
  );
  return rows[0];
}

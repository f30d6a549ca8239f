/**
 * Lists of people to call again that were made from results: a campaign to such people is no mistake, although they
 * were called before. Campaigns that were sent before such a list was made do not object to it; those that were sent
 * later do, so that one list is sent once. A list is kept before anybody can send it.
 */
import * as z from 'zod/mini';
import type { Sql } from '../storage/database/sql.ts';
import { parsed } from '../text/json.ts';
import { HOUR } from '../text/units.ts';
import { calledBy } from './contact-rows.ts';
import { type Intent, isUnknown, type Past } from './requests.ts';
import { serviceKey } from './service-key.ts';
import { addRows, askAbout, lastOf, type Row } from './tables.ts';

/** Milliseconds. After this, too much can have happened that the list does not know. */
const REDIAL_LASTS = 24 * HOUR;
/** Milliseconds. Until then it can be told that a list is too old; later it is removed, for it holds numbers of people. */
const KEPT_FOR = 7 * 24 * HOUR;

/** A campaign that the people of a list are from. */
export interface RedialledCampaign {
  entry: number;
  campaign_id: number;
  campaign_name: string;
}

/** Instants in milliseconds since the epoch. */
export interface Redial {
  /** When what was sent was read: of later requests the list knows nothing. */
  at: number;
  /** The last entry of the register then. */
  lastEntry: number;
  campaigns: readonly RedialledCampaign[];
}

/** A list that is about to be kept. `numbers` are the digits of E.164 numbers; they are sorted in place. */
export interface NewRedial extends Redial {
  service: string;
  organizationId: number;
  numbers: Float64Array;
}

/** Keeps a list, and removes those that are too old to matter. */
export async function keepRedial(sql: Sql, { at, lastEntry, campaigns, service, organizationId, numbers }: NewRedial) {
  await sql.run('delete from redials where made_at < $1', [at - KEPT_FOR]);
  const redial = (await lastOf(sql, 'redials', 'redial')) + 1;
  const written = campaigns.map(({ entry, campaign_id, campaign_name }) => ({ entry, campaign_id, campaign_name }));
  const of = { service_key: serviceKey(service), organization_id: organizationId };
  const row = { redial, made_at: at, ...of, last_entry: lastEntry, campaigns: JSON.stringify(written) };
  await addRows(sql, 'redials', [row]);
  const phones = Array.from(calledBy(numbers).phones, (phone) => ({ redial, phone }));
  await addRows(sql, 'redial_phones', phones);
}

/** Removes the lists that a forgotten campaign is in. */
export async function dropRedialsOf(sql: Sql, entries: ReadonlySet<number>): Promise<void> {
  for (const row of await sql.all<Row>('select redial, made_at, last_entry, campaigns from redials')) {
    const redial = redialIn(row);
    if (redial === undefined || redial.campaigns.some(({ entry }) => entries.has(entry)))
      await sql.run('delete from redials where redial = $1', [Number(row.redial)]);
  }
}

/**
 * The newest list that holds all `phones`, which are without repeats, and was made after each of the campaigns `before` was sent,
 * and whether it is too old: then it allows nothing. Undefined if there is none. `now` is in milliseconds since the epoch.
 */
export async function redialPermission(
  sql: Sql,
  intent: Intent,
  phones: Float64Array,
  { before, now }: { before: readonly Past[]; now: number },
): Promise<{ redial: Redial; isTooOld: boolean } | undefined> {
  const rows = await sql.all<Row>(
    `select redial, made_at, last_entry, campaigns from redials where service_key = $1 and organization_id = $2
       order by redial desc`,
    [serviceKey(intent.service), intent.organization_id],
  );
  const known = rows
    .flatMap((row) => redialIn(row) ?? [])
    .filter((redial) => before.every((one) => knew(redial, one, intent.organization_id)));
  if (known.length === 0) return undefined;
  /** How many of the phones each list holds. */
  const held = new Map<number, number>();
  const text = `select redial, count(*) as count from redial_phones
    where phone in (select value from numbers($1) as list) group by redial`;
  for await (const page of askAbout<{ redial: number; count: number }>(sql, phones, text))
    for (const { redial, count } of page) held.set(redial, (held.get(redial) ?? 0) + count);
  const redial = known.find(({ number }) => held.get(number) === phones.length);
  if (redial === undefined) return undefined;
  // A list from the future was made by a clock that is not to be relied on.
  const age = now - redial.at;
  return { redial, isTooOld: age > REDIAL_LASTS || age < 0 };
}

/**
 * Whether the list was made with the knowledge of a campaign. The calls of another organization cannot be read with its key, and
 * what stands behind the last entry came later, even if the clock says otherwise.
 */
function knew({ at, lastEntry }: Redial, earlier: Past, organizationId: number): boolean {
  const { sent } = earlier;
  const wasBefore = sent.entry <= lastEntry && Date.parse(sent.at) <= at;
  return wasBefore && !isUnknown(earlier) && sent.organization_id === organizationId;
}

const campaigns = z.array(z.object({ entry: z.int(), campaign_id: z.int(), campaign_name: z.string() }));
const REDIAL = z.object({ redial: z.int(), made_at: z.number(), last_entry: z.number(), campaigns });

/** A list and its number; undefined for one that cannot be read: then the guards are as strict as without it. */
function redialIn(row: Row): (Redial & { number: number }) | undefined {
  const { success, data } = REDIAL.safeParse({ ...row, campaigns: parsed(row.campaigns) });
  if (!success) return undefined;
  const { redial: number, made_at: at, last_entry: lastEntry, campaigns } = data;
  return { number, at, lastEntry, campaigns };
}

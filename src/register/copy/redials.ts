/** Lists of people to call again. They may be copied where everything that the other place knows came from here: of other requests they know nothing. */
import * as z from 'zod/mini';
import type { Sql } from '../../database/sql.ts';
import { add, lastOf, pagesOf, type Row } from './pages.ts';

/** `entries`: the number there of each entry. */
export async function copyRedials(from: Sql, to: Sql, entries: ReadonlyMap<number, number>): Promise<void> {
  let next = (await lastOf(to, 'redials', 'redial')) + 1;
  for await (const page of pagesOf(from, 'redials', ['redial'])) {
    for (const row of page) {
      const campaigns = campaignsThere(row, entries);
      if (campaigns === undefined || (await isThere(to, row))) continue;
      const redial = next++;
      const last_entry = lastThere(Number(row.last_entry), entries);
      await add(to, 'redials', [{ ...row, redial, last_entry, campaigns: JSON.stringify(campaigns) }]);
      const of = { where: 'redial = $1', values: [row.redial ?? 0] };
      for await (const phones of pagesOf(from, 'redial_phones', ['phone'], of))
        await add(
          to,
          'redial_phones',
          phones.map((one) => ({ ...one, redial })),
        );
    }
  }
}

const schema = z.array(z.looseObject({ entry: z.int() }));

/** Undefined if one of them cannot be read, or is not there: without a list the guards are stricter. */
function campaignsThere({ campaigns }: Row, entries: ReadonlyMap<number, number>): object[] | undefined {
  try {
    const known = schema.parse(JSON.parse(String(campaigns))).map((one) => ({ ...one, entry: entries.get(one.entry) }));
    return known.every(({ entry }) => entry !== undefined) ? known : undefined;
  } catch {
    return undefined;
  }
}

/** What was sent after the list was made must not seem to be known to it, whatever number it has got. */
function lastThere(last: number, entries: ReadonlyMap<number, number>): number {
  let [before, after] = [0, Number.POSITIVE_INFINITY];
  for (const [entry, there] of entries) {
    if (entry <= last) before = Math.max(before, there);
    else after = Math.min(after, there);
  }
  return Math.min(before, after - 1);
}

async function isThere(to: Sql, { made_at, service_key, organization_id }: Row): Promise<boolean> {
  const asked = 'select 1 from redials where made_at = $1 and service_key = $2 and organization_id = $3';
  return (await to.all(asked, [made_at ?? 0, service_key ?? '', organization_id ?? 0])).length > 0;
}

/** `redials/<n>.json`: lists of people to call again. One that cannot be read is passed over: then the guards are as strict as without it. */
import { createHash } from 'node:crypto';
import type { Sql, Value } from '../../database/sql.ts';
import { PHONE_KEY_RULES } from '../../text/phone.ts';
import { serviceKey } from '../service-key.ts';
import { fieldsOf, type OldFiles, parsed, textOf } from './old-files.ts';
import { isCount } from './old-lines.ts';

const FOLDER = 'redials';
const COLUMNS = ['redial', 'made_at', 'service_key', 'organization_id', 'last_entry', 'campaigns'];

export async function bringRedials(old: OldFiles, sql: Sql): Promise<void> {
  for (const name of await old.names(FOLDER)) {
    const [, redial = ''] = /^([1-9]\d{0,14})\.json$/.exec(name) ?? [];
    if (redial === '') continue;
    const found = readRedial(await textOf(old, `${FOLDER}/${name}`));
    if (found === undefined) continue;
    await sql.insert('redials', COLUMNS, [[Number(redial), ...found.row]]);
    await sql.insert('redial_phones', ['redial', 'phone'], rowsOf(Number(redial), found.phones));
  }
}

function* rowsOf(redial: number, phones: Float64Array): Generator<Value[], void> {
  for (const phone of phones) yield [redial, phone];
}

function readRedial(text: string): { row: Value[]; phones: Float64Array } | undefined {
  const { at, service, organization_id, last_entry, campaigns, count, sha256, phones } = fieldsOf(parsed(text)) ?? {};
  const madeAt = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(madeAt) || typeof service !== 'string' || typeof phones !== 'string') return undefined;
  if (!isCount(organization_id) || !isCount(last_entry) || !Array.isArray(campaigns)) return undefined;
  const bytes = Buffer.from(phones, 'base64');
  if (sha256 !== createHash('sha256').update(`${PHONE_KEY_RULES}\n`).update(bytes).digest('hex')) return undefined;
  if (bytes.length !== Number(count) * Float64Array.BYTES_PER_ELEMENT) return undefined;
  // A copy, because the bytes of a buffer need not begin where a number can.
  const numbers = new Float64Array(new Uint8Array(bytes).buffer);
  const row = [madeAt, serviceKey(service), organization_id, last_entry, JSON.stringify(campaigns)];
  return numbers.every(isCount) ? { row, phones: numbers } : undefined;
}

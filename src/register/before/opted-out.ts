/** `plans/opted-out.jsonl`, a line for each phone that nothing calls any more, and how many there were in a file beside it. */

import { FileError } from '../../errors.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { fieldsIn, parsed } from '../../text/parsed.ts';
import { phoneKeyOfDigits } from '../../text/phone.ts';
import { addRows, type Row } from '../tables.ts';
import { isCount, type OldFiles, textOf } from './old-files.ts';

const FOLDER = 'plans';
const LIST = 'opted-out.jsonl';
const COUNT = 'opted-out.count.json';

export async function bringOptedOut(old: OldFiles, sql: Sql): Promise<void> {
  const names = await old.names(FOLDER);
  const path = `${FOLDER}/${LIST}`;
  /** By service: of each phone, the organization that was told. */
  const toldTo = new Map<string, Map<number, number>>();
  let count = 0;
  if (names.has(LIST)) {
    for await (const text of old.lines(path)) {
      if (!text.endsWith('\n')) break;
      count++;
      if (!take(text, toldTo)) throw damaged(`${old.nameOf(path)}: line ${count} is damaged`);
    }
  }
  const counted = names.has(COUNT) ? await countedIn(old) : 0;
  if (count < counted) throw damaged(`${old.nameOf(path)} has ${count} of ${counted} lines`);
  for (const [service, phones] of toldTo) await addRows(sql, 'opted_out', rowsOf(service, phones));
}

/** Nobody knows any more when they said it. */
function* rowsOf(service_key: string, phones: ReadonlyMap<number, number>): Generator<Row, void> {
  for (const [phone, organization_id] of phones) yield { service_key, phone, organization_id, since: 0 };
}

/** Whether the line is sound. One without a phone says that an organization began anew. */
function take(text: string, toldTo: Map<string, Map<number, number>>): boolean {
  const { service, organization_id, phone } = fieldsIn(parsed(text)) ?? {};
  if (typeof service !== 'string' || !isCount(organization_id) || (phone !== null && !isCount(phone))) return false;
  const phones = toldTo.get(service) ?? new Map<number, number>();
  toldTo.set(service, phones);
  if (phone !== null) phones.set(phoneKeyOfDigits(phone), organization_id);
  else for (const [key, told] of phones) if (told === organization_id) phones.delete(key);
  return true;
}

async function countedIn(old: OldFiles): Promise<number> {
  const path = `${FOLDER}/${COUNT}`;
  const lines = fieldsIn(parsed(await textOf(old, path)))?.lines;
  if (isCount(lines)) return lines;
  throw damaged(`${old.nameOf(path)} does not say how many lines the list beside it has`);
}

function damaged(what: string): FileError {
  return new FileError(`${what}, so it is not known who opted out.`, {
    code: 'opted_out_damaged',
    hint: 'Nobody is called until it is mended: put the file back as it was. If lines were taken out on purpose, remove opted-out.count.json.',
  });
}

/**
 * A key under which a request is carried out once, however often it is sent. It is taken in the transaction that records the
 * request, or for the local engine in one of its own, before anything is sent. Who comes later with the same key gets the
 * first reply; while nobody knows what came of the first, nothing is sent.
 */
import { createHash } from 'node:crypto';
import { checkRequest, type Sent, traceOf } from '../contract.ts';
import { FileError, OutcomeUnknownError, UsageError } from '../errors.ts';
import { codeOf, NO_RIGHT, NO_TABLE } from '../storage/database/database-error.ts';
import type { Rows, Sql, Value } from '../storage/database/sql.ts';
import { fieldsIn, originalOf, readJson, writeJson } from '../text/json.ts';
import { localTime } from '../text/time.ts';
import type { Ended, Outcome, Reply } from './requests.ts';
import { addRows, changing, pagesOf, type Row } from './tables.ts';

/** Of those who take a key where requests are not recorded, one does so at a time. */
const LOCK = 'requests';

export interface Once {
  key: string;
  /** Told when the request was carried out before, in milliseconds since the epoch by this machine's clock. */
  onPlacedBefore(at: number): void;
}

/** A key, and for which request it is wanted. */
export interface Keyed {
  once: Once;
  /** Of the service, or of the local engine's store. */
  serviceKey: string;
  organizationId: number;
  sent: Sent;
  /** Milliseconds since the epoch, by this machine's clock. */
  now: number;
}

/** Not a failure: the request was carried out before, with this reply. */
export class PlacedBefore extends Error {
  readonly reply: Reply;
  readonly at: number;

  constructor(reply: Reply, at: number) {
    super('placed before');
    this.reply = reply;
    this.at = at;
  }
}

interface KeptKey extends Row {
  request_sha256: string;
  began_at: number;
  outcome: Outcome | null;
  reply: string | null;
}

/**
 * Throws PlacedBefore if a request was carried out under the key, UsageError if it was another one, and OutcomeUnknownError if
 * nobody knows whether it was carried out. A request that certainly rang nobody leaves its key free.
 */
export async function requireUnused(
  sql: Sql,
  { once: { key }, serviceKey, organizationId, sent }: Keyed,
): Promise<void> {
  const isTaken = `coalesce(outcome, '') not in ${FREE}`;
  const asked = `select * from once_keys where service_key = $1 and once_key = $2 and ${isTaken}`;
  const [kept] = await withTable(sql.all<KeptKey>(asked, [serviceKey, key]), NOT_SENT);
  if (kept === undefined) return;
  if (Math.abs(kept.began_at) > YEAR_9999) throw notOurs(key);
  const before = `The key ${JSON.stringify(key)} was used ${localTime(kept.began_at)}`;
  if (kept.request_sha256 !== hashOf(sent, organizationId)) {
    const other = kept.request_sha256 === '' ? 'a call that was forgotten since' : 'a call with other arguments';
    throw new UsageError(`${before} for ${other}. Nothing was sent.`, {
      code: 'key_used',
      hint: 'Another call needs another key.',
    });
  }
  if (kept.outcome !== 'accepted') {
    throw new OutcomeUnknownError(`${before}, and that call may have been placed. Nothing was sent.`, {
      code: 'unknown_call',
      reason: { kind: 'placed', trace: traceOf(sent), at: kept.began_at },
    });
  }
  throw new PlacedBefore(replyIn(key, kept.reply), kept.began_at);
}

/** Outcomes of requests that certainly rang nobody. */
const FREE = "('refused', 'not_sent')";

/** Throws the error of who may not use the table, or make it where an earlier vagent has made the others. */
async function withTable<T>(work: Promise<T>, then: string): Promise<T> {
  return await work.catch((error: unknown) => {
    const hint = WITHOUT_TABLE[codeOf(error) ?? ''];
    if (hint === undefined) throw error;
    const why = isWithoutTable(error) ? 'has no keys of calls yet, and this user may not make their table' : NO_GRANT;
    throw new FileError(`The register ${why}: ${then}`, { code: 'no_once_keys', hint, cause: error });
  });
}

const NOT_SENT = 'whether the key was used before is not known. Nothing was sent.';
const NOT_COPIED = 'those of here cannot be copied there. Nothing was copied.';

const NO_GRANT = 'lets this user not read or write once_keys';
const GRANT = 'grant select, insert, update, delete on once_keys to <user>;';
const WITHOUT_TABLE: Record<string, string> = {
  [NO_TABLE]: `Let the user who owns its tables make any change once, such as a call; then, if it is refused still: ${GRANT}`,
  [NO_RIGHT]: `Its owner says in that schema: ${GRANT}`,
};

/** What somebody else has written there may be anything. */
function replyIn(once_key: string, reply: string | null): Reply {
  try {
    const fields = fieldsIn(readJson(reply ?? ''));
    if (fields !== undefined) return fields;
  } catch {
    // Told below.
  }
  throw notOurs(once_key);
}

function notOurs(key: string): FileError {
  const message = `What the register has under the key ${JSON.stringify(key)}, this program has not written.`;
  return new FileError(`${message} Nothing was sent.`, {
    code: 'register_damaged',
    reason: { kind: 'request_changed' },
  });
}

/** `entry`: of the request in the register; null where requests are not recorded. Takes the place of one that rang nobody. */
export async function keepKey(sql: Sql, keyed: Keyed, entry: number | null): Promise<void> {
  const { once, serviceKey, organizationId, sent, now } = keyed;
  const own = { service_key: serviceKey, once_key: once.key };
  const request = { organization_id: organizationId, request_sha256: hashOf(sent, organizationId) };
  await withTable(putKeys(sql, [{ ...own, ...request, entry, began_at: now }]), NOT_SENT);
}

/** A key that stands there already is left, but for one that is free, and for an outcome of the same call that is not there. */
async function putKeys(sql: Sql, rows: readonly Row[]): Promise<void> {
  const isSame = ['began_at', 'request_sha256']
    .map((column) => `once_keys.${column} = excluded.${column}`)
    .join(' and ');
  const changed = ['organization_id', 'request_sha256', 'entry', 'began_at', 'outcome', 'reply'];
  const sets = changed.map((column) => `${column} = excluded.${column}`).join(', ');
  const replaced = `once_keys.outcome in ${FREE} or (once_keys.outcome is null and ${isSame})`;
  await addRows(sql, 'once_keys', rows, `on conflict (service_key, once_key) do update set ${sets} where ${replaced}`);
}

export function endingKey({ once, serviceKey }: Keyed, { outcome, answer }: Ended): ReturnType<typeof changing> {
  const reply = outcome === 'accepted' ? writeJson(originalOf(answer)) : null;
  return changing('once_keys', { service_key: serviceKey, once_key: once.key }, { outcome, reply }, 'outcome is null');
}

/** The first reply again, after it was said that it is one. */
export function replayed<R extends Reply>(error: unknown, once: Once | undefined): R {
  if (once === undefined || !(error instanceof PlacedBefore)) throw error;
  once.onPlacedBefore(error.at);
  return error.reply as R;
}

/** Where requests are not recorded. `endedBy` tells what an error says of the outcome. */
export async function sentOnce<R extends Reply>(
  send: () => Promise<R>,
  keyed: Keyed,
  { rows, endedBy, warn }: { rows: Rows; endedBy(error: unknown): Ended; warn(message: string): void },
): Promise<R> {
  try {
    await rows.write(async (sql) => {
      await requireUnused(sql, keyed);
      await keepKey(sql, keyed, null);
    }, LOCK);
  } catch (error) {
    return replayed(error, keyed.once);
  }
  // What came of the call is still what is reported.
  const end = (ended: Ended) =>
    rows.put(...endingKey(keyed, ended)).catch((error: Error) => {
      warn(`${error.message} Its key will show the call as unknown.`);
    });
  const reply = await send().catch(async (error: unknown) => {
    await end(endedBy(error));
    throw error;
  });
  await end({ outcome: 'accepted', answer: reply });
  return reply;
}

/** So that it is a time that can be told. */
const YEAR_9999 = Date.UTC(9999, 0);

/** Everything that the call depends on. */
function hashOf({ operation, request }: Sent, organizationId: number): string {
  const checked = checkRequest(operation, request);
  const whole = checked.ok ? checked.value : request;
  return createHash('sha256')
    .update(JSON.stringify([organizationId, operation, whole]))
    .digest('hex');
}

/** Changes keys where there are any: not in tables of an earlier vagent to which this user may add none. */
export async function changeKeys(sql: Sql, text: string, values: readonly Value[]): Promise<void> {
  await whereKept(sql, () => sql.run(text, values));
}

async function whereKept<T>(sql: Sql, work: () => Promise<T>): Promise<T | undefined> {
  await sql.run('savepoint keys');
  const done = await work().catch(async (error: unknown) => {
    if (!isWithoutTable(error)) throw error;
    await sql.run('rollback to savepoint keys');
    return undefined;
  });
  await sql.run('release savepoint keys');
  return done;
}

function isWithoutTable(error: unknown): boolean {
  return codeOf(error) === NO_TABLE || (error as Error).message === 'no such table: once_keys';
}

/** `entries`: by the number here, that there. */
export async function copyKeys(from: Sql, to: Sql, entries: ReadonlyMap<number, number>): Promise<void> {
  const look = whereKept(from, () => from.all('select once_key from once_keys limit 1'));
  if (((await withTable(look, NOT_COPIED)) ?? []).length === 0) return;
  for await (const page of pagesOf(from, 'once_keys', ['service_key', 'once_key'])) {
    const there = page.map((row) => ({ ...row, entry: entries.get(Number(row.entry)) ?? null }));
    await withTable(putKeys(to, there), NOT_COPIED);
  }
}

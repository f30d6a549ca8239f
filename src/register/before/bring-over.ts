/**
 * Brings the register and the plans of an earlier vagent into rows: `register.jsonl`, what was kept of each campaign, and those
 * who opted out. Its lists of people to call again lasted a day, and are left out: then the guards are as strict as without them.
 */
import * as z from 'zod/mini';
import { type Contact, E164 } from '../../contract.ts';
import { FileError } from '../../errors.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { quietly } from '../../storage/files/file-system.ts';
import { fieldsIn, parsed, textsIn } from '../../text/json.ts';
import { phoneKeyOfDigits, phoneKeyOfNumber } from '../../text/phone.ts';
import { calledBy, contactRow, textsOf } from '../contact-rows.ts';
import { endRow, requestIn, requestRow } from '../request-rows.ts';
import { isRefused } from '../requests.ts';
import { addRows, changing, emptyRow, type Row } from '../tables.ts';
import { bytesOf, damagedRegister, inPages, isCount, linesOf, type OldFiles } from './old-files.ts';

/** What brings something of old files into rows. */
export type Bringing = (old: OldFiles, sql: Sql) => Promise<void>;

/** In the transaction that makes the tables. Throws FileErrors. */
export async function bringOver(old: OldFiles, sql: Sql, bringPlans: Bringing): Promise<void> {
  await bringOptedOut(old, sql);
  await bringRequests(old, sql);
  await bringPlans(old, sql);
}

// The requests: a line from before each was sent, and one from when it had ended ---------------------------------------

export const REGISTER = 'register.jsonl';

const CAMPAIGN = 'create-campaign';
const count = z.int().check(z.minimum(0));
const time = z.string().check(z.refine((at) => !Number.isNaN(Date.parse(at))));
const anything = z.optional(z.unknown());
const maybeText = z.catch(z.optional(z.string()), undefined);
/** With its fields in the order in which they were sent. What a request holds is looked at where its row is read. */
const fields = z.custom<Record<string, unknown>>((value) => fieldsIn(value) !== undefined);
const ofEntry = { entry: z.int().check(z.minimum(1)), at: time };
const ofSent = {
  ...{ ...ofEntry, event: z.literal('sent'), by: z.catch(z.string(), ''), service: z.string() },
  ...{ organization_id: z.int(), forgotten: anything, forgotten_elsewhere: anything },
};
const LINE = z.union([
  z.object({
    ...{ ...ofSent, operation: z.literal('trigger-call') },
    request: fields.check(z.refine(({ called_to }) => typeof called_to === 'string')),
  }),
  z.object({
    ...{ ...ofSent, operation: z.literal(CAMPAIGN), request: fields },
    contacts: z.object({ count, numbers_sha256: z.string(), file: maybeText, file_sha256: maybeText }),
    plan: z.catch(z.optional(z.object({ id: count, wave: count, created_at: time })), undefined),
  }),
  z.object({
    ...{ ...ofEntry, event: z.literal('ended'), outcome: z.string() },
    ...{ answer: anything, clock_ahead: anything },
  }),
]);
type Line = z.infer<typeof LINE>;
type OldSent = Extract<Line, { event: 'sent' }>;
type OldEnded = Extract<Line, { event: 'ended' }>;

/** Undefined if the text is no line of the register. */
function lineIn(text: string): Line | undefined {
  return LINE.safeParse(parsed(text)).data;
}

/** The last that was sent, by any service; `at` in milliseconds since the epoch. */
export async function lastSent(old: OldFiles): Promise<{ service: string; at: number } | undefined> {
  let last: OldSent | undefined;
  if (!(await old.names('')).has(REGISTER)) return undefined;
  for await (const text of linesOf(old, REGISTER)) {
    const line = lineIn(text);
    if (line?.event === 'sent') last = line;
  }
  return last && { service: last.service, at: Date.parse(last.at) };
}

/** Somebody may have been called by it, and is known. */
type OldCampaign = Extract<OldSent, { operation: typeof CAMPAIGN }>;

async function bringRequests(old: OldFiles, sql: Sql): Promise<void> {
  const name = old.nameOf(REGISTER);
  const register = new OldRegister(old);
  const campaigns: OldCampaign[] = [];
  async function* rows(): AsyncGenerator<Row, void> {
    for await (const { sent, ended } of register.requests()) {
      const row = { ...emptyRow('requests'), ...sentRow(sent), ...(ended && endedRow(ended)) };
      // What a request must have was not looked at by every earlier vagent.
      const past = quietly(() => requestIn(row));
      if (past === undefined)
        throw damagedRegister(`${name}: entry ${sent.entry} is damaged: it is no request that can be read`);
      if (sent.operation === CAMPAIGN && sent.forgotten === undefined && !isRefused(past)) campaigns.push(sent);
      yield row;
    }
  }
  // A number that stands there twice is found by the count.
  for await (const page of inPages(rows())) await addRows(sql, 'requests', page, 'on conflict do nothing');
  const [row] = await sql.all<{ count: number }>('select count(*) as count from requests');
  if (row !== undefined && row.count < register.begun)
    throw damagedRegister(`${name} has the number of an entry twice`);
  await requireNoOthers(old, register.lastEntry);
  const names = await old.names(FOLDER);
  for (const campaign of campaigns) await bringContacts(old, sql, names, campaign);
}

/** What it counts is complete when `requests` was read to its end. */
class OldRegister {
  readonly #old: OldFiles;
  lastEntry = 0;
  /** Requests that were about to be sent. */
  begun = 0;

  constructor(old: OldFiles) {
    this.#old = old;
  }

  /** As they ended; and at last those of which it does not say how. */
  async *requests(): AsyncGenerator<{ sent: OldSent; ended?: OldEnded }, void> {
    if (!(await this.#old.names('')).has(REGISTER)) return;
    const open = new Map<number, OldSent>();
    let number = 0;
    for await (const text of linesOf(this.#old, REGISTER)) {
      number++;
      const line = lineIn(text);
      if (line === undefined && isTorn(text)) break;
      const sent = line && open.get(line.entry);
      if (line === undefined || (line.event === 'sent' && sent !== undefined))
        throw damagedRegister(
          `${this.#old.nameOf(REGISTER)}: line ${number} is damaged: it is not an entry of the register`,
        );
      this.lastEntry = Math.max(this.lastEntry, line.entry);
      if (line.event === 'sent') {
        this.begun++;
        open.set(line.entry, line);
      } else if (sent !== undefined) {
        open.delete(line.entry);
        yield { sent, ended: line };
      }
    }
    for (const sent of open.values()) yield { sent };
  }
}

function sentRow(sent: OldSent): Row {
  const [at, forgotten] = [Date.parse(sent.at), Date.parse(String(sent.forgotten))];
  const isCall = sent.operation !== CAMPAIGN;
  const mark = isCall ? undefined : sent.plan;
  const plan = mark && { ...mark, createdAt: Date.parse(mark.created_at) };
  return {
    ...requestRow({ ...sent, at, plan, phone: isCall ? phoneIn(sent.request.called_to) : null }),
    forgotten_at: sent.forgotten === undefined ? null : forgotten || at,
    forgotten_elsewhere: sent.forgotten_elsewhere === true ? 1 : null,
  };
}

const OUTCOMES = ['accepted', 'refused', 'not_sent'] as const;

function endedRow({ at, outcome: said, answer, clock_ahead }: OldEnded): Row {
  const outcome = OUTCOMES.find((known) => known === said) ?? 'unknown';
  const ahead = Math.round(Number(clock_ahead));
  const clock = Number.isSafeInteger(ahead) ? { clock_ahead: ahead } : {};
  const { campaign_id, ...row } = endRow({ outcome, answer: fieldsIn(answer) ?? {}, ...clock }, Date.parse(at));
  return { ...row, ...(outcome === 'accepted' && { campaign_id }) };
}

/** The key of a phone. Null if it is no number: of a call that was forgotten, or written by hand. */
function phoneIn(number: unknown): number | null {
  return typeof number === 'string' && E164.test(number) ? phoneKeyOfNumber(number) : null;
}

/** How every line begins. */
const BEGINNING = '{"entry":';

/**
 * Whether the text is the beginning of one line that its writer did not finish, or the zeros that a file system puts in
 * place of unwritten bytes. Anything else does not come from a crash.
 */
function isTorn(tail: string): boolean {
  const text = tail.replace(/\0+$/, '');
  return (
    !text.endsWith('\n') &&
    (BEGINNING.startsWith(text) || (text.startsWith(BEGINNING) && !/[\r\0]|.\{"entry":/.test(text)))
  );
}

// The contacts of campaigns: `campaigns/<entry>.jsonl` and `.rows.jsonl`, and what came of them --------------------------

const FOLDER = 'campaigns';

/** `names` is what the folder holds. */
async function bringContacts(
  old: OldFiles,
  sql: Sql,
  names: ReadonlySet<string>,
  { entry, contacts, at }: OldCampaign,
): Promise<void> {
  const path = `${FOLDER}/${entry}.jsonl`;
  const name = old.nameOf(path);
  const isKept = names.has(`${entry}.jsonl`);
  if (contacts.count > 0 && !isKept)
    throw damagedRegister(`${name} is missing, with the contacts that entry ${entry} of the register called`);
  const rows = names.has(`${entry}.rows.jsonl`) ? await oldRows(old, `${FOLDER}/${entry}.rows.jsonl`) : undefined;
  const numbers: number[] = [];
  const take = (row: Row | undefined, position: number): Row => {
    if (row === undefined) throw damagedRegister(`${name}: line ${position + 1} is damaged: it is not a contact`);
    numbers.push(Number(String(row.number).slice(1)));
    return { ...row, entry, position };
  };
  if (isKept) for await (const page of oldContacts(old, path, rows, take)) await addRows(sql, 'request_contacts', page);
  const { numbersSha256 } = calledBy(Float64Array.from(numbers));
  if (isKept && (numbers.length !== contacts.count || numbersSha256 !== contacts.numbers_sha256))
    throw damagedRegister(`${name} is damaged: its numbers are not those that were sent`);
  await rows?.requireEnd();
  // A summary of another campaign is ignored.
  const told = names.has(`${entry}.summary.json`) ? await jsonOf(old, `${FOLDER}/${entry}.summary.json`) : undefined;
  const summary = told?.sent_at === at ? JSON.stringify(told) : null;
  const columns = rows === undefined ? null : JSON.stringify(rows.columns);
  if (columns !== null || summary !== null) await sql.run(...changing('requests', { entry }, { columns, summary }));
}

async function jsonOf(old: OldFiles, path: string): Promise<Record<string, unknown> | undefined> {
  return fieldsIn(parsed(await bytesOf(old, path)));
}

/** Rows of a table, some at a time; `take` makes them, and throws for what is not the contact that was written. */
export function oldContacts(
  old: OldFiles,
  path: string,
  rows: OldRows | undefined,
  take: (row: Row | undefined, position: number, text: string) => Row,
): AsyncGenerator<Row[], void> {
  async function* all(): AsyncGenerator<Row, void> {
    let position = 0;
    for await (const text of linesOf(old, path)) {
      const row = take(contactIn(text), position++, text);
      yield { ...row, cells: (await rows?.next()) ?? null };
    }
  }
  return inPages(all());
}

function contactIn(text: string): Row | undefined {
  const contact = fieldsIn(parsed(text)) as unknown as Contact | undefined;
  if (contact === undefined || phoneIn(contact.phone_number) === null) return undefined;
  const areTexts = textsOf(contact).every((value) => value === undefined || typeof value === 'string');
  return areTexts ? contactRow(contact) : undefined;
}

/** The original rows of contacts, in their order. */
interface OldRows {
  columns: readonly string[];
  /** The cells of the next row, as JSON. */
  next(): Promise<string>;
  requireEnd(): Promise<void>;
}

/** The columns stand in the first line. */
export async function oldRows(old: OldFiles, path: string): Promise<OldRows> {
  const lines = linesOf(old, path);
  const nextLine = async () => (await lines.next()).value ?? undefined;
  const damaged = (why: string) =>
    damagedRegister(
      `${old.nameOf(path)} is damaged: ${why}`,
      'Put it back as it was, or move it away to go on without the original columns. Nobody is called until then.',
    );
  const columns = textsIn(fieldsIn(parsed(await nextLine()))?.columns);
  if (columns === undefined) throw damaged('its first line does not name the columns');
  let line = 1;
  return {
    columns,
    async next() {
      line++;
      const text = await nextLine();
      if (text !== undefined && textsIn(parsed(text))?.length === columns.length) return text.trimEnd();
      throw damaged(`line ${line} is not a row of ${columns.length} cells`);
    },
    async requireEnd() {
      if ((await nextLine()) !== undefined) throw damaged('it holds more rows than contacts');
    },
  };
}

const IMPORT = 'register.import';

/**
 * Throws FileError if contacts are kept for an entry that the register does not have: it has lost lines. Those of the
 * next entry may stand there, for a program may have been killed before it wrote the line; and those that an import has
 * left.
 */
async function requireNoOthers(old: OldFiles, lastEntry: number): Promise<void> {
  const { first, last } = await importLeft(old);
  const isLeft = (entry: number) => lastEntry < last && entry >= first && entry <= last;
  for (const name of await old.names(FOLDER)) {
    const [, digits = '', ending = ''] = /^([1-9]\d{0,14})\.(jsonl|phones)$/.exec(name) ?? [];
    const entry = Number(digits);
    if (entry <= lastEntry + (ending === 'jsonl' ? 1 : 0) || isLeft(entry)) continue;
    const end = lastEntry === 0 ? 'records no request' : `ends with entry ${lastEntry}`;
    throw damagedRegister(
      `${old.nameOf(REGISTER)} ${end}, but the contacts of entry ${entry} are kept in ${old.nameOf(`${FOLDER}/${name}`)}`,
    );
  }
}

/** The entries that an import was taking over when it was killed. */
async function importLeft(old: OldFiles): Promise<{ first: number; last: number }> {
  if (!(await old.names('')).has(IMPORT)) return { first: 0, last: 0 };
  const { first, last } = (await jsonOf(old, IMPORT)) ?? {};
  if (isCount(first) && isCount(last)) return { first, last };
  throw damagedRegister(
    `${old.nameOf(IMPORT)} is damaged: it does not name the entries of an import that was stopped`,
    `Remove it, and the files in ${old.nameOf(FOLDER)} with numbers above the last entry of the register. Then import again.`,
  );
}

// Those who opted out: a line for each phone, and how many there were in a file beside it ---------------------------------

const LIST = 'plans/opted-out.jsonl';
const COUNT = 'plans/opted-out.count.json';

async function bringOptedOut(old: OldFiles, sql: Sql): Promise<void> {
  const names = await old.names('plans');
  /** By service: of each phone, the organization that was told. */
  const toldTo = new Map<string, Map<number, number>>();
  let read = 0;
  if (names.has('opted-out.jsonl')) {
    for await (const text of linesOf(old, LIST)) {
      if (!text.endsWith('\n')) break;
      read++;
      if (!take(text, toldTo)) throw damagedList(`${old.nameOf(LIST)}: line ${read} is damaged`);
    }
  }
  const lines = names.has('opted-out.count.json') ? (await jsonOf(old, COUNT))?.lines : 0;
  if (!isCount(lines)) throw damagedList(`${old.nameOf(COUNT)} does not say how many lines the list beside it has`);
  if (read < lines) throw damagedList(`${old.nameOf(LIST)} has ${read} of ${lines} lines`);
  // Nobody knows any more when they said it.
  const rows = [...toldTo].flatMap(([service_key, phones]) =>
    Array.from(phones, ([phone, organization_id]) => ({ service_key, phone, organization_id, since: 0 })),
  );
  await addRows(sql, 'opted_out', rows);
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

function damagedList(what: string): FileError {
  return new FileError(`${what}, so it is not known who opted out.`, {
    code: 'opted_out_damaged',
    hint:
      'Nobody is called until it is mended: put the file back as it was. ' +
      'If lines were taken out on purpose, remove opted-out.count.json.',
  });
}

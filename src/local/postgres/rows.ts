/** The engine's state as rows of tables, and back; rows are written some thousand at a time, as JSON. */
import { randomUUID } from 'node:crypto';
import { type Contact, type DocumentedCall, isCallStatus, isContact } from '../../contract.ts';
import { CONTACT_TEXTS } from '../../engine/bounds.ts';
import { nextDue } from '../../engine/campaigns.ts';
import { callId } from '../../engine/policy.ts';
import type { AgentRecord, Campaign, State } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import type { Client } from '../../storage/database/connection.ts';
import { isoTime } from '../../text/iso.ts';
import { damaged, idsAfter, type NextIds } from '../store.ts';

type Counters = 'seed' | 'next_call_number' | 'calls_before_reset' | 'next_campaign_number' | 'scenario';

export type OrganizationRow = Pick<State, Counters> &
  State['organization'] & {
    clock_offset: number;
    clock_last: number;
    commit_id: string;
    /** The ends of its log; null if it is empty. */
    oldest_call: number | null;
    newest_call: number | null;
    newest_at: Date | null;
    due_at: number | null;
  };

export interface AgentRow extends AgentRecord {
  calls: number;
}

export interface CampaignRow extends Omit<Campaign, 'pace' | 'voicemail'> {
  organization_id: number;
  pace_anchor: number;
  pace_dials: number;
  /** Tables of an older version lack it. */
  voicemail?: number | null;
  retries_added: number;
  retries_taken: number;
}

export function campaignOf({
  organization_id: _organization,
  pace_anchor: anchor,
  pace_dials: dials,
  voicemail,
  retries_added: _added,
  retries_taken: _taken,
  ...campaign
}: CampaignRow): Campaign {
  return { ...campaign, pace: { anchor, dials }, ...(typeof voicemail === 'number' && { voicemail }) };
}

/** The columns of `organizations` that the engine changes, and their values. */
export function organizationColumns(state: State): Record<string, unknown> & { organization_id: number } {
  const { organization, clock } = state;
  return {
    ...organization,
    seed: state.seed,
    clock_offset: clock.offset,
    clock_last: clock.last,
    next_call_number: state.next_call_number,
    calls_before_reset: state.calls_before_reset,
    next_campaign_number: state.next_campaign_number,
    scenario: state.scenario,
    due_at: dueAt(state),
  };
}

/** By the system's clock, which the engine's is ahead of. */
export function dueAt(state: State): number | null {
  const due = nextDue(state);
  if (due === undefined) return null;
  return due <= state.clock.last ? 0 : due - state.clock.offset;
}

/** The columns of `campaigns` that the engine changes, and their values. */
export function campaignColumns({ pace, ...campaign }: Campaign): Record<string, unknown> {
  const { voicemail = null } = campaign;
  return { ...campaign, voicemail, pace_anchor: pace.anchor, pace_dials: pace.dials };
}

export type ContactRow = Record<(typeof CONTACT_TEXTS)[number], string | null> & {
  campaign_id: number;
  contact: number;
  phone_number: string;
};

/** A retry with the contact that it is of. */
export type RetryRow = ContactRow & {
  number: number;
  attempt: number;
  due: number;
  /** Whom the attempt before called; null where it is not known. */
  called_before: string | null;
  /** Whether somebody took that call, and whether the calls of the campaign are known from its first. */
  was_reached: boolean;
  is_known: boolean;
  /** Whether the attempt was made already. */
  is_made: boolean;
};

/** With the documented fields in the order in which the other store writes them, and only those that were given. */
export function contactOf(row: Omit<ContactRow, 'campaign_id' | 'contact'>): Contact {
  const contact: Contact = { phone_number: row.phone_number };
  for (const name of CONTACT_TEXTS) {
    const text = row[name];
    if (text !== null) contact[name] = text;
  }
  return contact;
}

/** Throws FileError where it cannot be called. */
export function soundContact(row: ContactRow): Contact {
  const contact = contactOf(row);
  if (isContact(contact)) return contact;
  throw damaged(`contact ${row.contact} of campaign ${row.campaign_id} has no number that can be called`);
}

export function* contactRows(campaign_id: number, contacts: Iterable<Contact>): Generator<Row> {
  let contact = 0;
  for (const one of contacts) {
    const { phone_number, custom_first_line = null, custom_instruction = null, custom_identifiers = null } = one;
    yield { campaign_id, contact: contact++, phone_number, custom_first_line, custom_instruction, custom_identifiers };
  }
}

type CallColumns = 'agent_id' | 'called_to' | 'call_from' | 'call_duration' | 'call_outcome' | 'transcript';

export interface CallRow extends Pick<DocumentedCall, CallColumns> {
  call_number: number;
  at: Date;
  call_status: string;
  recording_url: string | null;
}

/** Throws FileError where its time or its status is none. */
export function callOf(organizationId: number, row: CallRow): DocumentedCall {
  const name = `call ${row.call_number} of organization ${organizationId}`;
  if (!(row.at instanceof Date)) throw damaged(`${name} has no time`);
  if (!isCallStatus(row.call_status)) throw damaged(`${name} has a status that is none`);
  const { call_number, at, transcript, recording_url, ...rest } = row;
  const call = { call_id: callId(organizationId, call_number), ...rest, timestamp: at.toISOString(), transcript };
  return recording_url === null ? call : { ...call, recording_url };
}

export type Row = Record<string, unknown>;

const ROWS_AT_ONCE = 2_000;
/**
 * Characters of which a network may take a part and no more. A statement in one message is then given up by the database, and
 * its rows are free; one with parameters is several messages, and the database waits for the rest of them however long that
 * takes.
 */
const LONG = 1 << 14;

interface Inserted {
  table: string;
  /** Those that the rows have, as the first has them unless this says it; what stands in the others, the database knows. */
  columns?: string;
  /** Under which the statement is planned once for a connection; nothing else is ever asked under it. */
  name?: string;
}

/** Returns how many there were. Throws FileError. */
export async function insertRows(
  client: Client,
  { table, name, columns: given }: Inserted,
  rows: Iterable<Row>,
): Promise<number> {
  let inserted = 0;
  for (const batch of batchesOf(rows)) {
    const json = storable(batch, table);
    const columns = given ?? Object.keys(batch[0] ?? {}).join(', ');
    const insert = (rows: string) => `insert into ${table} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::${table}, ${rows})`;
    if (json.length < LONG)
      await client.query({ ...(name !== undefined && { name }), text: insert('$1'), values: [json] });
    else await client.query(insert(client.escapeLiteral(json)));
    inserted += batch.length;
  }
  return inserted;
}

/** Some thousand at a time. */
function* batchesOf<R>(rows: Iterable<R>): Generator<R[]> {
  let batch: R[] = [];
  for (const row of rows) {
    if (batch.push(row) < ROWS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** A character that is none, or half a one, as JSON writes it: behind an even number of backslashes. */
const NO_TEXT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** Rows as JSON. Throws FileError where a text is none for the database: what a file of another kind may keep. */
export function storable(rows: readonly object[], table: string): string {
  const json = JSON.stringify(rows);
  // Most texts have no such character at all, and that is seen much faster.
  if (!json.includes('\\u') || !NO_TEXT.test(json)) return json;
  throw new FileError(`A text of ${table} holds a character that PostgreSQL cannot keep: U+0000, or half of a pair.`, {
    hint: 'Nothing was changed. Take it out.',
  });
}

/**
 * The commit that the organization's row names; undefined if there is no such organization. `for update`: nobody else changes the
 * organization until the end of the transaction; undefined, too, if it is to skip one that somebody else is changing.
 */
export async function readCommitId(
  client: Client,
  organizationId: number,
  lock: '' | 'for update' | 'for update skip locked' = '',
): Promise<string | undefined> {
  const { rows } = await client.query<{ commit_id: string }>({
    name: `commit id ${lock}`,
    text: `select commit_id from organizations where organization_id = $1 ${lock}`,
    values: [organizationId],
  });
  return rows[0]?.commit_id;
}

/** Makes the ids that count up over all organizations no lower than these. */
export async function raiseIds(client: Client, ids: NextIds): Promise<void> {
  await client.query(
    `insert into engine (next_organization_id, next_agent_id, next_campaign_id) values ($1, $2, $3)
       on conflict (one) do update set next_organization_id = greatest(engine.next_organization_id, $1),
         next_agent_id = greatest(engine.next_agent_id, $2), next_campaign_id = greatest(engine.next_campaign_id, $3)`,
    [ids.next_organization_id, ids.next_agent_id, ids.next_campaign_id],
  );
}

/** A new organization with its agents. The first one begins to count ids for all. */
export async function create(client: Client, state: State): Promise<void> {
  await raiseIds(client, idsAfter(state));
  await insertRows(client, { table: 'organizations' }, [{ ...organizationColumns(state), commit_id: randomUUID() }]);
  await insertBeginning(client, state);
}

/** What an organization begins with, new or after a reset. */
export async function insertBeginning(client: Client, { organization, clock, agents }: State): Promise<void> {
  const { organization_id, balance } = organization;
  await insertWalletChanges(client, organization_id, [{ kind: 'opening', at: clock.last, amount: balance }]);
  const rows = agents.map((agent) => ({ organization_id, ...agent }));
  await insertRows(client, { table: 'agents' }, rows);
}

/** Everything of an organization but its own row. */
export async function deleteRows(client: Client, organizationId: number): Promise<void> {
  const ofCampaigns = 'campaign_id in (select campaign_id from campaigns where organization_id = $1)';
  for (const table of ['contacts', 'retries'])
    await client.query(`delete from ${table} where ${ofCampaigns}`, [organizationId]);
  for (const table of ['calls', 'campaigns', 'agents', 'wallet_changes'])
    await client.query(`delete from ${table} where organization_id = $1`, [organizationId]);
}

/** Another state in place of the organization's, as another commit; its agents and campaigns are not touched. */
export async function replaceState(client: Client, state: State, commitId: string = randomUUID()): Promise<void> {
  const { organization_id, ...known } = organizationColumns(state);
  const columns = { ...known, commit_id: commitId };
  const set = Object.keys(columns).map((name, at) => `${name} = $${at + 2}`);
  await client.query({
    name: 'replace state',
    text: `update organizations set ${set.join(', ')} where organization_id = $1`,
    values: [organization_id, ...Object.values(columns)],
  });
}

/** What moves a wallet besides the charges of calls, which stand with the calls. What a wallet holds is the sum of both. */
export interface WalletChange {
  kind: 'opening' | 'top_up' | 'correction';
  /** Milliseconds since the epoch. */
  at: number;
  /** Millionths. */
  amount: number;
}

export async function insertWalletChanges(
  client: Client,
  organization_id: number,
  changes: readonly WalletChange[],
): Promise<void> {
  const rows = changes.map((change) => ({ organization_id, ...change, at: isoTime(change.at) }));
  await insertRows(client, { table: 'wallet_changes' }, rows);
}

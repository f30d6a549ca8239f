/** Writes the rows of an organization that was kept elsewhere, in a transaction in which a whole engine is made. */
import { randomUUID } from 'node:crypto';
import type { DocumentedCall } from '../../contract.ts';
import { costOf } from '../../engine/calls.ts';
import { callsSinceReset } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import type { Client } from '../../storage/database/connection.ts';
import { callsOf, contactsOf, retriesOf } from '../copy.ts';
import { idsAfter, linesOf, type OnCopied, type Snapshot } from '../store.ts';
import { keepRows } from './campaign-rows.ts';
import {
  batchesOf,
  campaignColumns,
  contactRows,
  insertRows,
  insertWalletChanges,
  organizationColumns,
  type Row,
  raiseIds,
  type WalletChange,
} from './rows.ts';
import { isOfPostgres, type TakeRows } from './snapshot.ts';

/** Nobody else makes one meanwhile. Throws FileError if there is one. */
export async function requireNothing(client: Client, location: string): Promise<void> {
  // There may be millions of rows, and each of them is waited for.
  await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '10min'`);
  await client.query('lock table organizations in share row exclusive mode');
  const { rowCount } = await client.query('select 1 from organizations limit 1');
  if (rowCount !== 0) throw new FileError(`There is a store at ${location} already. Nothing was changed.`);
}

/** Throws FileError where a text cannot be kept, and what `failure` makes of an error of this database. */
export async function writeCopy(
  client: Client,
  from: Snapshot,
  onCopied: OnCopied,
  failure: (error: unknown) => Error,
): Promise<void> {
  await raiseIds(client, idsAfter(from.state));
  const books = booksOf(from);
  const total = callsSinceReset(from.state);
  let done = 0;
  const take: TakeRows = async (table, rows) => {
    const booked = rows.map((row) => books.enter(table, row));
    await insertRows(client, { table }, booked).catch((error) => {
      throw failure(error);
    });
    if (table !== 'calls') return;
    done += rows.length;
    onCopied(done, total);
  };
  if (isOfPostgres(from)) await from.eachRow(take);
  else await eachRowOf(client, from, take);
  await insertWalletChanges(client, from.state.organization.organization_id, books.missing());
  await client.query(
    `select setval(pg_get_serial_sequence('wallet_changes', 'change_id'), max(change_id)) from wallet_changes`,
  );
}

/**
 * What a wallet is told by. A folder, and tables of the first version, do not say what a call cost: that is its price by the
 * scenario of now, and what else had moved by then is in the opening.
 */
function booksOf({ state }: Snapshot) {
  /** Whether it is known what moved the wallet besides its calls. */
  let isComplete = false;
  let charged = 0;
  let since = state.clock.last;
  return {
    enter(table: string, row: Row): Row {
      isComplete ||= table === 'wallet_changes';
      if (table !== 'calls') return row;
      const { call_status, call_duration, at } = row as { call_status: string; call_duration: number; at: string };
      const charge = (row.charge as number | undefined) ?? costOf(call_status, call_duration, state.scenario);
      charged += charge;
      since = Math.min(since, Date.parse(at));
      return { ...row, charge };
    },
    /** The movements that no row told. */
    missing(): WalletChange[] {
      return isComplete ? [] : [{ kind: 'opening', at: since, amount: state.organization.balance + charged }];
    },
  };
}

/** The rows of an organization that is kept in no tables. */
async function eachRowOf(client: Client, from: Snapshot, take: TakeRows): Promise<void> {
  const { state } = from;
  const { organization_id } = state.organization;
  await take('organizations', [{ ...organizationColumns(state), commit_id: randomUUID() }]);
  for (const campaign of state.campaigns) {
    const { campaign_id } = campaign;
    const retries = await retriesOf(from, campaign_id);
    const counts = { retries_added: retries.length, retries_taken: 0 };
    await take('campaigns', [{ organization_id, ...campaignColumns(campaign), ...counts }]);
    const contacts = contactRows(campaign_id, await contactsOf(from, campaign));
    for (const rows of batchesOf(contacts)) await take('contacts', rows);
    const waiting = retries.map(({ index, attempt, due }, number) => {
      return { campaign_id, number, contact: index, attempt, due };
    });
    if (waiting.length > 0) await take('retries', waiting);
    const kept = await from.rowsOf(campaign_id);
    if (kept !== undefined) await keepRows(client, campaign_id, linesOf(kept));
  }
  const callsOfAgent = new Map<number, number>();
  for await (const calls of callsOf(from)) {
    await take(
      'calls',
      calls.map((call) => {
        const agent_call = (callsOfAgent.get(call.agent_id) ?? 0) + 1;
        callsOfAgent.set(call.agent_id, agent_call);
        return { organization_id, agent_call, ...callRow(call) };
      }),
    );
  }
  for (const agent of state.agents)
    await take('agents', [{ organization_id, ...agent, calls: callsOfAgent.get(agent.agent_id) ?? 0 }]);
}

/** A folder does not say of which campaign a call was. */
function callRow({ call_id, timestamp, recording_url = undefined, ...call }: DocumentedCall): Row {
  const call_number = Number(call_id.slice(call_id.lastIndexOf('_') + 1));
  return { call_number, at: timestamp, ...call, recording_url: recording_url ?? null };
}

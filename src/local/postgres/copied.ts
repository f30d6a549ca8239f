/** Writes the rows of an organization that was kept elsewhere, in a transaction in which a whole engine is made. */
import { randomUUID } from 'node:crypto';
import { costOf } from '../../engine/calls.ts';
import { callsSinceReset } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import type { Client } from '../../storage/database/connection.ts';
import { writeCopy } from '../copy.ts';
import { idsAfter, type OnCopied, type Snapshot } from '../store.ts';
import { Transaction, type Work } from '../transaction.ts';
import type { Kept } from './kept.ts';
import { insertRows, insertWalletChanges, organizationColumns, type Row, raiseIds, type WalletChange } from './rows.ts';
import { isOfPostgres, type PostgresSnapshot } from './snapshot.ts';
import { PostgresWork } from './transaction.ts';

/** Nobody else makes one meanwhile. Throws FileError if there is one. */
export async function requireNothing(client: Client, location: string): Promise<void> {
  // There may be millions of rows, and each of them is waited for.
  await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '10min'`);
  await client.query('lock table organizations in share row exclusive mode');
  const { rowCount } = await client.query('select 1 from organizations limit 1');
  if (rowCount !== 0) throw new FileError(`There is a store at ${location} already. Nothing was changed.`);
}

/** Throws FileError where a text cannot be kept, and what `failure` makes of an error of this database. */
export async function writeOrganization(
  client: Client,
  from: Snapshot,
  onCopied: OnCopied,
  failure: (error: unknown) => Error,
): Promise<void> {
  await raiseIds(client, idsAfter(from.state));
  const { clock, organization } = from.state;
  const opening: WalletChange = { kind: 'opening', at: clock.last, amount: organization.balance };
  /** Words a failure of this database here: the source may be a database too, and it would be taken for that one's. */
  const fail = (error: unknown) => {
    throw failure(error);
  };
  const isBooked = isOfPostgres(from)
    ? await copyRows(from, onCopied, opening, (table, rows) => insertRows(client, { table }, rows).catch(fail))
    : await writeAnew(client, from, onCopied, opening).catch(fail);
  if (!isBooked) await insertWalletChanges(client, organization.organization_id, [opening]);
  await client.query(
    `select setval(pg_get_serial_sequence('wallet_changes', 'change_id'), max(change_id)) from wallet_changes`,
  );
}

/**
 * A folder, and tables of the first version, do not say what a call cost: that is its price by the scenario of now, and what else
 * had moved the wallet by then is in the opening.
 */
function book(opening: WalletChange, charge: number, at: string): void {
  opening.amount += charge;
  opening.at = Math.min(opening.at, Date.parse(at));
}

interface CallRow extends Row {
  call_status: string;
  call_duration: number;
  at: string;
  charge?: number;
}

/** Whether they tell what moved the wallet besides its calls. */
async function copyRows(
  from: PostgresSnapshot,
  onCopied: OnCopied,
  opening: WalletChange,
  insert: (table: string, rows: readonly Row[]) => Promise<unknown>,
): Promise<boolean> {
  const total = callsSinceReset(from.state);
  let done = 0;
  let isBooked = false;
  await from.eachRow(async (table, rows) => {
    isBooked ||= table === 'wallet_changes';
    await insert(table, table === 'calls' ? rows.map((row) => charged(row as CallRow)) : rows);
    if (table !== 'calls') return;
    done += rows.length;
    onCopied(done, total);
  });
  return isBooked;

  function charged(row: CallRow): Row {
    const charge = row.charge ?? costOf(row.call_status, row.call_duration, from.state.scenario);
    book(opening, charge, row.at);
    return { ...row, charge };
  }
}

/** An organization that is kept in no tables. A folder does not say of which campaign a call was. */
async function writeAnew(client: Client, from: Snapshot, onCopied: OnCopied, opening: WalletChange): Promise<false> {
  const state = structuredClone(from.state);
  await insertRows(client, { table: 'organizations' }, [{ ...organizationColumns(state), commit_id: randomUUID() }]);
  const kept: Kept = {
    ...{ state, commitId: '', callsOf: new Map(), queues: new Map(), retries: new Map() },
    written: { organization: '', agents: new Map(), campaigns: new Map() },
  };
  const work = new PostgresWork({ client, kept, giveIds: (body) => body(client) });
  const booked: Work = {
    state,
    read: (wanted) => work.read(wanted),
    issueIds: (change) => work.issueIds(change),
    async write(piece) {
      for (const { entry, charge } of piece.calls) book(opening, charge, entry.timestamp);
      await work.write({ ...piece, movements: [] });
    },
  };
  await new Transaction(booked).run([(transaction) => writeCopy(transaction, from, onCopied)]);
  await work.finish(randomUUID());
  return false;
}

/** What moves a wallet besides the charges of calls, which stand with the calls. What a wallet holds is the sum of both. */

import type { Client } from '../../database/database.ts';
import type { State } from '../../engine/state.ts';

export interface WalletChange {
  kind: 'opening' | 'top_up' | 'correction';
  /** Milliseconds since the epoch. */
  at: number;
  /** Millionths. */
  amount: number;
}

/** What a new organization, or one that was reset, begins with. */
export function openingOf({ organization: { balance }, clock }: State): WalletChange {
  return { kind: 'opening', at: clock.last, amount: balance };
}

export async function insertWalletChanges(
  client: Client,
  organizationId: number,
  changes: readonly WalletChange[],
): Promise<void> {
  for (const { kind, at, amount } of changes) {
    await client.query('insert into wallet_changes (organization_id, at, kind, amount) values ($1, $2, $3, $4)', [
      organizationId,
      new Date(at).toISOString(),
      kind,
      amount,
    ]);
  }
}

/** The waves of a plan that the service refused, and whom they would have called. */
import { DEFAULT_CALLS_PER_HOUR } from '../../../contract.ts';
import { rowsOf } from '../../../plans/events.ts';
import { type RefusedWave, spanOf } from '../../../plans/log/refused.ts';
import type { PlanHistory } from '../../../plans/rows/history.ts';
import { phoneKey } from '../../../text/phone.ts';
import type { SentRequests } from './sent-requests.ts';

const HOUR = 3_600_000;

export async function refusedWaves(history: PlanHistory, { entries }: SentRequests): Promise<RefusedWave[]> {
  const refused = entries.filter(({ outcome }) => outcome === 'refused');
  const rows = refused.length === 0 ? new Map<number, Set<number>>() : await rowsByWave(history);
  return refused.map(({ sent: { plan, request, contacts } }) => {
    const wave = plan?.wave ?? 0;
    const { call_from, start_time = '', calls_per_hour = DEFAULT_CALLS_PER_HOUR } = request;
    const paced = { start: Date.parse(start_time), interval: HOUR / calls_per_hour, contacts: contacts.count };
    return {
      ...{ wave, from: phoneKey(call_from), span: spanOf(paced) },
      rows: () => rows.get(wave) ?? new Set(),
    };
  });
}

/** Of all waves: the register does not keep whom a refused request would have called. */
async function rowsByWave(history: PlanHistory): Promise<Map<number, Set<number>>> {
  const rows = new Map<number, Set<number>>();
  for await (const event of history.events('handed')) rows.set(event.wave, new Set(rowsOf(event.rows)));
  return rows;
}

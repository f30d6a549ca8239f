/** Calls counted by the database, for statistics: two passes over them, of which only sums come here. */

import { type CallCounts, isCallStatus } from '../../contract.ts';
import type { Client } from '../../database/database.ts';
import type { CallFilter } from '../../engine/handlers.ts';
import type { Known } from './call-pages.ts';
import { spanOf } from './call-pages.ts';
import { damaged } from './damage.ts';

interface Quarter {
  quarter: number;
  is_completed: boolean;
  calls: string;
  first: number;
  last: number;
}

interface Kind {
  agent_id: string;
  call_status: string;
  call_outcome: string;
  /** Null unless it is completed. */
  seconds: number | null;
  calls: string;
}

const QUARTER_HOUR = 900;

/** Inside a transaction, whose next statements are planned as these are. */
export async function callCounts(client: Client, known: Known, filter: CallFilter): Promise<CallCounts> {
  const { agentId } = filter;
  const counted = `from calls where organization_id = $1 and call_number between $2 and $3
    and at >= ($4::timestamptz[])[1] and at < ($4::timestamptz[])[2] ${agentId === undefined ? '' : 'and agent_id = $5'}`;
  const span = spanOf(filter);
  const values = [known.organizationId, known.first, known.last, span, ...(agentId === undefined ? [] : [agentId])];
  // There are few groups, which nobody can see from the columns: it would sort all calls on the disk.
  await client.query('set local enable_sort = off');
  const quarters = await client.query<Quarter>(
    `select floor(date_part('epoch', at) / ${QUARTER_HOUR}) as quarter, call_status = 'completed' as is_completed, count(*) as calls,
            date_part('epoch', min(at)) * 1000 as first, date_part('epoch', max(at)) * 1000 as last
       ${counted} group by 1, 2`,
    values,
  );
  const kinds = await client.query<Kind>(
    `select agent_id, call_status, call_outcome, case when call_status = 'completed' then call_duration end as seconds,
            count(*) as calls
       ${counted} group by 1, 2, 3, 4`,
    values,
  );
  return {
    quarters: quarters.rows.map(({ quarter, is_completed: isCompleted, calls, first, last }) => {
      const start = quarter * QUARTER_HOUR * 1000;
      return { start, isCompleted, calls: Number(calls), first: Math.round(first), last: Math.round(last) };
    }),
    kinds: kinds.rows.map(({ agent_id, call_status: status, call_outcome: outcome, seconds, calls }) => {
      if (!isCallStatus(status)) throw damaged(`calls of agent ${agent_id} have a status that is none`);
      return { agentId: Number(agent_id), status, outcome, seconds, calls: Number(calls) };
    }),
  };
}

/** Calls counted by the database, for statistics: one pass over them, of which only sums come here. */

import type { CallCounts } from '../../contract.ts';
import type { Client } from '../../database/database.ts';
import type { CallFilter } from '../../engine/handlers.ts';
import type { Known } from './call-pages.ts';
import { spanOf } from './call-pages.ts';

interface Row {
  quarter: string | null;
  agent: string | null;
  status: string | null;
  outcome: string | null;
  seconds: number | null;
  is_completed: boolean | null;
  /** Which of the columns it is counted by: a bit for each that it is not. */
  by: number;
  calls: string;
  first: string;
  last: string;
}

/** The bits of `by`, in the order of `grouping`. */
const BY = { quarter: 0b01111, agent: 0b10111, status: 0b11011, outcome: 0b11101, seconds: 0b11110 } as const;
const QUARTER_HOUR = 900;

export async function callCounts(client: Client, known: Known, filter: CallFilter): Promise<CallCounts> {
  const { agentId } = filter;
  const whose = agentId === undefined ? '' : 'and agent_id = $5';
  const { rows } = await client.query<Row>(
    `select quarter, agent_id as agent, call_status as status, call_outcome as outcome, seconds, is_completed,
            grouping(quarter, agent_id, call_status, call_outcome, seconds) as by,
            count(*) as calls, extract(epoch from min(at)) * 1000 as first, extract(epoch from max(at)) * 1000 as last
       from (select floor(extract(epoch from at) / ${QUARTER_HOUR}) as quarter, agent_id, call_status, call_outcome, at,
                    call_status = 'completed' as is_completed,
                    case when call_status = 'completed' then call_duration end as seconds
               from calls where organization_id = $1 and call_number between $2 and $3
                 and at >= ($4::timestamptz[])[1] and at < ($4::timestamptz[])[2] ${whose}) c
       group by grouping sets ((quarter, is_completed), (agent_id, is_completed), (call_status), (call_outcome), (seconds))`,
    [known.organizationId, known.first, known.last, spanOf(filter), ...(agentId === undefined ? [] : [agentId])],
  );
  const counts: CallCounts = { quarters: [], agents: [], statuses: [], outcomes: [], durations: [] };
  for (const { by, quarter, agent, status, outcome, seconds, is_completed, calls, first, last } of rows) {
    const [count, isCompleted] = [Number(calls), is_completed === true];
    if (by === BY.quarter) {
      const start = Number(quarter) * QUARTER_HOUR * 1000;
      counts.quarters.push({ start, isCompleted, calls: count, first: Number(first), last: Number(last) });
    } else if (by === BY.agent) counts.agents.push({ agentId: Number(agent), isCompleted, calls: count });
    else if (by === BY.status) counts.statuses.push([status as string, count]);
    else if (by === BY.outcome) counts.outcomes.push([outcome as string, count]);
    else if (seconds !== null) counts.durations.push([seconds, count]);
  }
  return counts;
}

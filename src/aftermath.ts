/** What to run after a POST whose outcome is unknown, to see whether it was carried out: exact, so that it can be pasted. */
import { firstDaySince } from './calls/days.ts';
import { type OperationName, type RequestOf, type Service, serviceOf } from './contract.ts';
import { leavesOutcomeUnknown, retold, VagentError } from './errors.ts';

export interface Aftermath {
  /** When the request was sent, in milliseconds since the epoch. */
  sentAt: number;
  /** The flags that say which service is meant, with a space before each. */
  connection: string;
}

export function commandThatShows<K extends OperationName>(
  operation: K,
  request: RequestOf<K>,
  { sentAt, connection }: Aftermath,
): string {
  if (operation === 'triggerCall') {
    const { called_to, call_from, use_agent_id } = request as RequestOf<'triggerCall'>;
    const day = firstDaySince(sentAt);
    return `vagent logs list --to ${called_to} --from ${call_from} --agent ${use_agent_id} --start-date ${day}${connection}`;
  }
  if (operation === 'createCampaign') {
    const { call_from, agent_id, start_time } = request as RequestOf<'createCampaign'>;
    const start = start_time === undefined ? sentAt : Math.max(sentAt, Date.parse(start_time));
    return `vagent logs list --from ${call_from} --agent ${agent_id} --start-date ${firstDaySince(start)}${connection}`;
  }
  return `vagent agent list --all${connection}`;
}

/** The same as advice that ends in the command: calls of a campaign are not seen before it begins. */
export function lookFirst<K extends OperationName>(operation: K, request: RequestOf<K>, aftermath: Aftermath): string {
  const { start_time } = request as { start_time?: string };
  const when = start_time === undefined ? 'look first' : `look, once it has begun at ${start_time},`;
  return `${when} whether it happened, with ${commandThatShows(operation, request, aftermath)}`;
}

/** The same service; where it leaves an outcome unknown, its errors name the command that shows what came of it. */
export function tellingNextStep(
  service: Service,
  look: <K extends OperationName>(operation: K, request: RequestOf<K>) => string,
): Service {
  return serviceOf(async (operation, request) => {
    try {
      return await service[operation](request);
    } catch (error) {
      if (!(error instanceof VagentError) || !leavesOutcomeUnknown(error)) throw error;
      const checkFirst = `Do not repeat it blindly: ${look(operation, request)}`;
      throw retold(error, { message: error.message, hint: [error.hint, checkFirst].filter(Boolean).join(' ') });
    }
  });
}

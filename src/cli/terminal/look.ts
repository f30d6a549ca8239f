/** The command that shows whether a POST of unknown outcome was carried out, complete so that it can be pasted. */
import { type OperationName, type Service, serviceOf } from '../../contract.ts';
import { leavesOutcomeUnknown, type RingingRequest, reworded, VagentError } from '../../errors.ts';
import { firstDaySince } from '../../text/days.ts';
import { shellWord } from '../../text/shell.ts';
import { connectionFlags, type GlobalFlags } from '../flags/global.ts';

type SentRequest = RingingRequest | { operation: Exclude<OperationName, RingingRequest['operation']>; request: object };

/** `sentAt` is when the request was sent, in milliseconds since the epoch; the flags choose the service. */
export function commandThatShows(sent: SentRequest, sentAt: number, flags: GlobalFlags): string {
  const connection = connectionFlags(flags);
  if (sent.operation === 'triggerCall') {
    const { called_to, call_from, use_agent_id } = sent.request;
    const day = firstDaySince(sentAt);
    return (
      `vagent logs list --to ${called_to} --from ${shellWord(call_from)} --agent ${use_agent_id} ` +
      `--start-date ${day}${connection}`
    );
  }
  if (sent.operation === 'createCampaign') {
    const { call_from, agent_id, start_time } = sent.request;
    const start = start_time === undefined ? sentAt : Math.max(sentAt, Date.parse(start_time));
    return `vagent logs list --from ${shellWord(call_from)} --agent ${agent_id} --start-date ${firstDaySince(start)}${connection}`;
  }
  return `vagent agent list --all${connection}`;
}

/** The same as advice that ends with the command; a campaign's calls appear only after it has begun. */
export function adviceToLook(sent: SentRequest, sentAt: number, flags: GlobalFlags): string {
  const start = sent.operation === 'createCampaign' ? sent.request.start_time : undefined;
  const when = start === undefined ? 'look first' : `look, once it has begun at ${start},`;
  return `${when} whether it happened, with ${commandThatShows(sent, sentAt, flags)}`;
}

/** What to do once a phone may ring: `look` is the command that shows the result. */
export function adviceToSeeResult(look: string): string {
  return `Do not repeat it: see its result with ${look}`;
}

/** The same service; an error that leaves an outcome unknown names the command that shows it. */
export function advisingToLook(service: Service, now: () => number, flags: GlobalFlags): Service {
  return serviceOf(async (operation, request) => {
    try {
      return await service[operation](request);
    } catch (error) {
      if (!(error instanceof VagentError) || !leavesOutcomeUnknown(error)) throw error;
      const advice = `Do not repeat it blindly: ${adviceToLook({ operation, request } as SentRequest, now(), flags)}`;
      throw reworded(error, { hint: [error.hint, advice].filter(Boolean).join(' ') });
    }
  });
}

/** The plan of a campaign, shown before it is sent to a real service. */

import type { AgentLook } from '../../../calls/paging/agents.ts';
import { cell, factLines } from '../../../cli/terminal/output.ts';
import type { Context } from '../../../context.ts';
import {
  checkRequest,
  DEFAULT_CALLS_PER_HOUR,
  DEFAULT_RETRY_ATTEMPTS,
  DEFAULT_RETRY_DELAY,
  type RequestOf,
} from '../../../contract.ts';
import { ServiceError } from '../../../errors.ts';
import { isoTime, localIsoTime } from '../../../text/iso.ts';
import { inUnits, writtenTime } from '../../../text/when.ts';
import { chosenName } from '../../shared/questions.ts';
import { playCampaign } from '../../shared/rehearsing.ts';
import { zoneOf } from '../shared/zone.ts';

export interface SummaryOptions {
  timezone?: string;
  /** Millionths. */
  pricePerMinute?: number;
  /** The campaigns whose people are called again. */
  redialOf?: readonly { campaign_id: number; campaign_name: string }[];
}

/** Lines of a name and a value. `look` is undefined if nobody tried to look the agent up. */
export async function summaryOf(
  request: RequestOf<'createCampaign'>,
  look: AgentLook | undefined,
  { timezone, pricePerMinute, redialOf = [] }: SummaryOptions,
  context: Context,
): Promise<string[]> {
  const target = context.settings.target();
  const callsPerHour = request.calls_per_hour ?? DEFAULT_CALLS_PER_HOUR;
  const retries = request.retry_attempts ?? DEFAULT_RETRY_ATTEMPTS;
  const retryDelay = request.retry_delay ?? DEFAULT_RETRY_DELAY;
  const start = request.start_time === undefined ? await context.clock.now() : Date.parse(request.start_time);
  const { worstCaseFinish } = await import('../../../engine/pace.ts');
  const lastCall = (retry_attempts: number) =>
    worstCaseFinish({
      total_contacts: request.contacts.length,
      start_time: start,
      calls_per_hour: callsPerHour,
      retry_attempts,
      retry_delay: retryDelay,
    });
  const show = await timesIn(timezone, context.clock.system());
  const facts = {
    ...(target.mode === 'remote'
      ? { Service: target.name, Organization: context.settings.organization() }
      : { Service: 'the local engine: no phone rings' }),
    Campaign: request.campaign_name,
    Agent:
      look === undefined
        ? (chosenName(context.io, '--agent') ?? request.agent_id)
        : `${request.agent_id} ${described(look)}`,
    From: request.call_from,
    Contacts: request.contacts.length,
    ...(redialOf.length > 0 && { 'A redial of': redialOf.map(named).join(', ') }),
    Pace: `${callsPerHour} calls an hour, ${retries === 0 ? 'one attempt' : `up to ${retries + 1} attempts`} each`,
    ...(retries > 0 && { 'Retry delay': inUnits(retryDelay) }),
    Start: request.start_time === undefined ? 'now' : show(start),
    Finish:
      retries === 0
        ? show(lastCall(0))
        : `${show(lastCall(0))} without retries, ${show(lastCall(retries))} at the latest`,
    ...(pricePerMinute !== undefined && { Cost: await costOf(request, pricePerMinute, context) }),
  };
  return factLines(facts, context.io);
}

function named({ campaign_id, campaign_name }: { campaign_id: number; campaign_name: string }): string {
  return `campaign ${campaign_id} ${JSON.stringify(cell(campaign_name))}`;
}

function described({ agent }: AgentLook): string {
  if (agent === undefined) return '(not looked up)';
  return `${cell(agent.agent_name)} (${cell(agent.status) || 'status not reported'})`.trim();
}

/**
 * `1 Dec 09:00 +01:00 (1 Dec 08:00 UTC)`: in the zone that was given, else in the operator's, and in UTC, as it is sent. Real
 * people will be called then, so that neither may be in doubt.
 */
async function timesIn(timezone: string | undefined, now: number): Promise<(instant: number) => string> {
  const inZone = (await zoneOf(timezone)) ?? ((time: string) => localIsoTime(Date.parse(time)));
  return (instant) => {
    const time = isoTime(instant);
    const utc = writtenTime(time, now);
    const shown = writtenTime(inZone(time), now);
    return shown.endsWith(' +00:00') ? utc : `${shown} (${utc})`;
  };
}

/** The cost of the campaign, estimated by a rehearsal as in `vagent campaign rehearse`. */
async function costOf(request: RequestOf<'createCampaign'>, pricePerMinute: number, context: Context): Promise<string> {
  const [{ planCampaign }, { assumedSetting }, { fromMicros }] = await Promise.all([
    import('../../../engine/rehearsal.ts'),
    import('../../../engine/simulation.ts'),
    import('../../../engine/money.ts'),
  ]);
  const checked = checkRequest('createCampaign', request);
  if (!checked.ok) return 'not estimated';
  const setting = assumedSetting(request.agent_id, request.call_from, context.clock.system());
  try {
    const { cost } = await playCampaign(planCampaign(setting, checked.value, { pricePerMinute }), 1, context);
    return `about ${cost} at ${fromMicros(pricePerMinute)} a started minute, where people answer as a rehearsal supposes`;
  } catch (error) {
    // A service may allow what the local engine does not.
    if (error instanceof ServiceError) return `not estimated: ${error.message}`;
    throw error;
  }
}

/** Submits a wave: into the register and the plan, to the service, and the reply into both. */
import { requireActiveAgent } from '../../calls/paging/agents.ts';
import {
  FileError,
  InputError,
  leavesOutcomeUnknown,
  NotFoundError,
  OutcomeUnknownError,
  reworded,
  ServiceError,
  UnavailableError,
  VagentError,
} from '../../errors.ts';
import type { Ended } from '../../register/requests.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { contactsOf } from '../rows/people.ts';
import type { PlanSession } from '../rows/stored-plan.ts';
import { whyStale } from '../rules/clocks.ts';
import type { Wave } from '../rules/decide.ts';
import { type PlanEvent, runsOf } from '../rules/events.ts';
import { waveName } from '../rules/waves.ts';
import { clocksNow, type Moment, type PlanPorts } from './ports.ts';

/** Nobody was called, because somebody wants the plan to stop. */
class StopWanted extends VagentError {
  readonly exitCode = 0;
  constructor() {
    super('stop_wanted', 'Somebody stopped the plan.');
  }
}

/** A wave that the service has, or may have. */
export interface SubmittedWave {
  wave: number;
  campaignId: number | undefined;
  from: string;
  contacts: number;
  /** When the first and the last contact are called, by the pace; milliseconds since the epoch. */
  start: number;
  last: number;
}

/**
 * Undefined if somebody stopped the plan meanwhile. Throws what the service, the register and the disk throw; what is known of
 * the wave stands in the plan then. `register_grew`: nothing was begun, and the wave must be chosen anew. `lookedAt`: the last
 * entry of the register that the choice has seen.
 */
export async function submitWave(
  chosen: Wave,
  { lookedAt, chosenAt }: { lookedAt: number; chosenAt: Moment },
  session: PlanSession,
  ports: PlanPorts,
): Promise<SubmittedWave | undefined> {
  const { plan, position } = session.loaded;
  const { now } = chosenAt;
  await requireAgent(session, now, ports);
  const wave = position.waves + 1;
  const { from, start, interval, rows } = chosen;
  const request = {
    campaign_name: waveName(plan, wave),
    agent_id: plan.agent_id,
    call_from: from,
    contacts: await contactsOf(session.stored.rows, plan, rows),
    start_time: new Date(start).toISOString(),
    calls_per_hour: plan.rules.callsPerHour,
    retry_attempts: 0,
  };
  const last = start + (rows.length - 1) * interval;
  const sent: SubmittedWave = { wave, campaignId: undefined, from, contacts: rows.length, start, last };
  /** Whether the plan has what came of it. */
  let isReplied = false;
  const parts: Parts = {
    async withIntent(sql, entry) {
      if (await session.stored.isStopWantedIn(sql)) throw new StopWanted();
      requireFresh(chosenAt, session, ports);
      const submitted = { event: 'handed', at: now, wave, from, start, interval, rows: runsOf(rows) } as const;
      await session.commitIn(sql, [entry === undefined ? submitted : { ...submitted, entry }]);
    },
    async withReply(sql, ended) {
      await session.commitIn(sql, eventsOf(ended, wave, now, ports.notes.redact));
      isReplied = true;
    },
  };
  try {
    const planned = { id: plan.plan_id, wave, createdAt: plan.createdAt, lookedAt };
    const service = await ports.services.chosen({ plan: planned, ...parts });
    const send = async () => {
      const reply = await service.createCampaign(request);
      sent.campaignId = reply.campaign_id;
      return reply;
    };
    await (plan.isLocal ? onEngine(send, session, parts) : send());
  } catch (error) {
    if (error instanceof StopWanted) return undefined;
    if (sent.campaignId !== undefined) throw afterSubmitting(error, sent, plan.plan_id);
    throw leavesOutcomeUnknown(error)
      ? unknownWave(error as VagentError, sent, plan.plan_id)
      : tellingStop(error, session);
  }
  if (!isReplied) throw afterSubmitting(new FileError('that could not be kept.'), sent, plan.plan_id);
  return sent;
}

/** Parts of the transactions before the request, and after it. */
interface Parts {
  withIntent: (sql: Sql, entry?: number) => Promise<void>;
  withReply: (sql: Sql, ended: Ended) => Promise<void>;
}

/** Throws UnavailableError if the machine slept, for example, between the choice and the sending, or a clock was set. */
function requireFresh(chosenAt: Moment, { loaded }: PlanSession, { clock }: PlanPorts): void {
  const why = whyStale(chosenAt, clocksNow(loaded.plan, clock));
  if (why === undefined) return;
  throw new UnavailableError(`The wave was not sent: ${why}.`, {
    code: 'wave_too_late',
    hint: 'The next run chooses another.',
  });
}

/** Throws InputError or NotFoundError, and the plan is stopped, if its agent certainly does not call any more. */
async function requireAgent(session: PlanSession, at: number, { services, notes }: PlanPorts): Promise<void> {
  try {
    const { doubt } = await requireActiveAgent(session.loaded.plan.agent_id, await services.chosen());
    if (doubt !== undefined) notes.warn(doubt);
  } catch (error) {
    if (error instanceof InputError || error instanceof NotFoundError)
      await session.commit([{ event: 'stopped', at, reason: notes.redact(error.message) }]);
    throw tellingStop(error, session);
  }
}

/** The local engine is asked between two transactions; what it has is found in its store, if this process is stopped. */
async function onEngine(
  send: () => Promise<Record<string, unknown>>,
  session: PlanSession,
  { withIntent, withReply }: Parts,
): Promise<void> {
  const keep = (ended: Ended) => session.write((sql) => withReply(sql, ended));
  await session.write((sql) => withIntent(sql));
  const answer = await send().catch(async (error: unknown) => {
    // Whether the campaign is in the store, the next run sees.
    if (!(error instanceof VagentError) || error.exitCode === 9) throw error;
    const { message, status } = error;
    await keep({ outcome: leavesOutcomeUnknown(error) ? 'unknown' : 'refused', answer: { message, status } });
    throw error;
  });
  await keep({ outcome: 'accepted', answer });
}

/** What an ended request means for the plan. A service may repeat the key in anything it says. */
function eventsOf({ outcome, answer }: Ended, wave: number, at: number, redact: (text: string) => string): PlanEvent[] {
  const { campaign_id, status, ...said } = answer as { campaign_id?: number; message?: string; status?: number };
  const message = redact(said.message ?? '');
  const replied = { event: 'answered', at, wave } as const;
  if (outcome === 'accepted') return [{ ...replied, outcome, ...(campaign_id !== undefined && { campaign_id }) }];
  if (outcome === 'unknown') return [{ ...replied, outcome, message }];
  const notPlaced: PlanEvent = { ...replied, outcome: 'not_placed', message };
  // Without money, with a number that is not there, or with a request that is refused, the next run would fare no better.
  const isFinal = status !== undefined && [3, 5, 6].includes(new ServiceError(status, '', '').exitCode);
  return isFinal ? [notPlaced, { event: 'stopped', at, reason: message }] : [notPlaced];
}

// What is thrown ----------------------------------------------------------------------------------------------------

/** A retry does nothing where the failure has stopped the plan: no later run meets it again. */
function tellingStop(error: unknown, { loaded: { plan, position } }: PlanSession): unknown {
  if (!(error instanceof VagentError) || position.state !== 'stopped') return error;
  return reworded(error, { reason: { kind: 'plan_stopped', planId: plan.plan_id, because: error.reason } });
}

function unknownWave(error: VagentError, { wave, contacts }: SubmittedWave, planId: number): VagentError {
  const unknown = `Whether wave ${wave} was created is not known: ${error.message}`;
  const people = contacts === 1 ? 'Its contact is' : `Its ${contacts} contacts are`;
  const message = `${unknown} ${people} called by no other wave before the call log tells.`;
  return reworded(error, { message, reason: { kind: 'wave_unknown', planId }, hint: undefined });
}

/** The next run looks for its calls in the log, or for the campaign in the store of the local engine. */
function afterSubmitting(error: unknown, { wave, campaignId }: SubmittedWave, planId: number): unknown {
  if (!(error instanceof VagentError)) return error;
  return new OutcomeUnknownError(`Wave ${wave} was sent as campaign ${campaignId}, but: ${error.message}`, {
    code: error.code,
    reason: { kind: 'wave_not_kept', planId },
    cause: error,
  });
}

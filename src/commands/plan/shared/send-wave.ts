/** Hands over a wave: into the register and the plan, to the service, and what it answered into both. */
import type { Context } from '../../../context.ts';
import type { Sql } from '../../../database/sql.ts';
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
} from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import { whyStale } from '../../../plans/clocks.ts';
import { type PlanEvent, runsOf } from '../../../plans/events.ts';
import type { Wave } from '../../../plans/planner.ts';
import type { PlanSession } from '../../../plans/rows/session.ts';
import type { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { waveName } from '../../../plans/wave-name.ts';
import type { Ended } from '../../../register/requests.ts';
import { requireActiveAgent } from '../../campaign/shared/active-agent.ts';
import { maskedEvents } from './masked-events.ts';
import { resumeCommand } from './resume-command.ts';
import { clocksNow, type Moment } from './service-now.ts';

/** Nobody was called, because somebody wants the plan to stop. */
class StopWanted extends VagentError {
  readonly exitCode = 0;
  constructor() {
    super('stop_wanted', 'Somebody stopped the plan.');
  }
}

/** A wave that the service has, or may have. */
export interface SentWave {
  wave: number;
  campaignId: number | undefined;
  from: string;
  contacts: number;
  /** When the first and the last contact are called, by the pace; milliseconds since the epoch. */
  start: number;
  last: number;
}

/** What a wave is sent with. */
export interface Sender {
  stored: StoredPlan;
  session: PlanSession;
  /** The last entry of the register when the wave was chosen. */
  lookedAt: number;
  chosenAt: Moment;
  context: Context;
}

/**
 * Undefined if somebody stopped the plan meanwhile. Throws what the service, the register and the disk throw; what is known of
 * the wave stands in the plan then. `register_grew`: nothing was begun, and the wave must be chosen anew.
 */
export async function sendWave(chosen: Wave, sender: Sender): Promise<SentWave | undefined> {
  const { stored, session, lookedAt, context } = sender;
  const { now } = sender.chosenAt;
  const { plan, position } = session.loaded;
  await requireAgent(sender);
  const wave = position.waves + 1;
  const { from, start, interval, rows } = chosen;
  const request = {
    campaign_name: waveName(plan, wave),
    agent_id: plan.agent_id,
    call_from: from,
    contacts: await stored.peopleOf(session.loaded).of(rows),
    start_time: new Date(start).toISOString(),
    calls_per_hour: plan.rules.callsPerHour,
    retry_attempts: 0,
  };
  const last = start + (rows.length - 1) * interval;
  const sent: SentWave = { wave, campaignId: undefined, from, contacts: rows.length, start, last };
  /** Together with the request, before it is sent. */
  const withIntent = async (sql: Sql, entry?: number) => {
    if (await stored.isStopWantedIn(sql)) throw new StopWanted();
    requireFresh(sender);
    const handed = { event: 'handed', at: now, wave, from, start, interval, rows: runsOf(rows) } as const;
    await session.commitIn(sql, [entry === undefined ? handed : { ...handed, entry }]);
  };
  /** Whether the plan has what came of it. */
  let isTold = false;
  const withReply = async (sql: Sql, ended: Ended) => {
    await session.commitIn(sql, maskedEvents(eventsOf(ended, wave, now), context.io));
    isTold = true;
  };
  try {
    const planned = { id: plan.plan_id, wave, createdAt: plan.createdAt, lookedAt };
    const service = await context.service({ plan: planned, withIntent, withReply });
    const send = async () => {
      const answer = await service.createCampaign(request);
      sent.campaignId = answer.campaign_id;
      return answer;
    };
    await (plan.isLocal ? onEngine(send, { session, withIntent, withReply }) : send());
  } catch (error) {
    if (error instanceof StopWanted) return undefined;
    if (sent.campaignId !== undefined) throw afterSending(error, sent, sender);
    throw leavesOutcomeUnknown(error) ? unknownWave(error as VagentError, sent, sender) : tellingStop(error, sender);
  }
  if (!isTold) throw afterSending(new FileError('that could not be kept.'), sent, sender);
  return sent;
}

/** Parts of the transactions before a request, and after it. */
interface Hooks {
  withIntent: (sql: Sql, entry?: number) => Promise<void>;
  withReply: (sql: Sql, ended: Ended) => Promise<void>;
}

/** Throws UnavailableError if the machine slept, for example, between the choice and the sending, or a clock was set. */
function requireFresh({ chosenAt, session, context }: Sender): void {
  const why = whyStale(chosenAt, clocksNow(session.loaded.plan, context));
  if (why === undefined) return;
  throw new UnavailableError(`The wave was not sent: ${why}.`, {
    code: 'wave_too_late',
    hint: 'The next run chooses another.',
  });
}

/** Trying again does nothing where the failure has stopped the plan. */
function tellingStop(error: unknown, { session, context }: Pick<Sender, 'session' | 'context'>): unknown {
  const { plan, position } = session.loaded;
  if (!(error instanceof VagentError) || position.state !== 'stopped') return error;
  const resume = `The plan calls nobody until: ${resumeCommand(plan.plan_id, context.flags)}`;
  return reworded(error, {
    message: `${error.message} Plan ${plan.plan_id} is stopped.`,
    hint: [error.hint, resume].filter((text) => text !== undefined).join('. '),
  });
}

/** Throws InputError or NotFoundError, and the plan is stopped, if its agent certainly does not call any more. */
async function requireAgent({ session, chosenAt, context }: Sender): Promise<void> {
  try {
    const { doubt } = await requireActiveAgent(session.loaded.plan.agent_id, context);
    if (doubt !== undefined) context.io.warn(doubt);
  } catch (error) {
    if (error instanceof InputError || error instanceof NotFoundError) {
      await session.commit(maskedEvents([{ event: 'stopped', at: chosenAt.now, reason: error.message }], context.io));
    }
    throw tellingStop(error, { session, context });
  }
}

/** The local engine is asked between two transactions; what it has is found in its store, if this process is stopped. */
async function onEngine(
  send: () => Promise<Record<string, unknown>>,
  { session, withIntent, withReply }: Pick<Sender, 'session'> & Hooks,
): Promise<void> {
  await session.write((sql) => withIntent(sql));
  let answer: Record<string, unknown>;
  try {
    answer = await send();
  } catch (error) {
    // Whether the campaign is in the store, the next run sees.
    if (!(error instanceof VagentError) || error.exitCode === 9) throw error;
    const outcome = leavesOutcomeUnknown(error) ? 'unknown' : 'refused';
    const { message, status } = error;
    await session.write((sql) => withReply(sql, { outcome, answer: { message, status } }));
    throw error;
  }
  await session.write((sql) => withReply(sql, { outcome: 'accepted', answer }));
}

/** What an ended request means for the plan. */
function eventsOf({ outcome, answer }: Ended, wave: number, at: number): PlanEvent[] {
  const { campaign_id, message = '', status } = answer as { campaign_id?: number; message?: string; status?: number };
  const answered = { event: 'answered', at, wave } as const;
  if (outcome === 'accepted') return [{ ...answered, outcome, ...(campaign_id !== undefined && { campaign_id }) }];
  if (outcome === 'unknown') return [{ ...answered, outcome, message }];
  const notPlaced: PlanEvent = { ...answered, outcome: 'not_placed', message };
  // Without money, with a number that is not there, or with a request that is refused, the next run would fare no better.
  const isFinal = status !== undefined && [3, 5, 6].includes(new ServiceError(status, '', '').exitCode);
  return isFinal ? [notPlaced, { event: 'stopped', at, reason: message }] : [notPlaced];
}

function unknownWave(error: VagentError, { wave, contacts }: SentWave, { session, context }: Sender): VagentError {
  const people = contacts === 1 ? 'Its contact is' : `Its ${contacts} contacts are`;
  return reworded(error, {
    message: `Whether wave ${wave} was created is not known: ${error.message} ${people} called by no other wave before the call log tells.`,
    hint: `vagent plan run ${session.loaded.plan.plan_id}${connectionFlags(context.flags)} looks there, and goes on.`,
    reason: undefined,
  });
}

/** The next run looks for its calls in the log, or for the campaign in the store of the local engine. */
function afterSending(error: unknown, { wave, campaignId }: SentWave, { session, context }: Sender): unknown {
  if (!(error instanceof VagentError)) return error;
  return new OutcomeUnknownError(`Wave ${wave} was handed over as campaign ${campaignId}, but: ${error.message}`, {
    code: error.code,
    hint: `vagent plan run ${session.loaded.plan.plan_id}${connectionFlags(context.flags)} goes on from there.`,
    cause: error,
  });
}

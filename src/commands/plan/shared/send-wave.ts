/** Hands over a wave: into the register, into the journal, to the service, and what it answered into both. */
import type { Context } from '../../../context.ts';
import {
  InputError,
  leavesOutcomeUnknown,
  NotFoundError,
  OutcomeUnknownError,
  reworded,
  UnavailableError,
  VagentError,
} from '../../../errors.ts';
import { connectionFlags } from '../../../flags/global.ts';
import { whyStale } from '../../../plans/clocks.ts';
import { type Answered, runsOf } from '../../../plans/events.ts';
import type { PlanFolder } from '../../../plans/folder/plan-folder.ts';
import type { PlanSession } from '../../../plans/folder/session.ts';
import type { Wave } from '../../../plans/planner.ts';
import { waveName } from '../../../plans/wave-name.ts';
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
  folder: PlanFolder;
  session: PlanSession;
  /** The last entry of the register when the wave was chosen. */
  lookedAt: number;
  chosenAt: Moment;
  context: Context;
}

/**
 * Undefined if somebody stopped the plan meanwhile. Throws what the service, the register and the disk throw; what is known of
 * the wave stands in the journal then. `register_grew`: nothing was begun, and the wave must be chosen anew.
 */
export async function sendWave(chosen: Wave, sender: Sender): Promise<SentWave | undefined> {
  const { folder, session, lookedAt, context } = sender;
  const { now } = sender.chosenAt;
  const { plan, position } = session.loaded;
  await requireAgent(sender);
  const wave = position.waves + 1;
  const { from, start, interval, rows } = chosen;
  const request = {
    campaign_name: waveName(plan, wave),
    agent_id: plan.agent_id,
    call_from: from,
    contacts: folder.contactsOf(rows),
    start_time: new Date(start).toISOString(),
    calls_per_hour: plan.rules.callsPerHour,
    retry_attempts: 0,
  };
  let isHanded = false;
  const hand = async (entry?: number) => {
    const handed = { event: 'handed', at: now, wave, from, start, interval, rows: runsOf(rows) } as const;
    await session.commit([entry === undefined ? handed : { ...handed, entry }]);
    isHanded = true;
    if (await folder.isStopRequested()) throw new StopWanted();
    requireFresh(sender);
  };
  const answered = (outcome: Answered['outcome'], more: Partial<Answered> = {}): Answered => {
    return { event: 'answered', at: now, wave, outcome, ...more };
  };
  const last = start + (rows.length - 1) * interval;
  const sent: SentWave = { wave, campaignId: undefined, from, contacts: rows.length, start, last };
  try {
    const planned = { id: plan.plan_id, wave, createdAt: plan.createdAt, lookedAt };
    const service = await context.service({ plan: planned, onEntry: hand });
    if (plan.isLocal) await hand();
    const { campaign_id } = await service.createCampaign(request);
    sent.campaignId = campaign_id;
  } catch (error) {
    if (!isHanded) throw error;
    if (error instanceof StopWanted) {
      await session.commit([answered('not_placed', { message: error.message })]);
      return undefined;
    }
    await session.commit(maskedEvents(failed(error, answered, now, plan.isLocal), context.io));
    throw leavesOutcomeUnknown(error) ? unknownWave(error as VagentError, sent, sender) : tellingStop(error, sender);
  }
  try {
    await session.commit([answered('accepted', { campaign_id: sent.campaignId as number })]);
  } catch (error) {
    throw afterSending(error, sent, sender);
  }
  return sent;
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

type Events = Parameters<PlanSession['commit']>[0];

/** What a failed request means for the plan. */
function failed(
  error: unknown,
  answered: (outcome: Answered['outcome'], more?: Partial<Answered>) => Answered,
  now: number,
  isLocal: boolean,
): Events {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof VagentError)) return isLocal ? [] : [answered('unknown', { message })];
  if (leavesOutcomeUnknown(error)) return [answered('unknown', { message })];
  // A file of the local engine's store: whether the campaign is in it, the next run sees.
  if (isLocal && error.exitCode === 9) return [];
  const notPlaced = answered('not_placed', { message });
  // Without money, with a number that is not there, or with a request that is refused, the next run would fare no better.
  const isFinal = [3, 5, 6].includes(error.exitCode);
  return isFinal ? [notPlaced, { event: 'stopped', at: now, reason: message }] : [notPlaced];
}

function unknownWave(error: VagentError, { wave, contacts }: SentWave, { session, context }: Sender): VagentError {
  const people = contacts === 1 ? 'Its contact is' : `Its ${contacts} contacts are`;
  return reworded(error, {
    message: `Whether wave ${wave} was created is not known: ${error.message} ${people} called by no other wave before the call log tells.`,
    hint: `vagent plan run ${session.loaded.plan.plan_id}${connectionFlags(context.flags)} looks there, and goes on.`,
    reason: undefined,
  });
}

/** The next run finds the answer in the register, or in the store of the local engine. */
function afterSending(error: unknown, { wave, campaignId }: SentWave, { session, context }: Sender): unknown {
  if (!(error instanceof VagentError)) return error;
  return new OutcomeUnknownError(`Wave ${wave} was handed over as campaign ${campaignId}, but: ${error.message}`, {
    code: error.code,
    hint: `vagent plan run ${session.loaded.plan.plan_id}${connectionFlags(context.flags)} goes on from there.`,
    cause: error,
  });
}

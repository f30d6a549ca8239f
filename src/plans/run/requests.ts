/** What was sent to the service of a plan: its own waves, and everything else that may dial the same phones. */
import type { SentParty } from '../../campaigns/attribution/party.ts';
import type { Launch } from '../../campaigns/launches.ts';
import { isToContacts, traceOf } from '../../contract.ts';
import type { Register } from '../../register/register.ts';
import {
  historyOf,
  isRefused,
  isWaveOf,
  type Past,
  type SentCampaign,
  type SentLine,
} from '../../register/requests.ts';
import { phoneKey, phoneKeyOfNumber } from '../../text/phone.ts';
import { DAY, HOUR } from '../../text/units.ts';
import type { PastRequest } from '../log/hear-again.ts';
import { type Pending, pendingCampaign } from '../rules/pending.ts';
import type { Plan } from '../rules/plan.ts';
import { MARGIN, UNSEEN_AFTER } from '../rules/rules.ts';
import { waveNamed } from '../rules/waves.ts';
import type { PlanPorts } from './ports.ts';

/** So long after its last call, a campaign that was seen to be over explains no news of the log any more. */
const KNOWN_AFTER = 7 * DAY;

export interface SentRequests {
  /** Waves of this plan that were, or may have been, placed; by their numbers. */
  waves: Map<number, Launch>;
  /** Other campaigns of the organization, waves of other plans among them. */
  campaigns: readonly Launch[];
  calls: readonly SentParty[];
  /** What may still dial phones, waves of this plan left out. */
  pending: readonly Pending[];
  /** The last entry of the register that was seen; 0 if there is none, or no register. */
  lookedAt: number;
  /** All that may have called somebody and that the log of the organization shows, the plan's own waves too. */
  past: readonly PastRequest[];
  /** The entries of this plan's waves, refused ones too, in the order of sending. None on the local engine. */
  entries: readonly Past<SentCampaign>[];
}

export async function sentRequests(plan: Plan, ports: PlanPorts): Promise<SentRequests> {
  return plan.isLocal ? onEngine(plan, ports) : inRegister(plan, ports);
}

// A real service ------------------------------------------------------------------------------------------------------

async function inRegister(plan: Plan, ports: PlanPorts): Promise<SentRequests> {
  const { callOf, launchOf } = await import('../../campaigns/launches.ts');
  const register = await ports.register.open();
  // Before everything else is read: what comes in meanwhile is then seen as new by the guard.
  const lookedAt = await register.lastEntry();
  const { requests: all, damage } = await register.requests({ service: plan.service });
  if (damage !== undefined) throw damage;
  const { campaigns, calls } = historyOf(all);
  const isOwn = ({ sent }: Past) => isWaveOf(sent, plan);
  const isOfOrganization = ({ sent }: Past) => sent.organization_id === plan.organization_id;
  const others = campaigns.filter((past) => !isOwn(past)).map((past) => ({ past, part: launchOf(past, register) }));
  const pending = calls.map((past) => pendingCall(callOf(past), past.outcome));
  // People who are called do not see the organization.
  for (const { past, part } of others) pending.push(await pendingRequest(past, part, register, ports.clock.system()));
  return {
    waves: new Map(campaigns.filter(isOwn).map((past) => [past.sent.plan?.wave ?? 0, launchOf(past, register)])),
    campaigns: others.filter(({ past }) => isOfOrganization(past)).map(({ part }) => part),
    calls: calls.filter(isOfOrganization).map(callOf),
    pending,
    lookedAt,
    past: all.filter((past) => isOfOrganization(past) && !isRefused(past)).map((past) => pastRequest(past, register)),
    entries: all.filter(isOwn) as Past<SentCampaign>[],
  };
}

function pastRequest({ sent, clockAhead = 0 }: Past, register: Register): PastRequest {
  return { entry: sent.entry, at: Date.parse(sent.at) + clockAhead, phones: () => phonesOf(sent, register) };
}

/** Undefined if nobody knows them any more. */
async function phonesOf(sent: SentLine, register: Register): Promise<ArrayLike<number> | undefined> {
  if (sent.forgotten !== undefined) return undefined;
  if (!isToContacts(sent)) return [phoneKeyOfNumber(traceOf(sent).to)];
  return await register.phonesOf(sent);
}

async function pendingRequest(
  { sent, outcome, summary }: Past<SentCampaign>,
  part: Launch,
  register: Register,
  now: number,
): Promise<Pending> {
  const { start, callsPerHour, attempts, retryDelay } = part;
  const finish = start + (sent.contacts.count * attempts * HOUR) / callsPerHour + (attempts - 1) * retryDelay;
  const until =
    outcome === 'accepted' ? finish + MARGIN : Math.max(finish + MARGIN, Date.parse(sent.at) + UNSEEN_AFTER);
  const isOver = summary !== undefined;
  // Of one that is over for long the log shows all: its list is not read each time.
  const phones = isOver && until < now - KNOWN_AFTER ? [] : await register.phonesOf(sent);
  return {
    ...{ key: sent.entry, phones, isOver, isCertain: false },
    ...{ start, interval: HOUR / callsPerHour, attempts, retryDelay, until },
  };
}

function pendingCall({ key, contacts, start, span }: SentParty, outcome: Past['outcome']): Pending {
  const until = outcome === 'accepted' ? span.until : start + UNSEEN_AFTER;
  const once = { start, interval: 0, attempts: 1, retryDelay: 0, until };
  return { key, phones: contacts.phones, ...once, isCertain: false };
}

// The local engine ----------------------------------------------------------------------------------------------------

async function onEngine(plan: Plan, ports: PlanPorts): Promise<SentRequests> {
  const { launchesOnEngine } = await import('../../campaigns/launches.ts');
  const launches = await launchesOnEngine(ports);
  const callers = new Set(plan.from.map(phoneKey));
  const isFromPlan = ({ agentId, from }: Launch) => agentId === plan.agent_id && callers.has(from);
  const { timeline } = await ports.local.engine();
  const { snapshot, now } = await timeline.read();
  const waves = new Map<number, Launch>();
  const campaigns: Launch[] = [];
  const pending: Pending[] = [];
  const states = new Map(snapshot.state.campaigns.map((campaign) => [campaign.campaign_id, campaign]));
  for (const part of launches.campaigns) {
    const state = states.get(part.key);
    if (state === undefined) continue;
    const wave = waveNamed(state.campaign_name, plan);
    // What has the name of a wave is taken for one, whoever created it.
    if (wave !== undefined || isFromPlan(part)) await part.load();
    if (wave !== undefined) waves.set(wave, part);
    else campaigns.push(part);
    if (wave !== undefined || state.status === 'completed') continue;
    const { numbers, retries } = await snapshot.waitingOf(part.key);
    const waiting = [...numbers, ...retries.map(({ contact }) => contact.phone_number)];
    pending.push(pendingCampaign(state, now, waiting.map(phoneKeyOfNumber)));
  }
  // Its single calls are in its log alone, whatever their time.
  const past = [{ entry: 0, at: 0, phones: async () => undefined }];
  return { waves, campaigns, calls: [], pending, lookedAt: 0, past, entries: [] };
}

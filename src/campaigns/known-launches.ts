/** What was sent: to a real service, from the register; of the local engine, from its store. */
import { DEFAULT_CALLS_PER_HOUR, DEFAULT_RETRY_ATTEMPTS, DEFAULT_RETRY_DELAY } from '../contract.ts';
import type { Ports } from '../register/ports.ts';
import type { Register } from '../register/register.ts';
import type { Past, SentCall, SentCampaign } from '../register/requests.ts';
import { phoneKey } from '../text/phone.ts';
import { SECOND } from '../text/units.ts';
import { type Contacts, campaignSpan, type SentParty, singleCall } from './attribution/party.ts';
import type { Launch, Launches } from './launches.ts';

/** Throws FileError, and CredentialsError if no organization is named. */
export async function knownLaunches(ports: Ports): Promise<Launches> {
  const { register, clock } = ports;
  const target = register.target();
  if (target.isLocal) return (await import('./from-engine.ts')).launchesOnEngine(ports);
  const { service, organizationId } = target;
  const opened = await register.open();
  // Campaign ids are unique only within an organization.
  const { campaigns, calls, forgotten, damage } = await opened.history(service, organizationId);
  return {
    campaigns: campaigns.map((past) => launchOf(past, opened)),
    calls: calls.map(callOf),
    ...{ forgotten, damage },
    now: async () => clock.byAnswers() ?? clock.now(),
  };
}

/** A campaign of the register as one whose calls the log may show. */
export function launchOf({ sent, answer, clockAhead }: Past<SentCampaign>, register: Register): Launch {
  const { entry, request } = sent;
  const { campaign_id } = answer ?? {};
  const { calls_per_hour = DEFAULT_CALLS_PER_HOUR, retry_attempts = DEFAULT_RETRY_ATTEMPTS } = request;
  const { file, count } = sent.contacts;
  const at = Date.parse(sent.at);
  const times = {
    start: request.start_time === undefined ? at + (clockAhead ?? 0) : Date.parse(request.start_time),
    callsPerHour: calls_per_hour,
    attempts: 1 + retry_attempts,
    retryDelay: (request.retry_delay ?? DEFAULT_RETRY_DELAY) * SECOND,
  };
  let contacts: Contacts | undefined;
  let columns: readonly string[] | undefined;
  return {
    ...{ key: entry, campaignId: typeof campaign_id === 'number' ? campaign_id : undefined },
    ...{ agentId: request.agent_id, from: phoneKey(request.call_from), ...times },
    span: campaignSpan(times, count, request.start_time !== undefined || clockAhead !== undefined),
    ...{ name: request.campaign_name, at, files: file === undefined ? [] : [file] },
    /** Most campaigns have nothing to do with the one that is looked at. */
    get contacts() {
      if (contacts === undefined) throw new Error(`the contacts of entry ${entry} were not loaded`);
      return contacts;
    },
    async load(what) {
      contacts = await register.keysOf(sent);
      if (what === 'all') columns = await register.columnsOf(sent);
    },
    sent: () => register.contactsOf(sent),
    columns: () => columns,
  };
}

/** The same of a single call. */
export function callOf({ sent, endedAt, outcome, clockAhead }: Past<SentCall>): SentParty {
  const { entry, request, at } = sent;
  const ahead = clockAhead ?? 0;
  const call = singleCall({
    ...{ agentId: request.use_agent_id, from: request.call_from, to: request.called_to },
    identifier: request.custom_identifiers || undefined,
    start: Date.parse(at) + ahead,
    answered: outcome === 'accepted' && endedAt !== undefined ? endedAt + ahead : undefined,
    isMeasured: clockAhead !== undefined,
  });
  return { ...call, key: entry };
}

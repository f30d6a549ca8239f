/** What was sent to a real service, from the register of this machine. */
import type { LaunchedCall, LaunchedContacts } from '../../../calls/attribution/launched.ts';
import { callSpan, campaignSpan } from '../../../calls/attribution/span.ts';
import type { Context } from '../../../context.ts';
import { DEFAULT_CALLS_PER_HOUR, DEFAULT_RETRY_ATTEMPTS, DEFAULT_RETRY_DELAY } from '../../../contract.ts';
import type { Register } from '../../../register/register.ts';
import type { Past, SentCall, SentCampaign } from '../../../register/requests.ts';
import { phoneKey } from '../../../text/phone.ts';
import type { Launch, Launches } from './launch.ts';

type Part = Launches['parts'][number];

export async function launchesInRegister({ settings, register, serviceClock }: Context): Promise<Launches> {
  const target = settings.target();
  const service = target.mode === 'remote' ? target.name : '';
  const opened = await register.open();
  // Campaign ids are unique only within an organization.
  const history = await opened.history(service, settings.requireOrganization());
  const parts = history.campaigns.map((past) => ({ past, part: partOf(past, opened) }));
  const campaigns = parts.flatMap(({ past, part }): Launch[] => {
    const { sent } = past;
    if (part.campaignId === undefined) return [];
    const named = { campaign_id: part.campaignId, campaign_name: sent.request.campaign_name, at: Date.parse(sent.at) };
    const { file } = sent.contacts;
    return [{ ...named, part, files: file === undefined ? [] : [file] }];
  });
  return {
    campaigns: campaigns.reverse(),
    parts: parts.map(({ part }) => part),
    calls: history.calls.map(callOf),
    forgotten: history.forgotten,
    where: 'that was created from here',
    damage: history.damage,
    now: async () => serviceClock.byAnswers() ?? serviceClock.now(),
  };
}

/** A campaign of the register as one whose calls the log may show. */
export function partOf({ sent, answer, clockAhead }: Past<SentCampaign>, register: Register): Part {
  const { entry, request } = sent;
  const { campaign_id } = answer ?? {};
  const { calls_per_hour = DEFAULT_CALLS_PER_HOUR, retry_attempts = DEFAULT_RETRY_ATTEMPTS } = request;
  const isMeasured = request.start_time !== undefined || clockAhead !== undefined;
  const times = {
    start: request.start_time === undefined ? Date.parse(sent.at) + (clockAhead ?? 0) : Date.parse(request.start_time),
    callsPerHour: calls_per_hour,
    attempts: 1 + retry_attempts,
    retryDelay: (request.retry_delay ?? DEFAULT_RETRY_DELAY) * 1000,
  };
  let contacts = notLoaded(entry);
  let columns: readonly string[] | undefined;
  return {
    key: entry,
    campaignId: typeof campaign_id === 'number' ? campaign_id : undefined,
    agentId: request.agent_id,
    from: phoneKey(request.call_from),
    ...times,
    span: campaignSpan({ ...times, isMeasured, contacts: sent.contacts.count }),
    get contacts() {
      return contacts;
    },
    phones: () => contacts.phones,
    async load(what) {
      contacts = await register.keysOf(sent);
      if (what === 'all') columns = await register.columnsOf(sent);
    },
    sent: () => register.contactsOf(sent),
    columns: () => columns,
  };
}

/** The same of a single call. */
export function callOf({ sent, endedAt, outcome, clockAhead }: Past<SentCall>): LaunchedCall {
  const { entry, request, at } = sent;
  const ahead = clockAhead ?? 0;
  const start = Date.parse(at) + ahead;
  const answered = outcome === 'accepted' && endedAt !== undefined ? endedAt + ahead : undefined;
  return {
    key: entry,
    agentId: request.use_agent_id,
    from: phoneKey(request.call_from),
    to: request.called_to,
    identifier: request.custom_identifiers || undefined,
    start,
    span: callSpan(start, answered, clockAhead !== undefined),
  };
}

/** Most campaigns have nothing to do with the one that is looked at. */
function notLoaded(entry: number): LaunchedContacts {
  const fail = (): never => {
    throw new Error(`the contacts of entry ${entry} were not loaded`);
  };
  return {
    get phones() {
      return fail();
    },
    identifierOf: fail,
  };
}

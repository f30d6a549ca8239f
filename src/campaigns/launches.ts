/**
 * Campaigns that were created from here, and single calls: on a real service, from the register; on the local engine, from its
 * store.
 */
import {
  type Contact,
  DEFAULT_CALLS_PER_HOUR,
  DEFAULT_RETRY_ATTEMPTS,
  DEFAULT_RETRY_DELAY,
  traceOf,
} from '../contract.ts';
import type { VagentError } from '../errors.ts';
import type { Ports } from '../register/ports.ts';
import type { Register } from '../register/register.ts';
import type { Past, SentCall, SentCampaign } from '../register/requests.ts';
import type { FileForm } from '../text/kept-rows.ts';
import { phoneKey, phoneKeyOfNumber } from '../text/phone.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../text/units.ts';
import type { Contacts, Party, SentParty, Span } from './attribution/party.ts';

/** Milliseconds by which the service's clock is known no better: where an answer of it told the time, and where none did. */
const MEASURED = 2 * SECOND;
const UNMEASURED = 2 * MINUTE;
/**
 * Milliseconds after its answer within which a service makes a single call; and while nobody knows when, or whether, it answered.
 */
const CALL_DELAY = 10 * MINUTE;
const UNANSWERED_DELAY = 15 * MINUTE;

export interface Launch extends SentParty {
  name: string;
  /** When it was sent; on the local engine, when it begins. Milliseconds since the epoch. */
  at: number;
  /** That its contacts came from, as they were named; where that is known. */
  files: readonly string[];
  /**
   * Makes `contacts` ready, whom each call may be for: most campaigns have nothing to do with the one that is looked at. Throws
   * FileError.
   */
  load(): Promise<void>;
  /** As they were sent, with the cells of their rows in the file if they were kept. Throws FileError. */
  sent(): AsyncIterable<{ contact: Contact; cells?: readonly string[] | undefined }>;
  /** The columns of the file; undefined if its rows were not kept. Throws FileError. */
  columns(): Promise<{ names: readonly string[]; form: FileForm | undefined } | undefined>;
}

/** One that the service has named. */
export type NamedLaunch = Launch & { campaignId: number };

/** Everything that is known of what was sent. */
export interface Launches {
  /** Every campaign in the order of sending, those of unknown outcome too. */
  campaigns: readonly Launch[];
  calls: readonly SentParty[];
  forgotten: readonly Past<SentCampaign>[];
  /** Something that is missing, and may explain why a campaign is not found. */
  damage: VagentError | undefined;
  /** By the clock of the service, in milliseconds since the epoch. */
  now(): Promise<number>;
}

/** Those that can be named, the newest first. */
export function namedLaunches({ campaigns }: Launches): NamedLaunch[] {
  return campaigns.filter((launch): launch is NamedLaunch => launch.campaignId !== undefined).toReversed();
}

/** Throws FileError, and CredentialsError if no organization is named. */
export async function knownLaunches(ports: Ports): Promise<Launches> {
  const { register, clock } = ports;
  const target = register.target();
  if (target.isLocal) return launchesOnEngine(ports);
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
  return {
    ...{ key: entry, campaignId: typeof campaign_id === 'number' ? campaign_id : undefined },
    ...{ agentId: request.agent_id, from: phoneKey(request.call_from), ...times },
    span: campaignSpan(times, count, request.start_time !== undefined || clockAhead !== undefined),
    ...{ name: request.campaign_name, at, files: file === undefined ? [] : [file] },
    get contacts() {
      if (contacts === undefined) throw new Error(`the contacts of entry ${entry} were not loaded`);
      return contacts;
    },
    async load() {
      contacts = await register.keysOf(sent);
    },
    sent: () => register.contactsOf(sent),
    columns: () => register.columnsOf(sent),
  };
}

/** The same of a single call: made from when it was sent until some minutes after the answer. */
export function callOf({ sent, endedAt, outcome, clockAhead }: Past<SentCall>): SentParty {
  const { entry, at } = sent;
  const { agentId, from, to, identifiers } = traceOf(sent);
  const start = Date.parse(at) + (clockAhead ?? 0);
  const hasAnswered = outcome === 'accepted' && endedAt !== undefined;
  const until = hasAnswered ? endedAt + (clockAhead ?? 0) + CALL_DELAY : start + UNANSWERED_DELAY;
  const margin = clockAhead === undefined ? UNMEASURED : MEASURED;
  return {
    ...{ key: entry, agentId, from: phoneKey(from), isSingleCall: true, start },
    ...{ callsPerHour: 1, attempts: 1, retryDelay: 0, span: { from: start - margin, until: until + margin } },
    contacts: {
      phones: Float64Array.of(phoneKeyOfNumber(to)),
      identifierOf: () => identifiers || undefined,
    },
  };
}

/** When a campaign's calls can be made: from its start until twice as long as its pace and its retries can take, and two days. */
function campaignSpan(
  { start, callsPerHour, attempts, retryDelay }: Pick<Party, 'start' | 'callsPerHour' | 'attempts' | 'retryDelay'>,
  contacts: number,
  isMeasured: boolean,
): Span {
  const longest = (contacts * attempts * HOUR) / callsPerHour + (attempts - 1) * retryDelay;
  return { from: start - (isMeasured ? MEASURED : UNMEASURED), until: start + 2 * longest + 2 * DAY };
}

/** The campaigns of the local engine. Its single calls are not recorded anywhere but in its log. */
export async function launchesOnEngine({ local, clock }: Pick<Ports, 'local' | 'clock'>): Promise<Launches> {
  const { lastSlot } = await import('../engine/campaigns.ts');
  const { timeline } = await local.engine();
  const { snapshot } = await timeline.read();
  const campaigns = snapshot.state.campaigns.map((campaign): Launch => {
    const { campaign_id, agent_id, call_from, start_time, retry_attempts } = campaign;
    let kept: Iterable<Contact> | undefined;
    const contacts = () => {
      if (kept === undefined) throw new Error(`campaign ${campaign_id} was not loaded`);
      return kept;
    };
    const isOver = campaign.status === 'completed';
    let original: { columns: { names: readonly string[]; form: FileForm | undefined } | undefined } | undefined;
    /** The rows themselves are not kept: there may be a million. */
    const readRows = async () => {
      const found = await snapshot.rowsOf(campaign_id);
      original = { columns: found && { names: found.columns, form: found.form } };
      return found;
    };
    return {
      ...{ key: campaign_id, campaignId: campaign_id, name: campaign.campaign_name, at: start_time, files: [] },
      ...{ agentId: agent_id, from: phoneKey(call_from), start: start_time, isOver },
      // One that is not over may be paused for any time.
      span: { from: start_time, until: isOver ? lastSlot(campaign) : Number.POSITIVE_INFINITY },
      callsPerHour: campaign.calls_per_hour,
      attempts: 1 + retry_attempts,
      retryDelay: campaign.retry_delay * SECOND,
      contacts: contactsOnDemand(contacts, campaign.total_contacts),
      async load() {
        kept = await snapshot.contactsOf(campaign_id);
      },
      async *sent() {
        const rows = (await readRows())?.rows[Symbol.iterator]();
        for (const contact of contacts()) yield { contact, cells: rows?.next().value };
      },
      async columns() {
        if (original === undefined) await readRows();
        return original?.columns;
      },
    };
  });
  return { campaigns, calls: [], forgotten: [], damage: undefined, now: () => clock.now() };
}

/** Read when they are needed: most campaigns have nothing to do with the one that is looked at. */
function contactsOnDemand(read: () => Iterable<Contact>, count: number): Contacts {
  let phones: Float64Array | undefined;
  let identifiers: (string | undefined)[] | undefined;
  return {
    get phones() {
      if (phones === undefined) {
        phones = new Float64Array(count);
        let row = 0;
        for (const { phone_number } of read()) phones[row++] = phoneKeyOfNumber(phone_number);
      }
      return phones;
    },
    identifierOf(row) {
      identifiers ??= Array.from(read(), ({ custom_identifiers }) => custom_identifiers || undefined);
      return identifiers[row];
    },
  };
}

/**
 * Requests that ring people's phones, as the register keeps them: each is there before it is sent, and completed when
 * it has ended.
 */
import {
  type CallOperation,
  type CampaignOperation,
  type CheckedContacts,
  isToContacts,
  type KeptRequest,
  ringsPhones,
  type Sent,
  type Service,
  serviceOf,
} from '../contract.ts';

/** A response. */
export type Reply = Record<string, unknown>;

/** Sends it, with its contacts as they were checked. */
export type Send<R extends Reply> = (contacts?: CheckedContacts) => Promise<R>;

/** The same service; what rings phones goes through `around`, which sends it, or throws. */
export function ringing(service: Service, around: <R extends Reply>(sent: Sent, send: Send<R>) => Promise<R>): Service {
  return serviceOf((operation, request) => {
    const asked = { operation, request };
    const send = (contacts?: CheckedContacts) =>
      service[operation](contacts === undefined ? request : { ...request, contacts });
    return ringsPhones(asked) ? around(asked, send) : send();
  });
}

interface SentRequest {
  /** Counts up from 1. */
  entry: number;
  /** ISO 8601, UTC. */
  at: string;
  /** `user@host`. */
  by: string;
  /** The base URL, without a slash at its end. */
  service: string;
  organization_id: number;
  /** ISO 8601, UTC: when what it said of people was removed. */
  forgotten?: string | undefined;
}

export interface SentCall extends SentRequest {
  operation: CallOperation;
  /** As sent, without the credentials. */
  request: KeptRequest<CallOperation>;
}

/** Which wave of which plan a campaign is. */
export interface PlanMark {
  id: number;
  wave: number;
  /** When the plan was created, in milliseconds since the epoch. Plans of two registers may have the same id. */
  createdAt: number;
}

/** The same for what sends it: it was chosen a moment ago, and what came to light since then must not be missed. */
export interface PlannedWave extends PlanMark {
  /** The last entry of the register when the wave was chosen; 0 if there was none. */
  lookedAt: number;
}

export interface SentCampaign extends SentRequest {
  operation: CampaignOperation;
  /** Absent if it is no wave of a plan. */
  plan?: PlanMark | undefined;
  /** As sent, without the credentials and the contacts. */
  request: KeptRequest<CampaignOperation>;
  contacts: ContactsSent;
}

/** Only operations that ring people's phones are registered. */
export type SentLine = SentCall | SentCampaign;

export interface ContactsSent {
  count: number;
  /** A hash of the called numbers, whatever their order. */
  numbers_sha256: string;
  /** The file's name as given, and the hash of its bytes; absent if the contacts did not come from a file. */
  file?: string | undefined;
  file_sha256?: string | undefined;
}

/**
 * `accepted` and `refused` are the service's answers. `not_sent`: the request was certainly not sent. `unknown`: it may have
 * been carried out.
 */
export type Outcome = 'accepted' | 'refused' | 'not_sent' | 'unknown';

type Registered = 'entry' | 'at';
/** A request that is about to be sent. */
export type Intent = Omit<SentCall, Registered> | Omit<SentCampaign, Registered>;

/** How a request ended. */
export interface Ended {
  outcome: Outcome;
  /** The response, or a description of the failure. */
  answer: Record<string, unknown>;
  /** Milliseconds by which the service's clock was ahead of this machine's; absent if no answer of it had a date. */
  clock_ahead?: number;
}

/** A request, and what came of it. Instants in milliseconds since the epoch, by this machine's clock. */
export interface Past<L extends SentLine = SentLine> {
  sent: L;
  /** Absent while there is no answer. */
  outcome?: Outcome;
  answer?: Record<string, unknown>;
  endedAt?: number | undefined;
  /** Milliseconds by which the service's clock was ahead when it ended; absent if that is not known. */
  clockAhead?: number | undefined;
  /** JSON: what came of a campaign that was seen to be over. */
  summary?: string | undefined;
}

/** Whether its outcome is unknown, or it is still under way. */
export function isUnknown({ outcome }: Pick<Past, 'outcome'>): boolean {
  return outcome !== 'accepted';
}

/** Whether nobody can have been called. */
export function isRefused({ outcome }: Pick<Past, 'outcome'>): boolean {
  return outcome === 'refused' || outcome === 'not_sent';
}

/** What was, or may have been, carried out, in the order of sending. */
export interface History {
  campaigns: Past<SentCampaign>[];
  calls: Past<SentCall>[];
  /** Campaigns of which nobody knows any more whom they called. */
  forgotten: Past<SentCampaign>[];
}

export function historyOf(requests: Iterable<Past>): History {
  const history: History = { campaigns: [], calls: [], forgotten: [] };
  for (const request of requests) {
    if (isRefused(request)) continue;
    const isForgotten = request.sent.forgotten !== undefined;
    if (isCampaign(request)) history[isForgotten ? 'forgotten' : 'campaigns'].push(request);
    else if (!isForgotten) history.calls.push(request as Past<SentCall>);
  }
  history.campaigns.sort(byTime);
  history.calls.sort(byTime);
  return history;
}

export function isCampaign(request: Past): request is Past<SentCampaign> {
  return isToContacts(request.sent);
}

/** Whether a request is a wave of a plan; `createdAt` in milliseconds since the epoch. */
export function isWaveOf(sent: SentLine, plan: { plan_id: number; createdAt: number }): sent is SentCampaign {
  const mark = isToContacts(sent) ? sent.plan : undefined;
  return mark?.id === plan.plan_id && mark.createdAt === plan.createdAt;
}

/** In the order of sending; an entry that came from another register has a higher number than later ones. */
export function byTime({ sent: one }: Pick<Past, 'sent'>, { sent: other }: Pick<Past, 'sent'>): number {
  return Date.parse(one.at) - Date.parse(other.at) || one.entry - other.entry;
}

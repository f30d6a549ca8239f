/** The requests in the register, each with what came of it. */
import type { FileError } from '../errors.ts';
import { byTime, type Earlier } from './ledger.ts';
import type { EndedLine, Line, SentCall, SentCampaign, SentLine } from './lines.ts';

/** A request. Instants in milliseconds since the epoch, by this machine's clock. */
export interface Past<L extends SentLine = SentLine> extends Earlier<L> {
  /** Absent while there is no answer. */
  endedAt?: number;
  /** Milliseconds by which the service's clock was ahead when it ended; absent if that is not known. */
  clockAhead?: number;
}

/** What was, or may have been, carried out, in the order of sending. */
export interface History {
  campaigns: Past<SentCampaign>[];
  calls: Past<SentCall>[];
  /** Campaigns of which nobody knows any more whom they called. */
  forgotten: Past<SentCampaign>[];
  /** The error of a damaged line, which may have stood for any request. */
  damage: FileError | undefined;
}

/** Takes the lines of the register and puts those of a request together. */
export class RequestReader {
  readonly #isWanted: (sent: SentLine) => boolean;
  readonly #requests = new Map<number, Past>();

  /** Requests that are not wanted take no memory. */
  constructor(isWanted: (sent: SentLine) => boolean) {
    this.#isWanted = isWanted;
  }

  take(line: Line): void {
    if (line.event === 'ended') this.#end(line);
    else if (this.#isWanted(line)) this.#requests.set(line.entry, { sent: line });
  }

  #end({ entry, outcome, answer, at, clock_ahead }: EndedLine): void {
    const request = this.#requests.get(entry);
    if (request === undefined || request.outcome !== undefined) return;
    request.outcome = outcome;
    request.answer = answer;
    request.endedAt = Date.parse(at);
    if (typeof clock_ahead === 'number') request.clockAhead = clock_ahead;
  }

  /** In the order of the lines. */
  get requests(): Iterable<Past> {
    return this.#requests.values();
  }
}

/** Whether nobody can have been called. */
export function isRefused({ outcome }: Pick<Earlier, 'outcome'>): boolean {
  return outcome === 'refused' || outcome === 'not_sent';
}

export function historyOf(requests: Iterable<Past>): Omit<History, 'damage'> {
  const campaigns: Past<SentCampaign>[] = [];
  const calls: Past<SentCall>[] = [];
  const forgotten: Past<SentCampaign>[] = [];
  for (const request of requests) {
    if (isRefused(request)) continue;
    const isForgotten = request.sent.forgotten !== undefined;
    if (request.sent.operation === 'createCampaign') {
      (isForgotten ? forgotten : campaigns).push(request as Past<SentCampaign>);
    } else if (!isForgotten) calls.push(request as Past<SentCall>);
  }
  return { campaigns: campaigns.sort(byTime), calls: calls.sort(byTime), forgotten };
}

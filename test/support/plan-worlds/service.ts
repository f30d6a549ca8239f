/** The service of a world: the local engine over HTTP, which fails as the world says, and remembers what it was asked and did. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnswerOf, Backend, DocumentedCall, RequestOf, Service } from '../../../src/contract.ts';
import { BODY_LIMITS } from '../../../src/engine/policy.ts';
import { initialState, type State } from '../../../src/engine/state.ts';
import { ServiceError } from '../../../src/errors.ts';
import { createApp, type Step } from '../../../src/http/server/app.ts';
import { localAdmission, localBackend } from '../../../src/local/backend.ts';
import { Timeline } from '../../../src/local/timeline.ts';
import { Chance } from '../worlds/chance.ts';
import type { Life } from './command.ts';
import type { Dial, Post } from './history.ts';
import { type Placing, watchedStore } from './watched-store.ts';
import { type Fault, MINUTE, type World } from './world.ts';

export const KEY = { organization_id: 1, api_key: 'local-demo-key' };
export const NUMBERS = ['+14155550100', '+442079460100'];

export interface ServiceOfWorld {
  /** Undefined for the local engine of the commands themselves. */
  url: string | undefined;
  posts: readonly Post[];
  /** All calls so far. */
  dials(): Promise<Dial[]>;
  /** What the next command meets. */
  meet(fault: Fault | undefined, life: Life): void;
  /** Learns what a command has done, where that is not seen at once. */
  look(): Promise<void>;
  /** Calls somebody without any register. */
  callFromOutside(phone: string): Promise<void>;
  /** Moves the clock, and lets everything happen that is due by then. */
  advanceTo(at: number): Promise<void>;
  close(): Promise<void>;
}

export interface Running {
  clock: { now: number };
  nextSeq: () => number;
  /** Which plan and wave a campaign's name means. */
  waveOf: (name: string) => Post['wave'];
}

interface Entry {
  call: DocumentedCall;
  at: number;
  shownAt: number;
}

export async function startService(world: World, { clock, nextSeq, waveOf }: Running): Promise<ServiceOfWorld> {
  const posts: Post[] = [];
  const dials: Dial[] = [];
  const log: Entry[] = [];
  const postOfCampaign = new Map<number, Post>();
  const lateness = new Chance(world.seed + 1);
  let current: Post | undefined;
  let fault: Fault | undefined;
  let life: Life | undefined;
  let ending: 'answer' | 'cut' | 'hang' = 'answer';

  const keep = (call: DocumentedCall, placing: Placing) => {
    const at = Date.parse(call.timestamp);
    const isLate = lateness.happens(world.late.share);
    const shownAt = at + (isLate ? lateness.integer(1, Math.max(1, world.late.most)) * MINUTE : 0);
    const post = placing === undefined ? current : postOfCampaign.get(placing.campaignId);
    if (post === undefined) throw new Error('A call of nobody.');
    log.push({ call, at, shownAt });
    dials.push({
      ...{ at, shownAt, phone: call.called_to, from: call.call_from, status: call.call_status },
      ...{ outcome: call.call_outcome, seconds: call.call_duration, post: post.seq, row: placing?.row ?? 0 },
    });
  };
  const fresh = initialState({ seed: world.seed, now: clock.now, empty: false });
  const store = watchedStore(stateOf(world, fresh), keep);
  const timeline = new Timeline(store, 1, { systemNow: () => clock.now, signal: new AbortController().signal });
  const engine = localBackend(async () => timeline);

  /** What becomes of a request that calls somebody. */
  const post = async <T>(asked: Omit<Post, 'seq' | 'at' | 'answer'>, carryOut: (post: Post) => Promise<T>) => {
    const kind = fault?.on === 'post' ? fault.kind : undefined;
    if (kind !== undefined) fault = undefined;
    const made: Post = { seq: nextSeq(), at: clock.now, ...asked, answer: 'refused' };
    posts.push(made);
    if (kind === 402 || kind === 429) made.status = kind;
    if (kind === 402) throw new ServiceError(402, 'insufficient_balance', 'The wallet is empty.');
    if (kind === 429) throw new ServiceError(429, 'too_many_requests', 'Too many requests.');
    made.answer = 'unknown';
    ending = endingOf(kind);
    if (kind === 'dies before') life?.end();
    if (kind?.endsWith('before')) throw serverError();
    current = made;
    const answer = await carryOut(made);
    if (kind === 'dies after') {
      made.isOrphan = true;
      life?.end();
    }
    if (kind?.endsWith('after')) throw serverError();
    made.answer = 'accepted';
    return answer;
  };
  const refusedAsTheEngineSays = async <T>(made: Post, asked: () => Promise<T>) => {
    try {
      return await asked();
    } catch (error) {
      made.answer = 'refused';
      throw error;
    }
  };

  const backend: Backend = (credentials) => {
    const service: Service = engine(credentials);
    return {
      ...service,
      createCampaign: (request: RequestOf<'createCampaign'>) =>
        post(campaignPost(request, waveOf(request.campaign_name)), async (made) => {
          const pace = Math.max(1, Math.floor((request.calls_per_hour ?? 60) * world.pace));
          const slow = { ...request, calls_per_hour: pace };
          const created = await refusedAsTheEngineSays(made, () => service.createCampaign(slow));
          // Its first call happens only when somebody asks again.
          postOfCampaign.set(created.campaign_id, made);
          return created;
        }),
      triggerCall: (request: RequestOf<'triggerCall'>) =>
        post(callPost(request, false), (made) => refusedAsTheEngineSays(made, () => service.triggerCall(request))),
      getCallLogs: async (request: RequestOf<'getCallLogs'>) => {
        if (fault?.on === 'get') {
          const { kind } = fault;
          // Once, and not the repetitions.
          if (kind !== 500) fault = undefined;
          ending = kind === 'cut' ? 'cut' : 'answer';
          throw kind === 429 ? new ServiceError(429, 'too_many_requests', 'Too many requests.') : serverError();
        }
        await timeline.read();
        const shown = shownLog(log, request, clock.now);
        if (fault?.on === 'suspension') {
          life?.onSleep(fault.minutes, true);
          fault = undefined;
        }
        return shown;
      },
    };
  };

  const steps: Step = async ({ incoming, outgoing }, next) => {
    const cut = () => {
      outgoing.socket?.resetAndDestroy();
      return new Promise<never>(() => {});
    };
    if (life?.step()) return cut();
    const answer = await next();
    if (life?.step()) {
      // What the engine accepted is not heard by anybody.
      const last = posts.at(-1);
      if (incoming.method === 'POST' && last?.answer === 'accepted') {
        last.answer = 'unknown';
        last.isOrphan = true;
      }
      return cut();
    }
    const now = ending;
    ending = 'answer';
    if (now === 'cut') return cut();
    return now === 'hang' ? new Promise<never>(() => {}) : answer;
  };
  const app = createApp({
    backend,
    admit: localAdmission(async () => timeline),
    limits: BODY_LIMITS,
    before: steps,
    onFailure(error) {
      throw error;
    },
  });
  const server = createServer((incoming, outgoing) => {
    outgoing.setHeader('date', new Date(clock.now).toUTCString());
    void app(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    dials: async () => dials,
    look: async () => {},
    meet(next, its) {
      fault = next;
      life = its;
      ending = 'answer';
    },
    async callFromOutside(phone) {
      const request = callTo(phone);
      const made: Post = { seq: nextSeq(), at: clock.now, ...callPost(request, true), answer: 'accepted' };
      posts.push(made);
      current = made;
      await engine(KEY).triggerCall(request);
    },
    async advanceTo(at) {
      clock.now = Math.max(clock.now, at);
      await timeline.read();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function endingOf(kind: string | undefined): 'answer' | 'cut' | 'hang' {
  if (kind?.startsWith('cut')) return 'cut';
  return kind?.startsWith('hangs') ? 'hang' : 'answer';
}

function serverError(): ServiceError {
  return new ServiceError(500, 'server_error', 'The server failed.');
}

/** A fresh state with the chances of the world, and money for all of it. */
export function stateOf({ ends, longest }: World, state: State): State {
  state.organization.balance = 1_000_000_000_000;
  const { busy, no_answer, failed } = ends;
  state.scenario = {
    ...state.scenario,
    answer_rate: 1 - busy - no_answer - failed,
    ...{ busy_rate: busy, no_answer_rate: no_answer, failed_rate: failed },
    ...{ min_duration: 5, median_duration: Math.min(60, longest), max_duration: longest },
  };
  return state;
}

export function campaignPost(
  request: RequestOf<'createCampaign'>,
  wave: Post['wave'],
): Omit<Post, 'seq' | 'at' | 'answer'> {
  const contacts = request.contacts.map(({ phone_number: phone, custom_identifiers: key = '' }) => ({ phone, key }));
  return {
    ...{ kind: 'campaign', isForeign: false, from: request.call_from, contacts, startTime: request.start_time },
    ...{ callsPerHour: request.calls_per_hour ?? 60, retries: request.retry_attempts ?? 2 },
    ...(wave === undefined ? {} : { wave }),
  };
}

export function callTo(phone: string): RequestOf<'triggerCall'> {
  const ids = { use_agent_id: 1, called_to: phone, call_from: NUMBERS[0] as string };
  return { ...ids, custom_first_line: 'Hello', custom_identifiers: '' };
}

export function callPost(request: RequestOf<'triggerCall'>, isForeign: boolean): Omit<Post, 'seq' | 'at' | 'answer'> {
  const contacts = [{ phone: request.called_to, key: request.custom_identifiers }];
  return {
    ...{ kind: 'call', isForeign, from: request.call_from, contacts, startTime: undefined },
    ...{ callsPerHour: 60, retries: 0 },
  };
}

/** A page of what the log shows by now, newest first. */
function shownLog(
  log: readonly Entry[],
  { start_date, end_date, agent_id, limit = 100, offset = 0 }: RequestOf<'getCallLogs'>,
  now: number,
): AnswerOf<'getCallLogs'> {
  const from = Date.parse(start_date ?? '1970-01-01');
  const until = Date.parse(end_date ?? '9999-01-01') + 24 * 60 * MINUTE;
  const shown = log
    .filter(({ at, shownAt, call }) => {
      const isAsked = at >= from && at < until && (agent_id === undefined || call.agent_id === agent_id);
      return isAsked && shownAt <= now;
    })
    .sort((left, right) => right.at - left.at || (left.call.call_id < right.call.call_id ? 1 : -1));
  const calls = shown.slice(offset, offset + limit).map(({ call }) => call);
  return { success: true, calls, total: shown.length, limit: calls.length, offset };
}

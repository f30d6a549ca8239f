/** The local engine of a world, in its own store on the disk: what it was asked and did is read from the store. */
import { join } from 'node:path';
import type { CallLogEntry, Contact } from '../../../src/contract.ts';
import { initialState } from '../../../src/engine/state.ts';
import { localBackend } from '../../../src/local/backend.ts';
import { JsonStore } from '../../../src/local/json/json-store.ts';
import { Timeline } from '../../../src/local/timeline.ts';
import { hastyFiles } from '../faulty-files.ts';
import type { Dial, Post } from './history.ts';
import { callPost, callTo, campaignPost, KEY, type Running, type ServiceOfWorld, stateOf } from './service.ts';
import { HOUR, type World } from './world.ts';

const ALL = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, agentId: undefined };

export async function localService(world: World, { clock, nextSeq, waveOf, folder }: Running & { folder: string }) {
  const initial = () => stateOf(world, initialState({ seed: world.seed, now: world.start, empty: false }));
  const place = { fs: hastyFiles, folder: join(folder, 'store'), initial };
  const store = new JsonStore({ ...place, timeoutMs: 1000, command: 'test' });
  const timeline = new Timeline(store, 1, { systemNow: () => world.start, signal: new AbortController().signal });
  await timeline.change(() => {});
  const posts: Post[] = [];
  const calls: Post[] = [];
  /** By campaign. */
  const postOf = new Map<number, Post>();

  const look = async () => {
    const { state, contactsOf } = await timeline.stored();
    clock.now = state.clock.last;
    const read = new Map<number, Contact[]>();
    for (const { campaign_id: id } of state.campaigns) if (!postOf.has(id)) read.set(id, [...(await contactsOf(id))]);
    // Nothing is waited for from here on: of two looks at one time, only one finds a campaign new.
    for (const campaign of state.campaigns) {
      const { campaign_id: id, campaign_name: name, start_time, calls_per_hour, retry_attempts, call_from } = campaign;
      const contacts = read.get(id);
      if (contacts === undefined || postOf.has(id)) continue;
      const start = new Date(start_time).toISOString();
      const paced = { start_time: start, calls_per_hour, retry_attempts };
      const request = { campaign_name: name, agent_id: 1, call_from, contacts, ...paced };
      // Nobody can say when it was sent, only that it was between the looks.
      const sent = { seq: nextSeq(), at: start_time, answer: 'accepted' } as const;
      const post: Post = { ...sent, ...campaignPost(request, waveOf(name)) };
      postOf.set(id, post);
      posts.push(post);
    }
  };

  const service: ServiceOfWorld = {
    url: undefined,
    posts,
    dials: async () => {
      await look();
      const { calls: log } = await (await timeline.stored()).callPage(ALL, Number.MAX_SAFE_INTEGER, 0);
      return log.toReversed().map((entry) => dialOf(entry, [...posts], calls));
    },
    meet: () => {},
    look,
    async callFromOutside(phone) {
      const request = callTo(phone);
      await localBackend(async () => timeline)(KEY).triggerCall(request);
      await look();
      calls.push({ seq: nextSeq(), at: clock.now, ...callPost(request, true), answer: 'accepted' });
      posts.push(calls.at(-1) as Post);
    },
    async advanceTo(at) {
      await timeline.move(
        (now) => Math.max(now, at),
        () => {},
      );
      await look();
    },
    close: async () => {},
  };
  return service;
}

/** Waves have no retries, so that each of their calls has a time of its own. The rest belongs to what can have made it. */
function dialOf(entry: CallLogEntry, posts: readonly Post[], calls: readonly Post[]): Dial {
  const at = Date.parse(String(entry.timestamp));
  const [phone = '', from = '', status = ''] = [entry.called_to, entry.call_from, entry.call_status].map(String);
  const isAt = ({ startTime, callsPerHour }: Post, row: number) =>
    Math.abs(Date.parse(startTime ?? '') + Math.floor((row * HOUR) / callsPerHour) - at) < 2;
  const rowIn = (post: Post) => post.contacts.findIndex((contact) => contact.phone === phone);
  const wave = posts.find(
    (post) => post.wave !== undefined && post.from === from && rowIn(post) >= 0 && isAt(post, rowIn(post)),
  );
  const beside = () =>
    calls.find((post) => post.at === at && rowIn(post) >= 0) ??
    posts.findLast((post) => post.wave === undefined && rowIn(post) >= 0 && post.at <= at);
  const post = wave ?? beside();
  if (post === undefined) throw new Error(`A call of nobody: ${JSON.stringify(entry)}`);
  return {
    ...{ at, shownAt: at, phone, from, status, outcome: String(entry.call_outcome) },
    ...{ seconds: Number(entry.call_duration ?? 0), post: post.seq, row: rowIn(post) },
  };
}

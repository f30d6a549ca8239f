/** Somebody who follows a log behind HTTP, look by look. */
import { expect } from 'vitest';
import { Follower, type FollowOptions } from '../../src/calls/follow.ts';
import type { CallLogEntry } from '../../src/contract.ts';
import { remoteBackend } from '../../src/http/client/client.ts';
import { type DatedLog, datedLog } from './dated-log.ts';
import type { LogCall } from './hostile-log.ts';
import { startServer, type TestServer } from './http.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');

interface Options extends Partial<FollowOptions> {
  /** For each request, with its repetitions. */
  timeoutMs?: number;
}

/** A log behind HTTP and somebody who follows it, by a clock that the test moves. */
export class Watch {
  readonly log: DatedLog;
  readonly clock: { now: number };
  readonly server: TestServer;
  readonly #follower: Follower;
  /** Everything that was shown. */
  readonly shown: string[] = [];

  /** `now`: milliseconds since the epoch. */
  static async over(given: Partial<DatedLog>, options: Options = {}, now = NOON): Promise<Watch> {
    const log: DatedLog = { calls: [], order: 'newest first', ...given };
    return new Watch(log, await startServer(datedLog(log)), options, now);
  }

  constructor(log: DatedLog, server: TestServer, { timeoutMs = 5000, ...options }: Options, now: number) {
    this.log = log;
    this.server = server;
    this.clock = { now };
    const service = remoteBackend({
      baseUrl: new URL(server.url),
      timeoutMs,
      signal: new AbortController().signal,
      proxy: undefined,
      redact: (text) => text,
      onRequest: () => {},
      random: () => 0,
      now: Date.now,
    })({ organization_id: 7, api_key: 'key-of-tests' });
    const defaults = { filters: {}, select: undefined, since: undefined, concurrency: 4 };
    this.#follower = new Follower({ service, now: async () => this.clock.now, ...defaults, ...options });
  }

  /** What one more look shows, and the queries that it took. */
  async look(): Promise<{ calls: CallLogEntry[]; shown: string[]; queries: URLSearchParams[]; failure: unknown }> {
    const before = this.server.received.length;
    const { calls, failure } = await this.#follower.look();
    const shown = calls.map(({ call_id }) => String(call_id));
    this.shown.push(...shown);
    return { calls, shown, failure, queries: this.server.received.slice(before).map(({ query }) => query) };
  }

  /** What a look shows that must not fail. */
  async sees(): Promise<string[]> {
    const { shown, failure } = await this.look();
    expect(failure).toBeUndefined();
    return shown;
  }

  get isOver(): boolean {
    return this.#follower.isOver;
  }

  grow(...calls: LogCall[]): void {
    this.log.calls = [...this.log.calls, ...calls];
  }
}

/** Looks at campaigns again and again until all are over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mayPass, pauseAfterFailures } from '../../calls/follow.ts';
import type { Ports } from '../../register/ports.ts';
import { MINUTE } from '../../text/units.ts';
import type { Progress } from './progress.ts';
import { type Look, WatchedCampaigns } from './watched.ts';

/** Milliseconds between two steps of the engine. */
const STEP = 200;
/** The most milliseconds between two looks at a log that takes long to read, and the share of the time that looks may take. */
const LONGEST_PAUSE = 5 * MINUTE;
const PAUSE_FOR_EACH = 500;
const SHARE = 0.1;

export interface Watch {
  /** Of the campaign to watch; all that are not over if it is undefined. */
  key: number | undefined;
  /** Seconds of the local engine's clock in a second; it is not moved if that is undefined. */
  speed: number | undefined;
  /** Waits for a look that reads all there is. */
  whileReading<T>(look: Promise<T>): Promise<T>;
}

export interface Seen {
  campaigns: readonly Progress[];
  /** Whether everything was read once. */
  hasBegun: boolean;
}

/**
 * Ends when every campaign is over, or when the work is to end. Throws a failure that does not pass by itself; of others it warns.
 */
export async function* watch({ key, speed, whileReading }: Watch, ports: Ports): AsyncGenerator<Seen, void> {
  const { signal, notes } = ports;
  const source = new WatchedCampaigns(key, ports);
  const step = speed === undefined ? undefined : engineSpeed((await ports.local.engine()).timeline, speed);
  let campaigns: readonly Progress[] = [];
  let failures = 0;
  for (let hasBegun = false; !signal.aborted; ) {
    const before = hasBegun ? process.cpuUsage() : undefined;
    // It begins with what is, before time moves.
    const looked = lookOnce(source, hasBegun ? step : undefined);
    const look: Partial<Look> = await (hasBegun ? looked : whileReading(looked));
    const { failure, campaigns: found } = look;
    if (signal.aborted) return;
    if (failure !== undefined && !mayPass(failure)) throw failure;
    if (failure === undefined && failures > 0) notes.note('The service works again.');
    if (failure !== undefined && failures === 0) notes.warn(`${failure.message} Trying again until the service works.`);
    failures = failure === undefined ? 0 : failures + 1;
    // What was read before a failure may be little of a log that was never read to its end.
    if (failure === undefined || hasBegun) campaigns = found ?? campaigns;
    hasBegun ||= failure === undefined;
    yield { campaigns, hasBegun };
    if (hasBegun && isOver(campaigns)) return;
    const pause = failures === 0 && step !== undefined ? STEP : pauseOf(failures, source.readings, before);
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

export function isOver(campaigns: readonly Progress[]): boolean {
  return campaigns.every(({ phase }) => phase === 'over');
}

async function lookOnce(source: WatchedCampaigns, step?: () => Promise<void>): Promise<Partial<Look>> {
  try {
    await step?.();
    return await source.look();
  } catch (failure) {
    return { failure };
  }
}

/**
 * Milliseconds. A log that takes long to read, in so many readings, is looked at less often, so that a watch takes little of the
 * computer's time. `before`: what the processor had done before the look; undefined for one that reads all there is.
 */
function pauseOf(failures: number, readings: number, before: NodeJS.CpuUsage | undefined): number {
  if (failures > 0) return pauseAfterFailures(failures);
  const { user, system } = before === undefined ? { user: 0, system: 0 } : process.cpuUsage(before);
  const worked = (user + system) / 1000;
  return Math.max(pauseAfterFailures(0), readings * PAUSE_FOR_EACH, Math.min(LONGEST_PAUSE, worked * (1 / SHARE - 1)));
}

type Timeline = Awaited<ReturnType<Ports['local']['engine']>>['timeline'];

/** Milliseconds that count at most: work that takes longer than a step, or a computer that slept, must not make steps longer. */
const LONGEST_STEP = 250;

/**
 * Moves the local engine's time faster than the system's, in small steps, each of which is kept whatever happens next: the function
 * that moves on by the time that has passed since its last call. `speed`: seconds of the engine's clock in each second. Another
 * process may move the clock as well, even further; it is never moved back.
 */
export function engineSpeed(timeline: Timeline, speed: number): () => Promise<void> {
  let movedAt = performance.now();
  let reached = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    const passed = Math.min(LONGEST_STEP, now - movedAt);
    movedAt = now;
    const target = (from: number) => Math.max(from, Math.max(from - passed, reached) + passed * speed);
    const { to } = await timeline.move(
      (from) => Math.round(target(from)),
      () => {},
    );
    reached = to;
  };
}

/** The local engine inside the test's own process, over a real store in a temporary folder, with a clock that obeys. */
import { join } from 'node:path';
import { initialState } from '../../src/engine/state.ts';
import { systemFiles } from '../../src/files.ts';
import { Store } from '../../src/local/store.ts';
import { Timeline } from '../../src/local/timeline.ts';
import { temporaryFolder } from './program.ts';

export const EPOCH = Date.parse('2026-11-20T09:00:00Z');

export interface TestEngine {
  folder: string;
  store: Store;
  timeline: Timeline;
  /** The system's clock in milliseconds; a test moves it. */
  clock: { now: number };
}

export function testEngine({ seed = 1 } = {}): TestEngine {
  const clock = { now: EPOCH };
  const folder = join(temporaryFolder(), 'store');
  const store = new Store({
    fs: systemFiles,
    folder,
    initial: () => initialState({ seed, now: clock.now, empty: false }),
    timeoutMs: 10_000,
    command: 'test',
  });
  const timeline = new Timeline(store, { systemNow: () => clock.now, signal: new AbortController().signal });
  return { folder, store, timeline, clock };
}

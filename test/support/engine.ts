/** The local engine inside the test's own process, over a real store in a temporary folder, with a clock that obeys. */
import { join } from 'node:path';
import { BODY_LIMITS } from '../../src/engine/policy.ts';
import { type Listening, type ListenOptions, listen } from '../../src/http/server/listen.ts';
import { type LocalEngine, openInFolder } from '../../src/local/open.ts';
import { temporaryFolder } from './program.ts';

export const EPOCH = Date.parse('2026-11-20T09:00:00Z');

export interface TestEngine extends LocalEngine {
  folder: string;
  /** The system's clock in milliseconds; a test moves it. */
  clock: { now: number };
}

export function testEngine({ seed = 1 } = {}): TestEngine {
  const clock = { now: EPOCH };
  const folder = join(temporaryFolder(), 'store');
  const { signal } = new AbortController();
  return { folder, clock, ...openInFolder({ folder, seed, command: 'test', systemNow: () => clock.now, signal }) };
}

/** The engine over HTTP on a free port, without faults; what it cannot answer fails the test. */
export function serveEngine(
  { backend, admit, timeline }: Pick<LocalEngine, 'backend' | 'admit'> & Partial<Pick<LocalEngine, 'timeline'>>,
  options: Partial<ListenOptions> = {},
): Promise<Listening> {
  const onFailure = (error: unknown) => {
    throw error;
  };
  const where = { host: '127.0.0.1', port: 0, latencyMs: 0, faults: [] };
  const now = () => timeline?.lastKnownNow() ?? EPOCH;
  return listen({ backend, admit, now, limits: BODY_LIMITS, onFailure, ...where, ...options });
}

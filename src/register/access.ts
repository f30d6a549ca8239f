/** A command's access to the register; and what it has placed: once a phone may ring, no later failure may hide it. */

import { InterruptedError, OutcomeUnknownError, type Reason, reworded, UnseenError, VagentError } from '../errors.ts';
import type { Rows } from '../storage/database/sql.ts';
import type { Notes } from '../text/notes.ts';
import type { Target } from './do-not-call.ts';
import type { PlacedRequest, Recording } from './guards.ts';
import type { RegisterAccess } from './ports.ts';
import { ringing } from './requests.ts';

interface AccessParts {
  notes: Notes;
  rows: () => Promise<Rows>;
  systemNow: () => number;
  target: () => Target;
  /** Milliseconds by which the service's clock was ahead of this machine's at its last answer; undefined if none had a date. */
  clockAhead: () => number | undefined;
  /** Called for each call that was placed, and each campaign that was created. */
  onPlaced: (placed: PlacedRequest) => void;
}

/** Loads the register only when something is sent: reading calls does not need it. */
export function registerAccess(parts: AccessParts): RegisterAccess {
  const { notes, rows, systemNow, target, clockAhead, onPlaced } = parts;
  const open = async () => {
    const { Register } = await import('./register.ts');
    return new Register({ rows: await rows(), systemNow });
  };
  const recording = async (): Promise<Recording> => {
    const { operator } = await import('./open-rows.ts');
    const { service, organizationId } = target();
    const parts = { register: await open(), optedOut: await optedOut(), service, organizationId };
    return { ...parts, by: operator(), clockAhead, ...notes };
  };
  const optedOut = async () => {
    const { OptedOut } = await import('./do-not-call.ts');
    return new OptedOut({ rows: await rows(), target: target(), systemNow });
  };
  return {
    rows,
    open,
    target,
    optedOut,
    async requireNew(sent, sending) {
      const { requireNew } = await import('./guards.ts');
      return requireNew(sent, await recording(), sending);
    },
    async withoutSent(request) {
      const { withoutSent } = await import('./guards.ts');
      return withoutSent(request, await recording());
    },
    guarded(service, sending) {
      return ringing(service, async (sent, send) => {
        const { endedBy, heeding, placedBy, recorded } = await import('./guards.ts');
        const { service, organizationId, isLocal } = target();
        const locally = async () => {
          const heeded = async () => await heeding(sent, send, await optedOut(), sending);
          const { once } = sending;
          if (once === undefined) return await heeded();
          // The local engine has no register of requests, but keys.
          const { sentOnce } = await import('./once.ts');
          const keyed = { once, sent, organizationId, serviceKey: service, now: systemNow() };
          return await sentOnce(heeded, keyed, { rows: await rows(), endedBy, warn: notes.warn });
        };
        const reply = isLocal ? await locally() : await recorded(sent, send, await recording(), sending);
        onPlaced(placedBy(sent, reply, sending.plan));
        return reply;
      });
    },
  };
}

// After a request was placed --------------------------------------------------------------------------------------------

/**
 * How a failure after a placed request is reported: exit code 8, its own code, and what was placed. An interrupt, and a wait
 * that ended, keep their exit codes. `at` is the time now, in milliseconds since the epoch.
 */
export function afterPlacing(error: unknown, placed: PlacedRequest, at: number): VagentError {
  const isExpected = error instanceof VagentError;
  const { done, trace, campaignId, planId } = placed;
  const reason: Reason =
    planId === undefined ? { kind: 'placed', trace, at, campaignId } : { kind: 'wave_placed', planId };
  if (error instanceof InterruptedError) {
    const isComplete = error.hint !== undefined || error.reason !== undefined;
    return isComplete ? error : reworded(error, { message: `Interrupted, but ${done}.`, reason });
  }
  // An expected error about the call already names it.
  if (isExpected && (error instanceof UnseenError || error instanceof OutcomeUnknownError)) return error;
  // What stands in the way of a later wave is the plan's own matter: repeating its run repeats no wave.
  if (planId !== undefined && isExpected && !HIDING.has(error.exitCode)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const what = isExpected ? message : `an unexpected failure, which is a bug: ${message}`;
  return new OutcomeUnknownError(
    `${done.charAt(0).toUpperCase()}${done.slice(1)}, but afterwards: ${what}`,
    {
      code: isExpected ? error.code : 'unexpected',
      reason,
      issues: isExpected ? error.issues : undefined,
      cause: error,
    },
    isExpected ? error.status : undefined,
  );
}

/** The exit codes that say that nothing was done, or that a file failed: standard output too. */
const HIDING = new Set([2, 9]);

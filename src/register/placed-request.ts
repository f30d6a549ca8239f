/** The call or campaign that this run has placed: once a phone may ring, no later failure may hide it. */
import {
  type CallTrace,
  InterruptedError,
  NOT_COMPLETED,
  OutcomeUnknownError,
  type Reason,
  reworded,
  VagentError,
} from '../errors.ts';

export interface PlacedRequest {
  /** A clause: what was placed. */
  done: string;
  trace: CallTrace;
  /** Of a campaign. */
  campaignId: number | undefined;
  /** The plan of which the campaign is a wave. */
  planId: number | undefined;
}

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
  if (isExpected && (error.exitCode === NOT_COMPLETED || error instanceof OutcomeUnknownError)) return error;
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

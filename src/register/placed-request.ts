/** The call or campaign that this run has placed: once a phone may ring, no later failure may hide it. */
import { InterruptedError, NOT_COMPLETED, OutcomeUnknownError, type Reason, reworded, VagentError } from '../errors.ts';
import type { Sent } from './requests.ts';

export type PlacedRequest = Sent & {
  /** Of a campaign. */
  campaignId: number | undefined;
  /** The plan and its wave that the campaign is. */
  planned: { id: number; wave: number } | undefined;
};

/**
 * How a failure after a placed request is reported: exit code 8, its own code, and what was placed. An interrupt, and a wait
 * that ended, keep their exit codes. `at` is the time now, in milliseconds since the epoch.
 */
export function afterPlacing(error: unknown, placed: PlacedRequest, at: number): VagentError {
  const isExpected = error instanceof VagentError;
  const { campaignId, planned } = placed;
  const reason: Reason =
    planned === undefined ? { kind: 'placed', placed, at, campaignId } : { kind: 'wave_placed', planId: planned.id };
  if (error instanceof InterruptedError) {
    const isComplete = error.hint !== undefined || error.reason !== undefined;
    return isComplete ? error : reworded(error, { message: `Interrupted, but ${nameOf(placed)}.`, reason });
  }
  // An expected error about the call already names it.
  if (isExpected && (error.exitCode === NOT_COMPLETED || error instanceof OutcomeUnknownError)) return error;
  // What stands in the way of a later wave is the plan's own matter: repeating its run repeats no wave.
  if (planned !== undefined && isExpected && !HIDING.has(error.exitCode)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const what = isExpected ? message : `an unexpected failure, which is a bug: ${message}`;
  const sentence = nameOf(placed);
  return new OutcomeUnknownError(
    `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}, but afterwards: ${what}`,
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

function nameOf(placed: PlacedRequest): string {
  if (placed.operation === 'triggerCall') return `the call to ${placed.request.called_to} is placed`;
  const { planned, campaignId } = placed;
  if (planned !== undefined)
    return `wave ${planned.wave} of plan ${planned.id} was handed over as campaign ${campaignId}`;
  return `campaign ${campaignId} ${JSON.stringify(placed.request.campaign_name)} is created`;
}

/** A wave of a plan, as what sends it knows it: it was chosen a moment ago, and what came to light since then must not be missed. */
import { UnavailableError } from '../errors.ts';

export interface PlannedWave {
  id: number;
  wave: number;
  /** When the plan was created, in milliseconds since the epoch. */
  createdAt: number;
  /** The last entry of the register when the wave was chosen; 0 if there was none. */
  lookedAt: number;
}

/** The error code of a wave that must be chosen anew. */
export const CHOOSE_ANEW = 'register_grew';

/** `what` happened while it was chosen: the beginning of a sentence. */
export function mustBeChosenAnew(what: string): UnavailableError {
  return new UnavailableError(`${what} while the wave was chosen. Nothing was sent.`, { code: CHOOSE_ANEW });
}

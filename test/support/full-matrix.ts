/** A usual run of the tests tries some of their cases, so that it stays short; `VAGENT_FULL_MATRIX=1` tries all, or many more. */
export const IS_FULL = process.env.VAGENT_FULL_MATRIX === '1';

const RUN = Date.now();

/** Whether it is the turn of a case, by its number: of one in so many, others in each run. */
export function isTurnOf(at: number, every: number): boolean {
  return IS_FULL || (at + RUN) % every === 0;
}

/** How many in a usual run, and in a full one. */
export function howMany(usual: number, full: number): number {
  return IS_FULL ? full : usual;
}

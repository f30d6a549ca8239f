/** A usual run of the tests tries some of their cases, so that it stays short; `VAGENT_FULL_MATRIX=1` tries all, or many more. */
export const IS_FULL = process.env.VAGENT_FULL_MATRIX === '1';

/** Of a run, the same in all its processes; VAGENT_TEST_TURN repeats the choice of a run. */
const RUN = Number(process.env.VAGENT_TEST_TURN);

/** Whether it is the turn of a case, by its number: of one in so many, by chance others in each run. */
export function isTurnOf(at: number, every: number): boolean {
  return IS_FULL || (at + RUN) % every === 0;
}

/** How many in a usual run, and in a full one. */
export function howMany(usual: number, full: number): number {
  return IS_FULL ? full : usual;
}

/** A usual run of the tests tries some of their cases, so that it stays short; `VAGENT_FULL_MATRIX=1` tries all, or many more. */
export const IS_FULL = process.env.VAGENT_FULL_MATRIX === '1';

/** How many in a usual run, and in a full one. */
export function howMany(usual: number, full: number): number {
  return IS_FULL ? full : usual;
}

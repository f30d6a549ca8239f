/** Money is stored as integer millionths: sums are exact, and a balance never shows 0.30000000000000004. */

const SCALE = 1_000_000;
const DECIMAL = /^(\d{1,9})(?:\.(\d{1,6}))?$/;

/** Millionths of a decimal such as `12.5`. Throws RangeError for anything else, including a sign or an exponent. */
export function micros(decimal: string): number {
  const [, whole, fraction] = DECIMAL.exec(decimal) ?? [];
  if (whole === undefined) throw new RangeError(`not an amount: ${decimal}`);
  return Number(whole) * SCALE + Number((fraction ?? '').padEnd(6, '0'));
}

/** The decimal number nearest to an amount of millionths, for JSON and people. */
export function fromMicros(amount: number): number {
  return amount / SCALE;
}

/** Numbers as people read them. */

/** `1,234,567`. */
export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** A share from 0 to 1: `12.3 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

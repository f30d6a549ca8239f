/** Numbers as people read them. */

/** `1,234,567`. */
export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** A share from 0 to 1: `12.3 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** What follows a number: `plural(1, 'call')` is `call`, of 2 it is `calls`. */
export function plural(count: number, one: string, several = `${one}s`): string {
  return count === 1 ? one : several;
}

/** The number too: `1 call`, `2 calls`. */
export function counted(count: number, one: string, several?: string): string {
  return `${count} ${plural(count, one, several)}`;
}

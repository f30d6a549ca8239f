/** Written numbers: digits, and the characters that people put before and between them. */

export const WRITTEN_NUMBER = /^[+(]?[\d(][\d\s().\-‐-―−/]*$/;
/** Dialled before a calling code in most countries. */
export const WORLD_EXIT_CODE = '00';

export function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** Whether a text is mostly digits, of any script, damaged or not. What is wrong with it is reported with its row. */
export function looksLikeNumber(text: string): boolean {
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return digits >= 5 && letters <= 3;
}

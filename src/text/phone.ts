/** Phone numbers: as people write them, and the two that one phone can have, the current one and an older spelling. */

/**
 * Old spellings of mobile numbers, and the current ones. A rule is listed only if it turns every old number into exactly one
 * new number, and no current number looks like an old one:
 * - Mexico: the 1 after +52 was dropped in 2019.
 * - Brazil: mobile numbers of eight digits got a 9 in front by 2016. Some that begin with 7 kept eight digits and stay as they
 * are.
 * - San Marino: its fixed lines can also be reached through Italy, as +39 0549.
 *
 * Argentina is not listed: with and without the 9 after +54, the same digits are a mobile and a fixed line. Neither is a
 * renumbering by operator, as in Ivory Coast: the old number alone does not determine the new one.
 *
 * The rows of the register hold keys of phones: whoever changes this table also writes them anew, with a new version of the schema.
 */
const OLD_SPELLINGS: readonly { old: RegExp; today: string }[] = [
  { old: /^\+521([2-9]\d{9})$/, today: '+52$1' },
  { old: /^\+55([1-9][1-9])([689]\d{7})$/, today: '+55$19$2' },
  { old: /^\+390549(\d{6})$/, today: '+3780549$1' },
];

/** The beginnings of the old spellings, a quick test that rules out most numbers. */
const MAYBE_OLD = /^\+(?:5[25]|390549)/;

/**
 * The current E.164 number of the phone behind a number: two numbers of one phone give the same key. For comparing only; calls
 * go to the number as it was given.
 */
export function phoneKey(e164: string): string {
  if (!MAYBE_OLD.test(e164)) return e164;
  const row = OLD_SPELLINGS.find(({ old }) => old.test(e164));
  return row === undefined ? e164 : e164.replace(row.old, row.today);
}

/** Whether the phone has another number today. */
export function isOldSpelling(e164: string): boolean {
  return phoneKey(e164) !== e164;
}

/** The digits of `phoneKey` as a number: lists of millions are kept this way. */
export function phoneKeyOfNumber(e164: string): number {
  return Number(phoneKey(e164).slice(1));
}

/** The same of a number that is kept as its digits. */
export function phoneKeyOfDigits(digits: number): number {
  return phoneKeyOfNumber(`+${digits}`);
}

/** Digits, and the characters that people put before and between them. */
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

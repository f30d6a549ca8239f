/** What spreadsheets, address books and keyboards do to phone numbers: each damage by its name, with what mends it. */
import type { Fault } from './problems.ts';

/** A character that looks like nothing, or like a digit or sign without being one of those that are dialled. */
export function strangeCharacter(text: string): Fault | undefined {
  const [invisible] = /[\p{C}\p{M}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(text) ?? [];
  if (invisible !== undefined) {
    return {
      code: 'invisible_character',
      message: `${quoted(text)} holds the invisible character ${codePoint(invisible)}`,
      fix: 'Type the number anew: deleting what cannot be seen is not sure.',
    };
  }
  const [foreign] = /(?![0-9])\p{Nd}|[\uff01-\uff5e]/u.exec(text) ?? [];
  if (foreign === undefined) return undefined;
  return {
    code: 'invisible_character',
    message: `${quoted(text)} holds ${foreign} (${codePoint(foreign)}), which only looks like what is dialled`,
    fix: 'Type the number anew with + and the digits 0 to 9.',
  };
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

const AS_TEXT = 'Format the column as text before the numbers go in, and export the original again.';

/** Shapes that a spreadsheet gives to numbers, and what it did. */
const DAMAGES: readonly [RegExp, string][] = [
  [/^\+?\d+([.,]\d+)?e\+?\d+$/i, 'was put into scientific notation by a spreadsheet, which loses digits'],
  [/\d{3}[.,]0$|^\+?\d{6,}[.,]0+$/, 'was turned into a decimal by a spreadsheet'],
  [/\d{5}[.,]\d{1,2}$|^\d+[.,]\d{1,2}$/, 'is a decimal, not a phone number'],
  [
    /^(\d{4}([-./])\d{1,2}\2\d{1,2}|\d{1,2}([-./])\d{1,2}\3\d{4}|([012]?\d|3[01])([-./])([012]?\d|3[01])\5\d{2})$/,
    'looks like a date, not a phone number',
  ],
  [/^#/, "is a spreadsheet's error, not a number"],
];

export function damageOf(text: string): Fault | undefined {
  const [, message] = DAMAGES.find(([shape]) => shape.test(text)) ?? [];
  if (message !== undefined) return { code: 'spreadsheet_damage', message: `${quoted(text)} ${message}`, fix: AS_TEXT };
  if (!TWO_NUMBERS.some((shape) => shape.test(text))) return undefined;
  return {
    code: 'not_e164',
    message: `${quoted(text)} may be two numbers, or one with an extension`,
    fix: 'Write the one number that is to be called.',
  };
}

/** A few digits behind a slash, in brackets or behind a lone dash; a slash that stands behind more than an area code. */
const TWO_NUMBERS = [/\/\s*\d{1,4}$/, /[([]\s*\d{1,4}\s*[)\]]$/, /\s-\s*\d{1,3}$/, /\/.*\//, /^(\D*\d){8,}[^/]*\//];

/** As it stands in a message: quoted, and not too long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

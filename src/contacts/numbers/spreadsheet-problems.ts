/** Damage that spreadsheets, address books and keyboards do to phone numbers, each with its fix. */

import { type Problem, quoted } from '../problems.ts';
import { codePoint } from './invisible.ts';

/** A character that is invisible, or looks like a digit or sign that can be dialled but is not one. */
export function strangeCharacter(text: string): Problem | undefined {
  const [invisible] = /[\p{C}\p{M}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(text) ?? [];
  if (invisible !== undefined) {
    return {
      code: 'invisible_character',
      message: `${quoted(text)} holds the invisible character ${codePoint(invisible)}`,
      fix: 'Type the number again: deleting invisible characters is not reliable.',
    };
  }
  const [foreign] = /(?![0-9])\p{Nd}|[\uff01-\uff5e]/u.exec(text) ?? [];
  if (foreign === undefined) return undefined;
  return {
    code: 'invisible_character',
    message: `${quoted(text)} holds ${foreign} (${codePoint(foreign)}), which only looks like a digit or sign`,
    fix: 'Type the number again with + and the digits 0 to 9.',
  };
}

const AS_TEXT = 'Format the column as text before the numbers go in, and export the original again.';

/** Shapes that a spreadsheet gives to numbers, and the damage that each means. */
const SHAPES: readonly [RegExp, string][] = [
  [/^\+?\d+([.,]\d+)?e\+?\d+$/i, 'was put into scientific notation by a spreadsheet, which loses digits'],
  [/\d{3}[.,]0$|^\+?\d{6,}[.,]0+$/, 'was turned into a decimal by a spreadsheet'],
  [/\d{5}[.,]\d{1,2}$|^\d+[.,]\d{1,2}$/, 'is a decimal, not a phone number'],
  [
    /^(\d{4}([-./])\d{1,2}\2\d{1,2}|\d{1,2}([-./])\d{1,2}\3\d{4}|([012]?\d|3[01])([-./])([012]?\d|3[01])\5\d{2})$/,
    'looks like a date, not a phone number',
  ],
  [/^#/, "is a spreadsheet's error, not a number"],
];

export function spreadsheetProblem(text: string): Problem | undefined {
  const [, message] = SHAPES.find(([shape]) => shape.test(text)) ?? [];
  return message === undefined
    ? undefined
    : { code: 'spreadsheet_damage', message: `${quoted(text)} ${message}`, fix: AS_TEXT };
}

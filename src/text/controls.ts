/**
 * Makes text from others (services, files, names) safe to show on a terminal: it cannot control the terminal or reverse the
 * direction of text.
 */

/** Control characters except tabs and line breaks, and characters that change the direction of text. */
const ACTING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g;

/** A colour sequence, or a character that acts. */
const COLOUR_OR_ACTING = new RegExp(`(\\u001b\\[[\\d;]*m)|${ACTING.source}`, 'g');

/** Puts spaces in their place, for output laid out for a person. */
export function withoutControls(text: string): string {
  return text.replace(ACTING, ' ');
}

/** The same for a text with vagent's own colours. */
export function withoutControlsButColours(text: string): string {
  return text.replace(COLOUR_OR_ACTING, (_match, colour?: string) => colour ?? ' ');
}

/** Writes each as JSON does, such as \u001b, so that JSON keeps its meaning. */
export function withEscapedControls(text: string): string {
  return text.replace(ACTING, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

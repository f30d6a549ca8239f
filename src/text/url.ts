/**
 * An absolute URL, or undefined if `text` is none. Not by `URL.canParse`: after some thousand calls Node.js 20 takes every name with
 * letters like ü for a mistake.
 */
export function readUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

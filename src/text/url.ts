/**
 * A URL, absolute or from `base` on, or undefined if `text` is none. Not by `URL.canParse`: after some thousand calls Node.js 20 takes every name with
 * letters like ü for a mistake.
 */
export function readUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** URLs that somebody wrote. */
import { UsageError } from '../errors.ts';

/**
 * A URL, absolute or from `base` on, or undefined if `text` is none. Not by `URL.canParse`: after some thousand calls Node.js 20
 * takes every name with letters like ü for a mistake.
 */
export function readUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** More often than this nothing that is meant to be read is escaped. */
const MOST_ESCAPES = 8;

/** A text, and what each unescaping of its percent signs makes of it: %73 for s says the same, and so does %2573 at last. */
export function unescaped(text: string): string[] {
  const texts = [text];
  for (let last = text; texts.length <= MOST_ESCAPES; texts.push(last)) {
    const next = last.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
    if (next === last) break;
    last = next;
  }
  return texts;
}

/** The base URL of a service: http or https, without a query, a fragment or credentials. */
export function parseBaseUrl(text: string, source: string): URL {
  const url = readUrl(text);
  const isPlain =
    url !== undefined && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (url !== undefined && isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new UsageError(`${source} is not a base URL like https://voice.example.com/api.`);
}

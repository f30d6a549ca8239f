/** The address of a service, as it is given by flags, the environment and profiles. */
import { UsageError } from '../errors.ts';
import { readUrl } from './url.ts';

/** An http or https URL without a query, a fragment or credentials. */
export function parseBaseUrl(text: string, source: string): URL {
  const url = readUrl(text);
  const isPlain =
    url !== undefined && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (url !== undefined && isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new UsageError(`${source} is not a base URL like https://voice.example.com/api.`);
}

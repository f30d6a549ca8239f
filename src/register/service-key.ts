/** One service can be spelled in many ways, and it must not matter by which one a phone was called before. */
import { quietly } from '../storage/files/file-system.ts';
import { readUrl } from '../text/url.ts';

/** Names and addresses that mean this machine, as `URL` spells them. */
const ITSELF = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/** A register of a million requests names one service most of the time. */
let last = { baseUrl: '', key: '' };

/**
 * The key of a service, equal for all spellings of one base URL. In doubt two spellings count as one service, and so do http
 * and https of one host: at worst that costs a question, while the opposite calls people twice. A key is not a base URL to
 * connect to or to send an API key to.
 */
export function serviceKey(baseUrl: string): string {
  if (last.baseUrl !== baseUrl) last = { baseUrl, key: keyOf(baseUrl) };
  return last.key;
}

function keyOf(baseUrl: string): string {
  const url = readUrl(baseUrl);
  if (url === undefined) return baseUrl.trim();
  // `URL` has already normalised the case of the host, its default port, dots in the path and the spelling of an address.
  const { hostname, port, pathname } = url;
  const name = hostname.replace(/\.+$/, '');
  const host = ITSELF.test(name) ? 'localhost' : name;
  // An escape that is not UTF-8 stays as `URL` left it.
  const asWritten = () => pathname.replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());
  const path = (quietly(() => decodeURIComponent(pathname)) ?? asWritten()).replace(/\/+/g, '/').replace(/\/$/, '');
  return `${host}${port === '' ? '' : `:${port}`}${path}`;
}

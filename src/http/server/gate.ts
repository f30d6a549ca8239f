/**
 * Refuses requests from web pages of others. Such a page can make a browser send requests to this machine, even under a name
 * that it owns and lets point here. What it cannot hide are the name in the header Host, and the page that it comes from.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

const HOST = /^(\[[\da-f:.]+\]|[^[\]:/?#@\\\s]+)(?::\d{1,5})?$/;

/** A name under which a server may be requested, besides loopback: addresses are written as in a URL, `[::1]`. */
export function hostName(given: string): string {
  // The zone of an address, as in fe80::1%eth0, cannot stand in a URL.
  return isIPv6(given) ? new URL(`http://[${given.replace(/%.*/, '')}]`).hostname : given.toLowerCase();
}

/** Whether an address, or a name as in a header Host, always means the machine itself. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

/** Why a request is refused, as a sentence; undefined if it is allowed. */
export function refusal({ url, headersDistinct }: IncomingMessage, allowed: ReadonlySet<string>): string | undefined {
  if (!url?.startsWith('/')) return 'The request target must be a path, not a whole URL.';
  // Repeated headers are joined, which no check accepts.
  const [host, origin, site] = ['host', 'origin', 'sec-fetch-site'].map((name) => headersDistinct[name]?.join(', '));
  const name = HOST.exec(host ?? '')?.[1];
  if (name === undefined) return 'A request must have one header Host with the name of this server.';
  if (!isLoopback(name) && !allowed.has(name)) {
    return `This server does not answer to the name ${name}; --allow-host adds names.`;
  }
  // Another port of the same machine is another site, and so is a page without an origin: `null`.
  const isForeign = origin !== undefined && origin !== `http://${host}`;
  if (isForeign || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
    return 'This server does not answer pages of other sites.';
  }
  return undefined;
}

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
export function refusal({ url, rawHeaders }: IncomingMessage, allowed: ReadonlySet<string>): string | undefined {
  if (!url?.startsWith('/')) return 'The request target must be a path, not a whole URL.';
  const host = headerOf('host', rawHeaders);
  const name = HOST.exec(host ?? '')?.[1];
  if (name === undefined) return 'A request must have one header Host with the name of this server.';
  if (!isLoopback(name) && !allowed.has(name)) {
    return `This server does not answer to the name ${name}; --allow-host adds names.`;
  }
  const origin = headerOf('origin', rawHeaders);
  const site = headerOf('sec-fetch-site', rawHeaders);
  // Another port of the same machine is another site, and so is a page without an origin: `null`.
  const isForeign = origin !== undefined && origin !== `http://${host}`;
  if (isForeign || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
    return 'This server does not answer pages of other sites.';
  }
  return undefined;
}

/**
 * A header as it arrived; repeated ones are joined, which no check accepts. Building Node's object of all headers would take
 * longer than everything else here.
 */
function headerOf(header: string, rawHeaders: readonly string[]): string | undefined {
  let value: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== header.length || name.toLowerCase() !== header) continue;
    value = value === undefined ? rawHeaders[at + 1] : `${value}, ${rawHeaders[at + 1]}`;
  }
  return value;
}

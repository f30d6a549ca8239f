/** Which proxy the environment names for a service: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, read as everywhere. */
import { BlockList, isIP } from 'node:net';
import { UsageError } from '../errors.ts';

export interface HttpProxy {
  /** Where it listens; its credentials are not in here. */
  url: URL;
  /** The variable of the environment that names it, for messages. */
  variable: string;
  /** What the header Proxy-Authorization says, where the variable holds credentials. */
  authorization: string | undefined;
  /** What may be shown to nobody, in every spelling that the variable gives it. */
  secrets: string[];
}

/**
 * The proxy through which a service is reached; undefined where it is reached straight. Throws UsageError for a proxy that
 * cannot be used. As with curl, the lower-case spelling of a variable goes first and an empty one says nothing.
 */
export function proxyFor(baseUrl: URL, env: Record<string, string | undefined>): HttpProxy | undefined {
  const variable = baseUrl.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const named = [variable.toLowerCase(), variable].find((name) => env[name]);
  if (named === undefined || isExempt(baseUrl, env.no_proxy || env.NO_PROXY || '')) return undefined;
  const proxy = readProxy(env[named] ?? '', named);
  // Plain http is spoken within this machine only: a proxy elsewhere would get to read the key.
  if (baseUrl.protocol === 'http:' && isLoopback(baseUrl) && !isLoopback(proxy.url)) return undefined;
  return proxy;
}

function readProxy(text: string, variable: string): HttpProxy {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const fault = url === undefined ? 'is not the address of a proxy' : `names a ${url.protocol.slice(0, -1)} proxy`;
    throw new UsageError(`${variable} ${fault}: it takes one like http://proxy.example.com:3128.`, {
      hint: 'Correct it, or name the service in NO_PROXY to reach it without a proxy.',
    });
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return { url, variable, authorization: undefined, secrets: [] };
  const pair = `${decoded(username)}:${decoded(password)}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  // Where there is no password, the name is a token.
  const secret = password || username;
  return { url, variable, authorization, secrets: [secret, decoded(secret), pair] };
}

/** A percent sign that nobody escaped stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether NO_PROXY names the host: `*`, a domain with all below it, an address, a block of them; each with or without a port. */
function isExempt({ hostname, protocol, port }: URL, noProxy: string): boolean {
  const host = bareHost(hostname);
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  const entries = noProxy.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry === '*' || (entry !== '' && names(entry, host, ownPort)));
}

function names(entry: string, host: string, port: string): boolean {
  const [, beforePort, onlyPort] = (isIP(entry) === 0 && /^(.+):(\d+)$/.exec(entry)) || [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const name = bareHost((beforePort ?? entry).replace(/^\*?\./, ''));
  return isIP(host) === 0 ? host === name || host.endsWith(`.${name}`) : isWithin(host, name);
}

/** Whether an address is that of `block`, or one of the block that it means (`10.0.0.0/8`). */
function isWithin(address: string, block: string): boolean {
  const [first = '', bits] = block.split('/');
  const version = isIP(first);
  const allBits = version === 6 ? 128 : 32;
  const prefix = bits === undefined ? allBits : /^\d+$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || version !== isIP(address) || !(prefix <= allBits)) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(first, prefix, family);
  return list.check(address, family);
}

function isLoopback({ hostname }: URL): boolean {
  const host = bareHost(hostname);
  return host === 'localhost' || isWithin(host, '127.0.0.0/8') || isWithin(host, '::1');
}

/** A host without the brackets of an IPv6 address and the dot at the end of a full name. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

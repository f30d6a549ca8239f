/** Which proxy the environment names for a service: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, with their usual meaning. */
import { BlockList, isIP } from 'node:net';
import { UsageError } from '../../errors.ts';
import { readUrl } from '../../text/url.ts';
import { isLoopback } from '../server/gate.ts';

export interface HttpProxy {
  /** Its address, without the credentials. */
  url: URL;
  /** The environment variable that names it, for messages. */
  variable: string;
  /** The value of the header Proxy-Authorization, if the variable holds credentials. */
  authorization: string | undefined;
  /** Texts that must never be shown, in every spelling that the variable contains. */
  secrets: string[];
}

/**
 * The proxy through which a service is reached; undefined if it is reached directly. Throws UsageError for a proxy that cannot
 * be used. As in curl, a variable's lower-case name takes precedence, and an empty value means no proxy.
 */
export function proxyFor(baseUrl: URL, env: Record<string, string | undefined>): HttpProxy | undefined {
  const variable = baseUrl.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const named = [variable.toLowerCase(), variable].find((name) => env[name]);
  if (named === undefined || isExempt(baseUrl, env.no_proxy || env.NO_PROXY || '')) return undefined;
  const proxy = readProxy(env[named] ?? '', named);
  // Plain http is used only within this machine; a proxy on another machine would read the key.
  const [isHere, isProxyHere] = [baseUrl, proxy.url].map(({ hostname }) => isLoopback(bareHost(hostname)));
  return baseUrl.protocol === 'http:' && isHere && !isProxyHere ? undefined : proxy;
}

function readProxy(text: string, variable: string): HttpProxy {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = readUrl(full);
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const why = url === undefined ? 'is not the address of a proxy' : `names a ${url.protocol.slice(0, -1)} proxy`;
    throw new UsageError(`${variable} ${why}: it must be an address like http://proxy.example.com:3128.`, {
      hint: 'Correct it, or name the service in NO_PROXY to reach it without a proxy.',
    });
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return { url, variable, authorization: undefined, secrets: [] };
  const pair = `${decoded(username)}:${decoded(password)}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  // Without a password, the name is a token.
  const secret = password || username;
  return { url, variable, authorization, secrets: [secret, decoded(secret), pair] };
}

/** An unescaped percent sign stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Whether NO_PROXY contains the host: as `*`, a domain that includes its subdomains, an address, or a block of addresses; with
 * or without a port.
 */
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

/** Whether an address equals `block`, or lies in the block that it describes (`10.0.0.0/8`). */
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

/** A host without the brackets of an IPv6 address or the dot at the end of a full name. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

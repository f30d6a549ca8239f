/** The connection of one request, straight or through a proxy: opened once, so that what has gone out never goes out again. */
import { request as requestOfProxy } from 'node:http';
import { connect as connectTcp, isIP, isIPv6, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { systemCode } from '../errors.ts';
import { bareHost, type HttpProxy } from './proxy.ts';

/** The proxy could not be reached or made no way to the service: nothing reached that. */
export class ProxyError extends Error {
  readonly proxy: HttpProxy;
  /** What the proxy answered instead of opening the way. */
  readonly status: number | undefined;
  /** That of what happened. */
  readonly code: string | undefined;

  constructor(proxy: HttpProxy, { status, cause }: { status?: number; cause?: unknown }) {
    super('no way through the proxy', { cause });
    this.proxy = proxy;
    this.status = status;
    this.code = status === undefined ? systemCode(cause) : `proxy ${status}`;
  }
}

/** Milliseconds for each of a host's addresses until the next is tried: node's own 250 are too few for another continent. */
const ADDRESS_TIMEOUT = 1000;

/**
 * A socket to the host of `url`, TLS and all, that bytes of a request may be written to. `signal` ends the attempt. Rejects
 * with a ProxyError, the signal's reason, or whatever the way met: then no byte of a request has left.
 */
export async function openConnection(url: URL, proxy: HttpProxy | undefined, signal: AbortSignal): Promise<Socket> {
  const tunnel = proxy === undefined ? undefined : await openTunnel(url, proxy, signal);
  // Always a tunnel, for plain http as well: what the proxy refuses, the service surely has not received.
  if (tunnel !== undefined && url.protocol === 'http:') return tunnel;
  return dial(url, signal, tunnel);
}

/** Connects to the host of `url`, or speaks TLS with it over a way that stands. */
async function dial(url: URL, signal: AbortSignal, tunnel?: Socket): Promise<Socket> {
  signal.throwIfAborted();
  const isSecure = url.protocol === 'https:';
  const host = bareHost(url.hostname);
  const where = {
    host,
    port: Number(url.port || (isSecure ? 443 : 80)),
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT,
  };
  const socket = isSecure ? await startTls({ ...where, socket: tunnel }) : connectTcp(where);
  const opened = new Promise<Socket>((resolve, reject) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve(socket)).once('error', reject);
  });
  const open = await guard(socket, opened, signal);
  // What a request is made of goes out at once, not when the one before was acknowledged.
  return open.setNoDelay();
}

/** The TLS library is loaded where it is spoken. */
async function startTls({ socket, ...where }: ConnectionOptions & { host: string }): Promise<Socket> {
  const { connect } = await import('node:tls');
  const servername = isIP(where.host) === 0 ? where.host : '';
  return connect({ ...where, servername, ALPNProtocols: ['http/1.1'], ...(socket === undefined ? {} : { socket }) });
}

async function openTunnel({ hostname, protocol, port }: URL, proxy: HttpProxy, signal: AbortSignal): Promise<Socket> {
  const { url, authorization } = proxy;
  const bare = bareHost(hostname);
  const authority = `${isIPv6(bare) ? `[${bare}]` : bare}:${port || (protocol === 'https:' ? 443 : 80)}`;
  try {
    const socket = await dial(url, signal);
    const opened = new Promise<Socket>((resolve, reject) => {
      requestOfProxy({
        method: 'CONNECT',
        path: authority,
        headers: { host: authority, ...(authorization ? { 'proxy-authorization': authorization } : {}) },
        createConnection: () => socket,
      })
        .on('error', reject)
        .on('connect', ({ statusCode: status = 0 }, _socket, head) => {
          if (status < 200 || status > 299) return reject(new ProxyError(proxy, { status }));
          if (head.length > 0) socket.unshift(head);
          resolve(socket);
        })
        .end();
    });
    return await guard(socket, opened, signal);
  } catch (error) {
    throw error instanceof ProxyError ? error : new ProxyError(proxy, { cause: error });
  }
}

/** What comes of a socket, which goes when that fails or the request is given up. */
async function guard<T>(socket: Socket, outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  const giveUp = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  // It may have been given up before there was a socket: then nobody is told any more.
  if (signal.aborted) giveUp();
  try {
    const result = await outcome;
    signal.throwIfAborted();
    return result;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

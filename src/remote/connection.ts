/**
 * The connection of one request, straight or through a proxy. It is opened once: whatever an HTTP library thinks may be
 * repeated, a request that has gone out on one connection never goes out on another.
 */
import { request as requestOfProxy } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import buildConnector, { type ConnectOptions } from 'undici/lib/core/connect.js';
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

/** The one deadline of a request stands for all of it, so connecting has none of its own. */
const connectSocket = buildConnector({ timeout: 0, autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT });

export class SingleConnection {
  readonly #proxy: HttpProxy | undefined;
  readonly #signal: AbortSignal;
  #isBegun = false;
  #isOpen = false;

  /** `signal` ends the attempt to connect. */
  constructor(proxy: HttpProxy | undefined, signal: AbortSignal) {
    this.#proxy = proxy;
    this.#signal = signal;
  }

  /** Whether it stood, TLS and all: bytes of the request may have left. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** What undici asks for a socket. */
  readonly connect = (options: ConnectOptions, callback: (...result: [null, Socket] | [Error, null]) => void): void => {
    this.#open(options).then(
      (socket) => {
        this.#isOpen = true;
        callback(null, socket);
      },
      (error: Error) => callback(error, null),
    );
  };

  async #open(options: ConnectOptions): Promise<Socket> {
    if (this.#isBegun) throw new Error('the connection was cut');
    this.#isBegun = true;
    if (this.#proxy === undefined) return this.#dial(options);
    const tunnel = await this.#tunnel(this.#proxy, options);
    // Always a tunnel, for plain http as well: what the proxy refuses, the service surely has not received.
    return options.protocol === 'https:' ? this.#dial({ ...options, httpSocket: tunnel }) : tunnel;
  }

  async #dial(options: ConnectOptions): Promise<Socket> {
    const { promise, resolve, reject } = withResolvers<Socket>();
    const settle = (...[error, socket]: [null, Socket] | [Error, null]) =>
      error === null ? resolve(socket) : reject(error);
    this.#signal.throwIfAborted();
    return this.#guard(connectSocket(options, settle), promise);
  }

  async #tunnel(proxy: HttpProxy, { hostname, protocol, port }: ConnectOptions): Promise<Socket> {
    const { url, authorization } = proxy;
    const host = isIPv6(hostname) ? `[${hostname}]` : hostname;
    const authority = `${host}:${port || (protocol === 'https:' ? 443 : 80)}`;
    try {
      const socket = await this.#dial({
        protocol: url.protocol,
        hostname: bareHost(url.hostname),
        host: url.host,
        port: url.port,
      });
      const { promise, resolve, reject } = withResolvers<Socket>();
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
      return await this.#guard(socket, promise);
    } catch (error) {
      throw error instanceof ProxyError ? error : new ProxyError(proxy, { cause: error });
    }
  }

  /** What comes of a socket, which goes when that fails or the request is given up. */
  async #guard<T>(socket: Socket, outcome: Promise<T>): Promise<T> {
    const giveUp = () => socket.destroy(this.#signal.reason);
    this.#signal.addEventListener('abort', giveUp, { once: true });
    try {
      const result = await outcome;
      this.#signal.throwIfAborted();
      return result;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      this.#signal.removeEventListener('abort', giveUp);
    }
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
}

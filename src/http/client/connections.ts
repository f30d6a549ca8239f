/** Connections to a service, direct or through a proxy, and what is sent on them. */
import { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { systemCode } from '../../errors.ts';
import { bareHost, type HttpProxy } from './proxy.ts';

// undici reads HTTP with WebAssembly. Compiling it with V8's optimizing compiler takes longer than everything else in a short
// command; on processors that the quick compiler fully supports, that one alone is enough.
if (process.arch === 'x64' || process.arch === 'arm64') setFlagsFromString('--liftoff-only');

/** The request failed before any byte of it was sent. */
export class Unsent extends Error {
  /** The code of the cause. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super('nothing was sent', { cause });
    this.code = systemCode(cause);
  }
}

/** The time for the request is over, counted from connecting to the end of the reply. */
export class DeadlinePassed extends Error {
  readonly code = 'timeout';
}

/** The proxy could not be reached, or did not connect to the service: the service received nothing. */
export class ProxyError extends Error {
  readonly proxy: HttpProxy;
  /** The proxy's status when it refused the connection. */
  readonly status: number | undefined;
  /** The code of the cause. */
  readonly code: string;

  constructor(proxy: HttpProxy, { status, cause }: { status?: number; cause?: unknown }) {
    super('no way through the proxy', { cause });
    this.proxy = proxy;
    this.status = status;
    // A code that undici does not know: for some known ones it would try again by itself.
    this.code = `proxy ${status ?? systemCode(cause) ?? 'failed'}`;
  }
}

/**
 * Connects to the host of `url`, with TLS or without. The socket is destroyed when `signal` aborts, also while it is
 * connecting.
 */
function connectorTo(url: URL, signal: AbortSignal): buildConnector.connector {
  const connect = buildConnector({ ...wayTo(url), signal } as buildConnector.BuildOptions);
  return ({ servername, ...where }, done) => {
    // Node would connect all the same, and nothing would end that connection: undici asks for one when the last was closed.
    if (signal.aborted) return done(signal.reason, null);
    return connect(where, done);
  };
}

function wayTo({ hostname }: URL): buildConnector.BuildOptions {
  const host = bareHost(hostname);
  return {
    // The request's own deadline covers connecting too.
    timeout: 0,
    autoSelectFamily: true,
    // Milliseconds for each of a host's addresses: Node's default of 250 is too short for another continent.
    autoSelectFamilyAttemptTimeout: 1000,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
}

export interface Connections {
  dispatcher: Dispatcher;
  /** The error to report when waiting for a connection was given up for `reason`. */
  givenUp(reason: unknown): unknown;
}

/**
 * Connections to a service that are reused when they are free. When `signal` aborts, all of them are closed, with the requests on
 * them. A caller who needs no more of them destroys the dispatcher.
 */
export async function openConnections(
  service: URL,
  proxy: HttpProxy | undefined,
  signal: AbortSignal,
): Promise<Connections> {
  if (proxy !== undefined) return throughProxy(proxy, service, signal);
  return { dispatcher: poolOf(service.origin, connectorTo(service, signal)), givenUp: (reason) => reason };
}

function poolOf(origin: string | URL, connect: buildConnector.connector): Pool {
  return new Pool(origin, { connect: (options, done) => connect(options, (...result) => done(...watched(result))) });
}

/** Always a tunnel, for plain http as well: if the proxy refuses, the service certainly received nothing. */
async function throughProxy(proxy: HttpProxy, service: URL, signal: AbortSignal): Promise<Connections> {
  const { ProxyAgent } = await import('undici');
  const { url, authorization } = proxy;
  let hasTunnel = false;
  const dispatcher = new ProxyAgent({
    uri: url.href,
    ...(authorization === undefined ? {} : { token: authorization }),
    requestTls: wayTo(service),
    factory: (origin, options) => poolOf(origin, (options as { connect: buildConnector.connector }).connect),
    clientFactory(origin) {
      const client = new Pool(origin, { connect: connectorTo(url, signal) });
      const connect = client.connect.bind(client);
      return Object.assign(client, {
        async connect(asked: Dispatcher.ConnectOptions) {
          const reply = await connect(asked).catch((cause) => {
            throw new ProxyError(proxy, { cause });
          });
          const { statusCode: status, socket } = reply;
          const isOpen = status >= 200 && status < 300;
          hasTunnel ||= isOpen;
          if (isOpen) return { ...reply, statusCode: 200 };
          socket.on('error', () => {}).destroy();
          throw new ProxyError(proxy, { status });
        },
      });
    },
  });
  return { dispatcher, givenUp: (reason) => (hasTunnel ? reason : new ProxyError(proxy, { cause: reason })) };
}

export interface HeadOfReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/** Resolves when the header of the reply has arrived. `onOpen` is called before anything is sent, and may abort the signal. */
export function send(
  { dispatcher, givenUp }: Connections,
  signal: AbortSignal,
  { origin, pathname, search }: URL,
  parts: Pick<Dispatcher.DispatchOptions, 'method' | 'headers' | 'body' | 'reset'>,
  onOpen = () => {},
): Promise<HeadOfReply> {
  // The request's own deadline covers the header and the body.
  const request = { ...parts, origin, path: `${pathname}${search}`, headersTimeout: 0, bodyTimeout: 0 };
  return new Promise((resolve, reject) => {
    let sent: Dispatcher.DispatchController | undefined;
    let body: Readable | undefined;
    const fail = (error: Error) => {
      // An aborted request fails in many ways, which all mean the same.
      const why = signal.aborted ? signal.reason : error;
      if (body !== undefined) body.destroy(why);
      else if (sent !== undefined) reject(why);
      else reject(new Unsent(signal.aborted ? givenUp(why) : why));
    };
    const giveUp = () => {
      fail(signal.reason);
      sent?.abort(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) return giveUp();
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        if (sent === undefined) onOpen();
        // An aborted request must not be sent, and none may be sent twice.
        if (signal.aborted || sent !== undefined)
          return controller.abort(signal.reason ?? new Error('it was sent already'));
        sent = controller;
      },
      onResponseStart(controller, status, headers) {
        // Neither an interim status nor a final one: undici takes seconds to report it.
        if (status < 100) return controller.abort(new Error('its status is none'));
        if (status < 200) return;
        body = new Readable({
          read: () => controller.resume(),
          destroy(error, done) {
            controller.abort(error ?? new Error('nobody reads on'));
            done(error);
          },
        });
        // The error reaches whoever reads the body; if nobody does, it does not matter.
        body.on('error', () => {});
        resolve({ status, headers, body });
      },
      onResponseData(controller, chunk) {
        if (body?.push(chunk) === false) controller.pause();
      },
      onResponseEnd() {
        body?.push(null);
      },
      onResponseError(_controller, error) {
        fail(error);
      },
    });
  });
}

// What undici would take for something else ----------------------------------------------------------------------------

/** A connection whose replies undici understands correctly. */
function watched(result: Parameters<buildConnector.Callback>): Parameters<buildConnector.Callback> {
  const [error, socket] = result;
  if (error) return result;
  withoutInterim(socket);
  // undici would take a reset for the proper end of a body that ends by closing, although more of it may have been lost.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = 'UND_ERR_SOCKET';
  });
  return result;
}

/** How an interim reply (100 to 199) begins, which a service may send before the real one. 101 is left out: no HTTP follows it. */
const BEGINNING = /^HTTP\/1\.\d 1(?!01)/;
const EXAMPLE = 'HTTP/1.1 100';
const WHOLE = /^HTTP\/1\.\d 1(?!01)[\s\S]*?\r?\n\r?\n/;
/** The most characters in an interim reply, as in the header of any reply. */
const LONGEST = 16_384;

/** Removes interim replies before the first reply of a connection: undici takes a 100 for an error. */
function withoutInterim(socket: Socket): void {
  const read = socket.read.bind(socket);
  let held: string | undefined = '';
  socket.read = (size?: number): Buffer | null => {
    const chunk: Buffer | null = read(size);
    if (chunk === null || held === undefined) return chunk;
    held += chunk.toString('latin1');
    while (WHOLE.test(held)) held = held.replace(WHOLE, '');
    const mayBecomeOne = BEGINNING.test(held + EXAMPLE.slice(held.length));
    if (mayBecomeOne && held.length <= LONGEST) return null;
    const rest = Buffer.from(held, 'latin1');
    held = undefined;
    return rest;
  };
}

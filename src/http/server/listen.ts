/** A Backend on a TCP port, with latency and faults if requested. */
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileError, ServiceError, systemCode } from '../../errors.ts';
import { type AppOptions, createApp, errorReply, type Step, send } from './app.ts';
import { type FaultRule, faultInjector } from './faults.ts';
import { hostName, isLoopback, refusal } from './gate.ts';

export interface ListenOptions extends Omit<AppOptions, 'before'> {
  host: string;
  /** Host names allowed besides `host` and loopback, without a port. */
  allowHosts?: readonly string[];
  /** 0 for a free one. */
  port: number;
  /** Milliseconds before each request is handled. */
  latencyMs: number;
  faults: readonly FaultRule[];
  /** The clock that stamps the calls, in milliseconds since the epoch: replies are dated by it, as those of every service. */
  now: () => number;
  timeouts?: Partial<Timeouts>;
}

/** Milliseconds. */
interface Timeouts {
  head: number;
  request: number;
  /** For requests under way when the server closes. */
  closing: number;
}

const TIMEOUTS: Timeouts = { head: 10_000, request: 120_000, closing: 8_000 };

export interface Listening {
  url: string;
  /** Whether other machines can reach it. */
  isExposed: boolean;
  /** Accepts no more connections, replies to the requests that have arrived, and resolves when the port is free. */
  close(): Promise<void>;
}

export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, allowHosts = [], onFailure, now } = options;
  const { head, request, closing } = { ...TIMEOUTS, ...options.timeouts };
  const end = new AbortController();
  // Every request under way adds a listener.
  setMaxListeners(0, end.signal);
  const app = createApp({ ...options, before: illness(options, end.signal) });
  const allowed = new Set([host, ...allowHosts].flatMap((name) => [name, hostName(name)]));
  const server = createServer({
    headersTimeout: head,
    requestTimeout: request,
    connectionsCheckingInterval: Math.min(1000, head, request),
    // `refusal` reports it, like other errors of a request.
    requireHostHeader: false,
  });
  const connections = new Connections();
  const take = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    connections.begin(incoming, outgoing);
    outgoing.setHeader('date', new Date(now()).toUTCString());
    const why = refusal(incoming, allowed);
    if (why === undefined) void app(incoming, outgoing);
    else void send(incoming, outgoing, errorReply(new ServiceError(403, 'forbidden_origin', why)));
  };
  server.on('connection', (socket) => connections.open(socket));
  server.on('request', take).on('checkExpectation', take).on('clientError', refuseUnread);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port))).listen(port, host, resolve);
  });
  server.on('error', onFailure);
  const address = server.address() as AddressInfo;
  const shownHost = hostName(address.address);
  allowed.add(shownHost);
  return {
    url: `http://${shownHost}:${address.port}`,
    isExposed: !isLoopback(shownHost),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      end.abort();
      connections.close();
      // A client that does not send the rest of a request, or does not read its reply, is cut off.
      const cut = setTimeout(() => server.closeAllConnections(), closing);
      await closed;
      clearTimeout(cut);
    },
  };
}

/** The requested latency and faults; both end early when the server closes. */
function illness({ latencyMs, faults }: ListenOptions, end: AbortSignal): Step {
  const fail = faultInjector(faults, end);
  return async (exchange, next) => {
    if (latencyMs > 0) await sleep(latencyMs, undefined, { signal: end }).catch(() => {});
    return fail(exchange, next);
  };
}

function cannotListen(error: Error, host: string, port: number): Error {
  const code = systemCode(error);
  const why: Record<string, string> = {
    EADDRINUSE: 'the port is taken',
    EACCES: 'permission is denied',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'the host name does not resolve',
  };
  const reason = why[code ?? ''];
  if (reason === undefined) return error;
  return new FileError(`Cannot listen on ${host}:${port}: ${reason}.`, {
    code: 'cannot_listen',
    reason: { kind: 'cannot_listen' },
    cause: error,
  });
}

/** Open connections, so that they can be closed without losing a reply. */
class Connections {
  /** Each with the last reply that it waits for, if any. */
  readonly #open = new Map<Socket, ServerResponse | undefined>();
  #isClosing = false;

  open(socket: Socket): void {
    this.#open.set(socket, undefined);
    socket.on('close', () => this.#open.delete(socket));
  }

  /** Called when a request begins to arrive. */
  begin({ socket }: IncomingMessage, outgoing: ServerResponse): void {
    if (this.#isClosing) outgoing.shouldKeepAlive = false;
    this.#open.set(socket, outgoing);
    outgoing.on('close', () => {
      if (this.#open.get(socket) === outgoing) this.#open.set(socket, undefined);
    });
  }

  /** Closes each connection that is idle, now or when its requests are answered. */
  close(): void {
    this.#isClosing = true;
    for (const [socket, outgoing] of this.#open) {
      if (outgoing === undefined) socket.destroy();
      else outgoing.shouldKeepAlive = false;
    }
  }
}

// Bytes that are not a request ------------------------------------------------------------------------------------------

const REASONS: Record<string, [status: number, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'payload_too_large', 'The header of the request is too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'payload_too_large', 'The chunk extensions of the body are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'invalid_parameter', 'The request did not arrive in time.'],
};

/** Answers bytes that are not a request, or arrived too late, as far as a reply can still be sent. */
function refuseUnread(error: Error, socket: Duplex & { _httpMessage?: ServerResponse | null }): void {
  const code = systemCode(error) ?? '';
  if (!socket.writable || code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const reason = REASONS[code] ?? [400, 'invalid_parameter', 'The request is not valid HTTP.'];
  const { status, body } = errorReply(new ServiceError(...reason));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

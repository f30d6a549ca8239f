/** Servers below HTTP: a test writes the very bytes of an answer, holds TLS back, or stands between as a proxy. */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll } from 'vitest';

const CERTIFICATES = join(import.meta.dirname, 'certificates');
/**
 * What a program must be given in NODE_EXTRA_CA_CERTS to trust the servers here. The processes of tests are started with it
 * (`process-start.ts`).
 */
export const AUTHORITY = join(CERTIFICATES, 'voice-example.pem');
/** The same for those servers that are of an unknown authority. */
export const UNKNOWN_AUTHORITY = join(CERTIFICATES, 'authority.pem');

/** `isKnown`: the authority is the one that the processes of tests trust. */
const certificate = (isKnown: boolean) => ({
  key: readFileSync(join(CERTIFICATES, 'service-key.pem')),
  cert: readFileSync(join(CERTIFICATES, isKnown ? 'known-service.pem' : 'service.pem')),
});

export interface WireServer {
  port: number;
  /** Connections that were made. */
  connections: number;
  /** Requests that came, whole or in part. */
  requests: number;
  /** All that came, as one text. */
  received: string;
}

/** Called when the head of a request is there. */
export type Reply = (socket: Socket, server: WireServer) => void;

/** Answers each request with what `reply` writes, over TLS if asked for. */
export async function startWire(
  reply: Reply,
  { isTls = false, isKnown = true, host = '127.0.0.1' } = {},
): Promise<WireServer> {
  const counted: WireServer = { port: 0, connections: 0, requests: 0, received: '' };
  const listener = (socket: Socket) => {
    counted.connections += 1;
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      counted.received += text;
      const begun = text.match(/^(GET|POST) \//gm)?.length ?? 0;
      counted.requests += begun;
      if (begun > 0) reply(socket, counted);
    });
  };
  const server = isTls ? createTlsServer(certificate(isKnown), listener) : createServer(listener);
  server.on('tlsClientError', () => {});
  counted.port = await listen(server, host);
  return counted;
}

/** Accepts connections and hands them over untouched. */
export async function startSockets(accept: (socket: Socket) => void): Promise<WireServer> {
  const counted: WireServer = { port: 0, connections: 0, requests: 0, received: '' };
  const server = createServer((socket) => {
    counted.connections += 1;
    socket.on('error', () => {});
    accept(socket);
  });
  counted.port = await listen(server, '127.0.0.1');
  return counted;
}

export interface TestProxy {
  port: number;
  /** What it was asked to connect to. */
  asked: string[];
  /** The headers Proxy-Authorization of those, undefined where there was none. */
  authorizations: (string | undefined)[];
  /** All that went through it to the service, as one text. */
  seen: string;
}

/** Refuses to connect, or does something else with the socket; undefined lets the way be opened. */
export type Refusal = (request: IncomingMessage, socket: Socket) => true | undefined;

/** A proxy that opens tunnels to ports of this machine, whatever host is asked for; all to one port if it is named. */
export async function startProxy(
  refuse: Refusal = () => undefined,
  { isTls = false, port }: { isTls?: boolean; port?: number } = {},
): Promise<TestProxy> {
  const proxy: TestProxy = { port: 0, asked: [], authorizations: [], seen: '' };
  const server = isTls ? createHttpsServer(certificate(true)) : createHttpServer();
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const authority = request.url ?? '';
    proxy.asked.push(authority);
    proxy.authorizations.push(request.headers['proxy-authorization']);
    socket.on('error', () => {});
    if (refuse(request, socket) === true) return;
    const host = authority.startsWith('[') ? '::1' : '127.0.0.1';
    const service = connect(port ?? Number(/\d+$/.exec(authority)?.[0]), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      service.write(head);
      socket.on('data', (bytes: Buffer) => (proxy.seen += bytes.toString('latin1')));
      socket.pipe(service).pipe(socket);
    });
    service.on('error', () => socket.destroy());
    socket.on('close', () => service.destroy());
    service.on('close', () => socket.destroy());
  });
  proxy.port = await listen(server, '127.0.0.1');
  return proxy;
}

/** On a free port, until the tests of the file are over. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => open.add(socket.on('close', () => open.delete(socket))));
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, host, resolve));
  afterAll(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A port on which nothing listens. One that was just closed may become that of another test's server. */
export const CLOSED_PORT = 1;

/** A command that sends a POST, and one that sends a GET. */
export const CALL = ['call', '+14155550123', '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
export const LOGS = ['logs', 'list'];
export const KINDS = { POST: CALL, GET: LOGS } as const;

/** An answer that is a success to both. */
export const PLEASANT = JSON.stringify({
  success: true,
  ...{ calls: [], total: 0, limit: 0, offset: 0 },
  ...{ sip_trunk_id: 'ST_1', sip_call_to: '+1', room_name: 'room', participant_identity: 'p', participant_name: 'Ana' },
});

/**
 * A service that fails in one certain way. It is bare TCP: what it counts is what arrived, whatever came of it, and it can
 * answer what no library of HTTP would.
 */
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { ROOT } from './program.ts';

export interface Arrived {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  /** Empty until all of it is there. */
  body: string;
  /** How many requests came before it. */
  earlier: number;
}

export type Reply = (socket: Socket, request: Arrived) => void;

export interface Fault {
  /** Called when a request is there in full. */
  reply?: Reply;
  /** Takes every connection, and reads requests from none. */
  takes?: (socket: Socket) => void;
  /** Speaks TLS, with a certificate that nobody vouches for. */
  isTls?: true;
  /** Where the program is sent; the service's own address by default. */
  url?: (own: URL) => string;
}

export interface FaultyService {
  url: string;
  /** Each request whose head came in full, in the order of arrival. */
  readonly requests: readonly Arrived[];
  /** Connections that were opened, whether or not anything came through. */
  connections(): number;
  close(): Promise<void>;
}

/** A file that holds the certificate which `isTls` shows, for those who want to trust it. */
export const CERTIFICATE = join(ROOT, 'test/fixtures/self-signed.pem');

export async function startFaultyService({ reply = () => {}, takes, isTls, url }: Fault): Promise<FaultyService> {
  const requests: Arrived[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const serve = (socket: Socket) => readRequests(socket, requests, reply);
  const pem = isTls ? readFileSync(CERTIFICATE) : undefined;
  const server: Server =
    pem === undefined
      ? createServer({ pauseOnConnect: takes !== undefined }, takes ?? serve)
      : createTlsServer({ key: pem, cert: pem }, serve);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    // What the program thinks of the connection shows in what the program says.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = new URL(`${isTls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    url: url?.(own) ?? own.origin,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const END_OF_HEAD = '\r\n\r\n';

/** A request counts as soon as its head is there: the program cannot know that nobody acted on it. */
function readRequests(socket: Socket, requests: Arrived[], reply: Reply): void {
  let pending = Buffer.alloc(0);
  let current: { request: Arrived; length: number } | undefined;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      if (current === undefined) {
        const end = pending.indexOf(END_OF_HEAD);
        if (end === -1) return;
        const head = pending.toString('latin1', 0, end);
        pending = pending.subarray(end + END_OF_HEAD.length);
        const [method = '', target = ''] = head.split(' ');
        const { pathname: path, searchParams: query } = new URL(target, 'http://service');
        const request = { method, path, query, body: '', earlier: requests.length };
        requests.push(request);
        current = { request, length: Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) };
      }
      if (pending.length < current.length) return;
      const { request, length } = current;
      request.body = pending.toString('utf8', 0, length);
      pending = pending.subarray(length);
      current = undefined;
      reply(socket, request);
    }
  });
}

export interface Response {
  status?: number;
  /** Instead of what usually stands beside the status. */
  reason?: string;
  /** One that is undefined is left out, also of those that are sent unasked: content-type and content-length. */
  headers?: Record<string, string | number | undefined>;
  body?: string | Buffer;
}

/** The bytes of a response. */
export function response({ status = 200, reason, headers = {}, body = '' }: Response): Buffer {
  const bytes = Buffer.from(body);
  const all = { 'content-type': 'application/json', 'content-length': bytes.length, ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]));
  const head = `HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** A reply that is the same to every request. */
export function replies(parts: Response): Reply {
  const bytes = response(parts);
  return (socket) => void socket.write(bytes);
}

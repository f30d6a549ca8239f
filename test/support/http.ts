/** A real HTTP server on a free port, answering as a test tells it to, and counting what it received. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  headers: IncomingMessage['headers'];
}

export type Answer = (request: Received, response: ServerResponse) => void | Promise<void>;

export interface TestServer {
  url: string;
  received: Received[];
  close(): Promise<void>;
}

export async function startServer(answer: Answer): Promise<TestServer> {
  const received: Received[] = [];
  // A connection on which nothing is asked stays open: a command that leaves one behind never ends, and its test fails.
  const server = createServer({ headersTimeout: 0, requestTimeout: 0 }, async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const url = new URL(incoming.url ?? '/', 'http://test');
    const request: Received = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      body: Buffer.concat(chunks).toString('utf8'),
      headers: incoming.headers,
    };
    received.push(request);
    await answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  afterAll(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

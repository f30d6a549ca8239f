/** A Backend on a TCP port, with latency and faults where asked for. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerType, serve } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { FileError, systemCode } from '../errors.ts';
import { type AppOptions, createApp } from './app.ts';
import type { FaultRule } from './fault-rules.ts';
import { faultInjector } from './faults.ts';

export interface ListenOptions extends Omit<AppOptions, 'before'> {
  host: string;
  /** 0 for a free one. */
  port: number;
  /** Milliseconds before each request is handled. */
  latencyMs: number;
  faults: readonly FaultRule[];
}

export interface Listening {
  url: string;
  /** Stops taking requests, cuts what is open and resolves when the port is free. */
  close(): Promise<void>;
}

export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port } = options;
  const app = createApp({ ...options, before: illness(options) });
  const server = await new Promise<ServerType>((resolve, reject) => {
    const starting = serve({ fetch: app.fetch, hostname: host, port }, () => resolve(starting));
    starting.once('error', (error) => reject(cannotListen(error, host, port)));
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

/** The latency and the faults that were asked for. */
function illness({ latencyMs, faults }: ListenOptions): MiddlewareHandler[] {
  const wait: MiddlewareHandler = async (_context, next) => {
    await sleep(latencyMs);
    await next();
  };
  return [...(latencyMs > 0 ? [wait] : []), ...(faults.length > 0 ? [faultInjector(faults)] : [])];
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
    hint: 'Choose another with --port, or --port 0 for a free one.',
    cause: error,
  });
}

// The parts of undici that a request needs: the whole library takes three times as long to load.

declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export default Client;
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector } from 'undici';

  export type ConnectOptions = buildConnector.Options;
  /** Connects, TLS and all, and returns the socket at once: it is the caller's to destroy. */
  export default function build(
    options: buildConnector.BuildOptions,
  ): (options: ConnectOptions, callback: buildConnector.Callback) => Socket;
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}

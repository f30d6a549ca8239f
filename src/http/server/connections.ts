/** A server's open connections, so that they can be closed without losing an answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class Connections {
  /** Each with the last answer that it waits for, if any. */
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

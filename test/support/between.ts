/** Stands between a program and a database, and does what can happen to a connection. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How what a client sends to commit ends: a simple query. */
const COMMIT = Buffer.from('commit\0');
const SIMPLE_QUERY = 'Q'.charCodeAt(0);

/** Bytes of a piece that is longer than what a connection takes on its way. */
const LONG = 1 << 16;

/** Whether the database still gets what the client says last; `middle`: half of it. */
export type When = 'before' | 'middle' | 'after';

export interface Strike {
  when: When;
  /**
   * The number of the piece of what the client says, from 1, over all its connections; or its next commit; or its next long one.
   */
  at: number | 'commit' | 'long';
  /** What happens instead of a cut of the connection; `silence`: it stays open at both ends, and nothing comes through any more. */
  instead?: 'silence' | (() => void);
}

export class Between {
  /** How often it has struck. */
  strikes = 0;
  #strike: Strike | undefined;
  /** Of what clients have said since it was last told to strike. */
  pieces = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #silenced: (() => void)[] = [];

  private constructor(url: URL) {
    const [port, host] = [Number(url.port || 5432), url.hostname];
    this.#server = createServer((client) => {
      const database = connect(port, host);
      for (const socket of [client, database]) {
        this.#sockets.add(socket);
        socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      }
      let [isCut, isSilent] = [false, false];
      this.#silenced.push(() => {
        isSilent = true;
      });
      client.on('data', (bytes) => {
        if (isSilent) return;
        const strike = this.#due(bytes);
        if (strike === undefined) return void database.write(bytes);
        if (strike.when === 'after') database.write(bytes);
        if (strike.when === 'middle') database.write(bytes.subarray(0, bytes.length / 2));
        if (strike.instead === 'silence') {
          isSilent = true;
          return;
        }
        isCut = true;
        const end = strike.instead ?? (() => client.destroy());
        if (strike.when === 'after') {
          database.once('data', end);
        } else {
          database.destroy();
          end();
        }
      });
      database.on('data', (bytes) => {
        if (!isCut && !isSilent) client.write(bytes);
      });
      client.on('close', () => isSilent || database.end());
      database.on('close', () => isSilent || client.end());
    });
  }

  /** The same address, with this between. */
  static async before(url: string): Promise<{ between: Between; url: string }> {
    const address = new URL(url);
    const between = new Between(address);
    await new Promise<void>((resolve) => between.#server.listen(0, '127.0.0.1', resolve));
    address.hostname = '127.0.0.1';
    address.port = String((between.#server.address() as { port: number }).port);
    return { between, url: address.href };
  }

  /** It strikes once, and counts from now on. Undefined: it lets everything through. */
  set strike(strike: Strike | undefined) {
    this.#strike = strike;
    this.pieces = 0;
  }

  #due(bytes: Buffer): Strike | undefined {
    const strike = this.#strike;
    this.pieces += 1;
    if (strike === undefined) return;
    const { at } = strike;
    const isDue = at === 'commit' ? isCommit(bytes) : at === 'long' ? bytes.length >= LONG : this.pieces >= at;
    if (!isDue) return;
    this.#strike = undefined;
    this.strikes += 1;
    return strike;
  }

  /** Nothing comes through the connections that there are, in either direction; they stay open. New ones are as good as any. */
  silence(): void {
    for (const silence of this.#silenced.splice(0)) silence();
    this.strikes += 1;
  }

  /** Like a server that starts again: for so many milliseconds nobody listens, and who was connected is not any more. */
  async restart(milliseconds: number): Promise<void> {
    const { port } = this.#server.address() as { port: number };
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await delay(milliseconds);
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Names and texts of people are parameters, which no simple query has. */
function isCommit(bytes: Buffer): boolean {
  return bytes[0] === SIMPLE_QUERY && bytes.subarray(-COMMIT.length).equals(COMMIT);
}

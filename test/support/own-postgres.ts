/** A PostgreSQL of a run's or a test's own, in a temporary folder, which it may stop as hard as it likes. */
import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const VERSIONS = '/usr/lib/postgresql';
/** Where its files are: no test needs them after a power cut. */
const IN_MEMORY = '/dev/shm';

/** The newest one that is installed; undefined if none is. */
export function installedPostgres(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined;
  const versions = readdirSync(VERSIONS).toSorted((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(VERSIONS, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

export class OwnPostgres {
  readonly #bin: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #user: { uid?: number; gid?: number };

  private constructor(bin: string, folder: string, port: number, user: { uid?: number; gid?: number }) {
    this.#bin = bin;
    this.#folder = folder;
    this.#port = port;
    this.#user = user;
  }

  /** `settings` as in `postgresql.conf`. It refuses to be run by root, for whom it is run by the user whose files it brings. */
  static async start(bin: string, settings: Record<string, string> = {}): Promise<OwnPostgres> {
    const user = process.getuid?.() === 0 ? { uid: await idOf('-u'), gid: await idOf('-g') } : {};
    const folder = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'vagent-postgres-'));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const server = new OwnPostgres(bin, folder, await freePort(), user);
    await server.#run('initdb', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync');
    await server.#control('start', ...server.#options(settings));
    return server;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  /** The address of a schema. */
  urlOf(schema: string): string {
    return `${this.url}?schema=of_${schema}`;
  }

  /** `fast` ends every connection, `immediate` is a crash; it is there again when this resolves. */
  async restart(mode: 'fast' | 'immediate'): Promise<void> {
    await this.#control('restart', '-m', mode);
  }

  async remove(): Promise<void> {
    await this.#control('stop', '-m', 'immediate');
    rmSync(this.#folder, { recursive: true });
  }

  #options(settings: Record<string, string>): string[] {
    const all = { ...settings, port: this.#port, listen_addresses: '127.0.0.1', unix_socket_directories: this.#folder };
    const flags = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
    return ['-o', flags.join(' ')];
  }

  async #control(...args: string[]): Promise<void> {
    await this.#run('pg_ctl', '--wait', '--silent', '--log', join(this.#folder, 'log'), ...args);
  }

  async #run(command: string, ...args: string[]): Promise<void> {
    await run(join(this.#bin, command), ['-D', join(this.#folder, 'data'), ...args], {
      ...this.#user,
      cwd: this.#folder,
    });
  }
}

async function idOf(which: '-u' | '-g'): Promise<number> {
  return Number((await run('id', [which, 'postgres'])).stdout);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

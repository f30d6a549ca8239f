/** A PostgreSQL of a run's or a test's own, in a temporary folder, which it may stop as hard as it likes. */
import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const VERSIONS = '/usr/lib/postgresql';

/** Bytes that a run of all tests leaves behind, and more. */
const ENOUGH = 4 * 2 ** 30;

/**
 * Where the folders of the tests are: in memory where there is room, for on a disk half of the time goes into waiting for fsync.
 * That data survives a power cut is shown by the tests of faults, which know what each call has synced.
 */
export function home(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize > ENOUGH) return '/dev/shm';
  } catch {
    // There is none.
  }
  return tmpdir();
}

/** The newest one that is installed; undefined if none is. */
export function installedPostgres(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined;
  const versions = readdirSync(VERSIONS).toSorted((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(VERSIONS, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

export type OwnPostgres = Awaited<ReturnType<typeof startPostgres>>;

/**
 * `settings` as in `postgresql.conf`. It refuses to be run by root, for whom it is run by the user whose files it brings. It is
 * gone with this process, however that ends, unless it is killed.
 */
export async function startPostgres(bin: string, settings: Record<string, string> = {}) {
  const user = process.getuid?.() === 0 ? { uid: await idOf('-u'), gid: await idOf('-g') } : {};
  const folder = mkdtempSync(join(home(), 'vagent-postgres-'));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = ['-D', join(folder, 'data')];
  const options = { ...user, cwd: folder };
  const run = (command: string, ...args: string[]) => execute(join(bin, command), [...data, ...args], options);
  const control = (...args: string[]) => run('pg_ctl', '--wait', '--silent', '--log', join(folder, 'log'), ...args);
  const port = await freePort();
  const all = { ...settings, port, listen_addresses: '127.0.0.1', unix_socket_directories: folder };
  const flags = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const remove = () => {
    process.off('exit', remove);
    try {
      execFileSync(join(bin, 'pg_ctl'), [...data, 'stop', '-m', 'immediate'], { ...options, stdio: 'ignore' });
    } catch {
      // It had ended by itself, or never begun.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  try {
    await run('initdb', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync');
    await control('start', '-o', flags.join(' '));
  } catch (error) {
    remove();
    throw error;
  }
  return {
    url,
    /** The address of a schema. */
    urlOf: (schema: string) => `${url}?schema=of_${schema}`,
    /** `fast` ends every connection, `immediate` is a crash; it is there again when this resolves. */
    async restart(mode: 'fast' | 'immediate'): Promise<void> {
      await control('restart', '-m', mode);
    },
    remove,
  };
}

async function idOf(which: '-u' | '-g'): Promise<number> {
  return Number((await execute('id', [which, 'postgres'])).stdout);
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

/**
 * What the processes of a run of the tests are started with: one folder for everything that they leave behind, removed when
 * the run ends, and trust in the service of the examples.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { home, installedPostgres, type OwnPostgres, startPostgres } from './own-postgres.ts';

export async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(home(), 'vagent-run-'));
  process.env.VAGENT_TEST_TMP = folder;
  // Where Ctrl-C ends the run.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.env.VAGENT_TEST_TURN ??= String(Date.now() % 1_000_000);
  process.stdout.write(`The turn of this run, as VAGENT_TEST_TURN: ${process.env.VAGENT_TEST_TURN}\n`);
  process.env.NODE_EXTRA_CA_CERTS = join(import.meta.dirname, 'certificates/voice-example.pem');
  const own = await ownDatabase();
  process.env.VAGENT_TEST_DATABASE = own?.url ?? (await databaseToTest()) ?? '';
  return async () => {
    own?.remove();
    // Not at one go: meanwhile vitest hears from its workers that they have ended.
    await rm(folder, { recursive: true, force: true });
  };
}

const { VAGENT_TEST_POSTGRES: named } = process.env;

/** What is tested is not whether it outlasts a power cut; and its catalog is not swollen by the runs before. */
const HASTY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };

/** A PostgreSQL of this run, where one is installed and none is named. */
async function ownDatabase(): Promise<OwnPostgres | undefined> {
  const bin = named === undefined ? installedPostgres() : undefined;
  if (bin === undefined) return undefined;
  return await startPostgres(bin, HASTY).catch((error: Error) => {
    process.stderr.write(`The PostgreSQL that is installed does not start: ${error.message}\n`);
    return undefined;
  });
}

/** The address of a PostgreSQL that answers; where none does, its tests are skipped, which is said once. */
async function databaseToTest(): Promise<string | undefined> {
  const address = named ?? 'postgres://postgres@127.0.0.1:5432/test';
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.end();
    return address;
  } catch (error) {
    // Whoever names one wants its tests to run.
    if (named !== undefined) throw error;
    process.stderr.write('No PostgreSQL answers at 127.0.0.1:5432: the tests over it are skipped.\n');
    return undefined;
  }
}

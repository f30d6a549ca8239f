/**
 * A register and plans as an earlier vagent kept them, and the service that was called: two calls, of which one has an unknown
 * outcome, one that was killed under way, campaigns that were accepted, refused, lost and forgotten, a list to call people
 * again, two who opted out, an open plan with two waves, a forgotten one, and one that is stopped. `shown.json`: what commands
 * say of all this: what those of then said, in the words of now.
 */
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { openInFolder } from '../../src/local/open.ts';
import { OLD_TABLES } from '../../src/register/before/shared-form.ts';
import { ROLES } from '../../src/storage/database/roles.ts';
import { serveEngine } from './engine.ts';
import { ROOT, temporaryFolder } from './program.ts';
import { connected } from './sql.ts';

const FIXTURE = join(ROOT, 'test/fixtures/before');
/** The address of the service in these files. */
const SERVICE = 'http://service.test';
/** When the last of it was written. */
export const THEN = Date.parse('2026-11-20T13:40:00Z');

export const SHOWN: Record<string, string> = JSON.parse(readFileSync(join(FIXTURE, 'shown.json'), 'utf8'));

/** The service with what was dialled by then; a test moves its clock. */
export async function serveThen(): Promise<{ url: string; clock: { now: number } }> {
  const folder = join(temporaryFolder(), 'store');
  cpSync(join(FIXTURE, 'store'), folder, { recursive: true });
  const clock = { now: THEN };
  const { signal } = new AbortController();
  const engine = openInFolder({ folder, seed: 3, command: 'test', systemNow: () => clock.now, signal });
  return { url: (await serveEngine(engine)).url, clock };
}

/** The files in a folder of their own, as if that service had been at `url`. */
export function oldFiles(url = SERVICE): string {
  const folder = temporaryFolder();
  cpSync(join(FIXTURE, 'state'), folder, { recursive: true });
  for (const path of pathsIn(folder)) {
    if (!/jsonl?$/.test(path)) continue;
    change(folder, path, (text) => text.replaceAll(SERVICE, url).replaceAll('"service.test"', keyOf(url)));
  }
  return folder;
}

function keyOf(url: string): string {
  return JSON.stringify(new URL(url).host.replace('127.0.0.1', 'localhost'));
}

/** Changes a file, and its check where it has one. */
export function change(folder: string, path: string, how: (text: string) => string): void {
  const text = readFileSync(join(folder, path), 'utf8');
  const changed = how(text);
  if (changed !== text) writeFileSync(join(folder, path), path.endsWith('plan.json') ? checked(changed) : changed);
}

function checked(text: string, at = 0): string {
  const body = text.trimEnd().replace(/,"check":[^,]*\}$/, '');
  return `${body},"check":"${crc32(body, at).toString(16).padStart(8, '0')}"}\n`;
}

/** The lines of a journal with checks that fit them. */
export function checkedJournal(text: string): string {
  let written = '';
  for (const line of text.split('\n').filter(Boolean)) written += checked(line, Buffer.byteLength(written));
  return written;
}

export function pathsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }).map(String);
  return names.filter((name) => statSync(join(folder, name)).isFile()).sort();
}

const IN_LINES = /^(register|plans\/opted-out|plans\/\d+\/journal)\.jsonl$/;
const PIECE_BYTES = 1 << 20;

/** The same files in the tables through which several machines shared them. */
export async function oldTables(address: string, folder: string): Promise<void> {
  const schema = new URL(address).searchParams.get('schema');
  const client = await connected(address);
  try {
    await client.query(`create schema ${schema}; ${OLD_TABLES}; ${ROLES}`);
    await client.query('create table register_migrations (version integer primary key)');
    await client.query('insert into register_migrations values (1), (2)');
    for (const path of pathsIn(folder)) await keep(client, path, readFileSync(join(folder, path)));
  } finally {
    await client.end();
  }
}

async function keep(client: Awaited<ReturnType<typeof connected>>, path: string, bytes: Buffer): Promise<void> {
  await client.query(`insert into register_files values ($1, 'any', 1, 1, false)`, [path]);
  if (IN_LINES.test(path)) {
    const text =
      'insert into register_lines select $1, number - 1, line from unnest($2::text[]) with ordinality as _ (line, number)';
    await client.query(text, [path, bytes.toString().trimEnd().split('\n')]);
    return;
  }
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    const piece = [path, from / PIECE_BYTES, bytes.subarray(from, from + PIECE_BYTES)];
    await client.query('insert into register_pieces values ($1, $2, $3)', piece);
  }
}

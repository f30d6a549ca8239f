/** Fair figures on a noisy machine: runs take turns, medians are compared, nothing is asserted. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { dropSchema } from '../support/sql.ts';

export const beside = (name: string) => resolve(import.meta.dirname, name);
export const BIN = beside('../../bin/vagent.js');
/** How much is measured, where the environment does not say otherwise. */
export const sizeOf = (name: string, otherwise: number) => Number(process.env[`VAGENT_BENCH_${name}`] ?? otherwise);
export const CONTACTS = sizeOf('CONTACTS', 1_000_000);
export const CALLS = sizeOf('CALLS', 1_000_000);
const DATABASE = process.env.VAGENT_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test';

export const say = (text: string) => process.stdout.write(`${text}\n`);
/** A number of the range that is free for fiction, and others around it. */
export const phoneAt = (row: number) => `+1415${String(5_560_000 + row).padStart(7, '0')}`;
export const campaignOf = (...more: string[]) => [
  ...['campaign', 'create', '--name', 'Bench', '--agent', '1', '--from', '+14155550100'],
  ...more,
];
export const CALL = ['call', '+14155550123', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];

/** What one run took. */
export interface Measured {
  milliseconds: number;
  /** Peak of the process; 0 where that is not asked. */
  megabytes: number;
  stdout: string;
}

type Environment = Record<string, string>;

/** A temporary place to measure in, the program in it, and what runs beside it. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'vagent-bench-'));
  /** Whose calls they are: the local engine's, or a service's. */
  connection: Environment = { VAGENT_LOCAL: '1' };
  readonly #servers: ChildProcess[] = [];
  readonly #schemas: string[] = [];

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs node with these arguments, alone, and asks for its memory; throws where it does not exit with `expected`. */
  node(args: readonly string[], expected = 0, { preloaded = [] as string[], ...more }: Preloaded = {}): Measured {
    const memory = this.path('memory');
    const imports = ['report-memory.mjs', ...preloaded].map((file) => `--import=${beside(file)}`);
    const env = { NODE_OPTIONS: imports.join(' '), VAGENT_BENCH_MEMORY: memory, ...more };
    const measured = this.time([process.execPath, ...args], env as Environment, expected);
    return { ...measured, megabytes: Number(readFileSync(memory, 'utf8')) };
  }

  vagent(...args: string[]): Measured {
    return this.node([BIN, ...args]);
  }

  /** Runs a program with nothing beside it. */
  time([file = '', ...args]: readonly string[], env: Environment = {}, expected = 0): Measured {
    const all = { ...process.env, HOME: this.folder, ...this.connection, ...env };
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync(file, args, { env: all, encoding: 'utf8', maxBuffer: 1 << 30 });
    const milliseconds = performance.now() - started;
    if (status !== expected) throw new Error(`${file} ${args.join(' ')} exited with ${status}: ${stderr}`);
    return { milliseconds, megabytes: 0, stdout };
  }

  /** Starts one of the servers of this folder, which prints its address; commands are for it from now on. */
  async service(script: string, ...args: string[]): Promise<string> {
    const server = spawn(process.execPath, [beside(script), ...args]);
    this.#servers.push(server);
    const url = (await firstLine(server)) as string;
    this.connection = { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'key-of-bench' };
    return url;
  }

  /** Starts `vagent serve` of a store. */
  async serve(store: string): Promise<{ url: string; pid: number }> {
    const args = [BIN, 'serve', '--port', '0', '-o', 'tsv', '--store', store];
    const env = { ...process.env, HOME: this.folder };
    const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    this.#servers.push(server);
    const [, url = ''] = (await firstLine(server)).split('\t');
    return { url, pid: server.pid as number };
  }

  /** The address of a new schema of the database. */
  database(name: string): { url: string; schema: string; address: string } {
    const schema = `bench_${name}_${process.pid}`;
    this.#schemas.push(schema);
    const url = new URL(DATABASE);
    url.searchParams.set('schema', schema);
    return { url: url.href, schema, address: DATABASE };
  }

  /** A contacts file of fictional numbers, about 80 bytes a row. */
  contacts(rows = CONTACTS): string {
    const header = 'phone_number,custom_first_line,custom_instruction,custom_identifiers\n';
    return this.file(`contacts-${rows}.csv`, header, rows, (row) => {
      return `${phoneAt(row)},Hello ${row} this is Ava,Offer the check-up in December,crm-${row}\n`;
    });
  }

  /** A file of many lines, which never stand in memory together. */
  file(name: string, header: string, lines: number, line: (at: number) => string): string {
    const path = this.path(name);
    const fd = openSync(path, 'w');
    let text = header;
    for (let at = 0; at < lines; at++) {
      text += line(at);
      if (text.length > 1 << 20) {
        writeSync(fd, text);
        text = '';
      }
    }
    writeSync(fd, text);
    closeSync(fd);
    return path;
  }

  stop(): void {
    for (const server of this.#servers.splice(0)) server.kill('SIGKILL');
  }

  async remove(): Promise<void> {
    this.stop();
    for (const schema of this.#schemas) await dropSchema(DATABASE, schema);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

type Preloaded = { preloaded?: string[] } & { [name: string]: string | string[] };

/** Measures in a place that is gone afterwards. */
export async function measureIn(measure: (place: Workplace) => Promise<void> | void): Promise<void> {
  const place = new Workplace();
  try {
    await measure(place);
  } finally {
    await place.remove();
  }
}

function firstLine(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error('the server did not start')));
    createInterface({ input: server.stdout as NodeJS.ReadableStream }).once('line', resolve);
  });
}

export interface Figure {
  /** Of whole-process wall times, in milliseconds. */
  median: number;
  /** The most that a run took. */
  megabytes: number;
  runs: readonly Measured[];
}

/**
 * Runs all of these in turn, `rounds` times, and prints the median of each beside that of the first, which is the bare limit. What
 * is asked for stands in the names. `isWarm`: there is one round before.
 */
export function compare(
  title: string,
  rounds: number,
  runs: Record<string, (round: number) => Measured>,
  { isWarm = false } = {},
): Record<string, Figure> {
  const all = Object.entries(runs).map(([name, run]) => ({ name, run, measured: [] as Measured[] }));
  for (let round = isWarm ? -1 : 0; round < rounds; round++) {
    for (const { run, measured } of all) {
      const one = run(round);
      if (round >= 0) measured.push(one);
    }
  }
  return print(`${title}, median of ${rounds}`, Object.fromEntries(all.map(({ name, measured }) => [name, measured])));
}

/** Prints the medians of runs that were measured. */
export function print(title: string, all: Record<string, readonly Measured[]>): Record<string, Figure> {
  say(title);
  const figures = Object.entries(all).map(([name, runs]): [string, Figure] => {
    const megabytes = Math.max(...runs.map((run) => run.megabytes));
    return [name, { median: median(runs.map(({ milliseconds }) => milliseconds)), megabytes, runs }];
  });
  const [[, base] = ['', { median: Number.NaN }]] = figures;
  for (const [name, { median: time, megabytes }] of figures) {
    const memory = megabytes === 0 ? '' : `  ${megabytes.toFixed(0)} MB`;
    say(`  ${name.padEnd(60)} ${time.toFixed(1).padStart(9)} ms  ${(time / base.median).toFixed(2)}×${memory}`);
  }
  return Object.fromEntries(figures);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** A temporary place to measure in, and the program in it. */
import { type ChildProcessByStdio, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { median } from './measure.ts';

export const BIN = resolve(import.meta.dirname, '../../bin/vagent.js');
const REPORT_MEMORY = resolve(import.meta.dirname, 'report-memory.mjs');

export interface Measured {
  milliseconds: number;
  /** Peak of the process. */
  megabytes: number;
  stdout: string;
}

export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'vagent-bench-'));
  /** Whose calls they are: the local engine's, or a service's. */
  connection: Record<string, string> = { VAGENT_LOCAL: '1' };

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs node with these arguments, alone; throws where it does not exit with `expected`. */
  node(args: readonly string[], expected = 0): Measured {
    const memory = this.path('memory');
    const env = {
      ...process.env,
      HOME: this.folder,
      ...this.connection,
      NODE_OPTIONS: `--import=${REPORT_MEMORY}`,
      VAGENT_BENCH_MEMORY: memory,
    };
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8', maxBuffer: 1 << 30 });
    const milliseconds = performance.now() - started;
    if (status !== expected) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`);
    return { milliseconds, megabytes: Number(readFileSync(memory, 'utf8')), stdout };
  }

  vagent(...args: string[]): Measured {
    return this.node([BIN, ...args]);
  }

  /** A contacts file of fictional numbers, about 80 bytes a row. */
  contacts(rows: number): string {
    const header = 'phone_number,custom_first_line,custom_instruction,custom_identifiers\n';
    return this.file(`contacts-${rows}.csv`, header, rows, (row) => {
      const number = `+1415${String(5_560_000 + row).padStart(7, '0')}`;
      return `${number},Hello ${row} this is Ava,Offer the check-up in December,crm-${row}\n`;
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

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The medians of runs beside those of `base`, and the most memory that one of them took. */
export function printMeasured(title: string, measured: readonly Measured[], base: readonly Measured[]): void {
  const time = (all: readonly Measured[]) => median(all.map(({ milliseconds }) => milliseconds));
  const memory = Math.max(...measured.map(({ megabytes }) => megabytes));
  const figures = `${(time(measured) / 1000).toFixed(2)} s  ${(time(measured) / time(base)).toFixed(2)}×`;
  process.stdout.write(`  ${title.padEnd(46)} ${figures}  ${memory.toFixed(0)} MB\n`);
}

/** Where `vagent serve --json` answers, as soon as it says so. */
export function addressOf(server: ChildProcessByStdio<Writable | null, Readable, Readable | null>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.on('exit', () => reject(new Error('the server did not start')));
    server.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.includes('}')) resolve((JSON.parse(text) as { url: string }).url);
    });
  });
}

/**
 * `plan run` of a plan of a million contacts, wave after wave until everybody was called once: how long each run takes and how
 * much memory, however far the plan is. At most 2.5 s and 250 MB. Beside it, `logs list` of one page of the same service.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { makePlan, planDraft, planRules } from '../support/stored-plans.ts';
import { median } from './measure.ts';
import { BIN, Workplace } from './workplace.ts';

const CONTACTS = Number(process.env.VAGENT_BENCH_CONTACTS ?? 1_000_000);
const MINUTE = 60_000;
/** A wave of half an hour is a fiftieth of the list. */
const WAVES = 50;
const CALLS_PER_HOUR = Math.ceil(CONTACTS / WAVES) * 2;
const BEGIN = Date.parse('2026-11-23T09:00:00Z');
const PRELOADED = ['report-memory.mjs', '../support/frozen-clock.mjs'];

interface Run {
  milliseconds: number;
  megabytes: number;
  stdout: string;
}

const place = new Workplace();
const server = spawn(process.execPath, [resolve(import.meta.dirname, 'dialling-log.mjs')]);
try {
  const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const state = place.path('state');
  const contacts = Array.from({ length: CONTACTS }, (_none, row) => ({
    phone_number: `+1415${String(5_560_000 + row).padStart(7, '0')}`,
    custom_first_line: `Hello ${row} this is Ava`,
    custom_identifiers: `crm-${row}`,
  }));
  const rules = planRules({ callsPerHour: CALLS_PER_HOUR, stopOn: undefined });
  const people = { contacts, placeOf: new Uint16Array(CONTACTS), rows: undefined, redact: (text: string) => text };
  await makePlan(state, people, planDraft({ service: url, createdAt: BEGIN, rules }));

  const vagent = async (now: number, ...args: string[]): Promise<Run> => {
    // A connection that is kept would be closed while this process waits for the command.
    const headers = { connection: 'close' };
    await fetch(`${url}/clock`, { method: 'POST', body: JSON.stringify({ now }), headers });
    const memory = join(place.folder, 'memory');
    const env = {
      ...process.env,
      NODE_OPTIONS: PRELOADED.map((file) => `--import=${resolve(import.meta.dirname, file)}`).join(' '),
      VAGENT_TEST_CLOCK: new Date(now).toISOString(),
      VAGENT_BENCH_MEMORY: memory,
      HOME: place.folder,
      VAGENT_STATE_DIR: state,
      VAGENT_BASE_URL: url,
      VAGENT_ORG_ID: '1',
      VAGENT_API_KEY: 'local-demo-key',
    };
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { env, encoding: 'utf8' });
    const milliseconds = performance.now() - started;
    if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`);
    return { milliseconds, megabytes: Number(readFileSync(memory, 'utf8')), stdout };
  };

  const sending: Run[] = [];
  const looking: Run[] = [];
  let now = BEGIN;
  for (let wave = 1; wave <= WAVES; wave++) {
    const run = await vagent(now, 'plan', 'run', '1', '--json');
    const told = JSON.parse(run.stdout);
    if (told.wave?.wave !== wave) throw new Error(`wave ${wave} was not handed over: ${run.stdout}`);
    sending.push(run);
    // In the midst of it, as cron would.
    looking.push(await vagent(now + 10 * MINUTE, 'plan', 'run', '1', '--json'));
    now += 31 * MINUTE;
  }
  const page = await vagent(now, 'logs', 'list', '--limit', '1000', '-o', 'ids');
  process.stdout.write(`${CONTACTS} contacts in ${WAVES} waves (at most 2.5 s and 250 MB)\n`);
  print('a run that hands over a wave', sending);
  print('of these the first five', sending.slice(0, 5));
  print('and the last five', sending.slice(-5));
  print('a run in the midst of a wave', looking);
  print('logs list of one page', [page]);
} finally {
  server.kill();
  place.remove();
}

function print(name: string, runs: readonly Run[]): void {
  const times = runs.map(({ milliseconds }) => milliseconds / 1000);
  const most = Math.max(...runs.map(({ megabytes }) => megabytes));
  const figures = `median ${median(times).toFixed(2)} s, longest ${Math.max(...times).toFixed(2)} s, at most ${most.toFixed(0)} MB`;
  process.stdout.write(`  ${name.padEnd(32)} ${figures}\n`);
}

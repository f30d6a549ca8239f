/**
 * A call to a real service after a million calls in the register, beside the same with an empty one and beside reading voices;
 * and a campaign of a million contacts that is compared with ten others of a million each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { insertRequest } from '../../src/register/request-rows.ts';
import type { Rows, Value } from '../../src/storage/database/sql.ts';
import { rowsAt } from '../support/rows.ts';
import { median, printRatios, timeInTurns } from './measure.ts';
import { BIN, type Measured, Workplace } from './workplace.ts';

const CALLS = Number(process.env.VAGENT_BENCH_CALLS ?? 1_000_000);
const ROUNDS = 10;
const CONTACTS = Number(process.env.VAGENT_BENCH_CONTACTS ?? 1_000_000);
const CAMPAIGNS = 10;
const CAMPAIGN_ROUNDS = 3;
const AFTER = `after ${CAMPAIGNS} campaigns`;
/** What a campaign ends with where nobody can say yes. */
const NEEDS_A_YES = 2;
const SERVICE = 'http://127.0.0.1:9';
const AT = Date.parse('2026-11-01T09:00:00.000Z');
const SENT = { by: 'ana@desk', organization_id: 1 };

const place = new Workplace();
const server = spawn(process.execPath, [BIN, 'serve', '--port', '0', '-o', 'tsv', '--store', place.path('store')]);
try {
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const env = { HOME: place.folder, VAGENT_BASE_URL: line.split('\t')[1] ?? '', VAGENT_ORG_ID: '1' };
  const call = (name: string, state: string) => ({
    name,
    argv: [
      process.execPath,
      BIN,
      'call',
      '+14155550123',
      '--agent',
      '1',
      '--from',
      '+14155550100',
      '--first-line',
      'Hi',
    ],
    env: { ...env, VAGENT_API_KEY: 'local-demo-key', VAGENT_STATE_DIR: state },
  });
  const full = place.path('full');
  await writeCalls(await rowsAt(full), env.VAGENT_BASE_URL);
  const commands = [call('with an empty register', place.path('empty')), call(`after ${CALLS} calls`, full)];
  const voices = { ...commands[0], name: 'voice list', argv: [process.execPath, BIN, 'voice', 'list'] };
  const figures = timeInTurns([...commands, voices as (typeof commands)[0]], ROUNDS);
  printRatios(`vagent call over HTTP, median of ${ROUNDS}`, figures, { [`after ${CALLS} calls`]: 1.3 });
  await compareCampaigns();
} finally {
  server.kill();
  place.remove();
}

/** What comes before the yes: contacts checked and compared. Half of them are in some campaign of the register. */
async function compareCampaigns(): Promise<void> {
  const contacts = place.contacts(CONTACTS);
  const states = { 'with an empty register': place.path('none'), [AFTER]: place.path('sent') };
  await writeCampaigns(await rowsAt(states[AFTER]));
  const check = ['contacts', 'check', contacts, '--quiet'];
  const create = ['campaign', 'create', '--name', 'Bench', '--agent', '1', '--from', '+14155550100', '--quiet'];
  const flags = ['--contacts', contacts, '--base-url', SERVICE, '--org', '1', '--again'];
  process.env.VAGENT_API_KEY = 'local-demo-key';
  const createOn = (state: string) => {
    process.env.VAGENT_STATE_DIR = state;
    return place.node([BIN, ...create, ...flags], NEEDS_A_YES);
  };
  const measured = new Map<string, Measured[]>([
    ['contacts check', []],
    ['with an empty register', []],
    [AFTER, []],
  ]);
  for (let round = 0; round < CAMPAIGN_ROUNDS; round++) {
    measured.get('contacts check')?.push(place.vagent(...check));
    for (const [name, state] of Object.entries(states)) measured.get(name)?.push(createOn(state));
  }
  const middle = (name: string) => median((measured.get(name) ?? []).map(({ milliseconds }) => milliseconds));
  const base = middle('with an empty register');
  process.stdout.write(`campaign create of ${CONTACTS} contacts up to the yes, median of ${CAMPAIGN_ROUNDS}\n`);
  for (const [name, runs] of measured) {
    const memory = Math.max(...runs.map(({ megabytes }) => megabytes));
    const ratio = (middle(name) / base).toFixed(2);
    process.stdout.write(
      `  ${name.padEnd(42)} ${middle(name).toFixed(0).padStart(6)} ms  ${ratio}×  ${memory.toFixed(0)} MB (at most 2×, 300 MB)\n`,
    );
  }
}

/** Every second number of the first campaign is called again. */
async function writeCampaigns(rows: Rows): Promise<void> {
  const columns = ['entry', 'position', 'phone', 'number', 'identifiers'];
  for (let entry = 1; entry <= CAMPAIGNS; entry++) {
    // In no order, as lists come.
    const numberAt = (at: number) =>
      entry === 1 ? 14_155_560_000 + 2 * at : entry * 10_000_000_000 + ((at * 7919) % CONTACTS) * 1000;
    await rows.write(async (sql) => {
      const request = { campaign_name: `Campaign ${entry}`, agent_id: 1, call_from: '+14155550100' };
      const contacts = { count: CONTACTS, numbers_sha256: '' };
      const intent = { ...SENT, service: SERVICE, operation: 'createCampaign', request, contacts } as const;
      await insertRequest(sql, entry, intent, { at: AT });
      await sql.insert('request_contacts', columns, contactsOf(entry, numberAt));
      await sql.run(`update requests set outcome = 'accepted', reply = '{}', ended_at = sent_at where entry = $1`, [
        entry,
      ]);
    });
  }
}

function* contactsOf(entry: number, numberAt: (at: number) => number): Generator<Value[]> {
  for (let at = 0; at < CONTACTS; at++) yield [entry, at, numberAt(at), `+${numberAt(at)}`, `crm-${at}`];
}

/** Calls that were placed. */
async function writeCalls(rows: Rows, service: string): Promise<void> {
  await rows.write(async (sql) => {
    for (let entry = 1; entry <= CALLS; entry++) {
      const request = {
        use_agent_id: 1,
        called_to: `+1415${5_000_000 + (entry % 1_000_000)}`,
        call_from: '+14155550100',
        custom_first_line: 'Hello, this is Ava from the Harbour Clinic.',
        custom_identifiers: `crm-${entry}`,
      };
      await insertRequest(sql, entry, { ...SENT, service, operation: 'triggerCall', request }, { at: AT });
    }
    await sql.run(`update requests set outcome = 'accepted', reply = '{}', ended_at = sent_at`);
  });
}

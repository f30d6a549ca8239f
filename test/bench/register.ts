/** A call to a real service after a million calls in the register, beside the same with an empty one and beside reading voices. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { printRatios, timeInTurns } from './measure.ts';
import { BIN, Workplace } from './workplace.ts';

const CALLS = Number(process.env.VAGENT_BENCH_CALLS ?? 1_000_000);
const ROUNDS = 10;

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
  const full = join(place.folder, 'full');
  mkdirSync(full);
  place.file('full/register.jsonl', '', CALLS, (at) => entryOf(at + 1, env.VAGENT_BASE_URL));
  const commands = [call('with an empty register', place.path('empty')), call(`after ${CALLS} calls`, full)];
  const voices = { ...commands[0], name: 'voice list', argv: [process.execPath, BIN, 'voice', 'list'] };
  const figures = timeInTurns([...commands, voices as (typeof commands)[0]], ROUNDS);
  printRatios(`vagent call over HTTP, median of ${ROUNDS}`, figures, { [`after ${CALLS} calls`]: 1.3 });
} finally {
  server.kill();
  place.remove();
}

/** A call that was placed, as the register has it. */
function entryOf(entry: number, service: string): string {
  const at = '2026-11-01T09:00:00.000Z';
  const request = {
    use_agent_id: 1,
    called_to: `+1415${5_000_000 + (entry % 1_000_000)}`,
    call_from: '+14155550100',
    custom_first_line: 'Hello, this is Ava from the Harbour Clinic.',
    custom_identifiers: `crm-${entry}`,
  };
  const who = { by: 'ana@desk', service, organization_id: 1, operation: 'trigger-call' };
  const answer = { success: true, sip_trunk_id: 'ST_qXApTMuLkSfd', room_name: `call-call_${entry}` };
  const lines = [
    { entry, event: 'sent', at, ...who, request },
    { entry, event: 'ended', at, outcome: 'accepted', answer },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

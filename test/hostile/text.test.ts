/**
 * What services and files say reaches a terminal without a control that acts, in any format, and files and pipes as it is.
 * Every command prints values that are hostile in every field, at a terminal of the test's and into a pipe.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { commandSummaries } from '../../src/program.ts';
import { casesBeside, wordsIn } from '../support/cases.ts';
import { sendJson, startServer } from '../support/http.ts';
import { READING_LINES } from '../support/operations.ts';
import { Operator, type Outcome } from '../support/program.ts';
import { play } from '../support/terminal.ts';

const cases = casesBeside(import.meta.filename);

/** Every control character, and every one that changes the direction of a text. */
const CONTROLS = [
  ...Array.from({ length: 0xa0 }, (_none, code) => code).filter((code) => code < 0x20 || code >= 0x7f),
  ...[0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
].map((code) => String.fromCharCode(code));
/** A title, a bell, a cleared screen, a hidden text, the same with one character, and the rest. */
const HOSTILE = `a\u001b]0;owned\u0007b\u001b[2Jc\u001b[8md\u009b31me\u009d0;x\u009cf${CONTROLS.join('.')}z`;

/** What may be there: tabs, line breaks, and colours, of which none is hidden text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const HARMLESS = /\t|\r*\n|\u001b\[(?:0|1|2|22|3[1-69]|39|38;5;\d+)m/g;

function controlsIn(shown: string): string[] {
  const rest = shown.replace(HARMLESS, '');
  return [...new Set(CONTROLS.filter((control) => rest.includes(control)))].map((control) => JSON.stringify(control));
}

const CALL = {
  call_id: `call_1${HOSTILE}`,
  agent_id: 5,
  called_to: HOSTILE,
  call_from: HOSTILE,
  call_duration: 60,
  call_status: 'completed',
  call_outcome: HOSTILE,
  timestamp: '2026-01-02T03:04:05Z',
  transcript: `Agent${HOSTILE}: ${HOSTILE}\nUser: ${HOSTILE}`,
  recording_url: HOSTILE,
  [`field${HOSTILE}`]: { [HOSTILE]: [HOSTILE] },
};
const ANSWER = {
  success: true,
  ...{ sip_trunk_id: HOSTILE, sip_call_to: HOSTILE, room_name: HOSTILE, participant_identity: HOSTILE },
  ...{ campaign_id: 9, campaign_name: HOSTILE, status: HOSTILE, total_contacts: 1, agent_id: 5, agent_name: HOSTILE },
  agents: [
    {
      ...{ agent_id: 5, agent_name: HOSTILE, agent_description: HOSTILE, status: 'active', language: HOSTILE },
      base_prompt: `${HOSTILE}\n${HOSTILE}`,
    },
    { agent_id: 6, agent_name: HOSTILE, status: HOSTILE, [HOSTILE]: HOSTILE },
  ],
  voices: [{ voice_id: 2, voice_name: HOSTILE, language: HOSTILE, accent: HOSTILE, [HOSTILE]: HOSTILE }],
  ...{ calls: [CALL], total: 1, limit: 1, offset: 0 },
  [HOSTILE]: HOSTILE,
};

const service = await startServer(({ path }, response) => {
  if (path.startsWith('/ill'))
    return sendJson(response, 400, {
      error: HOSTILE,
      message: HOSTILE,
      issues: [
        { field: HOSTILE, message: HOSTILE },
        { field: 'x', message: HOSTILE },
      ],
    });
  sendJson(response, 200, ANSWER);
});

const operator = new Operator({
  env: { VAGENT_BASE_URL: service.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' },
});
// A slash and NUL cannot stand in a name.
const NAME = HOSTILE.replaceAll(/[/\0]/g, '').slice(0, 60);
const CONTACTS = join(operator.home, `${NAME}.csv`);
writeFileSync(
  CONTACTS,
  `phone_number,custom_first_line,"${HOSTILE}"\n+14155550190,"${HOSTILE}",1\n"${HOSTILE}",Hi,2\n0151 23456789,Hi,3\n`,
);
mkdirSync(join(operator.home, 'lists'));
const LIST = join(operator.home, 'lists', `${NAME}.txt`);
writeFileSync(LIST, '+14155550199\n');

/** A file with NUL is refused. */
const READABLE = join(operator.home, 'lists', `${NAME}.csv`);
writeFileSync(READABLE, `phone_number,"${HOSTILE.replaceAll('\0', '')}"\n+14155550190,1\n`);
const RUN = '--agent 5 --from +14155550100';
const phrases = {
  RUN,
  PLACE: `call +14155550123 ${RUN} --first-line {HOSTILE} --force`,
  PLAN: `plan create ${RUN} --name {HOSTILE} --contacts {READABLE} --exclude {LIST} --window 09:00-20:00 --opt-out {HOSTILE}`,
  ILL: `--base-url ${service.url}/ill`,
};
const wordsOf = (line: string) =>
  wordsIn(line, phrases, {
    ...{ HOSTILE, CONTACTS, LIST, READABLE, CALL_ID: CALL.call_id, FIELDS: Object.keys(CALL).slice(0, 10).join(',') },
    READABLE_TEXT: HOSTILE.replaceAll('\0', ''),
  });

const COMMANDS: [name: string, line: string][] = [
  ...cases<[string, string]>('commands'),
  ...READING_LINES.map((line): [string, string] => [line, line]),
];

/** Show nothing that a service or a contacts file says, or as a command above does; the watches' pictures are tested elsewhere. */
const OTHERS =
  /^(local |profile |register |campaign (?!rehearse)|(logs (sync|f\w+)|plan (watch|schedule)|contacts t\w+|serve|co\w+|api|help)$)/;

test('every command is among these, or shows what one of these shows', () => {
  const met = COMMANDS.map(([, line]) => wordsOf(line).join(' '));
  const missing = [...commandSummaries().keys()].filter(
    (path) => !met.some((line) => line.startsWith(path)) && !OTHERS.test(path),
  );
  expect(missing).toEqual([]);
});

const FORMATS = [[], ...['json', 'ndjson', 'csv', 'tsv', 'ids', 'table'].map((format) => ['-o', format])];

beforeAll(async () => {
  // One to be shown, and one to be cancelled.
  for (const planId of [1, 2]) {
    const made = await operator.run(wordsOf('{PLAN} --again --json'));
    expect(made.code, made.stderr).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({ plan_id: planId });
  }
});

const shown = (args: string[]): Promise<Outcome> => operator.run(args, { isTerminal: true });

test.each(COMMANDS)('%s: on a terminal nothing acts, in any format', async (_name, line) => {
  for (const format of FORMATS) {
    const { stdout, stderr } = await shown([...wordsOf(line), ...format]);
    expect({ format, controls: controlsIn(stdout) }).toEqual({ format, controls: [] });
    expect({ format, controls: controlsIn(stderr) }).toEqual({ format, controls: [] });
  }
});

describe('the data is the same', () => {
  const logs = ['logs', 'list', '--all'];

  test('as JSON, on a terminal and in a pipe', async () => {
    for (const run of [shown, (args: string[]) => operator.run(args)]) {
      expect(JSON.parse((await run([...logs, '--json'])).stdout)).toMatchObject({ calls: [CALL] });
      expect(JSON.parse((await run([...logs, '-o', 'ndjson'])).stdout)).toEqual(CALL);
      expect(JSON.parse((await run(['api', 'get-agents'])).stdout)).toEqual(ANSWER);
      expect(JSON.parse((await run(wordsOf('agent list --json {ILL}'))).stderr)).toMatchObject({
        error: { message: expect.stringContaining('owned'), exit_code: 3 },
      });
    }
  });

  test('as CSV and NDJSON of an export into a pipe, byte for byte', async () => {
    const { stdout } = await operator.run(['logs', 'export', '--fields', 'call_id,transcript,recording_url']);
    expect(parse(stdout, { columns: true, record_delimiter: '\r\n' })).toEqual([
      { call_id: CALL.call_id, transcript: CALL.transcript, recording_url: HOSTILE },
    ]);
    expect((await operator.run(['logs', 'export', '--format', 'ndjson'])).stdout).toBe(`${JSON.stringify(CALL)}\n`);
  });

  test('as tab-separated values in a pipe, but for what would break a line', async () => {
    const { stdout } = await operator.run(['logs', 'list', '--fields', 'call_outcome,agent_id']);
    expect(stdout).toBe(`${HOSTILE.replaceAll(/[\t\n\r]/g, ' ')}\t5\n`);
  });
});

describe('at a terminal of the system', () => {
  const env = { VAGENT_LOCAL: '', VAGENT_BASE_URL: service.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };

  test.each([
    ['a table', ['agent', 'list']],
    ['CSV', ['logs', 'export']],
    ['a raw answer', ['api', 'get-agents']],
    ['a refusal', wordsOf('agent list {ILL}')],
  ])('%s', async (_name, args) => {
    const { output } = await play(operator, args, [], { env });
    expect(output).toContain('owned');
    expect(controlsIn(output)).toEqual([]);
  });

  test('the choices of a question', async () => {
    const args = ['call', '+14155550123', '--from', '+14155550100', '--first-line', 'Hello.'];
    const { output } = await play(operator, args, [/agent/i, /owned/, '\u0003'], { env });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that the question itself moves the cursor with
    const own = /\u001b\[(?:\?(?:25|2004)[hl]|\d*[ABCDGJK]|\d+m)/g;
    expect(controlsIn(output.replaceAll(own, ''))).toEqual([]);
  });
});

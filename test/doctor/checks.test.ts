/**
 * What doctor finds: each case of `remote.json` and `local.json` breaks one thing and names the line that tells it, what
 * comes with it, and the exit code. Whatever is broken, every check has its line.
 */
import { execSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataIn } from '../support/cases.ts';
import { sendJson, startServer } from '../support/http.ts';
import { Operator } from '../support/program.ts';
import { NOW } from '../support/session.ts';
import { play, playHere } from '../support/terminal.ts';
import { voiceExample } from '../support/voice-example.ts';

const KEY = 'sk-PLANTED-4471';
const AGENTS = Array.from({ length: 250 }, (_, at) => ({
  agent_id: at + 1,
  agent_name: `Agent ${at + 1}`,
  status: at === 6 ? 'paused' : 'active',
}));

/** A service whose first part of the path says what is wrong with it: a status, a clock, or a word. */
const service = await startServer(({ path, query }, response) => {
  const ill = path.split('/')[1] ?? '';
  if (/^\d+$/.test(ill)) return sendJson(response, Number(ill), { message: `Told ${query.get('api_key')}.` });
  if (ill === 'hang') return;
  const clock = { fast: 120, slow: -3600, close: 30 }[ill];
  if (clock !== undefined) response.setHeader('date', new Date(Date.now() + clock * 1000).toUTCString());
  if (ill === 'undated') response.sendDate = false;
  if (ill === 'misdated') response.setHeader('date', 'soon');
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)];
  const agents = ill === 'endless' ? AGENTS.slice(0, limit) : AGENTS.slice(offset, offset + limit);
  sendJson(response, 200, { success: true, agents, ...(ill === 'endless' ? {} : { total: AGENTS.length }) });
});

interface Case {
  name: string;
  /** The profile in effect, beyond its mode and connection; a text is the config file as it stands. */
  profile?: Record<string, unknown> | string;
  args?: string[];
  env?: Record<string, string>;
  /** Entries of the register: `sent`, `again 2` for the same call so many seconds later, `placed`, or a text as it stands. */
  register?: string[];
  /** Lines of the shell, and commands of vagent's. */
  before?: string[];
  /** Lines that must be there, in their order. */
  says: (string | RegExp)[];
  /** What is not checked for it; everything else is in order, but for what `says` tells. */
  skipped?: string[];
  code: number;
}

/** Puts a config file where it belongs; undefined: there is none. */
function keep({ home }: Operator, profile: Case['profile'], base: Record<string, unknown>): void {
  if (profile === undefined) return;
  mkdirSync(join(home, '.config/vagent'), { recursive: true, mode: 0o700 });
  const config = { active: 'work', profiles: { work: typeof profile === 'string' ? {} : { ...base, ...profile } } };
  writeFileSync(
    join(home, '.config/vagent/config.json'),
    typeof profile === 'string' ? profile : JSON.stringify(config),
    { mode: 0o600 },
  );
}

/** A call that was sent, as an earlier register has it. */
const SENT = {
  ...{ entry: 1, event: 'sent', at: '2026-11-20T09:00:00.000Z', by: 'ana@desk', service: 'https://voice.example.com' },
  ...{ organization_id: 7, operation: 'trigger-call' },
  request: { use_agent_id: 3, called_to: '+14155550123', call_from: '+14155550100' },
};
const LINES: Record<string, object> = {
  sent: SENT,
  'again 2': { ...SENT, entry: 2, at: '2026-11-20T09:00:02.000Z' },
  'again 3': { ...SENT, entry: 3, at: '2026-11-20T09:00:03.000Z' },
  placed: { entry: 3, event: 'ended', at: '2026-11-20T09:00:05.000Z', outcome: 'accepted', answer: { success: true } },
};

async function arrange(operator: Operator, { register, before = [] }: Case): Promise<void> {
  const folder = join(operator.home, '.local/state/vagent');
  if (register !== undefined) {
    mkdirSync(folder, { recursive: true });
    const lines = register.map((said) => (said in LINES ? JSON.stringify(LINES[said]) : said));
    writeFileSync(join(folder, 'register.jsonl'), `${lines.join('\n')}\n`);
  }
  const vagent = new Operator({ cwd: operator.home, env: { HOME: operator.home } });
  for (const line of before) {
    const [program, ...args] = line.split(' ');
    if (program === 'vagent') expect(await vagent.run(args)).toMatchObject({ code: 0 });
    else execSync(line, { cwd: operator.home });
  }
}

function at(ill: string): Record<string, unknown> {
  return { base_url: `${service.url}/${ill}` };
}

/** A port on which something listens that ends every connection. */
const mute = createServer((socket) => void socket.end('I speak another tongue.\n'));
await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
afterAll(() => void mute.close());
const mutePort = String((mute.address() as { port: number }).port);

const modes: [title: string, file: string, base: Record<string, unknown>][] = [
  ['a service', 'remote.json', { mode: 'remote', organization_id: 7, api_key: KEY, ...at('well') }],
  ['the simulator', 'local.json', { mode: 'local' }],
];
for (const [title, file, base] of modes) {
  describe.concurrent(`doctor looks at ${title}`, () => {
    const path = join(import.meta.dirname, file);
    const { checks, cases } = dataIn<{ checks: string[]; cases: Case[] }>(path, {
      URL: service.url,
      MUTE: mutePort,
      KEY,
    });
    for (const one of cases) {
      const { name, profile, args = [], env = {}, says, skipped = [], code } = one;
      test(`${name}: exit ${code}`, async () => {
        const operator = new Operator({ env });
        keep(operator, profile, base);
        await arrange(operator, one);
        const told = await operator.run(['doctor', ...args]);
        expect(told.stdout + told.stderr).not.toContain('PLANTED');

        const lines = told.stdout.trimEnd().split('\n');
        let from = 0;
        for (const wanted of says) {
          const found = lines.findIndex(
            (line, index) => index >= from && (typeof wanted === 'string' ? line === wanted : wanted.test(line)),
          );
          expect(found, `${wanted} in:\n${told.stdout}`).not.toBe(-1);
          from = found + 1;
        }
        const marked = lines.filter((line) => !line.startsWith('  → '));
        expect(marked.map((line) => /^[✓✗-] ([^:]+): ./.exec(line)?.[1])).toEqual(checks);
        expect(lines.filter((line) => line.startsWith('- '))).toEqual(skipped.map((what) => `- ${what}: not checked`));
        expect(lines.filter((line) => line.startsWith('✗ '))).toHaveLength(
          says.filter((line) => /^\^?✗/.test(typeof line === 'string' ? line : line.source)).length,
        );
        expect(told.code).toBe(code);

        const { code: again, stdout } = await operator.run(['doctor', ...args, '--json']);
        const report = JSON.parse(stdout);
        expect(report.ok).toBe(code === 0);
        expect(report.checks.map(({ status }: { status: string }) => status)).toEqual(
          marked.map((line) => ({ '✓': 'ok', '✗': 'failed', '-': 'skipped' })[line.charAt(0)]),
        );
        const codes = report.checks.map(({ exit_code }: { exit_code: number | null }) => exit_code ?? 0);
        expect([again, Math.max(...codes)]).toEqual([code, code]);
        for (const check of report.checks)
          expect(Object.keys(check)).toEqual(['name', 'status', 'message', 'hint', 'exit_code']);
      });
    }
  });
}

describe.concurrent('doctor', () => {
  const operator = new Operator();
  beforeAll(() => keep(operator, at('well'), { mode: 'remote', organization_id: 7, api_key: KEY }));

  test('shows a line for each check, or some fields of it', async () => {
    expect((await operator.run(['doctor', '-o', 'tsv'])).stdout).toMatch(
      /^versions\tok\tvagent .*\t\t0\ntime_zones\tok\t/,
    );
    expect((await operator.run(['doctor', '--fields', 'status,name'])).stdout).toMatch(
      /^ok\tversions\nok\ttime_zones\n/,
    );
  });

  test('--verbose tells its requests, without the key; else it says nothing else, and changes nothing', async () => {
    const { code, stdout, stderr } = await operator.run(['doctor', '--verbose']);
    expect(stderr).toMatch(/^GET \/get-agents 200 \d+ ms, attempt 1\n$/);
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('PLANTED')]);
    expect((await operator.run(['doctor'])).stderr).toBe('');
    const newcomer = new Operator();
    expect(await newcomer.run(['doctor'])).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(newcomer.home)).toEqual([]);
  });

  test('marks in colour on a terminal, and without where nobody wants it', async () => {
    const coloured = await play(new Operator(), ['doctor'], []);
    expect(coloured.text).toMatch(/^✓ versions/);
    expect(coloured.output).toContain('\u001b[32m✓');
    expect((await playHere(new Operator(), ['doctor', '--no-color'])).output).toMatch(/^✓ versions/);
  });

  test('goes through a proxy with certificates of its own, and tells a signer that nobody knows', async () => {
    const env = await voiceExample(NOW);
    const { HTTPS_PROXY = '' } = env;
    const [behind, stranger] = [new Operator({ env, frozenAt: NOW }), new Operator({ env: { HTTPS_PROXY } })];
    for (const one of [behind, stranger])
      keep(one, { base_url: 'https://voice.example.com/api' }, { mode: 'remote', organization_id: 7, api_key: KEY });
    const { code, stdout } = await behind.run(['doctor']);
    expect(stdout).toMatch(/^✓ proxy: 127\.0\.0\.1:\d+, from HTTPS_PROXY\n✓ certificates: those of .*\.pem too$/m);
    expect(stdout).toMatch(/^✓ service: answers/m);
    expect(code).toBe(0);
    // The processes of tests know it from their start.
    const told = await stranger.runProgram(['doctor']);
    expect(told.stdout).toMatch(/^✗ service: .*self-signed.*\n {2}→ .*NODE_EXTRA_CA_CERTS/m);
    expect(told.code).toBe(7);
  });
});

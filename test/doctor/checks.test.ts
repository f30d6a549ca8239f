/**
 * What doctor finds: each row breaks one thing and names the line that tells it, what comes with it, and the exit code.
 * Whatever is broken, every check has its line.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

const REMOTE = [
  'versions',
  'time zones',
  'config',
  'state folder',
  'profile',
  'register',
  'base URL',
  'organization',
  'proxy',
  'certificates',
  'key',
  'service',
  'default agent',
  'default from number',
  'default country',
  'clock',
];
const LOCAL = [
  ...REMOTE.slice(0, 8),
  'store',
  'key',
  'balance',
  'default agent',
  'default from number',
  'default country',
];

interface Case {
  name: string;
  /** The profile in effect, beyond its mode and connection; a text is the config file as it stands. */
  profile?: Record<string, unknown> | string;
  args?: string[];
  env?: Record<string, string>;
  arrange?: (home: string) => unknown;
  /** Lines that must be there, in their order. */
  says: (string | RegExp)[];
  /** What is not checked for it; everything else is in order, but for what `says` tells. */
  skipped?: string[];
  code: number;
}

function configFile(home: string): string {
  return join(home, '.config/vagent/config.json');
}

/** Puts a config file where it belongs; undefined: there is none. */
function keep({ home }: Operator, profile: Case['profile'], base: Record<string, unknown>): void {
  if (profile === undefined) return;
  mkdirSync(join(home, '.config/vagent'), { recursive: true, mode: 0o700 });
  const config = { active: 'work', profiles: { work: typeof profile === 'string' ? {} : { ...base, ...profile } } };
  writeFileSync(configFile(home), typeof profile === 'string' ? profile : JSON.stringify(config), { mode: 0o600 });
}

/** A call that was sent, as the register has it. */
const SENT = JSON.stringify({
  entry: 1,
  event: 'sent',
  at: '2026-11-20T09:00:00.000Z',
  by: 'ana@desk',
  service: 'https://voice.example.com',
  organization_id: 7,
  operation: 'trigger-call',
  request: { use_agent_id: 3, called_to: '+14155550123', call_from: '+14155550100' },
});

/** The same call, some seconds later. */
const againAs = (entry: number) =>
  JSON.stringify({ ...JSON.parse(SENT), entry, at: `2026-11-20T09:00:0${entry}.000Z` });
const PLACED = JSON.stringify({
  ...{ entry: 3, event: 'ended', at: '2026-11-20T09:00:05.000Z', outcome: 'accepted' },
  answer: { success: true },
});

function keepRegister(home: string, lines: string[]): void {
  const folder = join(home, '.local/state/vagent');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'register.jsonl'), `${lines.join('\n')}\n`);
}

function at(ill: string): Record<string, unknown> {
  return { base_url: `${service.url}/${ill}` };
}

/** A port on which something listens that ends every connection. */
const mute = createServer((socket) => void socket.end('I speak another tongue.\n'));
await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
afterAll(() => void mute.close());
const mutePort = (mute.address() as { port: number }).port;

const AFTER_SETTINGS = REMOTE.filter(
  (what) => !['versions', 'time zones', 'config', 'state folder', 'certificates'].includes(what),
);
const AFTER_BASE_URL = ['organization', 'proxy', 'key', 'service', 'default agent', 'clock'];

const remote: Case[] = [
  {
    name: 'all is well',
    profile: { agent_id: 3, from: '+14155550100', country: 'de' },
    says: [
      /^✓ versions: vagent \d+\.\d+\.\d+, Node\.js \d+\./,
      /^✓ time zones: release 20\d\d[a-z]/,
      /^✓ config: .*config\.json, 1 profile, for its owner alone$/,
      /^✓ state folder: .* can be written$/,
      '✓ profile: work, the active one',
      '✓ register: nothing was sent to a real service yet',
      /^✓ base URL: http:\/\/127\.0\.0\.1:\d+\/well, within this machine$/,
      '✓ organization: 7',
      '✓ proxy: none',
      '✓ certificates: those of Node.js',
      '✓ key: from profile work',
      '✓ service: answers, and accepts the key for organization 7',
      '✓ default agent: 3 (Agent 3), active',
      /^✓ default from number: \+14155550100 is well-formed; /,
      '✓ default country: de',
      "✓ clock: within 60 s of the service's",
    ],
    code: 0,
  },
  {
    name: 'all is well without a profile',
    args: ['--base-url', `${service.url}/well`, '--org', '7'],
    env: { VAGENT_API_KEY: KEY },
    says: [/^✓ config: no profiles are kept in /, '✓ profile: none is in effect', '✓ key: from VAGENT_API_KEY'],
    code: 0,
  },
  {
    name: 'the profile is named',
    profile: {},
    args: ['--profile', 'work'],
    says: ['✓ profile: work, named by --profile'],
    code: 0,
  },
  {
    name: 'the profile is that of the environment',
    profile: {},
    env: { VAGENT_PROFILE: 'work' },
    says: ['✓ profile: work, from VAGENT_PROFILE'],
    code: 0,
  },
  {
    name: 'the config file is damaged',
    profile: '{"profiles": {',
    says: [/^✗ config: .*config\.json is not JSON\.$/, '  → Fix it or move it away.'],
    skipped: AFTER_SETTINGS,
    code: 9,
  },
  {
    name: 'the config file can be read by others',
    profile: {},
    arrange: (home) => chmodSync(configFile(home), 0o644),
    says: [/^✗ config: .*\(mode 644\)\.$/, /^ {2}→ chmod 600 .*config\.json$/],
    skipped: AFTER_SETTINGS,
    code: 9,
  },
  {
    name: 'the state folder is a file',
    profile: {},
    env: { VAGENT_STATE_DIR: '/dev/null' },
    says: ['✗ state folder: /dev/null is a file, not a folder.', /^ {2}→ .*VAGENT_STATE_DIR/],
    skipped: ['register'],
    code: 9,
  },
  {
    name: 'the register is damaged',
    profile: {},
    arrange: (home) => keepRegister(home, [SENT, '{"entry":']),
    says: [/^✗ register: .*register\.jsonl: line 2 is damaged/, /^ {2}→ Put the file back as it was/],
    code: 9,
  },
  {
    name: 'the register knows a call of unknown outcome',
    profile: {},
    arrange: (home) => keepRegister(home, [SENT]),
    says: [
      '✓ register: 1 entry, sound; 1 call of unknown outcome: +14155550123 (2026-11-20 09:00:00 +00:00, https://voice.example.com)',
    ],
    code: 0,
  },
  {
    name: 'the register knows one that was followed by another, and that by one that was placed',
    profile: {},
    arrange: (home) => keepRegister(home, [SENT, againAs(2), againAs(3), PLACED]),
    says: ['✓ register: 3 entries, sound'],
    code: 0,
  },
  {
    name: 'the register knows two calls of unknown outcome to one phone',
    profile: {},
    arrange: (home) => keepRegister(home, [SENT, againAs(2)]),
    says: [/^✓ register: 2 entries, sound; 1 call of unknown outcome: \+14155550123 \(2026-11-20 09:00:02/],
    code: 0,
  },
  {
    name: 'the profile of the environment does not exist',
    profile: {},
    env: { VAGENT_PROFILE: 'away' },
    says: ['✗ profile: There is no profile "away".', '  → Profiles: work.'],
    skipped: AFTER_SETTINGS.filter((what) => what !== 'profile'),
    code: 2,
  },
  {
    name: 'the base URL is not encrypted',
    profile: { base_url: 'http://voice.invalid' },
    says: [
      '✗ base URL: http://voice.invalid is not encrypted, and every request carries the API key.',
      /--insecure-http/,
    ],
    skipped: AFTER_BASE_URL,
    code: 2,
  },
  {
    name: 'the base URL is not encrypted, and that is accepted',
    profile: { base_url: 'http://voice.invalid' },
    args: ['--insecure-http', '--timeout', '3'],
    says: ['✓ base URL: http://voice.invalid/, not encrypted, as --insecure-http allows', /^✗ service/],
    skipped: ['default agent', 'clock'],
    code: 7,
  },
  {
    name: 'the organization is in words',
    profile: {},
    env: { VAGENT_ORG_ID: 'seven' },
    says: ['✗ organization: VAGENT_ORG_ID must be an integer, not "seven".'],
    skipped: ['service', 'default agent', 'clock'],
    code: 2,
  },
  {
    name: 'no organization',
    profile: { organization_id: undefined },
    says: ['✗ organization: No organization is set for this service.', /^ {2}→ .*--org/],
    skipped: ['service', 'default agent', 'clock'],
    code: 4,
  },
  {
    name: 'the proxy is none',
    profile: { base_url: 'https://voice.invalid' },
    env: { HTTPS_PROXY: `socks5://user:${KEY}@127.0.0.1:1` },
    says: [/^✗ proxy: HTTPS_PROXY /],
    skipped: ['service', 'default agent', 'clock'],
    code: 2,
  },
  {
    name: 'a proxy with a password of its own, exempted',
    profile: {},
    env: { HTTP_PROXY: `http://user:${KEY}@127.0.0.1:1`, NO_PROXY: 'localhost, 127.0.0.1' },
    says: ['✓ proxy: none'],
    code: 0,
  },
  {
    name: 'the certificates are not there',
    profile: {},
    env: { NODE_EXTRA_CA_CERTS: 'nowhere.pem' },
    says: ['✗ certificates: Cannot read nowhere.pem: it does not exist.', /^ {2}→ .*NODE_EXTRA_CA_CERTS/],
    code: 9,
  },
  {
    name: 'the certificates are something else',
    profile: {},
    env: { NODE_EXTRA_CA_CERTS: '.config/vagent/config.json' },
    says: ['✗ certificates: .config/vagent/config.json holds no certificate.'],
    code: 9,
  },
  {
    name: 'no key',
    profile: { api_key: undefined },
    says: [/^✗ key: No API key is set for 127\.0\.0\.1:\d+\.$/, /^ {2}→ Set VAGENT_API_KEY/],
    skipped: ['service', 'default agent', 'clock'],
    code: 4,
  },
  {
    name: 'the key command fails',
    profile: { api_key: undefined, api_key_command: `echo ${KEY}; echo "Locked: ${KEY}" >&2; exit 1` },
    says: ['✗ key: api_key_command failed: Locked: <API_KEY> (exit code 1).'],
    skipped: ['service', 'default agent', 'clock'],
    code: 4,
  },
  {
    name: 'the key comes from a command',
    profile: { api_key: undefined, api_key_command: `echo ${KEY}` },
    says: ['✓ key: from the api_key_command of profile work'],
    code: 0,
  },
  {
    name: 'the key is refused',
    profile: at('401'),
    says: [
      '✗ service: /get-agents was refused (401): Told <API_KEY>.',
      '  → Replace the key, which comes from profile work.',
    ],
    skipped: ['default agent'],
    code: 4,
  },
  {
    name: 'the organization is not there',
    profile: at('404'),
    says: [/^✗ service: .*\(404\)/, '  → Check the organization (7) and the path of the base URL.'],
    skipped: ['default agent'],
    code: 5,
  },
  {
    name: 'the service fails',
    profile: at('500'),
    says: [/^✗ service: .*\(500\)/],
    skipped: ['default agent'],
    code: 7,
  },
  {
    name: 'the name does not resolve',
    profile: { base_url: 'https://nowhere.invalid' },
    says: [/^✗ service: Cannot reach nowhere\.invalid: the name does not resolve/, /^ {2}→ Check the host/],
    skipped: ['default agent', 'clock'],
    code: 7,
  },
  {
    name: 'nobody listens',
    profile: { base_url: 'http://127.0.0.1:1' },
    says: [/^✗ service: .*the connection was refused/, /^ {2}→ Check host and port/],
    skipped: ['default agent', 'clock'],
    code: 7,
  },
  {
    name: 'what listens speaks no TLS',
    profile: { base_url: `https://127.0.0.1:${mutePort}` },
    says: [/^✗ service: Cannot reach/, /^ {2}→ Check scheme and port.*TLS/],
    skipped: ['default agent', 'clock'],
    code: 7,
  },
  {
    name: 'the service does not answer',
    profile: at('hang'),
    args: ['--timeout', '3'],
    says: [/^✗ service: .*no full answer within 3 s/, /^ {2}→ .*--timeout/],
    skipped: ['default agent', 'clock'],
    code: 7,
  },
  {
    name: 'the default agent is on a late page',
    profile: { agent_id: 250 },
    says: ['✓ default agent: 250 (Agent 250), active'],
    code: 0,
  },
  {
    name: 'the default agent is not there',
    profile: { agent_id: 251 },
    says: [
      '✗ default agent: Agent 251 does not exist.',
      /^ {2}→ vagent agent list --status active .*profile work.*--agent/,
    ],
    code: 5,
  },
  {
    name: 'the default agent is not there, and the pages repeat without end',
    profile: { agent_id: 251, ...at('endless') },
    says: ['✗ default agent: Agent 251 does not exist.'],
    code: 5,
  },
  {
    name: 'the default agent is paused',
    profile: { agent_id: 7 },
    says: ['✗ default agent: Agent 7 (Agent 7) is paused; only an active agent calls.'],
    code: 3,
  },
  {
    name: 'the default from number is none',
    profile: { from: '0049 30 123456' },
    says: ['✗ default from number: 0049 30 123456 is not an E.164 number.', /^ {2}→ .*--from/],
    code: 3,
  },
  {
    name: 'the default from number is in no plan',
    profile: { from: '+10000000000' },
    says: ["✗ default from number: +10000000000 is not assigned in any country's numbering plan."],
    code: 3,
  },
  {
    name: 'the default country is none',
    profile: { country: 'XX' },
    says: ['✗ default country: XX is not the ISO code of a country.', /^ {2}→ .*--country DE/],
    code: 2,
  },
  {
    name: 'the clock is slow',
    profile: at('fast'),
    says: [/^✗ clock: This machine's clock is \d+ s behind the service's\.$/, /^ {2}→ Set it/],
    code: 3,
  },
  {
    name: 'the clock is fast',
    profile: at('slow'),
    says: [/^✗ clock: This machine's clock is 36\d\d s ahead of the service's\.$/],
    code: 3,
  },
  { name: 'the clock is near enough', profile: at('close'), says: ["✓ clock: within 60 s of the service's"], code: 0 },
  { name: 'the service tells no time', profile: at('undated'), says: [], skipped: ['clock'], code: 0 },
  { name: 'the service tells no sound time', profile: at('misdated'), says: [], skipped: ['clock'], code: 0 },
  {
    name: 'the clock is wrong too where the key is refused: the worst counts',
    profile: { agent_id: 251, country: 'XX', ...at('fast') },
    says: [/^✗ default agent/, /→/, /^✗ default country/, /→/, /^✗ clock/],
    code: 5,
  },
];

const CALL = ['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.', '--local'];

function store(home: string): string {
  return join(home, '.local/state/vagent/store');
}

function runs(...lines: string[]): NonNullable<Case['arrange']> {
  return async (home) => {
    const operator = new Operator({ cwd: home, env: { HOME: home } });
    for (const line of lines) expect(await operator.run(line.split(' '))).toMatchObject({ code: 0 });
  };
}

const local: Case[] = [
  {
    name: 'nothing is there yet',
    says: [
      '✓ profile: none is in effect',
      '✓ base URL: none: the local engine is used, and no real call is placed',
      '✓ organization: 1',
      /^✓ store: .* will be created by the first change$/,
      '✓ key: from the local engine itself',
      '✓ balance: 100',
      '✓ default agent: none is set; 1 of 1 agents can call',
      '✓ default from number: none is set; registered: +14155550100, +442079460100',
      '✓ default country: none is set',
    ],
    code: 0,
  },
  {
    name: 'all is well',
    profile: { mode: 'local', agent_id: 1, from: '+14155550100', country: 'US' },
    arrange: runs(CALL.join(' ').replace('Hello.', 'Hi')),
    says: [
      /^✓ store: .* looks sound/,
      '✓ balance: 99.9',
      '✓ default agent: 1 (Demo Agent), active',
      '✓ default from number: +14155550100, registered',
      '✓ default country: US',
    ],
    code: 0,
  },
  {
    name: 'the store is damaged',
    arrange: (home) => {
      mkdirSync(store(home), { recursive: true });
      writeFileSync(join(store(home), 'store.json'), '{');
    },
    says: [/^✗ store: The store is damaged: .*store\.json is not JSON\.$/, /^ {2}→ .*vagent local check/],
    skipped: ['key', 'balance', 'default agent', 'default from number'],
    code: 9,
  },
  {
    name: 'the store is something else',
    args: ['--store', '.'],
    arrange: (home) => writeFileSync(join(home, 'cat.jpg'), 'miaow'),
    says: [/^✗ store: \. is not a store of vagent's/],
    skipped: ['key', 'balance', 'default agent', 'default from number'],
    code: 9,
  },
  {
    name: 'the store has lost a file',
    arrange: async (home) => {
      await runs(CALL.join(' '))(home);
      rmSync(join(store(home), 'calls'), { recursive: true });
    },
    says: [
      /^✗ store: The store is damaged: .*000001\.jsonl is missing or cut off\.$/,
      /^ {2}→ Nothing was changed. See vagent local check/,
    ],
    skipped: ['key', 'balance', 'default agent', 'default from number'],
    code: 9,
  },
  {
    name: 'nothing is set up',
    arrange: runs('local reset --empty --yes'),
    says: [
      '✗ balance: The balance is 0, below the minimum of 0.2.',
      '  → vagent local topup 10',
      '✗ default agent: The store has no active agent.',
      /^ {2}→ vagent agent create/,
      '✗ default from number: No number is registered.',
      '  → vagent local number add <number>',
    ],
    code: 6,
  },
  {
    name: 'the defaults are not there',
    profile: { mode: 'local', agent_id: 9, from: '+14155550177' },
    says: [
      '✗ default agent: Agent 9 does not exist.',
      /→/,
      '✗ default from number: +14155550177 is not registered.',
      /^ {2}→ vagent local number add \+14155550177/,
    ],
    code: 5,
  },
  {
    name: 'the default agent is paused',
    profile: { mode: 'local', agent_id: 1 },
    arrange: runs('local agent 1 --status paused'),
    says: [
      '✗ default agent: Agent 1 (Demo Agent) is paused; only an active agent calls.',
      '  → vagent local agent 1 --status active',
    ],
    code: 3,
  },
  {
    name: 'another key',
    args: ['--local', '--api-key-file', 'key'],
    arrange: (home) => writeFileSync(join(home, 'key'), KEY, { mode: 0o600 }),
    says: ["✗ key: The key from key is not that of the store's organization.", /^ {2}→ Leave it out/],
    code: 4,
  },
  {
    name: 'another organization',
    args: ['--local', '--org', '7'],
    says: ['✗ store: There is no organization 7.', '  → vagent local org list'],
    skipped: ['key', 'balance', 'default agent', 'default from number'],
    code: 5,
  },
];

const modes: [title: string, cases: Case[], checks: string[], base: Record<string, unknown>][] = [
  ['a service', remote, REMOTE, { mode: 'remote', organization_id: 7, api_key: KEY, ...at('well') }],
  ['the local engine', local, LOCAL, { mode: 'local' }],
];
for (const [title, cases, checks, base] of modes) {
  describe.concurrent(`doctor looks at ${title}`, () => {
    for (const { name, profile, args = [], env = {}, arrange, says, skipped = [], code } of cases) {
      test(`${name}: exit ${code}`, async () => {
        const operator = new Operator({ env });
        keep(operator, profile, base);
        await arrange?.(operator.home);
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

  const formats: [flags: string[], shows: RegExp][] = [
    [['-o', 'tsv'], /^versions\tok\tvagent .*\t\t0\ntime_zones\tok\t/],
    [['-o', 'csv'], /^name,status,message,hint,exit_code\r?\nversions,ok,/],
    [['-o', 'ids'], /^versions\ntime_zones\nconfig\nstate_folder\nprofile\nregister\nbase_url\n/],
    [['-o', 'ndjson'], /^\{"name":"versions","status":"ok",/],
    [['--fields', 'status,name'], /^ok\tversions\nok\ttime_zones\n/],
    [['--fields', 'name', '--json'], /"checks": \[\n {4}\{\n {6}"name": "versions"\n {4}\},/],
  ];
  test.each(formats)('%j', async (flags, shows) => {
    const { code, stdout } = await operator.run(['doctor', ...flags]);
    expect(stdout).toMatch(shows);
    expect(code).toBe(0);
  });

  test('--verbose tells its requests, without the key', async () => {
    const { code, stdout, stderr } = await operator.run(['doctor', '--verbose']);
    expect(stderr).toMatch(/^GET \/get-agents 200 \d+ ms, attempt 1\n$/);
    expect(stdout + stderr).not.toContain('PLANTED');
    expect(code).toBe(0);
  });

  test('says nothing else, and changes nothing', async () => {
    const { stderr } = await operator.run(['doctor']);
    expect(stderr).toBe('');
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

  test('goes through a proxy with certificates of its own', async () => {
    const behind = new Operator({ env: await voiceExample(NOW), frozenAt: NOW });
    keep(behind, { base_url: 'https://voice.example.com/api' }, { mode: 'remote', organization_id: 7, api_key: KEY });
    const { code, stdout } = await behind.run(['doctor']);
    expect(stdout).toMatch(/^✓ proxy: 127\.0\.0\.1:\d+, from HTTPS_PROXY\n✓ certificates: those of .*\.pem too$/m);
    expect(stdout).toMatch(/^✓ service: answers/m);
    expect(code).toBe(0);
  });

  test('tells a signer that nobody knows', async () => {
    const { HTTPS_PROXY = '' } = await voiceExample(NOW);
    const stranger = new Operator({ env: { HTTPS_PROXY } });
    keep(stranger, { base_url: 'https://voice.example.com/api' }, { mode: 'remote', organization_id: 7, api_key: KEY });
    // The processes of tests know it from their start.
    const { code, stdout } = await stranger.runProgram(['doctor']);
    expect(stdout).toMatch(/^✗ service: .*self-signed.*\n {2}→ .*NODE_EXTRA_CA_CERTS/m);
    expect(code).toBe(7);
  });
});

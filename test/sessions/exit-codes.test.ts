/**
 * Every way a command can end, as one table: what the operator did, the exit code, and the sentence that says why. Each
 * failure runs twice, for a person and for a program. Scripts branch on these codes, so the first row of each code starts the
 * built program; the others run in the process of the test.
 */
import { chmodSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { commandSummaries } from '../../src/program.ts';
import { sendAccepted } from '../server/raw.ts';
import { sendJson, startServer } from '../support/http.ts';
import { finished, Operator, type Outcome, type RunOptions, temporaryFolder } from '../support/program.ts';
import { UnderWay } from '../support/under-way.ts';

/** The key of the remote service: no output may show it, whatever happens. */
const KEY = 'never-to-be-shown-73519';

/** A service as ill as the first part of the path says: a status, or a word. With `posts` behind it, agents are shown all the same. */
const service = await startServer(({ path, query, body }, response) => {
  const [, ill = '', which] = path.split('/');
  if (which === 'posts' && path.endsWith('/get-agents')) {
    return sendJson(response, 200, { success: true, agents: [{ agent_id: 1, status: 'active' }], total: 1 });
  }
  if (/^\d+$/.test(ill)) {
    const issues = [{ field: 'limit', message: 'must be less' }];
    return sendJson(response, Number(ill), { success: false, error: 'as_told', message: `As told: ${ill}.`, issues });
  }
  switch (ill) {
    case 'echo':
      return sendJson(response, 400, { message: `I do not understand ${body}${query}.` });
    case 'redirect':
      return void response.writeHead(302, { location: `${service.url}/elsewhere` }).end();
    case 'cut':
      return void response.destroy();
    case 'gap':
      return sendJson(response, 200, { success: true, calls: [], total: 5, limit: 0, offset: 0 });
    case 'hang':
      return;
  }
  throw new Error(`no such illness: ${path}`);
});

/** A port that is taken, by something that speaks no TLS. */
const servicePort = new URL(service.url).port;

const NUMBER = '+14155550123';
const CALL = ['call', NUMBER, '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
const AWAITED = CALL.map((word) => (word === NUMBER ? '+14155550190' : word));
const CAMPAIGN = 'campaign create --name Spring --agent 1 --from +14155550100 --contacts contacts.csv';
const AGENT = 'agent create --name Ana --prompt Brief. --voice 1';
const EVERY_POST = { call: CALL, 'campaign create': [...words(CAMPAIGN), '--yes'], 'agent create': words(AGENT) };
const EVERY_GET = [
  'voice list',
  'agent list',
  'agent list --all',
  'logs list',
  'logs list --all',
  'logs show call_1',
  'logs export',
];

const CONTACTS = `phone_number\n${NUMBER}\n+14155550124\n`;

interface More {
  env?: Record<string, string>;
  input?: string | Buffer;
  /** Files in the operator's home: path → content. Where the command line has the path, it stands for the file there. */
  files?: Record<string, string | Buffer>;
  /** Commands that must succeed first. */
  before?: string[];
  arrange?: (home: string) => void;
  /** It runs in the home, and so alone: the other rows share a folder. */
  isInHome?: true;
  /** What must hold afterwards. */
  after?: (home: string) => void;
  /** Parts of the JSON error beside the exit code. */
  error?: { code?: string; status?: number };
}

/** What was done, the words after `vagent`, and what stderr (or stdout, where the code is 0) says. */
type Row = [name: string, args: string | readonly string[], says: RegExp, more?: More];

function words(args: string | readonly string[]): string[] {
  return typeof args === 'string' ? args.split(' ') : [...args];
}

/** The flags that mean the service with this illness. */
function at(ill: string | number): string {
  return `--base-url ${service.url}/${ill}`;
}

function edited(
  path: string,
  change: (value: { [name: string]: unknown; state: { organization: { balance: number } } }) => void,
) {
  return (home: string) => {
    const value = JSON.parse(readFileSync(join(home, path), 'utf8'));
    change(value);
    writeFileSync(join(home, path), JSON.stringify(value));
  };
}

const STORE = '.local/state/vagent/store/store.json';
const CONFIG = '.config/vagent/config.json';

/** A store with everything but money. */
const poor: More = {
  before: ['local topup 1'],
  arrange: edited(STORE, ({ state }) => {
    state.organization.balance = 199_999;
  }),
  error: { code: 'insufficient_balance', status: 402 },
};

function contacts(content: string, code?: string): More {
  return { files: { 'contacts.csv': content }, ...(code === undefined ? {} : { error: { code } }) };
}

function nothingSent(ill: string): More {
  return { after: () => expect(service.received.filter(({ path }) => path.startsWith(`/${ill}/`))).toEqual([]) };
}

/** Where a new profile was refused. */
const nothingKept: More = { after: (home) => expect(existsSync(join(home, CONFIG))).toBe(false) };

const done: Row[] = [
  ['nothing asked', [], /^Runs voice-agent phone campaigns/],
  ['help', '--help', /^Runs voice-agent phone campaigns/],
  ['help of a noun', 'logs --help', /export/],
  ['help of a command', 'help call', /--first-line/],
  ['help after everything else', 'campaign create --name Spring -h', /--calls-per-hour/],
  ['version', '--version', /^\d+\.\d+\.\d+\n$/],
  ['version after a command', 'logs list -V', /^\d+\.\d+\.\d+\n$/],
  ['a call', CALL, /^success\ttrue\n/],
  ['a call, dry', [...CALL, '--dry-run'], /"called_to": "\+14155550123"/],
  [
    'a call to a remote service, dry: needs no key',
    [...CALL, '--dry-run', ...words(at('unused'))],
    /<API_KEY>/,
    { env: { VAGENT_API_KEY: '' }, ...nothingSent('unused') },
  ],
  ['a campaign', CAMPAIGN, /total_contacts\t2\n/],
  ['a campaign from standard input', CAMPAIGN.replace('contacts.csv', '-'), /total_contacts\t2\n/, { input: CONTACTS }],
  ['a campaign that starts later', `${CAMPAIGN} --start +2h`, /status\tscheduled\n/],
  ['a campaign, dry', `${CAMPAIGN} --dry-run`, /"campaign_name": "Spring"/],
  ['calls', 'logs list', /^call_0000000001\t/, { before: [CALL.join(' ')] }],
  ['no calls', 'logs list --json', /"total": 0/],
  ['one call of the log', 'logs show call_0000000001', /^call_id\tcall_0000000001\n/, { before: [CALL.join(' ')] }],
  ['a call that is waited for', [...AWAITED, '--wait'], /call_status\tcompleted\n/],
  ['an export', 'logs export', /^call_id,/],
  [
    'an export to a file',
    'logs export --out calls.csv',
    /^$/,
    { isInHome: true, after: (home) => expect(readFileSync(join(home, 'calls.csv'), 'utf8')).toMatch(/^call_id,/) },
  ],
  ['a new agent', AGENT, /agent_id\t2\n/],
  [
    'a new agent with its prompt from standard input',
    'agent create --name Ana --voice 1 --prompt-file -',
    /agent_id\t2\n/,
    { input: 'Brief.' },
  ],
  ['agents', 'agent list', /^1\tDemo Agent\t/],
  ['voices', 'voice list', /^1\t/],
  ['an operation', 'api get-voices language=es', /"success": true/],
  [
    'an operation from a JSON body',
    'api create-agent --input -',
    /"agent_id": 2/,
    { input: '{"agent_name":"Ana","base_prompt":"Brief.","voice_id":1}' },
  ],
  ['the local engine', 'local status', /^store\t/],
  ['a new store', 'local reset --seed 42 --yes', /seed\t42\n/],
  ['time', 'local advance 2h', /calls\t0\n/],
  ['time until nothing is left to do', 'local advance --until-idle', /calls\t0\n/],
  ['money', 'local topup 12.50', /balance\t112.5\n/],
  ['numbers', 'local number list', /^\+14155550100\n/],
  ['a new number', 'local number add +14155550142', /\+14155550142/],
  ['a number less', 'local number remove +14155550100', /numbers\t/],
  ['an agent that pauses', 'local agent 1 --status paused', /status\tpaused\n/],
  ['a new profile', 'profile add home --local', /name\thome\n/],
  ['all in order', 'doctor', /^✓ versions: .*\n(✓ .*\n)+$/],
  ['all in order, for a program', 'doctor --json', /^\{\n {2}"ok": true,/],
  ['no profiles', 'profile list', /^$/],
  ['profiles', 'profile list', /^home\tlocal\t/, { before: ['profile add home --local'] }],
  ['another profile', 'profile use away', /^$/, { before: ['profile add home --local', 'profile add away --local'] }],
  ['a profile', 'profile show', /name\thome\n/, { before: ['profile add home --local'] }],
  ['a profile less', 'profile remove home', /^$/, { before: ['profile add home --local'] }],
];

const failures: Record<number, Row[]> = {
  2: [
    ['an unknown command', 'frobnicate', /unknown command 'frobnicate'/i],
    ['a misspelt command', 'cal', /Did you mean call\?/],
    ['an unknown flag', 'voice list --colour', /Unknown flag '--colour'/],
    ['a misspelt flag', 'voice list --langauge en', /Did you mean --language\?/],
    ['an argument too many', 'voice list en', /vagent voice list does not take en\./],
    ['no number to call', 'call', /Missing: <to>, --agent, --from, --first-line\./],
    ['no call to show', 'logs show', /Missing: <call_id>\./],
    ['a time to wait, and no wait', [...CALL, '--wait-timeout', '5m'], /--wait-timeout needs --wait\./],
    ['no profile to use', 'profile use', /Missing: <name>\./],

    ['a call without its flags', `call ${NUMBER}`, /Missing: --agent, --from, --first-line\./],
    ['a call without one flag', CALL.slice(0, -2), /Missing: --first-line\./],
    ['a campaign without its flags', 'campaign create', /Missing: --name, --agent, --from, --contacts\./],
    ['an agent without its flags', 'agent create', /Missing: --name, --prompt or --prompt-file, --voice\./],
    [
      'a profile without its flags',
      'profile add work',
      /Missing: --base-url, --org, --api-key-file or --api-key-command\./,
    ],
    [
      'a profile without a key',
      `profile add work ${at('unused')} --org 7`,
      /Missing: --api-key-file or --api-key-command\./,
    ],
    ['an agent without a status', 'local agent 1', /Missing: --status\./],
    ['no distance in time', 'local advance', /a duration, --until <time>, --until-idle/],
    ['a reset without a yes', 'local reset', /--yes/],

    [
      'two prompts',
      'agent create --name Ana --voice 1 --prompt a --prompt-file b',
      /--prompt and --prompt-file cannot be used together/,
    ],
    [
      'two keys for a profile',
      `profile add work ${at('unused')} --org 7 --api-key-file k --api-key-command pass`,
      /cannot be used together/,
    ],
    [
      'a key command that holds the key',
      ['profile', 'add', 'work', ...words(at('no-key')), '--org', '7', '--api-key-command', `echo ${KEY}`],
      /--api-key-command contains the key itself.* Nothing was saved\.\n {2}→ .*--api-key-file/,
      { ...nothingKept, ...nothingSent('no-key') },
    ],
    [
      'a country by name',
      'profile add home --local --country Germany',
      /--country must be an ISO code of two letters.*, not 'Germany'/,
    ],
    ['local and remote', `voice list --local ${at('unused')}`, /--local and --base-url cannot be used together/],
    [
      'a base URL without a scheme',
      'voice list --base-url voice.example.com',
      /--base-url.*https:\/\/voice\.example\.com/,
    ],
    ['a base URL of another scheme', 'voice list --base-url ftp://voice.example.com', /--base-url.*base URL/],
    ['a base URL with a password', 'voice list --base-url https://me:word@voice.example.com', /--base-url.*base URL/],
    [
      'plain http to another machine',
      'voice list --base-url http://voice.example.com',
      /not encrypted[\s\S]*--insecure-http/,
    ],
    [
      'a profile of plain http',
      'profile add work --base-url http://voice.example.com --org 7 --api-key-command pass',
      /not encrypted[\s\S]*--insecure-http/,
    ],
    [
      'a base URL of the environment that is none',
      'voice list',
      /VAGENT_BASE_URL is not a base URL/,
      { env: { VAGENT_LOCAL: '', VAGENT_BASE_URL: 'voice' } },
    ],
    [
      'an organization of the environment that is none',
      `voice list ${at('unused')}`,
      /VAGENT_ORG_ID.*"seven"/,
      { env: { VAGENT_ORG_ID: 'seven' } },
    ],
    [
      'a profile that does not exist',
      'voice list --profile away',
      /no profile "away"[\s\S]*Profiles: home/,
      { before: ['profile add home --local'] },
    ],
    [
      'a profile of the environment that does not exist',
      'voice list',
      /no profile "away"[\s\S]*vagent profile add/,
      { env: { VAGENT_PROFILE: 'away' } },
    ],
    ['no profile to show', 'profile show', /No profile is in effect/],
    [
      'two files from standard input',
      `${CAMPAIGN.replace('contacts.csv', '-')} ${at('unused')} --yes --api-key-file -`,
      /standard input can be read only once/,
      { input: CONTACTS, ...nothingSent('unused') },
    ],
    [
      'a campaign on a real service without a yes',
      `${CAMPAIGN} ${at('consent')}`,
      /Calling \d+ real people needs confirmation: add --yes\. Nothing was sent\./,
      nothingSent('consent'),
    ],
    [
      'a campaign on a real service, contacts piped',
      `${CAMPAIGN.replace('contacts.csv', '-')} ${at('consent')}`,
      /needs confirmation: add --yes/,
      { input: CONTACTS, ...nothingSent('consent') },
    ],

    ['an unknown operation', 'api get-callers', /no operation get-callers[\s\S]*get-call-logs/],
    ['an unknown field', 'api get-voices colour=red', /\/get-voices has no field colour[\s\S]*language, gender/],
    ['a field without a value', 'api get-voices language', /language is not of the form field=value/],
    ['a field twice', 'api get-voices language=en language=es', /language is given twice/],
    ['a field of another type', 'api get-agents limit=many', /limit must be an integer, not "many"/],
    ['a key as a field', `api get-voices api_key=${KEY}`, /never given on the command line/],
    ['a key in a body', 'api get-voices --input -', /api_key.*settings/, { input: `{"api_key":"${KEY}"}` }],
    [
      'an organization in a body',
      'api get-voices --input -',
      /organization_id.*settings/,
      { input: '{"organization_id":1}' },
    ],
    ['two distances in time', 'local advance 2h --until-idle', /a duration, --until <time>, --until-idle/],
    ['a distance in words', 'local advance soon', /"soon" is not a duration[\s\S]*90, 90s, 15m, 2h, 3d or 1w/],
    ['a relative time to stop at', 'local advance --until +2h', /--until takes a point in time/],
    ['an unknown thing to do to numbers', 'local number swap +14155550142', /"swap" is not one of add, remove, list/],
    ['no number to add', 'local number add', /needs a number/],
    ['a number to list', 'local number list +14155550142', /takes no number/],
    ['a number that is none', 'local number add 0049123', /E\.164/],
    ['an unknown status to set', 'local agent 1 --status asleep', /--status.*active, draft, paused/],
    ['a seed in words', 'local reset --yes --seed dice', /--seed.*integer/],
  ],

  3: [
    [
      'a day that does not exist',
      'logs list --start-date 2026-02-30',
      /--start-date 2026-02-30 is not a date that exists[\s\S]*YYYY-MM-DD/,
    ],
    [
      'days the wrong way round',
      'logs list --start-date 2026-11-21 --end-date 2026-11-20',
      /--start-date 2026-11-21 is after --end-date 2026-11-20/,
    ],
    ['a start in words', `${CAMPAIGN} --start tomorrow`, /--start tomorrow is not a time/],
    ['a start in nobody’s zone', `${CAMPAIGN} --start 2027-02-20T09:00`, /has no time zone[\s\S]*--timezone/],
    ['a start in the past', `${CAMPAIGN} --start 2020-01-01T00:00Z`, /has passed/],

    ['an empty contacts file', CAMPAIGN, /contacts\.csv is empty/, contacts('', 'empty_file')],
    [
      'bad numbers',
      CAMPAIGN,
      /2 of 3 rows cannot be used; nothing was sent[\s\S]*line 2: "5550100"[\s\S]*line 4: no phone number/,
      contacts('phone_number,custom_first_line\n5550100,a\n+14155550123,b\n,c\n'),
    ],
    [
      'bad contacts from standard input',
      CAMPAIGN.replace('contacts.csv', '-'),
      /Standard input: 1 of 1 rows[\s\S]*line 2: "x"/,
      { input: 'phone_number\nx\n' },
    ],
    [
      'bad contacts for a real service',
      `${CAMPAIGN} ${at('contacts')} --yes`,
      /line 2: "x"/,
      { ...contacts('phone_number\nx\n'), ...nothingSent('contacts') },
    ],
    ['bad contacts, dry', `${CAMPAIGN} --dry-run`, /line 2: "x"/, contacts('phone_number\nx\n')],

    [
      'an agent that is not active',
      CALL,
      /Agent 1 is paused; only an active agent calls/,
      { before: ['local agent 1 --status paused'], error: { code: 'agent_not_active', status: 400 } },
    ],
    [
      'a pace beyond the engine’s',
      `${CAMPAIGN} --calls-per-hour 3600001`,
      /calls_per_hour must be 3600000 or less/,
      { error: { code: 'invalid_parameter', status: 400 } },
    ],
    [
      'an operation without its fields',
      'api trigger-call use_agent_id=1',
      /called_to: is required[\s\S]*call_from: is required[\s\S]*custom_identifiers: is required/,
      { error: { code: 'missing_field', status: 400 } },
    ],
    [
      'an operation with a bad field',
      'api get-call-logs start_date=2026-02-30',
      /start_date must be a date that exists/,
    ],
    ['an array that is no JSON', 'api create-campaign contacts=Ana', /contacts is not JSON/],
    ['a body that is no JSON', 'api create-agent --input -', /Standard input is not JSON/, { input: 'Ana' }],
    [
      'a body with a field twice',
      'api trigger-call --input -',
      /Standard input has "called_to" twice/,
      { input: '{"called_to":"+14155550190","called_to":"+14155550191"}' },
    ],
    [
      'a body that is no UTF-8',
      'api create-agent --input -',
      /Standard input is not UTF-8/,
      { input: Buffer.from('{"agent_name":"Jos\xe9"}', 'latin1') },
    ],
    [
      'a body that is no object',
      'api create-agent --input -',
      /Standard input must hold a JSON object/,
      { input: '[]' },
    ],
    [
      'a prompt file that is empty',
      'agent create --name Ana --voice 1 --prompt-file prompt.txt',
      /prompt\.txt holds no prompt/,
      { files: { 'prompt.txt': '\n' } },
    ],
    ['a number registered twice', 'local number add +14155550100', /\+14155550100 is registered already/],
    ['more money than a wallet holds', 'local topup 999999999.5', /A wallet holds at most 1000000000/],
    [
      'a time to stop at that has passed',
      'local advance --until 2020-01-01T00:00Z',
      /--until 2020-01-01T00:00Z has passed: the engine's clock stands at 20/,
    ],
    [
      'a time to stop at in nobody’s zone',
      'local advance --until 2027-01-01T00:00',
      /has no time zone\.\n {2}→ Write \S+ or \S+\.\n/,
    ],
    ['a time to stop at that is none', 'local advance --until noon', /--until noon is not a time/],

    [
      'a new profile that a service refuses',
      `profile add work ${at(400)} --org 7 --api-key-file key`,
      /refused \(400\).* Nothing was saved\./,
      { files: { key: KEY }, ...nothingKept },
    ],
    [
      'a 400 from a service',
      `logs list ${at(400)}`,
      /\/get-call-logs was refused \(400\): As told: 400\.[\s\S]*limit: must be less/,
      { error: { code: 'as_told', status: 400 } },
    ],
    [
      'a 400 from a service to a call',
      [...CALL, ...words(at(400))],
      /\/trigger-call was refused \(400\)/,
      { error: { status: 400 } },
    ],
    ['a refusal that echoes a call', [...CALL, ...words(at('echo'))], /I do not understand/],
  ],

  4: [
    [
      'a base URL and no key',
      `voice list ${at('no-key')}`,
      /No API key is set for 127\.0\.0\.1.*[\s\S]*VAGENT_API_KEY/,
      { env: { VAGENT_API_KEY: '' }, ...nothingSent('no-key') },
    ],
    [
      'a base URL of the environment and no key',
      'voice list',
      /No API key is set/,
      {
        env: { VAGENT_LOCAL: '', VAGENT_API_KEY: '', VAGENT_BASE_URL: `${service.url}/no-key` },
        ...nothingSent('no-key'),
      },
    ],
    [
      'a key and no organization',
      `voice list ${at('no-key')}`,
      /No organization is set[\s\S]*--org/,
      { env: { VAGENT_ORG_ID: '' }, ...nothingSent('no-key') },
    ],
    [
      'a key file that is missing',
      `voice list ${at('no-key')} --api-key-file nowhere`,
      /nowhere.*does not exist/,
      nothingSent('no-key'),
    ],
    [
      'a key file that is empty',
      `voice list ${at('no-key')} --api-key-file key`,
      /key must hold one API key/,
      { files: { key: '\n' }, ...nothingSent('no-key') },
    ],
    [
      'a key file that holds more',
      `voice list ${at('no-key')} --api-key-file key`,
      /key must hold one API key/,
      { files: { key: `key = ${KEY}` }, ...nothingSent('no-key') },
    ],
    [
      'no key on standard input',
      `voice list ${at('no-key')} --api-key-file -`,
      /Standard input must hold one API key/,
      nothingSent('no-key'),
    ],
    [
      'a new profile’s key file that is missing',
      `profile add work ${at('no-key')} --org 7 --api-key-file nowhere`,
      /nowhere.*does not exist/,
    ],
    [
      'a key command that fails',
      'voice list',
      /api_key_command failed: the vault is shut \(exit code 1\)\.\n {2}→ Run it by hand: \S+vault\n$/,
      {
        env: { VAGENT_LOCAL: '', VAGENT_API_KEY: '' },
        arrange: keyCommand('printf sk-half-a-key; echo "the vault is shut" >&2; exit 1'),
      },
    ],
    [
      'a key command that says nothing',
      'voice list',
      /api_key_command printed nothing/,
      {
        env: { VAGENT_LOCAL: '', VAGENT_API_KEY: '' },
        arrange: keyCommand('true'),
      },
    ],
    [
      'a key command that says more than the key',
      'voice list',
      /api_key_command printed more than a key\./,
      {
        env: { VAGENT_LOCAL: '', VAGENT_API_KEY: '' },
        arrange: keyCommand('echo "the key:"; echo sk-4471'),
      },
    ],
    [
      'a new profile’s key that is refused',
      `profile add work ${at(401)} --org 7 --api-key-file key`,
      /refused \(401\): As told: 401\. Nothing was saved\.[\s\S]*→ Check the key/,
      { files: { key: KEY }, ...nothingKept, error: { status: 401 } },
    ],
    [
      'a new profile’s key that may not',
      `profile add work ${at(403)} --org 7 --api-key-command`.split(' ').concat('cat key'),
      /refused \(403\).* Nothing was saved\./,
      { ...nothingKept, error: { status: 403 } },
    ],
    [
      'a new profile’s key command that fails',
      `profile add work ${at('no-key')} --org 7 --api-key-command`.split(' ').concat('cat nowhere'),
      /api_key_command failed: .*nowhere.* \(exit code 1\)\. Nothing was saved\./,
      { ...nothingKept, ...nothingSent('no-key') },
    ],
    [
      'a profile’s key for another service',
      `voice list ${at('no-key')}`,
      /The key of profile work is for another base URL/,
      {
        env: { VAGENT_API_KEY: '' },
        arrange: keyCommand('true'),
        ...nothingSent('no-key'),
      },
    ],
    [
      'a wrong key for the local engine',
      'voice list --api-key-file key',
      /API key is not that of the organization/,
      { files: { key: 'wrong-key' }, error: { code: 'invalid_api_key', status: 401 } },
    ],
    [
      'a 401 from a service',
      `voice list ${at(401)}`,
      /refused \(401\)[\s\S]*vagent doctor --base-url http/,
      { error: { status: 401 } },
    ],
  ],

  5: [
    [
      'an agent that does not exist',
      CALL.join(' ').replace('--agent 1', '--agent 99'),
      /Agent 99 does not exist/,
      { error: { code: 'agent_not_found', status: 404 } },
    ],
    ['a campaign’s agent that does not exist', CAMPAIGN.replace('--agent 1', '--agent 99'), /Agent 99 does not exist/],
    [
      'a number that is not the organization’s',
      CALL.join(' ').replace('+14155550100', '+14155550177'),
      /\+14155550177 is not one of the organization's/,
      { error: { code: 'call_from_not_registered' } },
    ],
    [
      'a campaign’s number that is not the organization’s',
      CAMPAIGN.replace('+14155550100', '+14155550177'),
      /\+14155550177 is not one/,
    ],
    ['a call that is not in the log', 'logs show call_1', /There is no call call_1: 0 calls were/],
    [
      'a voice that does not exist',
      AGENT.replace('--voice 1', '--voice 999'),
      /There is no voice 999/,
      { error: { code: 'voice_not_found' } },
    ],
    ...[...EVERY_GET, CALL.join(' '), CAMPAIGN, AGENT].map(
      (command): Row => [
        `another organization: ${command.split(' --')[0]}`,
        `${command} --org 7`,
        /There is no organization 7/,
        { error: { code: 'organization_not_found', status: 404 } },
      ],
    ),
    [
      'an agent to pause that does not exist',
      'local agent 99 --status paused',
      /Agent 99 does not exist[\s\S]*vagent agent list/,
    ],
    [
      'a number to remove that is not registered',
      'local number remove +14155550177',
      /is not registered[\s\S]*vagent local number list/,
    ],
    [
      'a new profile of an organization that is not there',
      `profile add work ${at(404)} --org 7 --api-key-file key`,
      /refused \(404\).* Nothing was saved\.[\s\S]*→ Check --org/,
      { files: { key: KEY }, ...nothingKept, error: { status: 404 } },
    ],
    [
      'a 404 from a service',
      `voice list ${at(404)}`,
      /refused \(404\)[\s\S]*path of the base URL: vagent doctor --base-url http/,
      { error: { status: 404 } },
    ],
    ['a 404 from a service to a call', [...CALL, ...words(at(404))], /refused \(404\)/],
  ],

  6: [
    ['a call without money', CALL, /balance is 0\.199999, below the minimum of 0\.2/, poor],
    ['a campaign without money', CAMPAIGN, /balance is 0\.199999, below the minimum of 0\.2/, poor],
    [
      'an operation without money',
      `api trigger-call use_agent_id=1 called_to=${NUMBER} call_from=+14155550100 custom_first_line=Hi custom_identifiers=`,
      /below the minimum/,
      poor,
    ],
    ['a 402 from a service', [...CALL, ...words(at(402))], /refused \(402\)[\s\S]*Top up/, { error: { status: 402 } }],
    ['a 402 from a service to a campaign', `${CAMPAIGN} --yes ${at('402/posts')}`, /refused \(402\)/],
  ],

  7: [
    ...Object.entries(EVERY_POST).flatMap(([name, post]): Row[] => [
      [
        `${name}: a port that nobody listens on`,
        [...post, '--base-url', 'http://127.0.0.1:1'],
        /connection was refused.*Nothing was sent/,
      ],
      [
        `${name}: TLS that is refused`,
        [...post, '--base-url', `https://127.0.0.1:${servicePort}`],
        /Cannot reach.*Nothing was sent/,
      ],
      [
        `${name}: a 429`,
        [...post, ...words(at('429/posts'))],
        /refused \(429\)[\s\S]*wait/,
        { error: { status: 429 } },
      ],
    ]),
    [
      'call: a name that does not resolve',
      [...CALL, '--base-url', 'https://nowhere.invalid'],
      /name does not resolve.*Nothing was sent/,
    ],
    ...EVERY_GET.flatMap((get): Row[] => [
      [`${get}: a port that nobody listens on`, `${get} --base-url http://127.0.0.1:1`, /the connection was refused/],
      [`${get}: a 500`, `${get} ${at(500)}`, /500.*As told: 500/, { error: { status: 500 } }],
    ]),
    ...['http://127.0.0.1:1', 'https://nowhere.invalid', `https://127.0.0.1:${servicePort}`].map(
      (url): Row => [
        `a new profile at ${url.replace(/\d+$/, '…')}`,
        `profile add work --base-url ${url} --org 7 --api-key-file key`,
        /Cannot reach.*Nothing was saved\.\n {2}→ Check --base-url/,
        { files: { key: KEY }, ...nothingKept },
      ],
    ),
    [
      'a new profile at a service that hangs',
      `profile add work ${at('hang')} --org 7 --api-key-file key --timeout 3`,
      /no full answer within 3 s.*\. Nothing was saved\./,
      { files: { key: KEY }, ...nothingKept },
    ],
    ['a 429', `voice list ${at(429)}`, /refused \(429\)[\s\S]*wait/, { error: { status: 429 } }],
    [
      'a redirect',
      `voice list ${at('redirect')}`,
      /redirect \(302\), which is never followed[\s\S]*base URL/,
      nothingSent('elsewhere'),
    ],
    [
      'fewer calls than the service counts',
      `logs export ${at('gap')}`,
      /counts 5 calls but showed 0/,
      { error: { code: 'incomplete' } },
    ],
  ],

  8: [
    [
      'a call that the local engine fails',
      CALL.join(' ').replace(NUMBER, '+14155550199'),
      /\+14155550199[\s\S]*Do not repeat it blindly/,
    ],
    ...Object.entries(EVERY_POST).flatMap(([name, post]): Row[] => [
      [
        `${name}: a 500`,
        [...post, ...words(at('500/posts'))],
        /failed at .* \(500\): As told: 500\.[\s\S]*Do not repeat it blindly/,
        { error: { code: 'outcome_unknown', status: 500 } },
      ],
      [
        `${name}: no answer`,
        [...post, ...words(at('cut/posts'))],
        new RegExp(
          `connection was cut.*may have been carried out[^]*vagent ${name === 'agent create' ? 'agent' : 'logs'} list`,
        ),
        { error: { code: 'outcome_unknown' } },
      ],
    ]),
    [
      'a redirect of a call',
      [...CALL, ...words(at('redirect'))],
      /redirect \(302\), which is never followed/,
      nothingSent('elsewhere'),
    ],
  ],

  9: [
    [
      'a contacts file that is missing',
      CAMPAIGN.replace('contacts.csv', 'nowhere.csv'),
      /Cannot read nowhere\.csv: it does not exist/,
    ],
    ['a contacts file that is a folder', CAMPAIGN.replace('contacts.csv', '.'), /Cannot read \.: it is a folder/],
    ['a body that is missing', 'api create-agent --input nowhere.json', /Cannot read nowhere\.json: it does not exist/],
    [
      'an export into a folder that is missing',
      'logs export --out nowhere/calls.csv',
      /Cannot write nowhere\/calls\.csv: its folder does not exist/,
    ],
    ['an export over a folder', 'logs export --out .', /Cannot write \.: it is not an ordinary file/],
    [
      'an export to a device',
      'logs export --out /dev/full',
      /Cannot write \/dev\/full: it is not an ordinary file[\s\S]*standard output/,
    ],
    [
      'an export from a service that fails leaves no file',
      `logs export --out nowhere/calls.csv ${at('unused')}`,
      /Cannot write/,
      nothingSent('unused'),
    ],

    ['a store that is a file', 'local status --store contacts.csv', /contacts\.csv/],
    ['a store below a file', 'voice list --store contacts.csv/store', /a part of the path is a file/],
    [
      'a store that holds other files',
      [...CALL, '--store', 'photos'],
      /photos is not a store of vagent's[\s\S]*empty or new folder/,
      {
        files: { 'photos/cat.jpg': 'miaow' },
        isInHome: true,
        after: (home) => expect(readdirSync(join(home, 'photos'))).toEqual(['cat.jpg']),
      },
    ],
    [
      'a reset of a folder that holds other files',
      'local reset --yes --store photos',
      /photos is not a store of vagent's/,
      {
        files: { 'photos/cat.jpg': 'miaow', 'photos/calls/a.ndjson': 'mine' },
        isInHome: true,
        after: (home) =>
          expect(readdirSync(join(home, 'photos'), { recursive: true }).sort()).toEqual([
            'calls',
            'calls/a.ndjson',
            'cat.jpg',
          ]),
      },
    ],
    [
      'a store that is damaged',
      'local status',
      /The store is damaged: .*store\.json is not JSON/,
      store('{"format":1,"resets"'),
    ],
    [
      'a store of a later vagent',
      'local status',
      /has format 99, newer than this vagent reads/,
      store('{"format":99}', 'store_too_new'),
    ],
    ['a store served that is damaged', 'serve --port 0', /The store is damaged/, store('')],

    [
      'a config file that others may read',
      'voice list',
      /config\.json can be read or changed by others \(mode 644\)[\s\S]*chmod 600 .*config\.json/,
      {
        before: ['profile add home --local'],
        arrange: (home) => chmodSync(join(home, CONFIG), 0o644),
        error: { code: 'config_mode' },
      },
    ],
    [
      'a config file that is no JSON',
      'voice list',
      /config\.json is not JSON/,
      { before: ['profile add home --local'], arrange: (home) => writeFileSync(join(home, CONFIG), 'home: local') },
    ],
    [
      'a config folder that is a file',
      'profile add home --local',
      /Cannot .*contacts\.csv/,
      { env: { VAGENT_CONFIG_DIR: 'contacts.csv' } },
    ],
    [
      'a port that is taken',
      `serve --port ${servicePort}`,
      /Cannot listen on 127\.0\.0\.1:\d+: the port is taken[\s\S]*--port 0/,
      { error: { code: 'cannot_listen' } },
    ],
    ['an address that is not this machine’s', 'serve --port 0 --host 203.0.113.9', /this machine has no such address/],
  ],
};

/** Values that no flag takes: one sentence serves a person and a program, so one run shows both. */
const malformed: Row[] = [
  ['a number without its +', `call 4155550100 ${CALL.slice(2, 6).join(' ')} --first-line Hi`, /4155550100.*E\.164/],
  ['a number with letters', `call +1415555abcd ${CALL.slice(2, 6).join(' ')} --first-line Hi`, /\+1415555abcd.*E\.164/],
  ['a number too long', 'call +1234567890123456', /E\.164/],
  ['a from number of nowhere', ['call', NUMBER, '--from', '415 555 0100'], /--from.*E\.164/],
  ['a from number in words', ['call', NUMBER, '--from', 'mine'], /--from.*is not a phone number/],
  ['an agent by name', `call ${NUMBER} --agent Ava`, /--agent.*integer, 1 or more/],
  ['an agent beyond what a double holds', `call ${NUMBER} --agent 99999999999999999999`, /--agent.*integer/],
  ['an empty first line', [...CALL.slice(0, -1), ''], /--first-line.*must not be empty/],
  ['a blank first line', [...CALL.slice(0, -1), '  '], /--first-line.*must not be empty/],
  ['an empty name', ['campaign', 'create', '--name', ''], /--name.*must not be empty/],
  ['no pace', `${CAMPAIGN} --calls-per-hour 0`, /--calls-per-hour.*1 or more/],
  ['negative retries', `${CAMPAIGN} --retry-attempts=-1`, /--retry-attempts.*0 or more/],
  [
    'a delay in years',
    `${CAMPAIGN} --retry-delay 1y`,
    /--retry-delay.*90, 90s, 15m, 2h, 3d or 1w, not '1y'\. Did you mean 365d\?/,
  ],
  ['a wait in words', [...CALL, '--wait', '--wait-timeout', 'long'], /--wait-timeout.*duration/],
  ['a limit of 0', 'logs list --limit 0', /--limit.*1 to 1000/],
  ['a limit beyond the maximum', 'logs list --limit 1001', /--limit.*1 to 1000/],
  ['an empty limit', ['logs', 'list', '--limit', ''], /--limit.*1 to 1000/],
  ['an unknown status', 'agent list --status asleep', /--status.*active, draft, paused/],
  ['an unknown gender', 'voice list --gender any', /--gender.*male, female/],
  ['an unknown format', 'voice list -o yaml', /--output.*table, json, ndjson, csv, tsv, ids/],
  ['an unknown export format', 'logs export --format xml', /--format.*csv, ndjson, json/],
  ['no deadline', 'voice list --timeout 0', /--timeout.*above 0/],
  ['a deadline of a month', 'voice list --timeout 30d', /--timeout.*below 24 days/],
  ['organization 0', 'voice list --org 0', /--org.*1 or more/],
  [
    'unknown columns of voices',
    'voice list --fields voice_id,nope',
    /unknown nope\.[\s\S]*voice_id, voice_name, language/,
  ],
  ['unknown columns of agents', 'agent list --fields nope', /unknown nope\.[\s\S]*agent_id, agent_name/],
  ['unknown columns of calls', 'logs list --fields nope,neither', /unknown nope, neither\.[\s\S]*call_id, agent_id/],
  ['unknown columns of an export', 'logs export --fields nope', /unknown nope\.[\s\S]*call_id, agent_id/],
  ['unknown columns of profiles', 'profile list --fields nope', /unknown nope\.[\s\S]*name, mode/],
  ['unknown columns of a result', [...AGENT.split(' '), '--fields', 'nope'], /unknown nope\.[\s\S]*agent_id/],
  ['no columns', ['voice', 'list', '--fields', ''], /--fields.*must not be empty/],
  ['a port too high', 'serve --port 65536', /--port.*0 to 65535/],
  ['latency of a month, longer than a timer waits', 'serve --latency 30d', /--latency.*below 24 days/],
  ['a wait of a month', `call +14155550123 --wait --wait-timeout 30d`, /--wait-timeout.*below 24 days/],
  ['an unknown fault', 'serve --fault trigger-call:fire', /--fault.*reset-after/],
  ['a fault of no operation', 'serve --fault hang-up:500', /--fault.*<operation>:<fault>/],
  ['a fault that is a success', 'serve --fault trigger-call:200', /--fault.*400 to 599/],
  ['no money', 'local topup 0', /decimal above 0/],
  ['money in scientific notation', 'local topup 1e3', /decimal above 0/],
  ['money too fine', 'local topup 0.0000001', /at most 6 decimals/],
  ['money to take away', 'local topup -- -5', /decimal above 0/],
];

function store(root: string, code = 'store_damaged'): More {
  return {
    files: { [STORE]: root },
    error: { code },
    after: (home) => expect(readFileSync(join(home, STORE), 'utf8')).toBe(root),
  };
}

/** Puts a program `vault` where the profile's key command finds it. */
function keyCommand(script: string) {
  return (home: string) => {
    writeFileSync(join(home, 'vault'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const base_url = `${service.url}/vaulted`;
    const work = { mode: 'remote', base_url, organization_id: 7, api_key_command: join(home, 'vault') };
    mkdirSync(dirname(join(home, CONFIG)), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, CONFIG), JSON.stringify({ active: 'work', profiles: { work } }), { mode: 0o600 });
  };
}

/** An operator at work: the local engine is chosen, a key and an organization are there for whatever service is named. */
async function arranged({ env, files, before = [], arrange }: More, operator: Operator) {
  const settled = { VAGENT_LOCAL: '1', VAGENT_API_KEY: KEY, VAGENT_ORG_ID: '7', ...env };
  for (const [path, content] of Object.entries({ 'contacts.csv': CONTACTS, ...files })) {
    mkdirSync(dirname(join(operator.home, path)), { recursive: true });
    writeFileSync(join(operator.home, path), content);
  }
  for (const line of before) {
    const { code, stderr } = await operator.run(words(line), { env: { VAGENT_LOCAL: '1' }, cwd: shared });
    expect(stderr, line).not.toContain('vagent: ');
    expect(code, line).toBe(0);
  }
  arrange?.(operator.home);
  return settled;
}

/** Where rows run side by side. */
const shared = temporaryFolder();
writeFileSync(join(shared, 'contacts.csv'), CONTACTS);
writeFileSync(join(shared, 'key'), KEY);

/** Of each exit code, the first row starts the program. */
function runRow(at: number, operator: Operator, args: readonly string[], options: RunOptions): Promise<Outcome> {
  return at === 0 ? operator.runProgram(args, options) : operator.run(args, options);
}

function planAt({ isInHome }: More, { home }: Operator): string {
  return isInHome ? home : shared;
}

/** The command line of a row, its own files by their whole paths. */
function lineOf(args: Row[1], { files = {} }: More, { home }: Operator): string[] {
  return words(args).map((word) => (Object.hasOwn(files, word) ? join(home, word) : word));
}

// Before the tables, so that they run while it waits.
describe.concurrent('a store that another process holds', () => {
  const operator = new Operator();
  const locks = createRequire(import.meta.url)('fs-native-extensions') as { tryLock(fd: number): boolean };

  test('exit 9 after waiting, naming the holder', async () => {
    await operator.run(['local', 'topup', '1']);
    const fd = openSync(join(operator.home, dirname(STORE), 'lock'), 'a+');
    expect(locks.tryLock(fd)).toBe(true);
    const { code, stdout, stderr } = await operator.runProgram([...CALL, '--local']);
    expect(stderr).toMatch(/The store is locked by .*local topup 1.*; waited 10 s\.\n {2}→ Try again/);
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
    const read = await operator.run(['logs', 'list', '--local']);
    expect(read.code, 'reading needs no lock').toBe(0);
  });
});

describe.concurrent('exit 0', () => {
  for (const [at, [name, args, says, more = {}]] of done.entries()) {
    const operator = new Operator();
    test(name, async () => {
      const env = await arranged(more, operator);
      const options = { env, input: more.input ?? '', cwd: planAt(more, operator) };
      const { code, stdout, stderr } = await runRow(at, operator, lineOf(args, more, operator), options);
      expect(stderr).not.toContain('vagent: ');
      expect(code).toBe(0);
      expect(stdout).toMatch(says);
      expect(stdout + stderr).not.toContain(KEY);
      more.after?.(operator.home);
    });
  }
});

describe.concurrent('exit 2 for a value', () => {
  const operator = new Operator();
  for (const [name, args, says] of malformed) {
    test(name, async () => {
      const { code, stdout, stderr } = await operator.run(['--json', ...words(args)], {
        env: { VAGENT_LOCAL: '1' },
        cwd: shared,
      });
      expectOneError(stderr, { code: 'usage', exit_code: 2 });
      const { message, hint } = parseOne(stderr).error;
      expect(`${message}\n${hint}`).toMatch(says);
      expectClearTalk(`vagent: ${message}\n`);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    });
  }
});

for (const [exitCode, rows] of Object.entries(failures)) {
  describe.concurrent(`exit ${exitCode}`, () => {
    for (const [at, [name, args, says, more = {}]] of rows.entries()) {
      const operator = new Operator();
      test(name, async () => {
        const env = await arranged(more, operator);
        const options = { env, input: more.input ?? '', cwd: planAt(more, operator) };
        const line = lineOf(args, more, operator);
        const told = await runRow(at, operator, line, options);
        expect(told.stderr).toMatch(says);
        expect(told.code).toBe(Number(exitCode));
        expect(told.stdout).toBe('');
        expectClearTalk(told.stderr);
        more.after?.(operator.home);
        expect(await exitCodesInHelp(line)).toContain(exitCode);

        // What was left unknown would keep the same from being sent again.
        for (const name of ['vagent.db', 'vagent.db-wal', 'vagent.db-shm']) {
          rmSync(join(operator.home, '.local/state/vagent', name), { force: true });
        }
        const asJson = await operator.run(['--json', ...line], options);
        expect(asJson.code).toBe(Number(exitCode));
        expect(asJson.stdout).toBe('');
        expect(asJson.stderr).not.toContain(KEY);
        expectOneError(asJson.stderr, { exit_code: Number(exitCode), ...more.error });
        more.after?.(operator.home);
      });
    }
  });
}

const help = new Operator();

/** The exit codes that the help of a command line's command names; every code where there is no such command. */
async function exitCodesInHelp(line: readonly string[]): Promise<string[]> {
  const typed = `${line.join(' ')} `;
  const command = [...commandSummaries().keys()].find((path) => typed.includes(`${path} `));
  if (command === undefined) return Object.keys(failures);
  const { stdout } = await help.run([...command.split(' '), '--help'], { columns: 1000, isTerminal: true });
  const [, codes = ''] = /^Exit codes: (.*)$/m.exec(stdout) ?? [];
  return codes.split('; ').map((code) => code.split(' ')[0] ?? '');
}

/** A sentence first, nothing of the program's inside, nothing that commands a terminal. */
function expectClearTalk(stderr: string): void {
  const sentence = stderr.split('\n').find((line) => line.startsWith('vagent: '));
  expect(sentence).toMatch(/^vagent: \S.*[.?!]$/);
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(stderr).not.toMatch(/undefined|\[object|NaN/);
  expect(stderr).not.toContain(KEY);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
}

const ERROR_FIELDS = ['code', 'message', 'hint', 'status', 'exit_code', 'issues'];

/** All of stderr is one JSON object of the documented shape. */
function expectOneError(stderr: string, parts: object): void {
  const value = parseOne(stderr);
  expect(Object.keys(value)).toEqual(['error']);
  const { error } = value;
  expect(ERROR_FIELDS).toEqual(expect.arrayContaining(Object.keys(error)));
  expect(error).toMatchObject({
    code: expect.stringMatching(/^[a-z0-9_]+$/),
    message: expect.stringMatching(/\S/),
    issues: expect.any(Array),
    ...parts,
  });
  for (const issue of error.issues as unknown[]) {
    expect(issue).toEqual({ field: expect.any(String), message: expect.any(String) });
  }
}

function parseOne(stderr: string): { error: Record<string, unknown> } {
  try {
    return JSON.parse(stderr);
  } catch {
    throw new Error(`stderr is not one JSON object:\n${stderr}`);
  }
}

describe.concurrent('errors for programs', () => {
  const operator = new Operator();

  test('the note that the local engine serves does not stand beside the JSON error', async () => {
    const { code, stderr } = await operator.run([...CALL, '--agent', '99', '--json']);
    expect(code).toBe(5);
    expectOneError(stderr, { exit_code: 5 });
  });

  test.each([['--json'], ['-o', 'json'], ['-ojson'], ['--output', 'json'], ['--output=json'], ['-qo', 'json']])(
    '%s %s',
    async (...flags) => {
      const { stderr } = await operator.run(['local', 'agent', '99', '--status', 'paused', ...flags]);
      expectOneError(stderr, { exit_code: 5 });
    },
  );

  test('a value that reads --json asks for none', async () => {
    const { stderr } = await operator.run([...CALL.slice(0, -2), '--first-line=--json', '--agent', '99', '--local']);
    expect(stderr).toBe('vagent: Agent 99 does not exist.\n');
  });

  test('more faults than a person reads are all there for a program', async () => {
    const bad = `phone_number\n${Array.from({ length: 50 }, (_, at) => `x${at}\n`).join('')}`;
    const args = [...words(CAMPAIGN.replace('contacts.csv', '-')), '--local'];
    const told = await operator.run(args, { input: bad });
    expect(told.stderr.split('\n').filter((line) => line.startsWith('  line '))).toHaveLength(20);
    expect(told.stderr).toMatch(/and 30 more/);
    const { stderr } = await operator.run([...args, '--json'], { input: bad });
    expect(parseOne(stderr).error.issues).toHaveLength(50);
  });
});

describe.concurrent('Ctrl-C', () => {
  const env = { VAGENT_API_KEY: KEY, VAGENT_ORG_ID: '7' };

  interface Interrupted {
    name: string;
    args: string | string[];
    input?: string | Buffer;
    /** Where a signal comes to the program; elsewhere it is told as `bin` tells it. */
    isProgram?: true;
    says: RegExp;
  }

  const interrupted: Interrupted[] = [
    {
      name: 'while a list hangs',
      args: `voice list ${at('hang/1')}`,
      isProgram: true,
      says: /^vagent: Interrupted\.\n$/,
    },
    {
      name: 'while an export hangs',
      args: `logs export --out calls.csv ${at('hang/2')}`,
      says: /^vagent: Interrupted\.\n$/,
    },
    {
      name: 'while a call hangs',
      args: [...CALL, ...words(at('hang/3'))],
      isProgram: true,
      says: /may have been carried out[\s\S]*Do not repeat it blindly/,
    },
    {
      name: 'while a campaign hangs',
      args: `${CAMPAIGN} --yes ${at('hang/posts')}`,
      says: /may have been carried out[\s\S]*Do not repeat it blindly/,
    },
    {
      name: 'while the key of a new profile is tried',
      args: `profile add work ${at('hang/7')} --org 7 --api-key-file -`,
      input: KEY,
      says: /^vagent: Interrupted\. Nothing was saved\.\n$/,
    },
    {
      name: 'while doctor waits for the service',
      args: `doctor ${at('hang/8')} --json`,
      says: /"code":"interrupted"/,
    },
  ];

  for (const { name, args, input, isProgram, says } of interrupted) {
    const operator = new Operator();
    test(`${name}: exit 130`, async () => {
      await arranged({}, operator);
      const begin = isProgram ? UnderWay.program : UnderWay.here;
      const command = begin(operator, words(args), { env, ...(input === undefined ? {} : { input }) });
      await arrival(words(args));
      const { code, signal, stdout, stderr } = await command.interrupt();
      expect(stderr).toMatch(says);
      expect({ code, signal, stdout }).toEqual({ code: 130, signal: null, stdout: '' });
      expect(stderr).not.toContain(KEY);
      expect(readdirSync(operator.home).filter((file) => file.startsWith('calls.csv'))).toEqual([]);
      nothingKept.after?.(operator.home);
    });
  }

  for (const args of [
    ['voice', 'list', ...words(at('hang/5'))],
    [...CALL, ...words(at('hang/6'))],
  ]) {
    const operator = new Operator();
    test(`${args[0]}, for a program`, async () => {
      const command = UnderWay.here(operator, [...args, '--json'], { env });
      await arrival(args);
      expectOneError((await command.interrupt()).stderr, { code: 'interrupted', exit_code: 130 });
    });
  }

  const reader = new Operator();
  test('while contacts are awaited from standard input', async () => {
    const child = reader.start([...words(CAMPAIGN.replace('contacts.csv', '-')), '--local']);
    const ended = finished(child);
    // More than a pipe holds: all of it is taken only when reading has begun.
    await new Promise((taken) => child.stdin?.write(CONTACTS.repeat(20_000), taken));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stdout: '', stderr: 'vagent: Interrupted.\n' });
  });

  const host = new Operator();
  test('while serving, which is how it ends: exit 0', async () => {
    const server = UnderWay.program(host, ['serve', '--port', '0'], { env });
    const [url] = await server.lines(1);
    expect(url).toMatch(/^url\thttp/);
    const { code, signal, stderr } = await server.interrupt();
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(stderr).toMatch(/End with Ctrl-C\.\n$/);
  });

  const twice = new Operator();
  test('while serving, with a request under way', async () => {
    const server = UnderWay.program(twice, ['serve', '--port', '0', '--fault', '*:hang']);
    const [line = ''] = await server.lines(1);
    const url = line.replace('url\t', '');
    const hanging = twice.run(['voice', 'list', '--base-url', url, '--timeout', '60'], { env, cwd: shared });
    const { answer } = await sendAccepted(url, 'GET /get-voices');
    const outcomes = Promise.all([hanging, answer]);
    expect(await server.interrupt()).toMatchObject({ code: 0 });
    expect(await outcomes).toMatchObject([{ code: 7 }, { body: '' }]);
  });
});

/** Resolves once the service has received the request that `args` make. */
async function arrival(args: readonly string[]): Promise<void> {
  const { pathname } = new URL(args[args.indexOf('--base-url') + 1] ?? '');
  const isIt = ({ path }: { path: string }) => path.startsWith(pathname) && !path.endsWith('/posts/get-agents');
  while (!service.received.some(isIt)) await sleep(10);
}

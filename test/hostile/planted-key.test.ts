/**
 * The key rides in the query of every GET and in the body of every POST, and services repeat what they were sent: in error
 * messages, redirects, cookies, pages, even in the data. Whatever they repeat, and however they spell it, no byte of the key
 * is to reach the screen or a file other than the config.
 *
 * Each command meets every third kind of answer, in modes that go round, so that each command and each kind of answer meets
 * each mode. A full run has every command × every kind × every mode: some minutes.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { commandSummaries } from '../../src/program.ts';
import { casesBeside, wordsIn } from '../support/cases.ts';
import {
  type Arrived,
  type FaultyService,
  type Reply,
  replies,
  response,
  startFaultyService,
} from '../support/faulty-service.ts';
import { IS_FULL } from '../support/full-matrix.ts';
import { aCall } from '../support/hostile-log.ts';
import { READING_LINES } from '../support/operations.ts';
import { Operator, type Outcome, temporaryFolder } from '../support/program.ts';
import { playHere } from '../support/terminal.ts';

const cases = casesBeside(import.meta.filename);

/** Characters that are escaped in one format or another, between two parts that betray what is left of it. */
const KEY = 'sk-PLANTED/9f+="<&x\\PLANTED';
const ORGANIZATION = '7';

// How a service spells the key ------------------------------------------------------------------------------------------

const inHtml: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const code = (character: string, radix: number) => (character.codePointAt(0) as number).toString(radix);

const SPELLINGS: Record<string, (key: string) => string> = {
  'as it is': (key) => key,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (key) => encodeURIComponent(key).replace(/%../g, (byte) => byte.toLowerCase()),
  'percent-encoded but for the slash, as Python does it': (key) => key.split('/').map(encodeURIComponent).join('/'),
  'as a field of a form, as the program itself sends it': (key) => new URLSearchParams({ '': key }).toString().slice(1),
  'percent-encoded twice, as in an address inside an address': (key) => encodeURIComponent(encodeURIComponent(key)),
  'in base64': (key) => Buffer.from(key).toString('base64'),
  'in base64, percent-encoded': (key) => encodeURIComponent(Buffer.from(key).toString('base64')),
  'in base64 with escaped slashes, as PHP does it': (key) => Buffer.from(key).toString('base64').replaceAll('/', '\\/'),
  'in base64 for URLs': (key) => Buffer.from(key).toString('base64url'),
  'in base64 after the organization, as Basic authentication': (key) =>
    Buffer.from(`${ORGANIZATION}:${key}`).toString('base64'),
  'as JSON': (key) => JSON.stringify(key).slice(1, -1),
  'as JSON in JSON': (key) => JSON.stringify(JSON.stringify(key)).slice(1, -1),
  'as JSON with escaped slashes, as PHP does it': (key) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
  'as JSON without what HTML minds, as Go and .NET do it': (key) =>
    key.replace(/["&<>+\\]/g, (character) => `\\u${code(character, 16).padStart(4, '0')}`),
  'in HTML': (key) => key.replace(/[&<>"]/g, (character) => inHtml[character] ?? ''),
  'in HTML by numbers': (key) => key.replace(/[^A-Za-z0-9]/g, (character) => `&#${code(character, 10)};`),
  'in HTML by hexadecimal numbers': (key) =>
    key.replace(/[^A-Za-z0-9]/g, (character) => `&#x${code(character, 16).toUpperCase()};`),
  'in HTML in JSON without what HTML minds': (key) =>
    key.replace(/[&<>"]/g, (character) => inHtml[character] ?? '').replaceAll('&', '\\u0026'),
  'in HTML in an address': (key) => encodeURIComponent(key.replace(/[&<>"]/g, (character) => inHtml[character] ?? '')),
  'in CSV': (key) => key.replaceAll('"', '""'),
};

/** All spellings in one text; what cuts it short cuts at another place with every `turn`. */
function everySpelling(turn: number): string {
  const all = Object.values(SPELLINGS).map((spell) => spell(KEY));
  const at = turn % all.length;
  return [...all.slice(at), ...all.slice(0, at)].join(' | ');
}

/** Parts of the key that no other text has: those left by any spelling of it, and those inside its base64. */
function tracesOf(key: string, plain: readonly string[]): string[] {
  const encoded = ['', ' ', '  '].map((before) =>
    Buffer.from(before + key)
      .toString('base64')
      .slice(4, 16),
  );
  return [...plain, ...encoded].map((trace) => trace.toLowerCase());
}
const TRACES = tracesOf(KEY, ['PLANTED']);

/** Where a text shows something of the key, and what stands around it. */
function leaksIn(where: string, text: string, traces: readonly string[] = TRACES): string[] {
  const lower = text.toLowerCase();
  return traces.flatMap((trace) => {
    const at = lower.indexOf(trace);
    return at === -1 ? [] : [`${where}: …${text.slice(Math.max(0, at - 40), at + 60)}…`];
  });
}

/** Only these may hold the key: the config, and what the test itself wrote. */
const MAY_HOLD_IT = ['.config/vagent/config.json', 'key'];

function leaksOf({ stdout, stderr }: Pick<Outcome, 'stdout' | 'stderr'>, home: string, traces = TRACES): string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(home.length + 1));
  return [
    ...leaksIn('stdout', stdout, traces),
    ...leaksIn('stderr', stderr, traces),
    ...paths.flatMap((path) => leaksIn('the name of a file', path, traces)),
    ...paths
      .filter((path) => !MAY_HOLD_IT.includes(path))
      .flatMap((path) => leaksIn(path, readFileSync(join(home, path), 'latin1'), traces)),
  ];
}

// What a service answers ------------------------------------------------------------------------------------------------

/** An answer that pleases every operation, with a text at every place that takes one. */
function pleasant(text: string, calls: object[] = [aCall(filledWith(text))], total = calls.length): object {
  return {
    success: true,
    ...{ sip_trunk_id: text, sip_call_to: text, room_name: text, participant_identity: text, participant_name: text },
    ...{ campaign_id: 9, campaign_name: text, status: text, total_contacts: 2 },
    ...{ agent_id: 5, agent_name: text },
    agents: [{ agent_id: 5, agent_name: text, agent_description: text, status: text, language: text, [text]: text }],
    voices: [{ voice_id: 2, voice_name: text, language: text, accent: text, preview_url: text, [text]: [text] }],
    ...{ calls, total, limit: calls.length, offset: 0 },
    [text]: { [text]: [text] },
  };
}

function filledWith(text: string): object {
  return {
    ...{
      call_status: 'completed',
      call_outcome: text,
      transcript: `Agent: ${text}\nUser: ${text}`,
      recording_url: text,
    },
    ...{ timestamp: new Date().toISOString(), debug: { [text]: [text] }, [text]: text },
  };
}

function complaint(text: string): object {
  const issues = [{ field: text, message: text }];
  return { error: text, code: text, message: `No: ${text}`, detail: text, issues, [text]: text };
}

const headersWith = (text: string) => ({
  location: `/login?next=${text}`,
  'set-cookie': `session=${text}; Path=/`,
  'retry-after': text,
  date: text,
  'www-authenticate': `Basic realm="${text}"`,
  'x-request': `/get-call-logs?api_key=${text}`,
  'content-type': `application/json; key=${text}`,
});

type Answering = (text: string, request: Arrived) => Buffer;

const says =
  (
    status: number,
    body: (text: string) => object | string,
    headers: Record<string, string | number | undefined> = {},
  ): Answering =>
  (text) => {
    const value = body(text);
    const bytes = typeof value === 'string' ? value : JSON.stringify(value);
    return response({ status, headers: { ...headersWith(text), ...headers }, body: bytes });
  };

const page = (text: string) =>
  `<!doctype html><html><title>${text}</title><h1>${text}</h1><a href="/?k=${text}">…</a></html>`;

interface Kind {
  answer: Answering;
  /** After the answer: the connection ends, or stays open and says nothing more. */
  after?: 'end' | 'silence';
  flags?: string[];
  /** A GET that is answered so is not tried again. */
  isFinal?: true;
}

const offsetOf = ({ query }: Arrived) => Number(query.get('offset') ?? 0);

/** A GET is tried three times, and after a good answer until its time is over: kinds that are no refusal take a while. */
const KINDS: Record<string, Kind> = {
  '200 with the key in every text': { answer: says(200, (text) => pleasant(text)) },
  '200 with the key in every identifier': {
    answer: says(200, (text) =>
      pleasant(text, [aCall({ ...filledWith(text), call_id: text, called_to: text, call_from: text })]),
    ),
  },
  'one page with the key, then a 500': {
    answer: (text, request) =>
      offsetOf(request) === 0 && request.method === 'GET'
        ? says(200, () => pleasant(text, [aCall(filledWith(text))], 3))(text, request)
        : says(500, complaint)(text, request),
    flags: ['--timeout', '3s'],
  },
  '200 of wrong types': {
    answer: says(200, (text) => ({ ...pleasant(text), success: text, calls: text, agents: [text] })),
  },
  '200 with success false': { answer: says(200, (text) => ({ success: false, ...complaint(text) })) },
  '200 with a web page': { answer: says(200, page, { 'content-type': 'text/html' }) },
  '200 cut short': {
    answer: (text, request) => says(200, () => pleasant(text))(text, request).subarray(0, -20),
    after: 'end',
  },
  '200 without a length, cut inside the key': {
    answer: says(200, (text) => JSON.stringify(pleasant(text)).slice(0, -20), { 'content-length': undefined }),
    after: 'end',
  },
  '200 that never ends': {
    answer: (text, request) => says(200, () => pleasant(text))(text, request).subarray(0, -20),
    after: 'silence',
    flags: ['--timeout', '3s'],
    isFinal: true,
  },
  '400 with issues': { answer: says(400, complaint) },
  '401 in plain text': { answer: says(401, (text) => `No such key: ${text}`, { 'content-type': 'text/plain' }) },
  '402 as a list': { answer: says(402, (text) => [text, text]) },
  '403 as a web page': { answer: says(403, page, { 'content-type': 'text/html' }) },
  '404 in a field nobody knows': { answer: says(404, (text) => ({ [text]: { [text]: text } })) },
  '409 nested': { answer: says(409, (text) => ({ errors: [{ detail: { error: text } }] })) },
  '429': { answer: says(429, complaint, { 'retry-after': 0 }) },
  '500': { answer: says(500, complaint) },
  '503 in plain text, so long that it is cut': { answer: says(503, (text) => `x ${text} `.repeat(50)) },
  '302 to the same address with the key': { answer: says(302, complaint), isFinal: true },
  '307 to another origin': {
    answer: says(307, complaint, { location: `http://127.0.0.1:9/?api_key=${encodeURIComponent(KEY)}` }),
    isFinal: true,
  },
  'no HTTP': { answer: (text) => Buffer.from(`${text}\r\n\r\n${text}`), after: 'end' },
  'the key beside the status, and in a field name': {
    answer: (text) => Buffer.from(`HTTP/1.1 500 ${text}\r\n${text}: ${text}\r\n\r\n${text}`),
    after: 'end',
  },
  'a header of 20 KB': {
    answer: says(200, (text) => pleasant(text), { 'x-long': KEY.repeat(800) }),
    isFinal: true,
  },
  'an encoding named after it': {
    answer: says(200, (text) => pleasant(text), { 'content-encoding': KEY }),
    isFinal: true,
  },
  '401 in gzip': {
    answer: (text) => {
      const body = gzipSync(JSON.stringify(complaint(text)));
      return response({ status: 401, headers: { ...headersWith(text), 'content-encoding': 'gzip' }, body });
    },
  },
  'a chunk that is not one': {
    answer: (text) =>
      Buffer.concat([
        response({
          headers: { 'transfer-encoding': 'chunked', 'content-length': undefined },
          body: `5;k="${text}"\r\n{"a":\r\n`,
        }),
        Buffer.from(`${text}\r\n`),
      ]),
    after: 'end',
  },
  'a reset': { answer: () => Buffer.alloc(0), after: 'end' },
};

async function serving<T>(reply: Reply, use: (service: FaultyService) => Promise<T>): Promise<T> {
  const service = await startFaultyService({ reply });
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}

function replying({ answer, after }: Kind, text: string): Reply {
  return (socket, request) => {
    const bytes = answer(text, request);
    if (after === 'end') socket.end(bytes);
    else socket.write(bytes);
  };
}

// What is run -----------------------------------------------------------------------------------------------------------

type Mode = 'plain' | '--verbose' | '--json';
const MODES: Mode[] = ['plain', '--verbose', '--json'];
/** Of commands that are told another format. */
const LINES: Mode[] = ['plain', '--verbose'];
const flagsOf = (mode: Mode) => (mode === 'plain' ? [] : [mode]);

interface Command {
  /** What is run one after the other. */
  lines: string[][];
  modes: Mode[];
  /** Never ends by itself. */
  isEndless?: true;
  /** Has its key from elsewhere than the settings, and need not speak to the service. */
  isSelfContained?: true;
}

/** People paste it into texts, too. */
const PASTED = `Hello, the key is ${KEY}.`;
/** What placeholders stand for: words, and what may have spaces in it. */
const WORDS: Record<string, string> = {
  CALL: 'call +14155550123 --agent 3 --from +14155550100 --first-line {PASTED}',
  CALL_FIELDS: 'use_agent_id=3 called_to=+14155550123 call_from=+14155550100 custom_first_line=Hi.',
  CAMPAIGN: '--name {PASTED} --agent 3 --from +14155550100 --contacts ~/contacts.csv --yes',
  WINDOW: '--window 00:00-24:00',
  CONNECTION: `--base-url {url} --org ${ORGANIZATION}`,
};
const TEXTS: Record<string, string> = { KEY, PASTED, CAT: 'cat ~/key' };
const wordsOf = (line: string) => wordsIn(line, WORDS, TEXTS);
const linesOf = (...lines: string[]): Command => ({ lines: lines.map(wordsOf), modes: MODES });

type Row = [name: string, lines: string[], more?: Omit<Command, 'lines' | 'modes'> & { isLines?: true }];
const COMMANDS: Record<string, Command> = {
  ...Object.fromEntries(
    cases<Row>('commands').map(([name, lines, { isLines, ...more } = {}]) => [
      name,
      { ...linesOf(...lines), ...(isLines && { modes: LINES }), ...more },
    ]),
  ),
  ...Object.fromEntries(READING_LINES.map((line) => [line, linesOf(line)])),
};

/** Neither send the key nor show what a service answered; the lists of completion are held against a key where they are tested. */
const OTHERS =
  /^(local |contacts |profile (list|use|show|remove)|(campaign rehearse|plan schedule|serve|api|commands|help|completion)$)/;

test('every command that asks a service is among these', () => {
  const met = Object.values(COMMANDS).flatMap(({ lines }) => lines.map((words) => words.join(' ')));
  const missing = [...commandSummaries().keys()].filter(
    (path) => !met.some((line) => line.startsWith(path)) && !OTHERS.test(path),
  );
  expect(missing).toEqual([]);
});

/** Where the program has the key from; what stands in the environment or the home. */
const SOURCES: Record<string, { env?: Record<string, string>; flags?: string[]; profile?: object }> = {
  environment: { env: { VAGENT_API_KEY: KEY } },
  '--api-key-file': { flags: ['--api-key-file', '~/key'] },
  profile: { profile: { api_key: KEY } },
  api_key_command: { profile: { api_key_command: 'cat ~/key' } },
};

const SOURCE_NAMES = Object.keys(SOURCES);

/** Commands in one working folder run side by side: files are named from the home. */
const cwd = temporaryFolder();

const atHome = ({ home }: Operator, text: string) => text.replaceAll('~/', `${home}/`);

/** A home of somebody who has the key from there, and whose settings lead to the service. */
function operatorWith(source: string, { url }: FaultyService): { operator: Operator; flags: string[] } {
  const { env = {}, flags = [], profile } = SOURCES[source] ?? {};
  const connection = { VAGENT_BASE_URL: url, VAGENT_ORG_ID: ORGANIZATION };
  const operator = new Operator({ cwd, env: profile === undefined ? { ...connection, ...env } : {} });
  writeFileSync(join(operator.home, 'key'), `${KEY}\n`);
  writeFileSync(join(operator.home, 'contacts.csv'), 'phone_number\n+14155550190\n+14155550191\n');
  if (profile !== undefined) keepProfile(operator, url, profile);
  return { operator, flags };
}

function keepProfile(operator: Operator, url: string, profile: object): void {
  const folder = join(operator.home, '.config/vagent');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const work = { mode: 'remote', base_url: `${url}/`, organization_id: Number(ORGANIZATION), ...profile };
  const config = atHome(operator, JSON.stringify({ active: 'work', profiles: { work } }));
  writeFileSync(join(folder, 'config.json'), config, { mode: 0o600 });
}

/** Runs a command that never ends, until the service had so many requests of it. */
async function runUntil(
  operator: Operator,
  args: string[],
  service: FaultyService,
  requests: number,
): Promise<Outcome> {
  const before = service.requests.length;
  const interrupt = new AbortController();
  const ended = operator.run(args, { signal: interrupt.signal });
  let isOver = false;
  ended.finally(() => {
    isOver = true;
  });
  await vi.waitUntil(() => isOver || service.requests.length >= before + requests, { timeout: 120_000 });
  interrupt.abort();
  return ended;
}

/** Runs lines in a home whose key comes from `source`, against a service of that kind; everything that shows of the key. */
async function leaksAfter(
  { lines, isEndless }: Command,
  { source, mode, kind, text }: { source: string; mode: Mode; kind: Kind; text: string },
): Promise<{ leaks: string[]; outcomes: Outcome[]; sent: unknown[] }> {
  const answers = replying(kind, text);
  const agents = [{ agent_id: 3, agent_name: text, status: 'active' }];
  const showsAgents = replies({ body: JSON.stringify({ success: true, agents, total: 1 }) });
  // A campaign is sent, and a plan made, only where its agent is found.
  const isCampaign = /^(campaign|plan) create/.test(lines[0]?.join(' ') ?? '');
  const reply: Reply = (socket, request) =>
    (isCampaign && request.path.endsWith('/get-agents') ? showsAgents : answers)(socket, request);
  return serving(reply, async (service) => {
    const { operator, flags } = operatorWith(source, service);
    const outcomes: Outcome[] = [];
    const leaks: string[] = [];
    for (const line of lines) {
      const words = [...line, ...flags, ...flagsOf(mode), ...(kind.flags ?? [])];
      const args = words.map((word) => atHome(operator, word.replace('{url}', service.url)));
      // The first request of the next look: then all is said of the first, which tries three times.
      const enough = kind.isFinal ? 2 : 4;
      const outcome = isEndless ? await runUntil(operator, args, service, enough) : await operator.run(args);
      outcomes.push(outcome);
      leaks.push(...leaksOf(outcome, operator.home));
    }
    return { leaks, outcomes, sent: service.requests.map(keyOf) };
  });
}

function keyOf({ query, body }: Arrived): unknown {
  return query.get('api_key') ?? (JSON.parse(body) as { api_key: unknown }).api_key;
}

interface Cell {
  name: string;
  command: Command;
  kindName: string;
  mode: Mode;
  /** Counts on from cell to cell. */
  turn: number;
}

/** Cells so far apart, others in each run: every command and every kind of answer still meets every mode. */
const APART = 6;
const FIRST = Date.now() % APART;
const CELLS: Cell[] = Object.entries(COMMANDS).flatMap(([name, command], row) =>
  Object.keys(KINDS).flatMap((kindName, column) => {
    const turn = FIRST + row + column;
    const { modes } = command;
    if (IS_FULL) return modes.map((mode) => ({ name, command, kindName, mode, turn }));
    const mode = modes[(turn / APART) % modes.length] as Mode;
    return turn % APART === 0 ? [{ name, command, kindName, mode, turn }] : [];
  }),
);

describe.concurrent('planted in every kind of answer to every command', () => {
  for (const { name, command, kindName, mode, turn } of CELLS) {
    const kind = KINDS[kindName] as Kind;
    const source = command.isSelfContained
      ? 'nowhere'
      : (SOURCE_NAMES[Math.floor(turn / APART) % SOURCE_NAMES.length] as string);
    test(`${name} ${mode} × ${kindName}, the key from ${source}`, async () => {
      const { leaks, outcomes, sent } = await leaksAfter(command, { source, mode, kind, text: everySpelling(turn) });
      expect(leaks).toEqual([]);
      for (const { code, stdout, stderr } of outcomes) {
        expect(code, stderr).not.toBe(1);
        if (mode === '--json' && code === 0 && stdout !== '' && !command.isEndless) JSON.parse(stdout);
      }
      // The service had it to repeat.
      if (!command.isSelfContained) expect([...new Set(sent)]).toEqual([KEY]);
    });
  }

  test('each command and each kind of answer met each mode', () => {
    const met = new Set(CELLS.flatMap(({ name, kindName, mode }) => [`${name} ${mode}`, `${kindName} ${mode}`]));
    const wanted = [
      ...Object.entries(COMMANDS).flatMap(([name, { modes }]) => modes.map((mode) => `${name} ${mode}`)),
      ...Object.keys(KINDS).flatMap((kindName) => MODES.map((mode) => `${kindName} ${mode}`)),
    ];
    expect(wanted.filter((pair) => !met.has(pair))).toEqual([]);
  });
});

const PLEASED = KINDS['200 with the key in every text'] as Kind;

describe.concurrent('what is said before anything is sent', () => {
  // An api_key_command is not run for it: the key is not known then.
  for (const source of ['environment', '--api-key-file', 'profile']) {
    for (const [at, line] of ['{CALL}', 'campaign create {CAMPAIGN}'].entries()) {
      // Each in one mode, and all modes among them.
      const mode = MODES[(at + SOURCE_NAMES.indexOf(source)) % MODES.length] as Mode;
      test(`${line} --dry-run ${mode}, the key from ${source}`, async () => {
        const cell = { source, mode, kind: PLEASED, text: KEY };
        const { leaks, outcomes, sent } = await leaksAfter(linesOf(`${line} --dry-run`), cell);
        expect({ leaks, codes: outcomes.map(({ code }) => code), sent }).toEqual({ leaks: [], codes: [0], sent: [] });
      });
    }
  }

  const slips = [
    ...['{KEY}', 'call {KEY}', 'logs list --agent {KEY}', 'voice list --api-key {KEY}', 'voice list --api-key={KEY}'],
    ...['api get-voices api_key={KEY}', 'voice list --profile {KEY}'],
  ];
  for (const source of ['environment', 'profile']) {
    for (const line of slips) {
      test.each(['plain', '--json'] as const)(`pasted as vagent ${line} %s, the key from ${source}`, async (mode) => {
        const { leaks, outcomes } = await leaksAfter(linesOf(line), { source, mode, kind: PLEASED, text: KEY });
        expect({ leaks, codes: outcomes.map(({ code }) => code) }).toEqual({ leaks: [], codes: [2] });
      });
    }
  }
});

/** Others who wait for the lock are told the command line of whoever holds it. */
test('what is noted of a command in a lock', async () => {
  for (const before of ['', 'x'.repeat(90)]) {
    const operator = new Operator({ env: { VAGENT_LOCAL: '1', VAGENT_API_KEY: KEY } });
    const args = ['call', '+14155550123', '--agent', '1', '--from', '+14155550100', '--first-line', before + PASTED];
    expect(await operator.run(args)).toMatchObject({ code: 0 });
    const lock = readFileSync(join(operator.home, '.local/state/vagent/store/lock'), 'utf8');
    expect(lock).toContain('vagent call');
    expect(leaksIn('lock', lock)).toEqual([]);
  }
});

describe.concurrent('profiles', () => {
  const USED = ['voice list --profile work', 'profile list', 'profile show work', 'profile use work', 'profile show'];
  for (const source of ['--api-key-file ~/key', '--api-key-command {CAT}']) {
    test.each(MODES)(`added with ${source}, used, shown and removed: %s`, async (mode) => {
      const command = linesOf(`profile add work {CONNECTION} ${source}`, ...USED, 'profile remove work');
      const cell = { source: 'nowhere', mode, kind: PLEASED, text: everySpelling(0) };
      const { leaks, outcomes, sent } = await leaksAfter(command, cell);
      expect(leaks).toEqual([]);
      expect(outcomes.map(({ code }) => code)).toEqual(command.lines.map(() => 0));
      expect(sent).toContain(KEY);
    });
  }

  /** Its stderr is for the person to see, whatever it is. */
  test.each([
    ['prints the key, tells it, and fails', 'cat ~/key; echo "no: $(cat ~/key)" >&2; exit 1', 4],
    ['prints the key and traces what it does', 'set -x; echo "$(cat ~/key)"', 0],
  ])('an api_key_command that %s', async (_name, script, code) => {
    await serving(replying({ answer: says(200, pleasant) }, 'x'), async (service) => {
      const { operator } = operatorWith('profile', service);
      keepProfile(operator, service.url, { api_key_command: script });
      const outcome = await operator.run(['voice', 'list', '--verbose', '--profile', 'work']);
      expect(outcome).toMatchObject({ code });
      expect(leaksOf(outcome, operator.home)).toEqual([]);
    });
  });
});

const settingsFor = ({ url }: FaultyService, key: string) => ({
  ...{ VAGENT_LOCAL: '', VAGENT_BASE_URL: url, VAGENT_ORG_ID: ORGANIZATION, VAGENT_API_KEY: key },
});

/** One spelling at a time: which of them is not known for what it is. */
describe.concurrent('each spelling by itself', () => {
  const NASTY = `${KEY} é'PLANTED`;
  test.each(Object.entries(SPELLINGS))('%s', async (_name, spell) => {
    const said = `before ${spell(NASTY)} after`;
    const reply: Reply = (socket, { method }) => {
      const [status, body] = method === 'GET' ? [200, pleasant(said)] : [404, { message: said }];
      socket.write(response({ status, body: JSON.stringify(body) }));
    };
    await serving(reply, async (service) => {
      const operator = new Operator({ cwd, env: settingsFor(service, NASTY) });
      const failed = await operator.run(wordsOf('{CALL}').map((word) => word.replace(KEY, NASTY)));
      expect(failed.stderr).toMatch(/before .* after/);
      const listed = await operator.run(['logs', 'list', '--json']);
      expect(JSON.parse(listed.stdout)).toMatchObject({ calls: [{ transcript: expect.stringMatching('before') }] });
      const both = { stdout: listed.stdout, stderr: failed.stderr + listed.stderr };
      expect(leaksOf(both, operator.home, tracesOf(NASTY, ['PLANTED']))).toEqual([]);
    });
  });
});

/** A terminal is narrow: what is cut or wrapped before it is masked is not known for what it is. */
describe.concurrent('at a terminal', () => {
  test.each(['logs list', 'logs show call_1', 'logs stats', 'agent list', 'voice list'])('%s', async (line) => {
    await serving(replying(PLEASED, everySpelling(0)), async (service) => {
      const operator = new Operator();
      const env = settingsFor(service, KEY);
      const { code, text } = await playHere(operator, line.split(' '), [], { env, columns: 60 });
      expect(code, text).toBe(0);
      expect(text).toContain('API_KEY');
      expect(leaksOf({ stdout: text.replace(/\s+/g, ''), stderr: '' }, operator.home)).toEqual([]);
    });
  });
});

/** As a number it may be any number: in the data it stays one, and elsewhere it is not shown. */
describe.concurrent('a key of digits', () => {
  const DIGITS = '8317264509';
  const number = Number(DIGITS);
  const issues = [{ field: DIGITS, message: DIGITS }];
  const refusal = { error: DIGITS, code: number, message: `Key ${DIGITS}: no.`, detail: number, issues };
  const calls = [{ ...aCall(filledWith(DIGITS)), call_id: number, agent_id: number }];
  const answers: Record<string, [status: number, body: object]> = {
    'a refusal': [400, refusal],
    'a number for a message': [500, { message: number }],
    'an answer that cannot be read': [200, { success: number, agents: number }],
    'an answer with the key as a number and as a text': [
      200,
      { ...pleasant(DIGITS, calls), ...{ agent_id: number, campaign_id: number, request: number } },
    ],
  };
  const names = ['call', 'campaign create', 'logs list', 'api get-call-logs', 'logs sync, NDJSON'];
  for (const [row, [kind, [status, body]]] of Object.entries(answers).entries()) {
    for (const [column, name] of names.entries()) {
      const mode = (row + column) % 2 === 0 ? '--verbose' : '--json';
      test(`${name} ${mode} × ${kind}`, async () => {
        const bytes = response({ status, headers: headersWith(DIGITS), body: JSON.stringify(body) });
        await serving(
          (socket) => void socket.write(bytes),
          async (service) => {
            const operator = new Operator({ cwd, env: settingsFor(service, DIGITS) });
            writeFileSync(join(operator.home, 'contacts.csv'), 'phone_number\n+14155550190\n');
            const state = join(operator.home, 'state');
            mkdirSync(state);
            const args = (COMMANDS[name]?.lines[0] ?? []).map((word) => atHome(operator, word.replaceAll(KEY, DIGITS)));
            const env = { VAGENT_STATE_DIR: state };
            const { code, stdout, stderr } = await operator.run([...args, mode], { env });
            expect(code, stderr).not.toBe(1);
            expect(leaksOf({ stdout: '', stderr }, state, tracesOf(DIGITS, [DIGITS]))).toEqual([]);
            expect(service.requests.map(keyOf)).toContain(DIGITS);
            // What stands in the place of a number must be one.
            if (mode === '--json' && stdout !== '') JSON.parse(stdout);
          },
        );
      });
    }
  }
});

/**
 * Named connections, and who wins where settings disagree: flag, environment, active profile, default. What wins is read
 * off the request that a real server receives, or off the store that the local engine opens.
 */
import { execSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { casesBeside } from '../support/cases.ts';
import { sendJson, startServer } from '../support/http.ts';
import { BIN, Operator, type Outcome } from '../support/program.ts';

const service = await startServer((_request, response) => {
  sendJson(response, 200, { success: true, voices: [], calls: [], agents: [], total: 0 });
});

const cases = casesBeside(import.meta.filename, { URL: service.url });
const WORK = `${service.url}/work`;
const NIGHT = `${service.url}/night`;
const OTHER = `${service.url}/other`;

/** Each key says where it comes from; none is part of another. */
const KEYS = { work: 'key-of-work', night: 'key-of-night', env: 'key-from-environment', file: 'key-from-file' };

function add(operator: Operator, args: string, key?: string, env: Record<string, string> = {}): Promise<Outcome> {
  const words = ['profile', 'add', ...args.split(' '), ...(key === undefined ? [] : ['--api-key-file', '-'])];
  return operator.run(words, { input: key ?? '', env });
}

async function succeeds(outcome: Promise<Outcome>): Promise<Outcome> {
  const settled = await outcome;
  expect(settled.stderr).not.toContain('vagent: ');
  expect(settled.code).toBe(0);
  return settled;
}

/** Three profiles: `work` is active, `night` is another service, `drill` a local engine with a store of its own. */
async function withProfiles(operator: Operator): Promise<void> {
  await succeeds(add(operator, `work --base-url ${WORK} --org 7`, KEYS.work));
  await succeeds(add(operator, `night --base-url ${NIGHT} --org 8`, KEYS.night));
  await succeeds(add(operator, `drill --local --store drill-store`));
}

const configPath = ({ home }: Operator) => join(home, '.config/vagent/config.json');

interface Choice {
  name: string;
  flags?: string;
  env?: Record<string, string>;
  /** Without any profile. */
  isNewcomer?: true;
}

describe('flag, then environment, then the active profile', () => {
  const operator = new Operator();
  const poor = new Operator();
  beforeAll(async () => {
    await withProfiles(operator);
    for (const { home } of [operator, poor]) writeFileSync(join(home, 'key'), `${KEYS.file}\n`, { mode: 0o600 });
  });

  /** `sent`: base URL, organization and key that the service sees. */
  type Sent = Choice & { input?: string; sent: [url: string, org: string, key: string] };
  const choices = cases<Sent>('what wins');

  test.each(choices)('$name', async ({ flags, env = {}, input = '', sent, isNewcomer }) => {
    service.received.length = 0;
    const args = ['voice', 'list', '--json', ...(flags?.split(' ') ?? [])];
    const outcome = await (isNewcomer ? poor : operator).run(args, { env, input });
    expect(outcome.stderr).toBe(isNewcomer || flags?.includes('--profile') ? '' : noteOf(sent));
    const [request] = service.received;
    const url = `${service.url}${request?.path.replace('/get-voices', '')}`;
    expect([url, request?.query.get('organization_id'), request?.query.get('api_key')]).toEqual(sent);
  });

  /** What says which of the profiles decides, where one does. */
  function noteOf([url, org]: Sent['sent']): string {
    const name = { [WORK]: 'work', [NIGHT]: 'night' }[url];
    return name === undefined ? '' : `Profile ${name}: ${new URL(url).host}, organization ${org}.\n`;
  }

  test('a failure names the profile first, for a person, and stands alone for a program, as what asks no service', async () => {
    const flags = ['--api-key-file', 'nowhere'];
    const told = await operator.run(['voice', 'list', ...flags]);
    expect(told.stderr).toMatch(/^Profile work: 127\.0\.0\.1:\d+, organization 7\.\nvagent: /);
    const { stderr } = await operator.run(['voice', 'list', '--json', ...flags]);
    expect(JSON.parse(stderr).error.exit_code).toBe(4);
    for (const silent of ['voice list --quiet', 'profile list', 'local status'])
      expect((await succeeds(operator.run(silent.split(' ')))).stderr).toBe('');
  });

  const refused = cases<[name: string, env: Record<string, string>, flags: string]>('a key that stays');
  test.each(refused)('a profile’s key is never sent to %s', async (_name, env, flags) => {
    service.received.length = 0;
    const { code, stderr } = await operator.run(['voice', 'list', ...flags.split(' ').filter(Boolean)], { env });
    expect(stderr).toMatch(/No API key is set.*The key of profile work is for another base URL/);
    expect({ code, sent: service.received.length }).toEqual({ code: 4, sent: 0 });
  });
});

describe('the simulator', () => {
  const operator = new Operator();
  const newcomer = new Operator();
  beforeAll(() => withProfiles(operator));

  const chosen = cases<Choice & { stderr?: string }>('the simulator');
  test.each(chosen)('$name', async ({ flags, env = {}, isNewcomer, stderr: said = '' }) => {
    const stderr = said.replace('$HOME', operator.home);
    service.received.length = 0;
    const args = ['agent', 'list', '--fields', 'agent_name', ...(flags?.split(' ') ?? [])];
    const outcome = await (isNewcomer ? newcomer : operator).run(args, { env });
    expect(outcome).toEqual({ code: 0, signal: null, stdout: 'Demo Agent\n', stderr });
    expect(service.received).toEqual([]);
  });

  const stores = cases<[name: string, flags: string, env: Record<string, string>, store: string]>('stores');
  test.each(stores)('its store: %s', async (_name, flags, env, store) => {
    const atHome = Object.fromEntries(
      Object.entries(env).map(([name, path]) => [name, path.replace('$HOME', operator.home)]),
    );
    const args = ['local', 'topup', '1', ...flags.split(' ').filter(Boolean)];
    await succeeds(operator.run(args, { env: atHome }));
    expect(existsSync(join(operator.home, store, 'store.json'))).toBe(true);
    await succeeds(operator.run(['local', 'reset', '--yes', ...args.slice(3)], { env: atHome }));
    const status = await operator.json<{ store: string }>(['local', 'status', ...args.slice(3)], { env: atHome });
    expect(join(operator.home, store).endsWith(status.store.replace(/^\.\//, ''))).toBe(true);
  });

  test('a profile’s store is the same from wherever it is used', async () => {
    mkdirSync(join(operator.home, 'elsewhere'));
    await succeeds(
      operator.run(['local', 'topup', '1', '--profile', 'drill'], { cwd: join(operator.home, 'elsewhere') }),
    );
    expect(readdirSync(join(operator.home, 'elsewhere'))).toEqual([]);
  });

  test('a base URL and no key is never taken for it', async () => {
    const outcome = await newcomer.run(['agent', 'list'], { env: { VAGENT_BASE_URL: OTHER, VAGENT_ORG_ID: '1' } });
    expect(outcome).toMatchObject({ code: 4, stdout: '' });
    expect(outcome.stderr).not.toContain('Simulator');
  });
});

describe.concurrent('the config folder is the owner’s alone', () => {
  test('whatever the umask', async () => {
    const careless = new Operator();
    const before = process.umask(0);
    const adding = add(careless, `work --base-url ${WORK} --org 7`, KEYS.work);
    process.umask(before);
    await succeeds(adding);
    const mode = (path: string) => (fs.statSync(join(careless.home, path)).mode & 0o777).toString(8);
    expect(['.config/vagent', '.config/vagent/config.json'].map(mode)).toEqual(['700', '600']);
  });

  // Only the system's administrator can give a file away.
  describe.skipIf(process.geteuid?.() !== 0)('and another user’s is refused', () => {
    const NOBODY = 65534;
    const mine = new Operator();
    test.each(['.config/vagent', '.config/vagent/config.json'])('%s', async (path) => {
      const stolen = new Operator();
      await succeeds(add(stolen, 'drill --local'));
      fs.chownSync(join(stolen.home, path), NOBODY, NOBODY);
      const { code, stderr } = await stolen.run(['profile', 'list']);
      expect(stderr).toMatch(/belongs to another user \(65534\)\.\n {2}→ .*chown 0 \S+\n/);
      expect(code).toBe(9);
      execSync(/chown 0 \S+/.exec(stderr)?.[0] ?? 'false');
      await succeeds(stolen.run(['profile', 'list']));
    });

    test('where it cannot even be looked into, it is not taken for missing', async () => {
      await succeeds(add(mine, 'drill --local'));
      const script = `"${process.execPath}" "${BIN}" voice list --json`;
      fs.chmodSync(mine.home, 0o755);
      const env = { PATH: process.env.PATH ?? '', HOME: mine.home };
      const { status, stderr } = spawnSync('sh', ['-c', script], { env, uid: NOBODY, gid: NOBODY, encoding: 'utf8' });
      expect(JSON.parse(stderr).error.message).toMatch(/^Cannot read .*config\.json: permission is denied\.$/);
      expect(status).toBe(9);
    });
  });
});

describe.concurrent('the file of the profiles', () => {
  const crowded = new Operator();
  test('keeps every one of six that are added at once', async () => {
    const names = Array.from({ length: 6 }, (_none, at) => `p${at}`);
    const added = await Promise.all(names.map((name) => crowded.runProgram(['profile', 'add', name, '--local'])));
    expect(added.map(({ code, stderr }) => [code, stderr.includes('vagent: ')])).toEqual(names.map(() => [0, false]));
    const { active, profiles } = JSON.parse(readFileSync(configPath(crowded), 'utf8'));
    expect(Object.keys(profiles).sort()).toEqual(names.sort());
    expect(names).toContain(active);
    expect(readdirSync(join(crowded.home, '.config/vagent'))).toEqual(['config.json']);
  });
});

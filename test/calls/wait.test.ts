/**
 * A call and the wait for its entry: which entry it is, when the wait ends, and that whoever waits always learns that the call
 * is placed. The built program waits on real servers whose log changes from look to look; its clock stands still.
 */
import type { ServerResponse } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { FIRST_PAUSE, mayBe, nextPause } from '../../src/calls/wait.ts';
import type { CallLogEntry } from '../../src/contract.ts';
import { casesBeside } from '../support/cases.ts';
import { aCall, type LogCall } from '../support/hostile-log.ts';
import { type Answer, type Received, sendJson } from '../support/http.ts';
import { finished, type Outcome, temporaryFolder } from '../support/program.ts';
import { type Shop as AnyShop, shopOf } from '../support/shop.ts';
import { play } from '../support/terminal.ts';

const tables = casesBeside(import.meta.filename);

/** Commands in one working folder run side by side: files are named from the home. */
const cwd = temporaryFolder();

const frozenAt = '2026-11-20T09:00:00Z';
const TO = '+14155550123';
const FROM = '+14155550100';
const CALL = ['call', TO, '--agent', '3', '--from', FROM, '--first-line', 'Hello.', '--wait'];

describe('which entry may be that of a call', async () => {
  const request = { use_agent_id: 3, called_to: TO, call_from: FROM, custom_first_line: 'x', custom_identifiers: '' };
  const placed = { request, at: Date.parse(frozenAt), earlier: new Set(['earlier']) };
  const entries = tables<[name: string, fields: Partial<LogCall>, may: boolean]>('which entry may be that of a call');
  test.each(entries)('%s', (_name, fields, may) => {
    const call = aCall({ timestamp: frozenAt, ...fields }) as CallLogEntry;
    expect(mayBe(call, placed)).toBe(may);
  });
});

test('the pauses grow from one second to ten', () => {
  const pauses = [FIRST_PAUSE];
  while (pauses.length < 9) pauses.push(nextPause(pauses.at(-1) ?? 0));
  expect(pauses.map((pause) => Math.round(pause))).toEqual([1000, 1500, 2250, 3375, 5063, 7594, 10000, 10000, 10000]);
});

/** What the service answers to a look at its log: the log, or a failure. */
type Sight = readonly LogCall[] | ((response: ServerResponse) => void);

interface Service {
  /** The log before the call; nothing where left out. */
  before?: Sight | undefined;
  /** The log at each look after the call, the last one from then on. */
  after?: readonly Sight[] | undefined;
  /** The answer to the call, where it is not the usual one. */
  trigger?: (response: ServerResponse) => void;
}

interface Shop extends AnyShop {
  /** The calls that were placed. */
  placed(): Received[];
  /** When the latest was, in milliseconds of this process. */
  placedAt(): number;
  /** How often the log was looked at from its beginning. */
  looks(): number;
}

async function setUp({ before = [], after = [[]], trigger }: Service): Promise<Shop> {
  let sight = before;
  let looks: number | undefined;
  let at = 0;
  const answer: Answer = ({ path, query }, response) => {
    if (path === '/trigger-call') {
      looks = 0;
      at = performance.now();
      if (trigger !== undefined) return trigger(response);
      return sendJson(response, 200, { success: true, room_name: 'room-7', sip_call_to: TO });
    }
    const offset = Number(query.get('offset'));
    if (offset === 0 && looks !== undefined) sight = after[Math.min(looks++, after.length - 1)] ?? [];
    if (typeof sight === 'function') return sight(response);
    const calls = sight.slice(offset);
    sendJson(response, 200, { success: true, calls, total: sight.length, limit: calls.length, offset });
  };
  const shop = await shopOf(answer, { cwd, frozenAt });
  const { server } = shop;
  const placed = () => server.received.filter(({ path }) => path === '/trigger-call');
  const looked = () => server.received.filter(({ query }) => query.get('offset') === '0').length;
  return { ...shop, placed, placedAt: () => at, looks: looked };
}

const failing = (status: number) => (response: ServerResponse) => sendJson(response, status, { message: 'Not now.' });
const hanging = () => {};

const LOOK = `vagent logs list --to ${TO} --from ${FROM} --agent 3 --start-date 2026-11-19`;
const entry = (fields: Partial<LogCall> = {}) => aCall({ call_id: 'new', timestamp: frozenAt, ...fields });

/** The fields of entries, the status of a failure, or a connection that is cut or hangs. */
type Told = Partial<LogCall>[] | number | 'cut' | 'hangs';

function seen(told: Told): Sight {
  if (typeof told === 'number') return failing(told);
  return told === 'cut' ? (response) => void response.destroy() : told === 'hangs' ? hanging : told.map(entry);
}

interface Case {
  before?: Told;
  after?: Told[];
  args?: string[];
  code: number;
  /** The call_id and status of the entry that is printed; none where left out. */
  prints?: string;
  /** What stderr says. */
  says?: RegExp[];
  hides?: RegExp;
  /** Seconds after the call. */
  atMost?: number;
  /** Looks at the log: one before the call, the others after it. */
  looks?: number;
}

const cases = tables<[name: string, waiting: Case]>('a wait, look by look');

describe.concurrent('the wait', async () => {
  for (const [name, { args = [], code, prints, says = [], hides, looks, atMost = 60, before, after }] of cases) {
    const shop = await setUp({ before: before === undefined ? [] : seen(before), after: after?.map(seen) });
    test(`${name}: exit ${code}`, async () => {
      const outcome = await shop.operator.run([...CALL, '--fields', 'call_id,call_status', ...args]);
      const [id, status] = outcome.stdout.split('\n').map((line) => line.split('\t')[1]?.trim());
      expect(id === undefined ? undefined : `${id} ${status}`).toBe(prints);
      for (const pattern of says) expect(outcome.stderr).toMatch(pattern);
      if (hides !== undefined) expect(outcome.stderr).not.toMatch(hides);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
      expect(outcome.stderr).not.toMatch(/[\u0007\u001b]/);
      expect(outcome.code).toBe(code);
      expect(performance.now() - shop.placedAt()).toBeLessThan(atMost * 1000);
      expect(shop.placed()).toHaveLength(1);
      if (looks !== undefined) expect(shop.looks()).toBe(looks);
      expect(outcome.stderr).toContain(`The call to ${TO} is placed (room-7); waiting for its entry in the call log.`);
    });
  }
});

describe.concurrent('what is asked of the log', async () => {
  const { operator, server } = await setUp({ after: [[entry()]] });
  test('the calls of the agent, from a day before', async () => {
    await operator.run(CALL);
    const [before, trigger, after] = server.received;
    expect(trigger?.path).toBe('/trigger-call');
    for (const look of [before, after]) {
      expect(Object.fromEntries(look?.query ?? [])).toEqual({
        organization_id: '7',
        api_key: 'key-of-tests',
        start_date: '2026-11-19',
        agent_id: '3',
        limit: '1000',
        offset: '0',
      });
    }
  });
});

describe.concurrent('nothing is placed', async () => {
  type Reason = [name: string, code: number, says: RegExp, args?: string[], before?: Told | object];
  for (const [name, code, says, args = [], before = []] of tables<Reason>('nothing is placed')) {
    const sight: Sight =
      typeof before === 'object' && !Array.isArray(before)
        ? (response) => sendJson(response, 200, { success: true, ...before })
        : seen(before);
    const { operator, placed } = await setUp({ before: sight });
    test(`${name}: exit ${code}`, async () => {
      const outcome = await operator.run([...CALL, ...args]);
      expect(outcome.stderr).toMatch(says);
      expect(outcome).toMatchObject({ code, stdout: '' });
      expect(placed()).toEqual([]);
    });
  }

  describe('--dry-run', async () => {
    const { operator, server } = await setUp({});
    test('prints the request only', async () => {
      const { code, stdout } = await operator.run([...CALL, '--dry-run']);
      expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', body: { called_to: TO } });
      expect({ code, received: server.received }).toEqual({ code: 0, received: [] });
    });
  });

  describe('a call that the service never answers', async () => {
    const { operator, placed } = await setUp({ trigger: hanging });
    test('ends in time with exit code 8, and is not repeated without --force', async () => {
      const began = performance.now();
      const { code, stdout, stderr } = await operator.run([...CALL, '--wait-timeout', '2s', '--timeout', '10m']);
      expect(performance.now() - began).toBeLessThan(9000);
      expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
      expect(stderr).toContain(`The service did not answer within 2 s: the call to ${TO} may be placed.`);
      expect(stderr).toContain(LOOK);
      expect((await operator.run(CALL)).code).toBe(2);
      expect(placed()).toHaveLength(1);
    });
  });

  describe('-o ids', async () => {
    const { operator } = await setUp({ after: [[entry()]] });
    test('is the id of the entry where it is known, and nothing where it is not', async () => {
      expect(await operator.run([...CALL, '-o', 'ids'])).toMatchObject({ code: 0, stdout: 'new\n' });
      const unknown = await operator.run([...CALL.slice(0, -1), '-o', 'ids']);
      expect(unknown).toMatchObject({ code: 0, stdout: '' });
    });
  });

  describe('a call that is refused', async () => {
    const { operator, server } = await setUp({ trigger: failing(402) });
    test('is told as without --wait', async () => {
      const { code, stderr } = await operator.run(CALL);
      expect(stderr).toMatch(/^vagent: \/trigger-call was refused \(402\): Not now\./m);
      expect({ code, requests: server.received.length }).toEqual({ code: 6, requests: 2 });
    });
  });
});

describe.concurrent('for a program', async () => {
  const sent = entry({ cost: 0.35, meta: { attempt: 1 } });
  const whole = await setUp({ after: [[sent]] });
  test('--json is the entry as it was sent', async () => {
    const { code, stdout, stderr } = await whole.operator.run([...CALL, '--json']);
    expect(JSON.parse(stdout)).toEqual(sent);
    expect({ code, stderr: stderr.split('\n').length }).toEqual({ code: 0, stderr: 3 });
  });

  const none = await setUp({});
  test('one error on stderr that says that the call is placed', async () => {
    const { code, stdout, stderr } = await none.operator.run([...CALL, '--json', '--wait-timeout', '4s']);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        ...{ code: 'wait_timeout', exit_code: 12, hint: expect.stringContaining(LOOK) },
        message: expect.stringMatching(/is placed/),
      },
    });
    expect({ code, stdout }).toEqual({ code: 12, stdout: '' });
  });
});

describe.concurrent('Ctrl-C', async () => {
  /** Interrupts a command once the service has received so many requests. */
  const interrupted = async ({ operator, server }: Shop, requests: number, args: string[] = []): Promise<Outcome> => {
    const child = operator.start([...CALL, '--timeout', '10m', ...args]);
    const outcome = finished(child);
    await vi.waitUntil(() => server.received.length >= requests, { timeout: 60_000 });
    child.kill('SIGINT');
    return outcome;
  };

  const moments: [name: string, service: Service, requests: number][] = [
    ['while a look is under way', { after: [hanging] }, 3],
    ['between two looks', { after: [[], []] }, 4],
  ];
  for (const [name, service, requests] of moments) {
    const shop = await setUp(service);
    test(`${name}: exit 130, saying that the call is placed and how to look`, async () => {
      const { code, stdout, stderr } = await interrupted(shop, requests);
      expect(stderr).toMatch(/vagent: Interrupted, but the call to \+14155550123 is placed\.\n/);
      expect(stderr).toContain(`Do not repeat it: see its result with ${LOOK}\n`);
      expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    });
  }

  const early = await setUp({ before: hanging });
  test('before the call: nothing is placed', async () => {
    const { code, stderr } = await interrupted(early, 1);
    expect(stderr).toMatch(/Interrupted\. Nothing was sent\./);
    expect({ code, placed: early.placed() }).toEqual({ code: 130, placed: [] });
  });

  const quiet = await setUp({ after: [hanging] });
  test('is told also with --quiet and --json', async () => {
    const { code, stderr } = await interrupted(quiet, 3, ['--quiet', '--json']);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'interrupted', message: expect.stringMatching(/placed/) },
    });
    expect(code).toBe(130);
  });
});

describe.concurrent('the command that is suggested', async () => {
  const { operator, server } = await setUp({ after: [[], [], [], [], [entry()]] });
  test('names the same service, and shows the call when it has come', async () => {
    const env = { VAGENT_BASE_URL: '', VAGENT_ORG_ID: '' };
    const flags = ['--base-url', server.url, '--org', '7', '--wait-timeout', '4s'];
    const { code, stderr } = await operator.run([...CALL, ...flags], { env });
    const [, suggested = ''] = /with vagent (.*)\n/.exec(stderr) ?? [];
    expect({ code, suggested: `vagent ${suggested}` }).toEqual({
      code: 12,
      suggested: `${LOOK} --base-url ${server.url} --org 7`,
    });
    const list = () => operator.run([...suggested.split(' '), '-o', 'ids'], { env });
    await vi.waitUntil(async () => (await list()).stdout === 'new\n', { timeout: 60_000 });
  });
});

describe.concurrent('on a terminal', async () => {
  const { operator, env } = await setUp({ after: [[], [], [], [entry({ timestamp: null })]] });
  test('the wait shows that it goes on, and leaves nothing of that', async () => {
    const shown = /Waiting for the call log, in seconds: \d+ of 600/;
    const { code, output } = await play(operator, CALL, [/waiting for its entry/, shown, /Call +new/], { env });
    expect(code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
    expect(output.slice(output.lastIndexOf('in seconds'))).toMatch(/\u001b\[[0-2]?K/);
  });
});

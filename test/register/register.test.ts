/**
 * The register of what was sent to real services, and the guards built on it: nobody is called twice because a program was
 * run twice. Seen from outside: what the server receives, what the exit code says, what stands in the file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WrittenLine } from '../../src/register/lines.ts';
import { type Behaviour, type CallingService, setUp } from '../support/calling-service.ts';
import { finished, type Operator, type Outcome, ROOT } from '../support/program.ts';
import { UnderWay } from '../support/under-way.ts';
import { CLOSED_PORT } from '../support/wire.ts';

const TO = '+14155550123';
const CALL = ['call', TO, '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100', '--yes'];
const DEADLINE = ['--timeout', '3s'];

/** The events of a register, short: `1 sent`, `1 accepted`. */
const events = (lines: WrittenLine[]) =>
  lines.map((line) => `${line.entry} ${line.event === 'sent' ? 'sent' : line.outcome}`);

const REFUSED = 2;

/** Ends what is started as soon as its request has arrived: the program with SIGKILL, a command in this process with Ctrl-C. */
async function killedInFlight(
  { operator, next }: CallingService,
  args: string[],
  signal: 'SIGINT' | 'SIGKILL',
): Promise<Outcome> {
  next.behaviour = 'hangs';
  const arrived = new Promise<void>((resolve) => {
    next.arrived = resolve;
  });
  let outcome: Outcome;
  if (signal === 'SIGINT') {
    const command = UnderWay.here(operator, args);
    await arrived;
    outcome = await command.interrupt();
  } else {
    const child = operator.start(args);
    child.stdin?.end();
    const ended = finished(child);
    await arrived;
    child.kill(signal);
    outcome = await ended;
  }
  next.arrived = () => {};
  next.behaviour = 'accepts';
  return outcome;
}

/** Runs commands in processes of their own that begin at the same moment; returns the exit codes. */
async function atOnce(operator: Operator, ofEach: string[][][]): Promise<(number | null)[]> {
  const children = ofEach.map((commands) =>
    spawn(process.execPath, [join(ROOT, 'test/support/commands.mjs'), JSON.stringify(commands)], {
      cwd: operator.home,
      env: operator.environment,
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );
  const outcomes = children.map(finished);
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
  for (const { stdin } of children) stdin.end('\n');
  const lines = (await Promise.all(outcomes)).flatMap(({ stdout }) => stdout.trimEnd().split('\n').slice(1));
  return lines.map((line) => (JSON.parse(line) as { code: number | null }).code);
}

describe.concurrent('what is written down', () => {
  describe('a call', async () => {
    const shop = await setUp();
    const { operator, lines, next, register } = shop;
    test('is on the disk before it arrives, and completed after, in a file of the owner alone', async () => {
      let before: WrittenLine[] = [];
      next.arrived = () => {
        before = lines();
      };
      expect(await operator.run([...CALL, '--identifier', 'crm-7'])).toMatchObject({ code: 0 });
      const request = {
        use_agent_id: 3,
        called_to: TO,
        call_from: '+14155550100',
        custom_first_line: 'Hello.',
        custom_identifiers: 'crm-7',
      };
      const service = `${shop.server.url}/api`;
      const sent = { entry: 1, event: 'sent', service, organization_id: 7, operation: 'trigger-call', request };
      expect(before).toEqual([{ ...sent, at: expect.any(String), by: expect.stringMatching(/^.+@.+$/) }]);
      expect(lines()).toEqual([
        ...before,
        {
          entry: 1,
          event: 'ended',
          at: expect.any(String),
          outcome: 'accepted',
          answer: { success: true },
          clock_ahead: expect.any(Number),
        },
      ]);
      expect(statSync(register).mode & 0o777).toBe(0o600);
      expect(readFileSync(register, 'utf8')).not.toContain('PLANTED');
    });
  });

  describe('a campaign', async () => {
    const { operator, lines } = await setUp();
    test('is told by its contacts, which are counted and hashed, not kept in the register', async () => {
      writeFileSync(join(operator.home, 'c.csv'), 'phone_number\n+14155550190\n+14155550191\n');
      expect(await operator.run([...CREATE, '--contacts', 'c.csv'])).toMatchObject({ code: 0 });
      expect(lines()).toMatchObject([
        {
          operation: 'create-campaign',
          request: { campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100' },
          contacts: { count: 2, file: 'c.csv', file_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        },
        { outcome: 'accepted', answer: { campaign_id: 9, status: 'running' } },
      ]);
      expect(JSON.stringify(lines())).not.toContain('+14155550190');
    });
  });

  describe('what never leaves', async () => {
    const { operator, server, register } = await setUp();
    test('a dry run, a read, a faulty request and the local engine leave no register', async () => {
      const commands = [
        [...CALL, '--dry-run'],
        ['logs', 'list'],
        ['api', 'trigger-call'],
        [...CALL, '--local'],
      ];
      for (const args of commands) await operator.run(args);
      expect(server.received.map(({ method }) => method)).toEqual(['GET']);
      expect(existsSync(register)).toBe(false);
    });
  });

  describe('a register that cannot be written', async () => {
    const { operator, posts } = await setUp();
    test('keeps the call from being sent: exit 9', async () => {
      mkdirSync(join(operator.home, '.local'));
      writeFileSync(join(operator.home, '.local/state'), 'a file where a folder belongs');
      const { code, stderr } = await operator.run(CALL);
      expect(stderr).toMatch(/Cannot write .*register\.jsonl: a part of the path is a file/);
      expect({ code, received: posts() }).toEqual({ code: 9, received: [] });
    });
  });
});

describe.concurrent('a number whose last call is unknown', () => {
  /** What happened before, and whether the next call to the number is sent. */
  const histories: Record<string, { before: { behaviour: Behaviour; force?: true }[]; isSent: boolean }> = {
    'the last call was accepted': { before: [{ behaviour: 'accepts' }], isSent: true },
    'the last call was refused': { before: [{ behaviour: 'refuses' }], isSent: true },
    'the last call met the deadline': { before: [{ behaviour: 'hangs' }], isSent: false },
    'the last call met a 500': { before: [{ behaviour: 'fails' }], isSent: false },
    'an unknown call, then one that was forced and accepted': {
      before: [{ behaviour: 'fails' }, { behaviour: 'accepts', force: true }],
      isSent: true,
    },
    'an unknown call, then one that was forced and refused': {
      before: [{ behaviour: 'fails' }, { behaviour: 'refuses', force: true }],
      isSent: false,
    },
    'an unknown call, then one that was forced and is unknown': {
      before: [{ behaviour: 'fails' }, { behaviour: 'fails', force: true }],
      isSent: false,
    },
    'an accepted call, then an unknown one': {
      before: [{ behaviour: 'accepts' }, { behaviour: 'fails' }],
      isSent: false,
    },
  };
  for (const [name, { before, isSent }] of Object.entries(histories)) {
    describe(name, async () => {
      const { operator, posts, next } = await setUp();
      test(isSent ? 'is called' : 'is refused, saying when and what, and sent with --force', async () => {
        for (const { behaviour, force } of before) {
          next.behaviour = behaviour;
          await operator.run([...CALL, ...DEADLINE, ...(force ? ['--force'] : [])]);
        }
        next.behaviour = 'accepts';
        expect(posts()).toHaveLength(before.length);
        const { code, stdout, stderr } = await operator.run(CALL);
        expect(code, stderr).toBe(isSent ? 0 : REFUSED);
        expect(posts()).toHaveLength(before.length + (isSent ? 1 : 0));
        if (isSent) return;
        expect(stdout).toBe('');
        expect(stderr).toMatch(
          /The last call to \+14155550123 \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+00:00, agent 3, from \+14155550100\) may have been placed/,
        );
        expect(stderr).toMatch(/with vagent logs list --to \+14155550123 --from \+14155550100 --agent 3 --start-date/);
        expect(stderr).toContain('repeat with --force');
        expect(await operator.run([...CALL, '--force'])).toMatchObject({ code: 0 });
        expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      });
    });
  }

  describe('a connection that was refused', async () => {
    const { operator, lines } = await setUp();
    test('leaves nothing unknown', async () => {
      const env = { VAGENT_BASE_URL: `http://127.0.0.1:${CLOSED_PORT}` };
      expect(await operator.run(CALL, { env })).toMatchObject({ code: 7 });
      expect(await operator.run(CALL, { env })).toMatchObject({ code: 7 });
      expect(events(lines())).toEqual(['1 sent', '1 not_sent', '2 sent', '2 not_sent']);
    });
  });

  describe.sequential('other numbers, other services and other ways', async () => {
    const shop = await setUp();
    const elsewhere = await setUp();
    const { operator, server, next } = shop;
    test('are told apart', async () => {
      next.behaviour = 'fails';
      expect(await operator.run(CALL)).toMatchObject({ code: 8 });
      next.behaviour = 'accepts';
      const raw = ['use_agent_id=3', 'call_from=+14155550100', 'custom_first_line=Hi', 'custom_identifiers='];
      const api = ['api', 'trigger-call', `called_to=${TO}`, ...raw];
      const refused = [CALL, api, [...CALL, '--wait'], [...CALL, '--org', '8'], [...CALL, '--agent', '4']];
      for (const args of [...refused, [...CALL, '--base-url', `${server.url}/api/`]]) {
        expect(await operator.run(args), args.join(' ')).toMatchObject({ code: REFUSED });
      }
      expect(await operator.run(['call', '+14155550124', ...CALL.slice(2)])).toMatchObject({ code: 0 });
      expect(await operator.run([...CALL, '--base-url', elsewhere.server.url])).toMatchObject({ code: 0 });
      expect(await operator.run([...CALL, '--dry-run'])).toMatchObject({ code: 0 });
      expect(await operator.run([...api, '--force'])).toMatchObject({ code: 0 });
    });
    test('as JSON: one error, with a code of its own', async () => {
      next.behaviour = 'fails';
      await operator.run(CALL);
      const { stderr } = await operator.run([...CALL, '--json']);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'unknown_call', exit_code: REFUSED } });
    });
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const) {
    describe(`${signal} while the call is under way`, async () => {
      const shop = await setUp();
      test(`exit ${code}, unknown in the register, refused the next time`, async () => {
        const { operator, posts, lines } = shop;
        const outcome = await killedInFlight(shop, CALL, signal);
        expect(outcome.code).toBe(code);
        expect(events(lines())).toEqual(signal === 'SIGINT' ? ['1 sent', '1 unknown'] : ['1 sent']);
        if (signal === 'SIGINT') {
          expect(outcome.stderr).toMatch(
            /Interrupted while \/trigger-call was under way: it may have been carried out/,
          );
          expect(outcome.stderr).toContain(`vagent logs list --to ${TO} --from +14155550100 --agent 3 --start-date`);
        }
        expect(await operator.run(CALL)).toMatchObject({ code: REFUSED });
        expect(posts()).toHaveLength(1);
        expect(await operator.run([...CALL, '--force'])).toMatchObject({ code: 0 });
        expect(posts()).toHaveLength(2);
      });
    });
    describe(`${signal} while a campaign is under way`, async () => {
      const shop = await setUp();
      test(`exit ${code}, unknown in the list, refused the next time`, async () => {
        const { operator, posts } = shop;
        writeFileSync(join(operator.home, 'c.csv'), 'phone_number\n+14155550190\n');
        const create = [...CREATE, '--contacts', 'c.csv'];
        expect(await killedInFlight(shop, create, signal)).toMatchObject({ code });
        expect(await operator.run(create)).toMatchObject({ code: REFUSED });
        expect(posts()).toHaveLength(1);
        const { campaigns } = await operator.json<{ campaigns: unknown[] }>(['campaign', 'list']);
        expect(campaigns).toMatchObject([{ campaign_id: null, campaign_name: 'Spring', outcome: 'unknown' }]);
        expect(await operator.run([...create, '--force'])).toMatchObject({ code: 0 });
      });
    });
  }
});

describe.concurrent('contacts that were sent before', () => {
  const FIRST = ['phone_number,custom_first_line', '+14155550190,Hi Ana.', '+14155550191,Hi Bob.'];
  const csv = (...lines: string[]) => `${lines.join('\n')}\n`;
  const [header, ana, bob] = FIRST as [string, string, string];
  const cid = '+14155550192,Hi Cid.';
  interface Again {
    text?: string;
    flags?: string[];
    /** How many of them were sent before, where they are refused, or how many are sent. */
    shared?: number;
    sends?: number;
  }
  const attempts: Record<string, Again> = {
    'the same file': { shared: 2 },
    'the same file, fewer of its numbers': { flags: ['--exclude', 'never.txt'], shared: 1 },
    'the same file, other texts': { flags: ['--first-line', 'Another text.'], shared: 2 },
    'the same people under another name and pace': { flags: ['--name', 'Autumn', '--calls-per-hour', '5'], shared: 2 },
    'a copy with line ends of Windows': { text: csv(header, ana, bob).replaceAll('\n', '\r\n'), shared: 2 },
    'a copy sorted otherwise': { text: csv(header, bob, ana), shared: 2 },
    'a copy with other first lines': { text: csv(header, '+14155550190,Hi.', '+14155550191,Hi.'), shared: 2 },
    'one person more': { text: csv(header, ana, bob, cid), shared: 2 },
    'one person less': { text: csv(header, ana), shared: 1 },
    'one of them among others': { text: csv(header, cid, bob), shared: 1 },
    'none of them': { text: csv(header, cid), sends: 1 },
    'all of them with --again': { flags: ['--again'], sends: 2 },
    'all of them with --force': { flags: ['--force'], sends: 2 },
    'and one more, with --exclude-sent': { text: csv(header, bob, cid, ana), flags: ['--exclude-sent'], sends: 1 },
  };
  for (const [name, { text, flags = [], shared, sends }] of Object.entries(attempts)) {
    describe(name, async () => {
      const { operator, posts } = await setUp();
      test(sends ? 'are sent' : 'are refused, saying when, as what and who', async () => {
        writeFileSync(join(operator.home, 'never.txt'), '+14155550191\n');
        writeFileSync(join(operator.home, 'c.csv'), csv(...FIRST));
        expect(await operator.run([...CREATE, '--contacts', 'c.csv'])).toMatchObject({ code: 0 });
        if (text !== undefined) writeFileSync(join(operator.home, 'again.csv'), text);
        const file = text === undefined ? 'c.csv' : 'again.csv';
        const { code, stdout, stderr } = await operator.run([...CREATE, '--contacts', file, ...flags]);
        expect(code, stderr).toBe(sends ? 0 : REFUSED);
        expect(posts().map(({ body }) => JSON.parse(body).contacts.length)).toEqual(sends ? [2, sends] : [2]);
        if (sends) return;
        expect(stdout).toBe('');
        expect(stderr).toMatch(
          shared === 2 ? /These 2 numbers were|2 of these 3 numbers were/ : /(1 of these 2 numbers|This number) was/,
        );
        expect(stderr).toMatch(
          /sent before: \d{4}-\d\d-\d\d \S+ \S+ as "Spring", campaign 9 \(\+1415555019\d.*\)\. Nothing was sent\./,
        );
        expect(stderr).toContain('repeat with --again; --exclude-sent leaves them out');
      });
    });
  }

  describe('but refused', async () => {
    const { operator, posts, next } = await setUp();
    test('are sent again', async () => {
      writeFileSync(join(operator.home, 'c.csv'), csv(...FIRST));
      next.behaviour = 'refuses';
      expect(await operator.run([...CREATE, '--contacts', 'c.csv'])).toMatchObject({ code: 6 });
      expect(readdirSync(join(operator.home, '.local/state/vagent/campaigns'))).toEqual([]);
      next.behaviour = 'accepts';
      expect(await operator.run([...CREATE, '--contacts', 'c.csv'])).toMatchObject({ code: 0 });
      expect(posts()).toHaveLength(2);
    });
  });

  describe('to another service, and without a yes', async () => {
    const { operator, posts } = await setUp();
    const elsewhere = await setUp();
    test('another service is sent them; the guard speaks before the yes is missed', async () => {
      writeFileSync(join(operator.home, 'c.csv'), csv(...FIRST));
      const create = [...CREATE, '--contacts', 'c.csv'];
      expect(await operator.run(create)).toMatchObject({ code: 0 });
      expect(await operator.run([...create, '--base-url', elsewhere.server.url])).toMatchObject({ code: 0 });
      const { stderr } = await operator.run(create.filter((word) => word !== '--yes'));
      expect(stderr).toContain('These 2 numbers were sent before');
      const raw = `{"campaign_name":"Raw","agent_id":3,"call_from":"+14155550100","contacts":[{"phone_number":"+14155550191"},{"phone_number":"+14155550190"}]}`;
      expect(await operator.run(['api', 'create-campaign', '--input', '-'], { input: raw })).toMatchObject({
        code: REFUSED,
        stderr: expect.stringContaining('These 2 numbers were sent before'),
      });
      expect(posts()).toHaveLength(1);
    });
  });
});

describe.concurrent('several programs at once', () => {
  describe('16 calls to 16 numbers', async () => {
    const { operator, lines } = await setUp();
    test('lose no entry', async () => {
      const numbers = [...Array(16).keys()].map((at) => `+141555501${String(at).padStart(2, '0')}`);
      const calls = numbers.map((number) => ['call', number, ...CALL.slice(2)]);
      const codes = await atOnce(
        operator,
        [0, 4, 8, 12].map((first) => calls.slice(first, first + 4)),
      );
      expect(codes).toEqual(numbers.map(() => 0));
      const found = lines();
      const sent = found.filter((line) => line.event === 'sent');
      expect(new Set(sent.map(({ entry }) => entry)).size).toBe(16);
      expect(new Set(sent.map(({ request }) => 'called_to' in request && request.called_to))).toEqual(new Set(numbers));
      expect(found).toHaveLength(32);
    });
  });
  describe('6 campaigns of one file', async () => {
    const { operator, posts } = await setUp();
    test('one is sent', async () => {
      writeFileSync(join(operator.home, 'c.csv'), 'phone_number\n+14155550190\n');
      const create = [...CREATE, '--contacts', 'c.csv'];
      const codes = await atOnce(operator, Array(3).fill([create, create]));
      expect(codes.sort()).toEqual([0, ...Array(5).fill(REFUSED)]);
      expect(posts()).toHaveLength(1);
    });
  });
});

describe.concurrent('a register that was harmed', () => {
  describe('cut off anywhere in its last line', async () => {
    const { operator, posts, register, lines } = await setUp();
    test('is repaired, and nothing else is lost', async () => {
      await operator.run(CALL);
      const whole = readFileSync(register);
      const lastStart = whole.subarray(0, -1).lastIndexOf(0x0a) + 1;
      const cuts = [lastStart + 1, lastStart + 20, whole.length - 2, whole.length - 1];
      for (const cut of cuts) {
        writeFileSync(register, whole);
        truncateSync(register, cut);
        const other = ['call', `+1415555${1000 + cut}`, ...CALL.slice(2)];
        const { code, stderr } = await operator.run(other);
        expect(code, stderr).toBe(0);
        // Without its line break alone the line is whole.
        const isTorn = cut < whole.length - 1;
        expect(stderr.includes('was cut off'), `cut at ${cut}`).toBe(isTorn);
        expect(events(lines())).toEqual(['1 sent', ...(isTorn ? [] : ['1 accepted']), '2 sent', '2 accepted']);
      }
      // What the torn line said is not known any more.
      truncateSync(register, lastStart + 5);
      const before = posts().length;
      expect(await operator.run(CALL)).toMatchObject({ code: REFUSED });
      expect(posts()).toHaveLength(before);
    });
  });

  const damages: Record<string, (text: string) => string> = {
    'a line that is no JSON': (text) => text.replace('{"entry":1,"event":"sent"', '{"entry":1,"event"!"sent"'),
    'a line that is no entry': (text) => text.replace('"event":"sent"', '"event":"gone"'),
    'a block of zeros': (text) => `${'\0'.repeat(512)}\n${text}`,
    'an empty line': (text) => `\n${text}`,
    'line ends of an old Macintosh': (text) => text.replaceAll('\n', '\r'),
    'an entry that none can follow': (text) => text.replace('"entry":1', `"entry":${Number.MAX_SAFE_INTEGER}`),
  };
  for (const [name, damage] of Object.entries(damages)) {
    describe(name, async () => {
      const { operator, posts, register } = await setUp();
      test('is told with its line, and nothing is sent without --force: exit 9', async () => {
        await operator.run(CALL);
        writeFileSync(register, damage(readFileSync(register, 'utf8')));
        for (const args of [CALL, ['call', '+14155550199', ...CALL.slice(2)]]) {
          const { code, stdout, stderr } = await operator.run(args);
          expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
          expect(stderr).toMatch(/register\.jsonl: line 1 is damaged/);
        }
        expect(posts()).toHaveLength(1);
        expect(await operator.run([...CALL, '--force'])).toMatchObject({ code: 0 });
        expect(await operator.run(['campaign', 'list'])).toMatchObject({ code: 9 });
      });
    });
  }
});

describe('a long register', () => {
  /** Lines of calls that were answered: more than are read without an index. */
  const history = (calls: number) =>
    [...Array(calls).keys()]
      .map((at) => {
        const request = { called_to: `+1415${5_000_000 + at}`, use_agent_id: 3, call_from: '+14155550100' };
        const common = { entry: at + 1, at: '2026-11-01T09:00:00.000Z' };
        const sent = { ...common, event: 'sent', by: 'ana@desk', service: 'https://voice.example.com', request };
        const ended = { ...common, event: 'ended', outcome: 'accepted', answer: { success: true } };
        const first = { ...sent, organization_id: 7, operation: 'trigger-call' };
        return `${JSON.stringify(first)}\n${JSON.stringify(ended)}\n`;
      })
      .join('');

  describe('with an index', async () => {
    const { operator, posts, register, lines, next } = await setUp();
    const index = join(operator.home, '.local/state/vagent/register.index');
    const write = (text: string) => {
      mkdirSync(join(operator.home, '.local/state/vagent'), { recursive: true });
      writeFileSync(register, text);
    };
    test('remembers what the index covers, and what came after', async () => {
      write(history(500));
      next.behaviour = 'fails';
      expect(await operator.run(CALL)).toMatchObject({ code: 8 });
      expect(existsSync(index)).toBe(true);
      next.behaviour = 'accepts';
      expect(await operator.run(CALL)).toMatchObject({ code: REFUSED });
      expect(posts()).toHaveLength(1);
      expect(events(lines()).slice(-2)).toEqual(['501 sent', '501 unknown']);
    });
    test.each(['', '{', '{"mark":"0"}', 'null'])('passes over an index that says %j', async (text) => {
      writeFileSync(index, text);
      expect(await operator.run(CALL)).toMatchObject({ code: REFUSED });
    });
    test('does not take the index of another register', async () => {
      const stale = readFileSync(index);
      write(history(2));
      writeFileSync(index, stale);
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      expect(events(lines()).at(-1)).toBe('3 accepted');
    });
    test('tells of damage that the index covers where the whole register is read', async () => {
      write(history(500));
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      expect(existsSync(index)).toBe(true);
      const text = readFileSync(register, 'utf8');
      writeFileSync(register, `[${text.slice(1)}`);
      expect(await operator.run(['campaign', 'list'])).toMatchObject({
        code: 9,
        stderr: expect.stringContaining('line 1 is damaged'),
      });
    });
  });
});

describe.concurrent('a register that is none', () => {
  describe('but a device', async () => {
    const { operator, posts, register } = await setUp();
    test('is not read without end: exit 9', async () => {
      mkdirSync(join(operator.home, '.local/state/vagent'), { recursive: true });
      symlinkSync('/dev/full', register);
      for (const args of [CALL, ['campaign', 'list'], ['doctor']]) {
        const { code, stdout, stderr } = await operator.run(args);
        expect(code, stderr).toBe(9);
        expect(stdout + stderr).toContain('register.jsonl: it is not an ordinary file');
      }
      expect(posts()).toEqual([]);
    });
  });

  const losses: Record<string, (whole: string) => string> = {
    'with nothing left in it': () => '',
    'of an earlier day': (whole) =>
      whole
        .split(/(?<=\n)/)
        .slice(0, 2)
        .join(''),
  };
  for (const [name, lose] of Object.entries(losses)) {
    describe(`but one ${name}, beside contacts that were called`, async () => {
      const { operator, posts, register } = await setUp();
      test('sends nothing without --force, and writes over no contacts: exit 9', async () => {
        const create = [...CREATE, '--contacts', '-'];
        for (const number of ['+14155550190', '+14155550191', '+14155550192']) {
          expect(await operator.run(create, { input: `phone_number\n${number}\n` })).toMatchObject({ code: 0 });
        }
        writeFileSync(register, lose(readFileSync(register, 'utf8')));
        const folder = join(operator.home, '.local/state/vagent/campaigns');
        const input = 'phone_number\n+14155550192\n';
        for (const args of [create, CALL]) {
          const { code, stderr } = await operator.run(args, { input });
          expect(code, stderr).toBe(9);
          expect(stderr).toMatch(
            /register\.jsonl (records no request|ends with entry 1).* of entry 3 .*Nothing was sent/,
          );
        }
        expect(posts()).toHaveLength(3);
        expect(await operator.run([...create, '--force'], { input })).toMatchObject({ code: 0 });
        expect(readFileSync(join(folder, '3.jsonl'), 'utf8')).toContain('+14155550192');
        expect(readFileSync(join(folder, '4.jsonl'), 'utf8')).toContain('+14155550192');
        expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      });
    });
  }

  describe('but kept contacts of the next entry, of a program that was killed before it wrote the line', async () => {
    const { operator } = await setUp();
    test('sends as if they were not there', async () => {
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      const folder = join(operator.home, '.local/state/vagent/campaigns');
      mkdirSync(folder);
      writeFileSync(join(folder, '2.jsonl'), '{"phone_number":"+14155550190"}\n');
      const input = 'phone_number\n+14155550190\n';
      expect(await operator.run([...CREATE, '--contacts', '-'], { input })).toMatchObject({ code: 0 });
    });
  });

  describe('but kept contacts that are damaged', async () => {
    const { operator } = await setUp();
    test('are told with their line: exit 9', async () => {
      const input = 'phone_number\n+14155550190\n+14155550191\n';
      expect(await operator.run([...CREATE, '--contacts', '-'], { input })).toMatchObject({ code: 0 });
      const kept = join(operator.home, '.local/state/vagent/campaigns/1.jsonl');
      expect(readFileSync(kept, 'utf8')).toBe('{"phone_number":"+14155550190"}\n{"phone_number":"+14155550191"}\n');
      writeFileSync(kept, '{"phone_number":"+14155550190"}\n{"phone');
      expect(await operator.run(['campaign', 'status', '9'])).toMatchObject({ code: 9 });
      writeFileSync(kept, '{"phone_number":"+14155550190"}\n{"phone\n');
      expect(await operator.run(['campaign', 'results', '9'])).toMatchObject({
        code: 9,
        stderr: expect.stringContaining('1.jsonl: line 2 is damaged'),
      });
    });
  });
});

describe.concurrent('what was sent for another organization', () => {
  describe('a call', async () => {
    const { operator, next } = await setUp();
    test('is told as its own, with the command that looks there', async () => {
      next.behaviour = 'fails';
      await operator.run(CALL);
      const { stderr } = await operator.run([...CALL, '--org', '8']);
      expect(stderr).toMatch(/from \+14155550100, organization 7\) may have been placed/);
      expect(stderr).toMatch(/--start-date \S+ --org 7\n/);
    });
  });
});

describe.concurrent('campaign list', () => {
  describe('on a real service', async () => {
    const { operator, next, posts, register } = await setUp();
    test('shows what was accepted or is unknown, newest first, and asks nobody', async () => {
      const create = async (name: string, behaviour: Behaviour) => {
        next.behaviour = behaviour;
        const input = `phone_number\n+1415555${name}\n`;
        const named = CREATE.map((word) => (word === 'Spring' ? name : word));
        return operator.run([...named, '--contacts', '-'], { input });
      };
      for (const [name, behaviour] of [
        ['0101', 'accepts'],
        ['0102', 'refuses'],
        ['0103', 'fails'],
      ] as const)
        await create(name, behaviour);
      const env = { VAGENT_API_KEY: '', VAGENT_ORG_ID: '' };
      const { stdout, code } = await operator.run(
        ['campaign', 'list', '--fields', 'campaign_name,campaign_id,outcome'],
        {
          env,
        },
      );
      expect({ code, stdout }).toEqual({ code: 0, stdout: '0103\t\tunknown\n0101\t9\taccepted\n' });
      const { campaigns } = await operator.json<{ campaigns: unknown[] }>(['campaign', 'list']);
      expect(campaigns).toMatchObject([
        { campaign_id: null, outcome: 'unknown', status: null, entry: 3 },
        { campaign_id: 9, outcome: 'accepted', status: 'running', total_contacts: 1, agent_id: 3, file: '-', entry: 1 },
      ]);
      expect(posts()).toHaveLength(3);

      // A line that is being written by another program is not there yet, and nothing to complain about.
      appendFileSync(register, '{"entry":4,"ev');
      expect(await operator.run(['campaign', 'list'], { env })).toMatchObject({ code: 0, stderr: '' });
    });
  });
  describe('before anything was sent', async () => {
    const { operator } = await setUp();
    test('shows an empty list', async () => {
      expect(await operator.json(['campaign', 'list'])).toEqual({ campaigns: [] });
    });
  });
  describe('on the local engine', async () => {
    const { operator } = await setUp();
    test('shows the campaigns of the store', async () => {
      const create = [...CREATE.map((word) => (word === '3' ? '1' : word)), '--contacts', '-', '--local'];
      expect(await operator.run(create, { input: 'phone_number\n+14155550190\n' })).toMatchObject({ code: 0 });
      const { campaigns } = await operator.json<{ campaigns: unknown[] }>(['campaign', 'list', '--local']);
      expect(campaigns).toMatchObject([{ campaign_id: 1, campaign_name: 'Spring', total_contacts: 1 }]);
    });
  });
});

describe.concurrent('who was called before', () => {
  describe('a contact that stood twice in the file', async () => {
    const { operator, posts } = await setUp();
    test('is known again where it stands once', async () => {
      const [once, twice] = [join(operator.home, 'once.csv'), join(operator.home, 'twice.csv')];
      writeFileSync(once, 'phone_number\n+14155550190\n+14155550191\n');
      writeFileSync(twice, 'phone_number\n+14155550190\n+14155550191\n+14155550191\n');
      const sent = await operator.run([...CREATE, '--contacts', twice, '--duplicates', 'keep']);
      expect(sent).toMatchObject({ code: 0 });
      expect(await operator.run([...CREATE, '--contacts', once])).toMatchObject({ code: REFUSED });
      expect(posts()).toHaveLength(1);
    });
  });

  describe('a call whose outcome is of a word that is not known here', async () => {
    const { operator, register } = await setUp();
    test('may have been placed', async () => {
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      writeFileSync(register, readFileSync(register, 'utf8').replace('"accepted"', '"unclear"'));
      expect(await operator.run(CALL)).toMatchObject({ code: REFUSED });
    });
  });

  describe('a campaign of another organization', async () => {
    const { operator } = await setUp();
    test('is not taken for the one of the same id', async () => {
      const contacts = join(operator.home, 'c.csv');
      writeFileSync(contacts, 'phone_number\n+14155550190\n');
      expect(await operator.run([...CREATE, '--contacts', contacts])).toMatchObject({ code: 0 });
      expect(await operator.run(['campaign', 'status', '9'])).toMatchObject({ code: 0 });
      expect(await operator.run(['campaign', 'status', '9', '--org', '8'])).toMatchObject({ code: 5 });
    });
  });
});

/**
 * The register and its guards, as an operator meets them: what the server receives, what the exit code and the sentences say, and what
 * is kept.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENTS, type Behaviour, type CallingService, setUp } from '../support/calling-service.ts';
import { startServer } from '../support/http.ts';
import { finished, type Operator, type Outcome, ROOT } from '../support/program.ts';
import { outcomesOf, type RequestRow, rowsAt } from '../support/rows.ts';
import { UnderWay } from '../support/under-way.ts';
import { CLOSED_PORT } from '../support/wire.ts';

const TO = '+14155550123';
const CALL = ['call', TO, '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
const callTo = (number: string) => ['call', number, ...CALL.slice(2)];
const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100', '--yes'];
const REFUSED = 2;
const HOUR = 3_600_000;
const number = (ending: number) => `+141555501${ending}`;
const csv = (numbers: readonly string[]) => `phone_number\n${numbers.join('\n')}\n`;

/** Creates a campaign from standard input. */
const create = ({ operator }: CallingService, numbers: readonly string[], ...flags: string[]) =>
  operator.run([...CREATE, '--contacts', '-', ...flags], { input: csv(numbers) });

/** The numbers of each campaign that arrived. */
const campaigns = ({ posts }: CallingService): string[][] =>
  posts()
    .filter(({ path }) => path.endsWith('/create-campaign'))
    .map(({ body }) => JSON.parse(body).contacts.map((contact: { phone_number: string }) => contact.phone_number));

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
    const { operator, requests, next, state } = shop;
    test('is there before it arrives, and completed after, in a file of the owner alone', async () => {
      let before: RequestRow[] = [];
      next.arrived = async () => {
        before = await requests();
      };
      expect(await operator.run([...CALL, '--identifier', 'crm-7 sk-PLANTED-key'])).toMatchObject({ code: 0 });
      const request = {
        use_agent_id: 3,
        called_to: TO,
        call_from: '+14155550100',
        custom_first_line: 'Hello.',
        custom_identifiers: 'crm-7 <API_KEY>',
      };
      const service = `${shop.server.url}/api`;
      const sent = {
        entry: 1,
        operation: 'trigger-call',
        service,
        organization_id: 7,
        request,
        sent_by: expect.stringMatching(/^.+@.+$/),
      };
      const ended = {
        outcome: 'accepted',
        reply: { success: true },
        ended_at: expect.any(Number),
        clock_ahead: expect.any(Number),
      };
      expect(before).toMatchObject([{ ...sent, outcome: null, reply: null }]);
      expect(await requests()).toMatchObject([{ ...sent, ...ended }]);
      for (const name of readdirSync(state, { withFileTypes: true })) {
        const wanted = name.isDirectory() ? 0o700 : 0o600;
        expect([name.name, statSync(join(state, name.name)).mode & 0o777]).toEqual([name.name, wanted]);
      }
    });
  });

  describe('the clock of the service', async () => {
    const { operator, requests } = await setUp();
    const answers = (how: (response: ServerResponse) => void) =>
      startServer((_request, response) => {
        how(response);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}');
      });
    const ahead = await answers((response) => response.setHeader('date', new Date(Date.now() + HOUR).toUTCString()));
    const silent = await answers((response) => {
      response.sendDate = false;
    });
    test('that is an hour ahead is written down with the outcome, and one that is not told is not guessed', async () => {
      for (const { url } of [ahead, silent]) await operator.run(CALL, { env: { VAGENT_BASE_URL: url } });
      const [told, untold] = await requests();
      expect(Math.abs(Number(told?.clock_ahead) - HOUR)).toBeLessThan(60_000);
      expect(untold?.clock_ahead).toBeNull();
    });
  });

  describe('a campaign', async () => {
    const { operator, requests, state } = await setUp();
    test('with its contacts and their rows as they stand in the file, without the key', async () => {
      const input = `\ufeff Name ;Mobile  Number;;note\r\n Ana ; (415) 555-0190;a;"two\r\nlines"\r\nBob;not a number;b;\r\n;;;\r\nCid;(415) 555-0191;c;""" sk-PLANTED-key"\r\n`;
      const args = [...CREATE, '--contacts', '-', '--country', 'US', '--skip-invalid'];
      expect(await operator.run(args, { input })).toMatchObject({ code: 0 });
      const [campaign] = await requests();
      expect(campaign).toMatchObject({
        ...{ operation: 'create-campaign', campaign_name: 'Spring', campaign_id: 9, contacts: 2, file: '-' },
        ...{ outcome: 'accepted', file_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        request: { campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100' },
      });
      expect(JSON.parse(String(campaign?.columns))).toEqual([' Name ', 'Mobile  Number', '', 'note']);
      const rows = await rowsAt(state);
      expect(await rows.read((sql) => sql.all('select position, phone, number, cells from request_contacts'))).toEqual([
        {
          position: 0,
          phone: 14155550190,
          number: '+14155550190',
          cells: '[" Ana "," (415) 555-0190","a","two\\r\\nlines"]',
        },
        {
          position: 1,
          phone: 14155550191,
          number: '+14155550191',
          cells: '["Cid","(415) 555-0191","c","\\" <API_KEY>"]',
        },
      ]);
      expect(
        await operator.run([...args, '--exclude-sent'], { input: 'phone\n+14155550192\n+14155550191\n' }),
      ).toMatchObject({ code: 0 });
      expect(await rows.read((sql) => sql.all('select cells from request_contacts where entry = 2'))).toEqual([
        { cells: '["+14155550192"]' },
      ]);
    });
  });

  describe('what never leaves', async () => {
    const { operator, server, state } = await setUp();
    test('a dry run, a read, a faulty request and the local engine leave no register', async () => {
      const commands = [
        [...CALL, '--dry-run'],
        ['logs', 'list'],
        ['api', 'trigger-call'],
        ['campaign', 'list'],
      ];
      for (const args of [...commands, [...CALL, '--local']]) await operator.run(args);
      expect(server.received.map(({ method }) => method)).toEqual(['GET']);
      expect(existsSync(join(state, 'vagent.db'))).toBe(false);
    });
  });

  describe('a campaign that was refused', async () => {
    const shop = await setUp();
    test('leaves nobody', async () => {
      shop.next.behaviour = 'refuses';
      expect(await create(shop, [number(11)])).toMatchObject({ code: 6 });
      const rows = await rowsAt(shop.state);
      expect(await rows.read((sql) => sql.all('select * from request_contacts'))).toEqual([]);
      expect(outcomesOf(await shop.requests())).toEqual(['1 refused']);
    });
  });
});

describe.concurrent('a register that cannot be used', () => {
  const harms: Record<string, { harm: (state: string) => void; told: RegExp }> = {
    'a file where its folder belongs': {
      harm: (state) => writeFileSync(state, ''),
      told: /a part of the path is a file/,
    },
    'a folder in its place': {
      harm: (state) => mkdirSync(join(state, 'vagent.db'), { recursive: true }),
      told: /vagent\.db: it is a folder, not a file/,
    },
    'a text in its place': {
      harm: (state) => {
        mkdirSync(state);
        writeFileSync(join(state, 'vagent.db'), 'no database, but a text that is long enough. '.repeat(99));
      },
      told: /it is no database.*\n.*Put back a copy/,
    },
    'a link to a device': {
      harm: (state) => {
        mkdirSync(state);
        symlinkSync('/dev/full', join(state, 'vagent.db'));
      },
      told: /vagent\.db: it is not an ordinary file/,
    },
  };
  for (const [name, { harm, told }] of Object.entries(harms)) {
    describe(name, async () => {
      const { operator, posts, state } = await setUp();
      test('keeps what would be sent from being sent: exit 9', async () => {
        mkdirSync(join(state, '..'), { recursive: true });
        harm(state);
        for (const args of [CALL, [...CALL, '--force'], ['campaign', 'list']]) {
          const { code, stdout, stderr } = await operator.run(args);
          expect({ code, stdout, stderr }).toEqual({ code: 9, stdout: '', stderr: expect.stringMatching(told) });
        }
        expect(posts()).toEqual([]);
      });
    });
  }
});

describe.concurrent('a request whose outcome is unknown', () => {
  describe('a call', async () => {
    const shop = await setUp();
    const { operator, next, posts } = shop;
    test('is refused the next time, saying when, what and where to look, and sent with --force', async () => {
      next.behaviour = 'hangs';
      expect(await operator.run([...CALL, '--timeout', '1s'])).toMatchObject({ code: 8 });
      next.behaviour = 'accepts';
      const { code, stdout, stderr } = await operator.run(CALL);
      expect({ code, stdout, sent: posts().length }).toEqual({ code: REFUSED, stdout: '', sent: 1 });
      expect(stderr).toMatch(
        /The last call to \+14155550123 \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+00:00, agent 3, from \+14155550100\) may have been placed/,
      );
      expect(stderr).toMatch(/with vagent logs list --to \+14155550123 --from \+14155550100 --agent 3 --start-date/);
      expect(stderr).toContain('repeat with --force');
      const elsewhere = await operator.run([...CALL, '--org', '8']);
      expect(elsewhere.stderr).toMatch(/from \+14155550100, organization 7\) may have been placed/);
      expect(elsewhere.stderr).toMatch(/--start-date \S+ --org 7\n/);
      const raw = ['use_agent_id=3', 'call_from=+14155550100', 'custom_first_line=Hi', 'custom_identifiers='];
      const api = ['api', 'trigger-call', `called_to=${TO}`, ...raw];
      for (const args of [api, [...CALL, '--wait'], [...CALL, '--agent', '4']]) {
        expect(await operator.run(args), args.join(' ')).toMatchObject({ code: REFUSED });
      }
      expect(JSON.parse((await operator.run([...CALL, '--json'])).stderr)).toMatchObject({
        error: { code: 'unknown_call', exit_code: REFUSED },
      });
      expect(await operator.run([...CALL, '--dry-run'])).toMatchObject({ code: 0 });
      const campaign = await create(shop, [TO, number(12)], '--again');
      expect(campaign.stderr).toMatch(
        /1 of these 2 numbers may have been sent before: .* in a call of agent 3 \(\+14155550123\)/,
      );
      expect(campaign.stderr).toContain(`vagent logs list --to ${TO}`);
      expect(await operator.run([...api, '--force'])).toMatchObject({ code: 0 });
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
    });
  });

  describe('a connection that was refused', async () => {
    const { operator, requests } = await setUp();
    test('leaves nothing unknown', async () => {
      const env = { VAGENT_BASE_URL: `http://127.0.0.1:${CLOSED_PORT}` };
      for (const _twice of [1, 2]) expect(await operator.run(CALL, { env })).toMatchObject({ code: 7 });
      expect(outcomesOf(await requests())).toEqual(['1 not_sent', '2 not_sent']);
    });
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const) {
    describe(`${signal} while it is under way`, async () => {
      const shop = await setUp();
      test(`exit ${code}, unknown in the register and in the list, refused the next time`, async () => {
        const { operator, posts, requests } = shop;
        const outcome = await killedInFlight(shop, CALL, signal);
        expect(outcome.code).toBe(code);
        expect(outcomesOf(await requests())).toEqual([signal === 'SIGINT' ? '1 unknown' : '1 open']);
        if (signal === 'SIGINT') {
          expect(outcome.stderr).toMatch(
            /Interrupted while \/trigger-call was under way: it may have been carried out/,
          );
          expect(outcome.stderr).toContain(`vagent logs list --to ${TO} --from +14155550100 --agent 3 --start-date`);
        }
        expect(await operator.run(CALL)).toMatchObject({ code: REFUSED });
        writeFileSync(join(operator.home, 'c.csv'), csv([number(11)]));
        const args = [...CREATE, '--contacts', 'c.csv'];
        expect(await killedInFlight(shop, args, signal)).toMatchObject({ code });
        expect(await operator.run(args)).toMatchObject({ code: REFUSED });
        expect(await operator.run(callTo(number(11)))).toMatchObject({
          code: REFUSED,
          stderr: expect.stringMatching(
            /\+14155550111 may be called by a campaign: .* as "Spring"; its outcome is unknown\. Nothing was sent\./,
          ),
        });
        expect(posts()).toHaveLength(2);
        const { campaigns } = await operator.json<{ campaigns: unknown[] }>(['campaign', 'list']);
        expect(campaigns).toMatchObject([{ campaign_id: null, campaign_name: 'Spring', outcome: 'unknown' }]);
        expect(await operator.run([...args, '--force'])).toMatchObject({ code: 0 });
      });
    });
  }
});

describe.concurrent('contacts that were sent before', () => {
  interface Again {
    numbers: number[];
    flags?: string[];
    sends?: number[];
    says?: RegExp;
  }
  const SAID = /sent before: \d{4}-\d\d-\d\d \S+ \S+ as "Spring", campaign 9 \(\+1415555011\d.*\)\. Nothing was sent\./;
  const attempts: Record<string, Again> = {
    'the same': { numbers: [12, 11], says: /These 2 numbers were sent before/ },
    'one of them': { numbers: [11], says: /This number was sent before/ },
    'and others': { numbers: [11, 13, 12], says: /2 of these 3 numbers were sent before/ },
    'under another name, with other texts': {
      numbers: [12, 14],
      flags: ['--name', 'Autumn', '--first-line', 'Another.'],
      says: /1 of these 2 numbers was sent before/,
    },
    'with --again': { numbers: [11, 12], flags: ['--again'], sends: [11, 12] },
    'with --force': { numbers: [11, 12], flags: ['--force'], sends: [11, 12] },
    'with --exclude-sent': { numbers: [12, 13, 11, 14], flags: ['--exclude-sent'], sends: [13, 14] },
  };
  for (const [name, { numbers, flags = [], sends, says }] of Object.entries(attempts)) {
    describe(name, async () => {
      const shop = await setUp();
      test(sends ? 'are sent' : 'are refused, saying when, as what and who: exit 2', async () => {
        await create(shop, [11, 12].map(number));
        const { code, stdout, stderr } = await create(shop, numbers.map(number), ...flags);
        expect(code, stderr).toBe(sends ? 0 : REFUSED);
        expect(campaigns(shop).slice(1)).toEqual(sends ? [sends.map(number)] : []);
        if (says === undefined) return;
        expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringMatching(says) });
        expect(stderr).toMatch(SAID);
        expect(stderr).toContain('repeat with --again; --exclude-sent leaves them out');
      });
    });
  }

  describe('in two campaigns, and in one of unknown outcome', async () => {
    const shop = await setUp();
    test('are told campaign by campaign', async () => {
      await create(shop, [11, 12].map(number));
      await create(shop, [13].map(number));
      const two = await create(shop, [11, 13, 14].map(number));
      expect(two.stderr).toMatch(
        /2 of these 3 numbers were sent before\. Nothing was sent\.\n {2}1 number: .*"Spring", campaign 10 .*\n {2}1 number: .*campaign 9 /,
      );
      shop.next.behaviour = 'fails';
      await create(shop, [15].map(number));
      shop.next.behaviour = 'accepts';
      const unknown = await create(shop, [11, 15].map(number), '--again');
      expect(unknown).toMatchObject({
        code: REFUSED,
        stderr: expect.stringMatching(
          /1 of these 2 numbers may have been sent before: .* \(\+14155550115\); its outcome is unknown\. Nothing was sent\.\n.*--force .*vagent logs list --from/,
        ),
      });
      expect(await create(shop, [11, 15, 16].map(number), '--exclude-sent')).toMatchObject({ code: 0 });
      expect(campaigns(shop).at(-1)).toEqual([number(16)]);
    });
  });

  describe('left out with --exclude-sent', async () => {
    const shop = await setUp();
    test('are counted as those of an exclusion list, and none left is exit 3', async () => {
      await create(shop, [11, 12].map(number));
      const { stderr } = await create(shop, [11, 13].map(number), '--exclude-sent');
      expect(stderr).toContain('1 of 2 rows accepted; 0 rejected, 0 duplicates, 1 excluded.');
      expect(stderr).toContain('Campaign 9 "Spring": 2 numbers, 1 row held back');
      expect(await create(shop, [13].map(number), '--exclude-sent')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('none of 1 rows is left to be called'),
      });
      expect(await create(shop, [14].map(number), '--exclude-sent', '--again')).toMatchObject({ code: REFUSED });
    });
  });

  describe('by vagent api', async () => {
    const shop = await setUp();
    test('pass the same guards, with the same flags', async () => {
      await create(shop, [11, 12].map(number));
      const contacts = [12, 13].map((ending) => ({ phone_number: number(ending) }));
      const input = JSON.stringify({ campaign_name: 'Raw', agent_id: 3, call_from: '+14155550100', contacts });
      const api = (...flags: string[]) =>
        shop.operator.run(['api', 'create-campaign', '--input', '-', ...flags], { input });
      expect(await api()).toMatchObject({
        code: REFUSED,
        stderr: expect.stringContaining('1 of these 2 numbers was sent before'),
      });
      expect(await api('--exclude-sent')).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('2 numbers, 1 row held back'),
      });
      expect(await api('--exclude-sent')).toMatchObject({ code: 3 });
      expect(await api('--again')).toMatchObject({ code: 0 });
      expect(campaigns(shop).slice(1)).toEqual([[number(13)], [number(12), number(13)]]);
    });
  });

  describe('in a rehearsal, in a dry run, and without a yes', async () => {
    const shop = await setUp();
    test('are told or left out in the same words, and nothing is sent', async () => {
      await create(shop, [11, 12].map(number));
      const rehearse = ['campaign', 'rehearse', '--agent', '3', '--from', '+14155550100', '--contacts', '-', '--json'];
      const rehearsed = async (...flags: string[]) => {
        const { stdout } = await shop.operator.run([...rehearse, ...flags], { input: csv([12, 13].map(number)) });
        return JSON.parse(stdout).contacts;
      };
      expect([await rehearsed(), await rehearsed('--exclude-sent')]).toEqual([2, 1]);
      const refused = await create(shop, [11, 13].map(number));
      const [, sentence = ''] = /vagent: (.*)\n/.exec(refused.stderr) ?? [];
      expect(await create(shop, [11, 13].map(number), '--dry-run')).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(`Warning: this would be refused: ${sentence}`),
      });
      const { stdout } = await create(shop, [11, 13].map(number), '--dry-run', '--exclude-sent');
      expect(JSON.parse(stdout).body.contacts).toEqual([{ phone_number: number(13) }]);
      // The guard speaks before the yes is missed.
      const unasked = [...CREATE.filter((word) => word !== '--yes'), '--contacts', '-'];
      const { stderr } = await shop.operator.run(unasked, { input: csv([11, 12].map(number)) });
      expect(stderr).toContain('These 2 numbers were sent before');
      expect(campaigns(shop)).toHaveLength(1);
    });
  });
});

describe.concurrent('several programs at once', () => {
  describe('16 calls to 16 numbers', async () => {
    const { operator, requests } = await setUp();
    test('lose no entry', async () => {
      const numbers = [...Array(16).keys()].map((at) => `+141555501${String(at).padStart(2, '0')}`);
      const codes = await atOnce(
        operator,
        [0, 4, 8, 12].map((first) => numbers.slice(first, first + 4).map(callTo)),
      );
      expect(codes).toEqual(numbers.map(() => 0));
      const found = await requests();
      expect(outcomesOf(found)).toEqual(numbers.map((_number, at) => `${at + 1} accepted`));
      expect(new Set(found.map(({ request }) => request.called_to))).toEqual(new Set(numbers));
    });
  });
  describe('6 campaigns of one file, and 3 that share a number', async () => {
    const shop = await setUp();
    const { operator, posts } = shop;
    test('one of each is sent', async () => {
      writeFileSync(join(operator.home, 'c.csv'), csv([number(11)]));
      const one = [...CREATE, '--contacts', 'c.csv'];
      const codes = await atOnce(operator, Array(3).fill([one, one]));
      expect(codes.sort()).toEqual([0, ...Array(5).fill(REFUSED)]);
      const inputs = [
        [21, 22],
        [22, 23],
        [23, 24, 22],
      ].map((endings) => csv(endings.map(number)));
      const outcomes = await Promise.all(
        inputs.map((input) => operator.runProgram([...CREATE, '--contacts', '-'], { input })),
      );
      expect(outcomes.map(({ code }) => code).sort()).toEqual([0, REFUSED, REFUSED]);
      expect(posts()).toHaveLength(2);
    });
  });
});

describe.concurrent('campaign list', () => {
  describe('on a real service', async () => {
    const { operator, next, posts } = await setUp();
    test('shows what was accepted or is unknown, newest first, and asks nobody', async () => {
      for (const [name, behaviour] of [
        ['0101', 'accepts'],
        ['0102', 'refuses'],
        ['0103', 'fails'],
      ] as [string, Behaviour][]) {
        next.behaviour = behaviour;
        const named = CREATE.map((word) => (word === 'Spring' ? name : word));
        await operator.run([...named, '--contacts', '-'], { input: csv([`+1415555${name}`]) });
      }
      const env = { VAGENT_API_KEY: '', VAGENT_ORG_ID: '' };
      const fields = ['campaign', 'list', '--fields', 'campaign_name,campaign_id,outcome'];
      const { stdout, code } = await operator.run(fields, { env });
      expect({ code, stdout }).toEqual({ code: 0, stdout: '0103\t\tunknown\n0101\t9\taccepted\n' });
      const { campaigns } = await operator.json<{ campaigns: unknown[] }>(['campaign', 'list']);
      expect(campaigns).toMatchObject([
        { campaign_id: null, outcome: 'unknown', status: null, entry: 3 },
        {
          campaign_id: 9,
          outcome: 'accepted',
          status: 'running',
          total_contacts: 1,
          agent_id: AGENTS[0]?.agent_id,
          file: '-',
          entry: 1,
        },
      ]);
      expect(posts()).toHaveLength(3);
      // The campaign of another organization is another, though it has the same id.
      expect(await operator.run(['campaign', 'status', '9'])).toMatchObject({ code: 0 });
      expect(await operator.run(['campaign', 'status', '9', '--org', '8'])).toMatchObject({ code: 5 });
    });
  });
  describe('before anything was sent, and on the local engine', async () => {
    const { operator } = await setUp();
    test('shows an empty list, and the campaigns of the store', async () => {
      expect(await operator.json(['campaign', 'list'])).toEqual({ campaigns: [] });
      const args = [...CREATE.map((word) => (word === '3' ? '1' : word)), '--contacts', '-', '--local'];
      expect(await operator.run(args, { input: csv([number(11)]) })).toMatchObject({ code: 0 });
      const { campaigns } = await operator.json<{ campaigns: unknown[] }>(['campaign', 'list', '--local']);
      expect(campaigns).toMatchObject([{ campaign_id: 1, campaign_name: 'Spring', total_contacts: 1 }]);
    });
  });
});

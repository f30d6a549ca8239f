/** `plan run` as a timer runs it: silent where nobody is needed, every plan by one line, and each moment told once. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HALTED } from '../../../src/errors.ts';
import { ENGINES } from '../../support/engines.ts';
import { HOUR, MINUTE, numbers, type PlannedService, plannedService, refuses } from '../../support/planned-service.ts';
import { Operator, type Outcome } from '../../support/program.ts';

interface Told {
  moment: string;
  text: string;
  plan_id: number;
  wave: number | null;
  state: string;
  reason: string;
  contacts: Record<string, number>;
}

const toldIn = (file: string): Told[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : [];

const SILENT = { stdout: '', stderr: '' };

describe.each(ENGINES)('in $name', ({ places }) => {
  const place = places();
  test('200 runs in a week, by two machines on one register: a word where a person is needed, each moment told once', async () => {
    const service = await plannedService({ register: await place() });
    const key = { VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'local-demo-key' };
    const env = { ...key, VAGENT_BASE_URL: service.url, VAGENT_REGISTER: service.state };
    const machines = [new Operator({ env }), new Operator({ env })];
    const file = join(service.operator.home, 'told.ndjson');
    const first = await service.plan(numbers(60), { wave: 30 * MINUTE, callsPerHour: 6, canary: 2 }, 'First');
    const second = await service.plan(
      numbers(60, 14155551300),
      { wave: 30 * MINUTE, callsPerHour: 6, budget: 5_000_000, pricePerMinute: 100_000, longest: 60 },
      'Second',
    );
    const said: string[] = [];
    let isHalted = 0;
    for (let run = 0; run < 200; run++) {
      const at = new Date(service.engine.clock.now).toISOString();
      const args = ['plan', 'run', '--all', '--quiet', '--notify', `cat >>'${file}'`];
      const runs = machines.filter((_machine, place) => run % 5 === 0 || run % 2 === place);
      // Some at the same moment.
      const ended = await Promise.all(runs.map((machine) => machine.run(args, { frozenAt: at, cwd: machine.home })));
      for (const { code, stdout, stderr } of ended) {
        expect(stdout).toBe('');
        expect([0, HALTED], stderr).toContain(code);
        if (stderr !== '') said.push(stderr);
        if (code === HALTED) isHalted++;
      }
      // Money runs out once, before a wave.
      if (run === 20) service.faults.createCampaign = refuses(402);
      const states = await Promise.all([first, second].map(async (plan) => (await plan.load()).position.state));
      // Somebody looks at it after some hours.
      if (states.some((state) => state === 'waiting' || state === 'stopped') && run % 8 === 0) {
        delete service.faults.createCampaign;
        for (const [place, state] of states.entries()) {
          if (state !== 'waiting' && state !== 'stopped') continue;
          const { code } = await service.run(['plan', 'resume', String(place + 1)]);
          if (code !== 0) await service.run(['plan', 'cancel', String(place + 1), '--yes']);
        }
      }
      service.engine.clock.now += 50 * MINUTE;
    }
    const told = toldIn(file);
    // What the events of the plans say, which nobody who tells has read.
    const events = async (planId: number, kind: string) => {
      const rows = await first.rows.read((sql) =>
        sql.all<{ data: string }>('select data from plan_events where plan_id = $1 and event = $2 order by number', [
          planId,
          kind,
        ]),
      );
      return rows.map(({ data }) => JSON.parse(data));
    };
    for (const [place, plan] of [first, second].entries()) {
      const planId = place + 1;
      const own = told.filter(({ plan_id }) => plan_id === planId);
      const { position } = await plan.load();
      const placed = (await events(planId, 'answered')).filter(({ outcome }) => outcome === 'accepted');
      expect(own.filter(({ moment }) => moment === 'wave_ended').map(({ wave }) => wave)).toEqual(
        placed.map(({ wave }) => wave),
      );
      expect(position.open).toEqual([]);
      for (const kind of ['waiting', 'done', 'cancelled'])
        expect(own.filter(({ moment }) => moment === kind)).toHaveLength((await events(planId, kind)).length);
    }
    const halts = told.filter(({ moment }) => ['waiting', 'stopped', 'budget'].includes(moment));
    expect(said).toHaveLength(halts.length);
    expect(new Set(halts.map(({ moment }) => moment))).toEqual(new Set(['waiting', 'stopped', 'budget']));
    expect(isHalted).toBeGreaterThan(said.length);
    for (const { reason } of halts) expect(said.filter((text) => text.includes(reason))).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).not.toContain('local-demo-key');
  }, 120_000);
});

describe('--quiet', () => {
  const quiet = ['plan', 'run', '1', '--quiet'];

  test('prints nothing of a wave, of waiting, of the end; but what a program asks for', async () => {
    const service = await plannedService();
    await service.plan(numbers(3), { wave: MINUTE, retry: {} });
    for (let run = 0; run < 10; run++) {
      expect(await service.run(quiet)).toMatchObject({ code: 0, ...SILENT });
      service.engine.clock.now += 30 * MINUTE;
    }
    const asked = await service.run([...quiet, '--fields', 'state']);
    expect(asked).toMatchObject({ code: 0, stdout: 'state\tdone\n', stderr: '' });
  });

  test('says that the service cannot be reached once the plan was not run for an hour, and then once a day', async () => {
    const service = await plannedService();
    await service.plan(numbers(3));
    expect((await service.run(quiet)).code).toBe(0);
    service.faults.getCallLogs = refuses(429);
    const said = async (hours: number) => {
      service.engine.clock.now += hours * HOUR;
      const { code, stderr } = await service.run([...quiet, '--timeout', '1s']);
      expect(code).toBe(7);
      return stderr;
    };
    expect(await said(0.5)).toBe('');
    expect(await said(1)).toContain('An injected 429');
    expect(await said(1)).toBe('');
    expect(await said(24)).toContain('An injected 429');
  });

  test.each([
    ['a key that is refused', 4, { VAGENT_API_KEY: 'another-key' }],
    ['a key that is missing', 4, { VAGENT_API_KEY: '' }],
  ])('says once a day of %s', async (_what, exit, env) => {
    const service = await plannedService();
    await service.plan(numbers(3));
    const said: boolean[] = [];
    for (const minutes of [0, 10, 10, 24 * 60]) {
      service.engine.clock.now += minutes * MINUTE;
      const { code, stdout, stderr } = await service.run(quiet, { env });
      expect([code, stdout]).toEqual([exit, '']);
      said.push(stderr.includes('key'));
    }
    expect(said).toEqual([true, false, false, true]);
  });

  test('says nothing where another run is at work', async () => {
    const service = await plannedService();
    const plan = await service.plan(numbers(3));
    let letGo = () => {};
    const holding = plan.holding(() => new Promise<void>((resolve) => (letGo = resolve)));
    const frozenAt = undefined as unknown as string;
    expect(await service.run(quiet, { frozenAt })).toMatchObject({ code: 0, ...SILENT });
    letGo();
    await holding;
  });
});

describe('--all', () => {
  const all = ['plan', 'run', '--all'];

  test('serves every plan of the service that is not over; one that fails stops no other', async () => {
    const service = await plannedService();
    await service.plan(numbers(2), {}, 'One');
    const damaged = await service.plan(numbers(2, 14155551300), {}, 'Two');
    await service.plan(numbers(2, 14155552300), {}, 'Three');
    await service.plan(numbers(2, 14155553300), {}, 'Four');
    await service.run(['plan', 'stop', '3']);
    await service.run(['plan', 'cancel', '4', '--yes']);
    await damaged.rows.put("update plans set position = '{}' where plan_id = 2");
    const { code, stdout, stderr } = await service.run([...all, '--json']);
    expect(code, stderr).toBe(HALTED);
    expect(JSON.parse(stdout)).toMatchObject({
      plans: [
        { plan_id: 1, plan_name: 'One', state: 'open', wave: { wave: 1, contacts: 2 }, error: null },
        { plan_id: 2, plan_name: 'Two', error: { code: 'plan_damaged' } },
        { plan_id: 3, plan_name: 'Three', state: 'stopped', wave: null, error: null },
      ],
    });
    expect(stderr).toMatch(/^Plan 1, One: Wave 1 was sent/m);
    expect(stderr).toMatch(/^Plan 2, Two: Plan 2 is damaged/m);
    expect(stderr).toMatch(/^Plan 3 is stopped/m);
    expect((await service.run([...all, '--org', '2', '--json'])).stdout).toMatch(/"plans": \[\n? *\{[^{]*"plan_id": 2/);
  });

  test('says to a person when each goes on, and why not before', async () => {
    const service = await plannedService();
    await service.plan(numbers(2), {}, 'One');
    const { stdout } = await service.run([...all, '-o', 'table']);
    expect(stdout).toMatch(/One +open +20 Nov \d\d:\d\d \(in .*\): the wave under way is over/);
  });

  test.each([['1'], ['--until-done'], ['--advance', '--local']])('goes with no %s', async (...more) => {
    const service = await plannedService();
    expect((await service.run([...all, ...more])).code).toBe(2);
  });
});

describe('--notify', () => {
  /** The moments that came to a server, in their order. */
  async function hearing(answer: (response: ServerResponse) => void = (response) => response.end()) {
    const heard: { told: Told; headers: NodeJS.Dict<string | string[]> }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (text) => {
        body += text;
      });
      request.on('end', () => {
        heard.push({ told: JSON.parse(body), headers: request.headers });
        answer(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
  }

  async function toTheEnd(service: PlannedService, target: string): Promise<Outcome[]> {
    const ended: Outcome[] = [];
    for (let run = 0; run < 4; run++) {
      ended.push(await service.run(['plan', 'run', '1', '--quiet', '--notify', target]));
      service.engine.clock.now += 30 * MINUTE;
    }
    return ended;
  }

  test('posts each moment once, with counts, and no number and no key', async () => {
    const service = await plannedService();
    await service.plan(numbers(2), { retry: {} });
    const { heard, url } = await hearing();
    for (const outcome of await toTheEnd(service, url)) expect(outcome).toMatchObject({ code: 0, ...SILENT });
    expect(heard.map(({ told }) => [told.moment, told.wave, told.plan_id])).toEqual([
      ['wave_ended', 1, 1],
      ['done', null, 1],
    ]);
    expect(heard[1]?.told.text).toMatch(/^Spring: plan 1 is done; /);
    expect(JSON.stringify(heard)).not.toMatch(/local-demo-key|\+1415555/);
  });

  test.each([[500], [302]])('a %i is a warning, and changes nothing', async (status) => {
    const service = await plannedService();
    await service.plan(numbers(2), { retry: {} });
    const { heard, url } = await hearing((response) => response.writeHead(status, { location: '/elsewhere' }).end());
    const said = (await toTheEnd(service, url)).map(({ code, stderr }) => [code, stderr]);
    expect(heard).toHaveLength(2);
    expect(said.filter(([code]) => code !== 0)).toEqual([]);
    const lines = said.flatMap(([, stderr]) => String(stderr).split('\n')).filter((line) => line !== '');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(new RegExp(`^Warning: --notify of wave_ended of plan 1 failed: .*answers ${status}\\.$`));
  });

  test('a command is run by the shell as it is written, without the key, and its failure is told', async () => {
    const service = await plannedService();
    await service.plan(numbers(2), { retry: {} });
    const file = join(service.operator.home, 'it is told');
    const variables = 'echo "key=$VAGENT_API_KEY org=$VAGENT_ORG_ID"';
    const line = `cat >>'${file}' && seq 100000 && ${variables} >>'${file}.env' && echo no way >&2 && exit 3`;
    const said = (await toTheEnd(service, line)).map(({ stderr }) => stderr).join('');
    expect(toldIn(file).map(({ moment }) => moment)).toEqual(['wave_ended', 'done']);
    expect(readFileSync(`${file}.env`, 'utf8')).toBe('key= org=1\n'.repeat(2));
    expect(said.match(/failed: exit code 3: no way\.$/gm)).toHaveLength(2);
  });

  test('who is ended while it tells has not told: a later run does, and no other meanwhile', async () => {
    const service = await plannedService();
    await service.plan(numbers(6), { wave: MINUTE, canary: 1 });
    const args = ['plan', 'run', '1', '--quiet', '--notify'];
    const { heard, url } = await hearing();
    await service.run([...args, url]);
    service.engine.clock.now += 4 * HOUR;
    const interrupt = new AbortController();
    const ending = await hearing(() => interrupt.abort());
    expect((await service.run([...args, ending.url], { signal: interrupt.signal })).code).toBe(130);
    service.engine.clock.now += MINUTE;
    expect((await service.run([...args, url])).code).toBe(HALTED);
    expect(heard).toEqual([]);
    for (let run = 0; run < 3; run++) {
      service.engine.clock.now += 10 * MINUTE;
      expect((await service.run([...args, url])).code).toBe(HALTED);
    }
    expect(heard.map(({ told }) => told.moment)).toEqual(['wave_ended', 'waiting']);
  });

  test.each([
    ['http://hooks.example/x', [], 'http://hooks.example is not encrypted, and --notify sends there'],
    ['https://ann:secret@hooks.example/x', ['--insecure-http'], 'what stands before the @ of an address is not sent'],
  ])('%s is refused before anything is done', async (target, more, says) => {
    const service = await plannedService();
    await service.plan(numbers(2));
    for (const what of ['run', 'schedule']) {
      const { code, stderr } = await service.run(['plan', what, '1', '--notify', target, ...more]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
      expect(stderr).not.toContain('secret');
    }
    expect(service.sent).toEqual([]);
  });

  test.each([
    ['just begun to tell, a moment later: it does', 1000, []],
    ['begun a day later: the clock was put back', 24 * HOUR, ['stopped']],
  ])('another has %s', async (_when, later, told) => {
    const service = await plannedService();
    const plan = await service.plan(numbers(2));
    const at = service.engine.clock.now;
    const begun = { event: 'notified', at: at + later, until: at + later + MINUTE } as const;
    const stopped = { event: 'stopped', at, reason: 'By hand.' } as const;
    const events = [{ event: 'notified', at }, stopped, begun] as const;
    await plan.change((session) => session.commit(events));
    const { heard, url } = await hearing();
    await service.run(['plan', 'run', '1', '--quiet', '--notify', url]);
    expect(heard.map((one) => one.told.moment)).toEqual(told);
  });

  test('a stop that is over by now is told as that', async () => {
    const service = await plannedService();
    await service.plan(numbers(6), { wave: MINUTE });
    const { heard, url } = await hearing();
    const run = () => service.run(['plan', 'run', '1', '--quiet', '--notify', url]);
    await run();
    for (const what of ['stop', 'resume']) expect((await service.run(['plan', what, '1'])).code).toBe(0);
    await run();
    const [{ told } = expect.fail()] = heard;
    expect(told).toMatchObject({ moment: 'stopped', state: 'open', reason: 'It was stopped with plan stop.' });
    expect(told.text).toBe('Spring: plan 1 was stopped, and is open by now: It was stopped with plan stop.');
  });

  test('who begins to listen hears of a plan that waits for somebody, and not of what is long over', async () => {
    const service = await plannedService();
    await service.plan(numbers(6), { wave: MINUTE, canary: 1 });
    for (let run = 0; run < 8; run++) {
      await service.run(['plan', 'run', '1', '--quiet']);
      service.engine.clock.now += HOUR;
    }
    const { heard, url } = await hearing();
    for (let run = 0; run < 3; run++) await service.run(['plan', 'run', '1', '--quiet', '--notify', url]);
    expect(heard.map(({ told }) => told.moment)).toEqual(['waiting']);
    expect(heard[0]?.told.text).toContain('Waiting for you: vagent plan approve 1');
    // What happens where nobody is told is kept for the next who is.
    await service.run(['plan', 'cancel', '1', '--yes']);
    await service.run(['plan', 'run', '1', '--quiet']);
    await service.run(['plan', 'run', '--all', '--quiet', '--notify', url]);
    expect(heard.map(({ told }) => told.moment)).toEqual(['waiting', 'cancelled']);
  });
});

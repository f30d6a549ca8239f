/**
 * Whoever opted out is called by nothing of this machine any more: a plan hears it in the log of whatever was sent, however
 * old, and what was heard holds for plans, campaigns and single calls, whatever the operator allows.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CallLogEntry } from '../../src/contract.ts';
import { OptedOut } from '../../src/register/do-not-call.ts';
import {
  FROM,
  HOUR,
  type Interception,
  numbers,
  type PlannedService,
  plannedService,
} from '../support/planned-service.ts';
import { requestsAt } from '../support/rows.ts';
import { rowsOf } from '../support/stored-plans.ts';

const DAY = 24 * HOUR;
/** Two who pick up; the first does not want to be called any more. */
const OUT = '+12015550190';
const OTHER = '+12025550190';
const CALL = ['--agent', '1', '--from', FROM, '--first-line', 'Hello.', '--yes'];
const CAMPAIGN = ['campaign', 'create', '--name', 'Old', '--agent', '1', '--from', FROM, '--yes', '--json'];

const errorOf = (stderr: string) => JSON.parse(stderr.slice(stderr.indexOf('{"error"'))).error;

/** The log says that a number opted out whenever somebody talked to it. */
function saysOptOut(number = OUT, outcome = 'do_not_call'): Interception {
  return async (_request, answer) => {
    const page = (await answer()) as { calls: CallLogEntry[] };
    const said = (call: CallLogEntry) => (call.called_to === number ? { ...call, call_outcome: outcome } : call);
    return { ...page, calls: page.calls.map(said) };
  };
}

/** A log that is late with all calls to a number. */
function withoutCallsTo(number: string): Interception {
  return async (_request, answer) => {
    const page = (await answer()) as { calls: CallLogEntry[] };
    const calls = page.calls.filter(({ called_to }) => called_to !== number);
    return { ...page, calls, total: calls.length, limit: calls.length };
  };
}

async function serviceWithOptOuts(): Promise<PlannedService> {
  const service = await plannedService();
  service.faults.getCallLogs = saysOptOut();
  return service;
}

async function must(service: PlannedService, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await service.run(args);
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${stderr}`);
  return stdout;
}

function fileOf({ operator }: PlannedService, ...people: readonly string[]): string {
  const path = join(operator.home, 'people.csv');
  writeFileSync(path, ['phone_number', ...people, ''].join('\n'));
  return path;
}

function listOf({ state, url }: PlannedService, organizationId = 1): OptedOut {
  return new OptedOut({
    rows: rowsOf(state),
    target: { service: url, isLocal: false, organizationId },
    systemNow: Date.now,
  });
}

const campaign = (service: PlannedService, ...people: string[]) =>
  must(service, [...CAMPAIGN, '--contacts', fileOf(service, ...people), '--again', '--retry-attempts', '0']);

/** Nobody of a plan that is run for the first time is called but the other one. */
async function callsOnlyTheOther(service: PlannedService, planId: number): Promise<void> {
  const sent = service.sent.length;
  expect(await service.step(planId)).toMatchObject({ states: { excluded: 1 }, wave: { contacts: 1 } });
  expect(service.sent.slice(sent)).toMatchObject([{ contacts: [{ phone_number: OTHER }] }]);
}

describe('before its first wave a plan has heard whoever opted out', () => {
  const REQUESTS: [what: string, age: number, send: (service: PlannedService) => Promise<unknown>][] = [
    ['in a single call a year ago', 365 * DAY, (service) => must(service, ['call', OUT, ...CALL])],
    ['in a campaign 30 days ago', 30 * DAY, (service) => campaign(service, ...numbers(3), OUT)],
    [
      'in a campaign from another number',
      3 * DAY,
      (service) => must(service, [...CAMPAIGN, '--from', '+442079460100', '--contacts', fileOf(service, OUT)]),
    ],
    [
      'in a campaign that was forgotten since',
      9 * DAY,
      async (service) => {
        await campaign(service, OUT);
        service.engine.clock.now += DAY;
        await must(service, ['campaign', 'forget', '1', '--yes']);
      },
    ],
    [
      'in the wave of a plan that nobody has run since',
      3 * DAY,
      async (service) => {
        await service.plan([OUT, ...numbers(2)], {}, 'Before');
        await service.step(1);
      },
    ],
    [
      'by the rules of the plan whose wave it was',
      3 * DAY,
      async (service) => {
        service.faults.getCallLogs = saysOptOut(OUT, 'not_interested');
        await service.plan([OUT, ...numbers(2)], { optOut: ['Not interested'] }, 'Before');
        await service.step(1);
      },
    ],
    [
      'in a request that was sent before one of which nobody opted out',
      9 * DAY,
      async (service) => {
        await must(service, ['call', OUT, ...CALL]);
        service.engine.clock.now += 7 * DAY;
        await must(service, ['call', OTHER, ...CALL]);
      },
    ],
  ];

  test.each(REQUESTS)('%s', async (_what, age, send) => {
    const service = await serviceWithOptOuts();
    const { now } = service.engine.clock;
    await send(service);
    service.engine.clock.now = now + age;
    const { planId } = await service.plan([OUT, OTHER], {}, 'Later');
    await callsOnlyTheOther(service, planId);
  });

  test.each([
    ['tel:+1-201-555-0190'],
    ['0012015550190'],
    ['+1 (201) 555 0190'],
    ['12015550190'],
    ['sip:+12015550190@192.0.2.1'],
    [12015550190],
  ])('in an entry that writes its number %s', async (called_to) => {
    const service = await plannedService();
    await must(service, ['call', OUT, ...CALL]);
    service.engine.clock.now += 47 * HOUR;
    service.faults.getCallLogs = async (_request, answer) => {
      const page = (await answer()) as { calls: CallLogEntry[] };
      return { ...page, calls: page.calls.map((call) => ({ ...call, called_to, call_outcome: 'Do not call' })) };
    };
    const { planId } = await service.plan([OUT, OTHER]);
    await callsOnlyTheOther(service, planId);
  });

  test('where the log shows it days after the plan first looked', async () => {
    const service = await plannedService();
    for (const somebody of [OUT, ...numbers(1)]) await must(service, ['call', somebody, ...CALL]);
    service.faults.getCallLogs = withoutCallsTo(OUT);
    service.engine.clock.now += 10 * DAY;
    const { planId } = await service.plan([OUT, OTHER], { start: service.engine.clock.now + 6 * DAY });
    expect(await service.step(planId)).toMatchObject({ wave: null, states: { waiting: 2 } });
    service.engine.clock.now += 5 * DAY;
    service.faults.getCallLogs = saysOptOut();
    expect(await service.step(planId)).toMatchObject({ wave: null });
    service.engine.clock.now += DAY;
    await callsOnlyTheOther(service, planId);
  });

  test('but what is older than anything that touched its numbers is not asked for', async () => {
    const service = await serviceWithOptOuts();
    await must(service, ['call', OUT, ...CALL]);
    service.engine.clock.now += 100 * DAY;
    await service.plan([OTHER]);
    const asked: unknown[] = [];
    const intercepted = service.faults.getCallLogs as Interception;
    service.faults.getCallLogs = (request, answer) => {
      asked.push(request.start_date);
      return intercepted(request, answer);
    };
    await service.step();
    expect(new Set(asked)).toEqual(new Set(['2027-02-27']));
  });
});

describe('a plan that has called already hears', () => {
  /** A plan of both, whose first wave called the second one alone; three days later it has the other to call. */
  async function afterFirstWave() {
    const service = await serviceWithOptOuts();
    // An empty log has no place to lose.
    for (const somebody of numbers(1)) await must(service, ['call', somebody, ...CALL]);
    const { planId } = await service.plan([OTHER, OUT], { callsPerHour: 1, wave: 1, maxAttempts: 1 });
    await service.step(planId);
    expect(service.sent.at(-1)).toMatchObject({ contacts: [{ phone_number: OTHER }] });
    return service;
  }

  test.each([
    ['where it knows its place in the log', async () => {}],
    ['where it has lost its place', (state: string) => rowsOf(state).put('update plans set log_position = null')],
    [
      'where its place is not found again',
      async (state: string) => {
        const rows = rowsOf(state);
        const [plan] = await rows.read((sql) => sql.all<{ log_position: string }>('select log_position from plans'));
        const kept = JSON.parse(plan?.log_position ?? '');
        for (const rung of kept.position?.rungs ?? []) rung.mark = 'another';
        await rows.put('update plans set log_position = $1', [JSON.stringify(kept)]);
      },
    ],
  ])('what was said since it last looked, %s', async (_where, spoil) => {
    const service = await afterFirstWave();
    service.engine.clock.now += HOUR;
    await must(service, ['call', OUT, ...CALL]);
    service.engine.clock.now += 5 * DAY;
    await spoil(service.state);
    expect(await service.step()).toMatchObject({ states: { excluded: 1 }, wave: null });
    expect(service.sent).toHaveLength(1);
  });

  test('once a day what the log says by then of old requests', async () => {
    const service = await serviceWithOptOuts();
    await must(service, ['call', OUT, ...CALL]);
    for (const somebody of numbers(1)) await must(service, ['call', somebody, ...CALL]);
    service.engine.clock.now += 9 * DAY;
    service.faults.getCallLogs = withoutCallsTo(OUT);
    const { planId } = await service.plan([OTHER, OUT], { callsPerHour: 1, wave: 1, maxAttempts: 1 });
    await service.step(planId);
    service.faults.getCallLogs = saysOptOut();
    service.engine.clock.now += 26 * HOUR;
    expect(await service.step(planId)).toMatchObject({ states: { excluded: 1 }, wave: null });
    expect(service.sent).toHaveLength(1);
  });

  test('what was said in an old request of which this register learns only now', async () => {
    const service = await serviceWithOptOuts();
    await must(service, ['call', OUT, ...CALL]);
    const elsewhere = join(service.operator.home, 'elsewhere');
    renameSync(service.state, elsewhere);
    service.engine.clock.now += 9 * DAY;
    await service.plan([OTHER, OUT], { callsPerHour: 1, wave: 1 });
    await service.step();
    await must(service, ['register', 'copy', '--register', elsewhere, '--to', service.state]);
    service.engine.clock.now += HOUR;
    expect(await service.step()).toMatchObject({ states: { excluded: 1 }, wave: null });
  });
});

describe('what stands in the way', () => {
  async function withOldCall() {
    const service = await serviceWithOptOuts();
    await must(service, ['call', OUT, ...CALL]);
    service.engine.clock.now += 47 * HOUR;
    const folder = await service.plan([OUT, OTHER]);
    return { service, folder };
  }

  test('a log that shows less than it counts: exit 7, and nobody is called', async () => {
    const { service } = await withOldCall();
    service.faults.getCallLogs = async (_request, answer) => ({ ...(await answer()), calls: [] });
    expect(await service.run(['plan', 'run', '1', '--json'])).toMatchObject({ code: 7 });
    expect(service.sent).toEqual([]);
    service.faults.getCallLogs = saysOptOut();
    await callsOnlyTheOther(service, 1);
  });

  test('a list that cannot be written: exit 9, nobody is called, and it is heard again', async () => {
    const { service } = await withOldCall();
    const rows = rowsOf(service.state);
    await rows.put(`create trigger full before insert on opted_out begin select raise(abort, 'full'); end`);
    expect(await service.run(['plan', 'run', '1', '--json'])).toMatchObject({ code: 9 });
    const kept = await rows.read((sql) => sql.all('select log_position from plans'));
    expect([service.sent, kept]).toEqual([[], [{ log_position: null }]]);
    await rows.put('drop trigger full');
    await callsOnlyTheOther(service, 1);
  });

  test('somebody who opts out while a wave is chosen: it is chosen anew', async () => {
    const service = await plannedService();
    await service.plan([OUT, OTHER]);
    service.faults.getAgents = async (_request, answer) => {
      await listOf(service).add([Number(OUT.slice(1))]);
      return answer();
    };
    await callsOnlyTheOther(service, 1);
  });
});

test('a log that shows nothing yet has told nothing: what it shows of old calls later is heard', async () => {
  const service = await plannedService();
  await must(service, ['call', OUT, ...CALL]);
  service.engine.clock.now += 5 * DAY;
  service.faults.getCallLogs = async () => ({ success: true, calls: [], total: 0, limit: 0, offset: 0 });
  const { planId } = await service.plan([OUT, OTHER], { start: service.engine.clock.now + HOUR });
  expect(await service.step(planId)).toMatchObject({ wave: null });
  service.engine.clock.now += 2 * HOUR;
  service.faults.getCallLogs = saysOptOut();
  await callsOnlyTheOther(service, planId);
});

describe('whom the list holds', () => {
  async function listed() {
    const service = await plannedService();
    // Said to another organization: the people who are called do not see it.
    await listOf(service, 2).add([Number(OUT.slice(1))]);
    return service;
  }

  test.each([
    ['call', ['call', OUT, ...CALL, '--json']],
    ['call --force', ['call', OUT, ...CALL, '--force', '--json']],
    ['call --wait', ['call', OUT, ...CALL, '--wait', '--json']],
    [
      'api trigger-call',
      [
        ...['api', 'trigger-call', '--force', 'use_agent_id=1', `called_to=${OUT}`, `call_from=${FROM}`],
        ...['custom_first_line=Hello.', 'custom_identifiers=', '--json'],
      ],
    ],
  ])('%s does not ring: exit 3', async (_name, args) => {
    const service = await listed();
    const { code, stdout, stderr } = await service.run(args);
    expect([code, stdout, errorOf(stderr).code]).toEqual([3, '', 'do_not_call']);
    expect([await service.calls(), await requestsAt(service.state)]).toEqual([[], []]);
  });

  test.each([[], ['--again'], ['--force']])(
    'campaign create %s leaves out, and is refused if nobody is left',
    async (...flags) => {
      const service = await listed();
      const create = (...people: string[]) =>
        service.run([...CAMPAIGN, ...flags, '--contacts', fileOf(service, ...people)]);
      const refused = await create(OUT);
      expect([refused.code, errorOf(refused.stderr).code, service.sent]).toEqual([3, 'do_not_call', []]);
      const { code, stderr } = await create(OTHER, OUT);
      expect([code, stderr]).toEqual([0, expect.stringContaining('1 of 2 contacts has opted out of calls')]);
      expect(service.sent).toMatchObject([{ contacts: [{ phone_number: OTHER }] }]);
      const results = JSON.parse(await must(service, ['campaign', 'results', '1', '--json']));
      expect(results.contacts).toMatchObject([{ phone_number: OTHER, row: { phone_number: OTHER } }]);
    },
  );

  test.each([
    ['the list holds', async (service: PlannedService, phone: string) => listOf(service).add([Number(phone.slice(1))])],
    [
      'the log tells of',
      async (service: PlannedService, phone: string) => {
        service.faults.getCallLogs = saysOptOut(phone, 'Opted out');
      },
    ],
  ])('campaign redial leaves out whom %s, and nobody calls them from then on', async (_how, happens) => {
    const service = await plannedService();
    const [busy, other] = ['+12015550191', '+12025550191'];
    await campaign(service, busy, other);
    service.engine.clock.now += HOUR;
    await happens(service, busy);
    const { stdout, stderr } = await service.run(['campaign', 'redial', '1']);
    expect(stdout.trim().split(/\r?\n/)).toEqual(['phone_number', other]);
    expect(stderr).toContain('1 left out: 1 opted out of calls');
    expect(await service.run(['call', busy, ...CALL])).toMatchObject({ code: 3 });
  });

  test('contacts check and campaign rehearse, unlike campaign create, work where the list cannot be read, and say so', async () => {
    const service = await listed();
    const path = fileOf(service, OTHER, OUT);
    await rowsOf(service.state).put('alter table opted_out rename to gone');
    const check = await service.run(['contacts', 'check', path, '--json']);
    expect([check.code, JSON.parse(check.stdout)]).toMatchObject([0, { accepted: 2, do_not_call: null }]);
    const rehearse = await service.run(['campaign', 'rehearse', '--agent', '1', '--from', FROM, '--json', path]);
    expect([rehearse.code, JSON.parse(rehearse.stdout)]).toMatchObject([0, { contacts: 2 }]);
    for (const { stderr } of [check, rehearse]) expect(stderr).toContain('it is not known who opted out, and nobody');
    const create = await service.run([...CAMPAIGN, path]);
    expect([create.code, errorOf(create.stderr).code, service.sent]).toEqual([9, 'file', []]);
  });

  test('whoever opts out before the second yes is not called, and neither are the others', async () => {
    const service = await plannedService();
    service.faults.getAgents = async (_request, answer) => {
      await listOf(service).add([Number(OUT.slice(1))]);
      return answer();
    };
    const { code, stderr } = await service.run([...CAMPAIGN, '--contacts', fileOf(service, OTHER, OUT)]);
    expect([code, errorOf(stderr).code, service.sent]).toEqual([3, 'do_not_call', []]);
    expect(await requestsAt(service.state)).toEqual([]);
  });
});

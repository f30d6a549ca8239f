/** `plan create`: each rule is a flag, bad values are refused with the place and the fix, and nobody is called. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_NAME_LENGTH } from '../../../src/engine/policy.ts';
import { planIds } from '../../../src/plans/rows/plans.ts';
import type { LoadedPlan } from '../../../src/plans/rules/plan.ts';
import { LONGEST_PLAN_NAME, waveName } from '../../../src/plans/rules/waves.ts';
import { OptedOut } from '../../../src/register/do-not-call.ts';
import { casesBeside } from '../../support/cases.ts';
import { sendJson, startServer, type TestServer } from '../../support/http.ts';
import { plannedService } from '../../support/planned-service.ts';
import { Operator } from '../../support/program.ts';
import { peopleIn, planAt, rowsOf } from '../../support/stored-plans.ts';

/** A Monday, 09:00 in New York. */
const NOW = '2026-11-23T14:00:00.000Z';
const MINUTE = 60_000;
const PEOPLE = 'phone_number,name,zone\n+12125550190,Ann,\n+493012345678,Bob,\n+12125550191,Cai,Pacific/Kiritimati\n';
const BASE = ['plan', 'create', '--name', 'Spring', '--agent', '1', '--from', '+14155550100'];
const WINDOW = ['--window', '09:00-20:00'];

function operatorWith(files: Record<string, string> = { 'contacts.csv': PEOPLE }, env: Record<string, string> = {}) {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1', ...env }, frozenAt: NOW });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(operator.home, name), text);
  return operator;
}

const stateOf = ({ home }: Operator) => join(home, '.local/state/vagent');
const loaded = (operator: Operator, planId = 1): Promise<LoadedPlan> => planAt(stateOf(operator), planId).load();
const hasPlans = async (operator: Operator) => (await rowsOf(stateOf(operator)).read(planIds)).length > 0;

describe('a plan', () => {
  test('is made of the file, by the zones of numbers, of a column, or one for all', async () => {
    const operator = operatorWith();
    const zonesOf = async (id: number, ...flags: string[]) => {
      await operator.json([...BASE, 'contacts.csv', ...WINDOW, '--again', ...flags]);
      const { plan, roster } = await loaded(operator, id);
      return [0, 1, 2].map((row) => plan.places[roster.placeOf(row)]?.zones);
    };
    const berlin = expect.arrayContaining(['Europe/Berlin']);
    expect(await zonesOf(1)).toEqual([['America/New_York'], berlin, ['America/New_York']]);
    expect((await zonesOf(2, '--zone-column', 'zone'))[2]).toEqual(['Pacific/Kiritimati']);
    expect(await zonesOf(3, '--zone', 'Asia/Tokyo')).toEqual([['Asia/Tokyo'], ['Asia/Tokyo'], ['Asia/Tokyo']]);
    const { plan } = await loaded(operator);
    expect(plan).toMatchObject({ agent_id: 1, isLocal: true, columns: ['phone_number', 'name', 'zone'] });
    const [first] = await peopleIn(planAt(stateOf(operator)));
    expect(first?.contact).toEqual({ phone_number: '+12125550190' });
    const probe = ['plan', 'create', '--agent', '1', '--from', '+14155550100', '--probe', '+12125550190'];
    expect(await operator.json(probe)).toMatchObject({ plan_id: 4 });
    expect((await loaded(operator, 4)).plan.rules).toMatchObject({ maxAttempts: 1, retry: {} });
    expect((await operator.json<{ calls: unknown[] }>(['logs', 'list'])).calls).toEqual([]);
  });

  const isDataOld = (process.versions.tz ?? '') < '2026b';
  test.runIf(isDataOld)('says where clocks were changed since the zone data was made, and goes by both', async () => {
    const operator = operatorWith({ 'contacts.csv': 'phone_number\n+16047361234\n+14037361234\n' });
    const { stdout, stderr } = await operator.run([...BASE, 'contacts.csv', ...WINDOW, '--json']);
    // 09:00 by the old clocks of Alberta, 10:00 by the new ones.
    expect(JSON.parse(stdout)).toMatchObject({ first_wave: { at: '2026-11-23T16:00:00.000Z', contacts: 1 } });
    expect(stderr).toContain('the clocks in America/Edmonton, America/Vancouver were changed after');
  });

  test('counts nobody who opted out of another plan, as its run would not', async () => {
    const operator = operatorWith();
    await operator.json([...BASE, 'contacts.csv', ...WINDOW]);
    const { service, isLocal, organization_id: organizationId } = (await loaded(operator)).plan;
    const where = { rows: rowsOf(stateOf(operator)), target: { service, isLocal, organizationId } };
    await new OptedOut({ ...where, systemNow: () => Date.parse(NOW) }).add([12_125_550_190]);
    for (const flags of [['--dry-run'], []]) {
      const args = [...BASE, 'contacts.csv', ...WINDOW, '--again', '--json', ...flags];
      const { stdout, stderr } = await operator.run(args);
      expect(JSON.parse(stdout)).toMatchObject({ contacts: 3, first_wave: { contacts: 2 } });
      expect(stderr).toContain('1 of 3 contacts has opted out of calls: it is left out.');
    }
  });
});

describe('rules', () => {
  test.each(casesBeside(import.meta.filename)<[string, object]>('flags and rules'))('%s', async (flags, rules) => {
    const files = { 'contacts.csv': PEOPLE, 'days.txt': '2026-12-25\n2026-10-03 DE\n', 'never.txt': '+12125550199\n' };
    const operator = operatorWith(files);
    const more = ['--from', '+14155550101', ...flags.split(' ').filter(Boolean)];
    await operator.json([...BASE, 'contacts.csv', ...WINDOW, ...more, '--name', 'x'.repeat(LONGEST_PLAN_NAME)]);
    const { plan } = await loaded(operator);
    expect({ stopOn: undefined, ...plan.rules }).toMatchObject(rules);
    if (flags.includes('--retry')) expect(Object.keys(plan.rules.retry)).toHaveLength(2);
    // The lists wherever the plan is run, and the callers take turns.
    if (flags.includes('--exclude')) expect(plan.rules.exclude).toEqual([join(operator.home, 'never.txt')]);
    expect(plan.from).toEqual(['+14155550100', '+14155550101']);
    // The local engine takes its waves, whatever their numbers are.
    const longest = waveName({ ...plan, plan_id: Number.MAX_SAFE_INTEGER }, Number.MAX_SAFE_INTEGER);
    expect(longest.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
  });
});

describe('whom another plan may still call', () => {
  const create = [...BASE, 'contacts.csv', ...WINDOW];

  test('is not known where that plan is damaged, which is a warning', async () => {
    const operator = operatorWith();
    await operator.json(create);
    await rowsOf(stateOf(operator)).put('delete from plan_people where row = 1');
    const { code, stderr } = await operator.run(create);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(
      /not known whether plan 1 calls some of these contacts too: .*it has not all of its 3 contacts/,
    );
  });

  test.each([
    ['is refused', [], '"code":"in_other_plan"'],
    ['is refused, although those of all known plans are left out', ['--exclude-sent'], '"code":"in_other_plan"'],
    ['is taken where it is said', ['--again'], 'plan 2 is made'],
  ])('%s, if that plan is made at the same moment', async (_what, flags, expected) => {
    const service = await plannedService();
    writeFileSync(join(service.operator.home, 'contacts.csv'), PEOPLE);
    service.faults.getAgents = async (_request, answer) => {
      delete service.faults.getAgents;
      expect(await service.run(create)).toMatchObject({ code: 0 });
      return answer();
    };
    const { code, stdout, stderr } = await service.run([...create, ...flags, '--json']);
    const said = code === 0 ? `plan ${JSON.parse(stdout).plan_id} is made` : stderr;
    expect(said).toContain(expected);
    const { plans } = await service.operator.json<{ plans: unknown[] }>(['plan', 'list']);
    expect(plans).toHaveLength(code === 0 ? 2 : 1);
  });
});

describe('for a real service', () => {
  let server: TestServer;
  /** The service's. */
  let clock = Date.parse(NOW);
  const asked: string[] = [];
  const KEY = 'sk-plan-key-0001';

  beforeAll(async () => {
    server = await startServer(({ path }, response) => {
      asked.push(path);
      response.setHeader('date', new Date(clock).toUTCString());
      const agents = [{ agent_id: 1, agent_name: 'Ava', status: 'active' }];
      const campaign = { campaign_id: 1, status: 'running', total_contacts: 3 };
      sendJson(response, 200, { success: true, agents, total: 1, ...campaign });
    });
  });
  afterAll(() => server.close());

  const remote = (files?: Record<string, string>) =>
    operatorWith(files, { VAGENT_LOCAL: '', VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: KEY });

  test('asks for the agent and for nothing else, and needs no yes', async () => {
    const operator = remote();
    asked.length = 0;
    const { code, stderr } = await operator.run([...BASE, 'contacts.csv', ...WINDOW]);
    expect(code, stderr).toBe(0);
    expect(asked.map((path) => path.replace(/\?.*/, ''))).toEqual(['/get-agents']);
    expect((await loaded(operator)).plan).toMatchObject({ service: server.url, isLocal: false, organization_id: 7 });
    const kept = await rowsOf(stateOf(operator)).read((sql) => sql.all('select * from plans'));
    expect(JSON.stringify(kept)).not.toContain(KEY);
  });

  test.each([
    [11, 3],
    [-11, 3],
    [-9, 0],
  ])('whose clock is %i minutes ahead: exit %i, and a plan is made or none', async (minutes, expected) => {
    clock = Date.parse(NOW) + minutes * MINUTE;
    const operator = remote();
    const { code, stderr } = await operator.run([...BASE, 'contacts.csv', ...WINDOW, '--quiet']);
    clock = Date.parse(NOW);
    expect([code, await hasPlans(operator)]).toEqual([expected, expected === 0]);
    if (expected === 0) return;
    expect(stderr).toMatch(
      /^vagent: The clocks are more than 10 minutes apart: it is 2026-11-23T1.*No plan was made\.$/m,
    );
    expect(stderr).toContain('Set the clock of this machine');
  });

  test('whose clock is 9 minutes ahead: what is said of the plan holds by both clocks, wherever it is said', async () => {
    clock = Date.parse(NOW) + 9 * MINUTE;
    const operator = remote();
    const window = ['--zone', 'UTC', '--window', '16:00-20:00', '--json'];
    const made = await operator.json<{ first_wave: { at: string } }>([...BASE, 'contacts.csv', ...window]);
    clock = Date.parse(NOW);
    // It is 16:00 by both when it is 16:09 for the service.
    expect(made).toMatchObject({ first_wave: { at: '2026-11-23T16:09:00.000Z' } });
    expect(made).toMatchObject({ expected_finish: '2026-11-23T16:11:00.000Z' });
    const status = await operator.json(['plan', 'status', '1']);
    expect(status).toMatchObject({ next: { at: '2026-11-23T16:09:00.000Z', why: 'window' } });
    const rehearsed = await operator.json(['plan', 'rehearse', '1']);
    expect(rehearsed).toMatchObject({ first_call: '2026-11-23T16:09:00.000Z' });
  });

  test('that cannot be reached says once that nothing was sent', async () => {
    const { stderr } = await remote().run([...BASE, 'contacts.csv', ...WINDOW, '--base-url', 'http://127.0.0.1:9']);
    expect(stderr).toContain('Agent 1 was not looked up: ');
    expect(stderr.match(/Nothing was sent/g)).toHaveLength(1);
  });

  test('whose people were called before is refused, unless it is said', async () => {
    const operator = remote();
    const campaign = ['campaign', ...BASE.slice(1), 'contacts.csv', '--yes'];
    expect(await operator.run(campaign)).toMatchObject({ code: 0 });
    const refused = await operator.run([...BASE, 'contacts.csv', ...WINDOW]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--again') });
    expect(await hasPlans(operator)).toBe(false);
    expect(await operator.json([...BASE, 'contacts.csv', ...WINDOW, '--again'])).toMatchObject({ plan_id: 1 });

    writeFileSync(join(operator.home, 'more.csv'), `${PEOPLE}+12125550199,Dee,\n`);
    const rest = await operator.json([...BASE, 'more.csv', ...WINDOW, '--exclude-sent']);
    expect(rest).toMatchObject({ plan_id: 2, contacts: 1 });
    const kept = planAt(stateOf(operator), 2);
    const cells = ['+12125550199', 'Dee', ''];
    expect(await peopleIn(kept)).toEqual([{ contact: { phone_number: '+12125550199' }, cells }]);
    const { plan, roster } = await kept.load();
    expect(plan.places[roster.placeOf(0)]?.zones).toEqual(['America/New_York']);
  });

  test('whose people are in a plan that has not called yet is refused, but for another organization', async () => {
    const operator = remote();
    const create = [...BASE, 'contacts.csv', ...WINDOW];
    await operator.json(create);
    const stderr = expect.stringContaining('in plan 1 "Spring"');
    expect(await operator.run(create)).toMatchObject({ code: 2, stderr });
    expect(await operator.run([...create, '--org', '8'])).toMatchObject({ code: 0 });
  });

  test.each([
    ['a name', [...BASE, '--name', `Spring ${KEY}`, 'contacts.csv', ...WINDOW]],
    ['a text', [...BASE, 'contacts.csv', ...WINDOW, '--first-line', `Hello {{name}}, ${KEY}`]],
  ])('never keeps its key, which was pasted into %s', async (_where, args) => {
    const operator = remote();
    const outcome = await operator.run(args);
    expect(outcome).toMatchObject({ code: 3, stderr: expect.stringContaining('holds the API key') });
    expect(outcome.stderr).not.toContain(KEY);
    expect(await operator.json(['plan', 'list'])).toEqual({ plans: [] });
  });
});

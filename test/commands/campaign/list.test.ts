/** `vagent campaign list` of a service: how far each campaign is, and a list in any case. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CallingService, callTo as call, setUp } from '../../support/calling-service.ts';
import { failsAfterwards, plannedService } from '../../support/planned-service.ts';
import { temporaryFolder } from '../../support/program.ts';
import { rowsAt } from '../../support/rows.ts';

const DAY = 86_400_000;

const service = () => setUp(temporaryFolder());

const registerOf = ({ operator }: CallingService) => rowsAt(join(operator.home, '.local/state/vagent'));

interface Row extends Record<string, unknown> {
  campaign_id: number;
}

async function list({ operator }: CallingService, ...flags: string[]): Promise<Row[]> {
  const { campaigns } = await operator.json<{ campaigns: Row[] }>(['campaign', 'list', ...flags]);
  return campaigns.map(({ campaign_id, total_contacts, reached, waiting, attempts }) => {
    return { campaign_id, total_contacts, reached, waiting, attempts };
  });
}

/** How often the log was read from its beginning. */
const reads = ({ server }: CallingService) =>
  server.received.filter(({ path, query }) => path.endsWith('/get-call-logs') && !Number(query.get('offset'))).length;

describe('progress', async () => {
  const counted = await service();
  test('is counted from the log: one reading for all campaigns of an agent', async () => {
    await counted.create('Spring');
    await counted.create('Autumn', ['+14155550193']);
    counted.calls = [call(0), call(1, { call_status: 'busy', call_outcome: 'not_connected' })];
    expect(await list(counted)).toEqual([
      { campaign_id: 10, total_contacts: 1, reached: 0, waiting: 1, attempts: 0 },
      { campaign_id: 9, total_contacts: 3, reached: 1, waiting: 1, attempts: 2 },
    ]);
    expect(reads(counted)).toBe(1);
    const { stdout } = await counted.operator.run(['campaign', 'list'], { isTerminal: true, columns: 120 });
    expect(stdout).toMatch(/Progress.*Reached.*Waiting/);
    expect(stdout).toContain('██████░░░░ 66 %');
    expect(stdout).toContain('░░░░░░░░░░ 0 %');
  });

  const over = await service();
  test('of a campaign that is over is kept, and not read again once nothing can change', async () => {
    await over.create('Spring');
    over.calls = [0, 1, 2].map((contact) => call(contact));
    const rows = [{ campaign_id: 9, total_contacts: 3, reached: 3, waiting: 0, attempts: 3 }];
    expect(await list(over)).toEqual(rows);
    const register = await registerOf(over);
    const keep = (text: string) => register.put('update requests set summary = $1', [text]);
    const [{ kept } = { kept: '' }] = await register.read((sql) =>
      sql.all<{ kept: string }>('select summary as kept from requests'),
    );
    const summary = JSON.parse(kept);
    expect(summary).toMatchObject({ contacts: 3, states: { reached: 3, waiting: 0 }, attempts: 3 });
    expect(JSON.stringify(summary)).not.toContain('1415555');
    // Within a day, an entry may still come or be completed.
    over.calls = [call(0, { call_outcome: 'voicemail_left' }), ...over.calls.slice(1)];
    expect(await list(over)).toEqual([{ ...rows[0], reached: 2 }]);
    expect(reads(over)).toBe(2);
    const later = {
      ...summary,
      states: { ...summary.states, reached: 2 },
      at: new Date(Date.now() + 2 * DAY).toISOString(),
    };
    await keep(JSON.stringify(later));
    expect(await list(over)).toEqual([{ ...rows[0], reached: 2 }]);
    expect(reads(over)).toBe(2);
    // One that cannot be read is of no weight: it only saves time.
    for (const text of ['', '{', 'null', '[]', JSON.stringify({ ...later, first_call: 'yesterday' })]) {
      await keep(text);
      const before = reads(over);
      expect(await list(over), text).toEqual([{ ...rows[0], reached: 2 }]);
      expect(reads(over)).toBe(before + 1);
    }
  });

  const old = await service();
  test('of a campaign of long ago is not asked for', async () => {
    await old.create('Spring');
    await (await registerOf(old)).put('update requests set sent_at = $1, ended_at = $1', [Date.now() - 31 * DAY]);
    expect(await list(old)).toEqual([
      { campaign_id: 9, total_contacts: 3, reached: null, waiting: null, attempts: null },
    ]);
    expect(reads(old)).toBe(0);
  });
});

describe('the list is shown in any case', async () => {
  const ways: [string, (shop: CallingService) => unknown, Record<string, string>, RegExp][] = [
    ['a service that fails', (shop) => (shop.instead = { status: 503, body: {} }), {}, /503/],
    ['a key that is refused', (shop) => (shop.instead = { status: 401, body: { message: 'No.' } }), {}, /No\./],
    ['no key', () => {}, { VAGENT_API_KEY: '' }, /key/],
    ['a service that does not answer', (shop) => (shop.instead = 'hangs'), {}, /within 10 seconds/],
    [
      'contacts that are not those that were sent',
      async (shop) => void (await (await registerOf(shop)).put('delete from request_contacts where position = 1')),
      {},
      /are not those that were sent/,
    ],
  ];
  for (const [name, harm, env, says] of ways) {
    const shop = await service();
    test(name, async () => {
      await shop.create('Spring');
      await harm(shop);
      const { code, stdout, stderr } = await shop.operator.run(['campaign', 'list', '--json'], { env });
      expect({ code, rows: JSON.parse(stdout).campaigns }).toEqual({
        code: 0,
        rows: [expect.objectContaining({ campaign_id: 9, reached: null, waiting: null, attempts: null })],
      });
      expect(stderr).toMatch(says);
      expect(stderr.match(/Warning/g)).toHaveLength(1);
    });
  }

  const unreachable = await service();
  test('a service that is not there', async () => {
    await unreachable.create('Spring');
    await unreachable.server.close();
    const { code, stdout, stderr } = await unreachable.operator.run(['campaign', 'list']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^9\tSpring\taccepted\t3\t.*\t\t\t$/m) });
    expect(stderr).toContain('listed without their progress');
  });

  const empty = await service();
  test('nothing was sent: nothing is asked', async () => {
    expect(await list(empty)).toEqual([]);
    expect(empty.server.received).toEqual([]);
  });
});

test('waves of plans are listed only when they are asked for, or while nobody knows whether one was placed', async () => {
  const service = await plannedService();
  await service.plan(['+14155550300', '+14155550301']);
  await service.step();
  const listed = async (...flags: string[]) => {
    const { stdout, stderr } = await service.run(['campaign', 'list', '--json', ...flags]);
    return { names: JSON.parse(stdout).campaigns.map((one: Row) => one.campaign_name), stderr };
  };
  expect(await listed()).toEqual({
    names: [],
    stderr: expect.stringContaining('1 wave of a plan is not listed: --waves'),
  });
  expect((await listed('--waves')).names).toEqual(['Spring (plan 1, wave 1)']);
  await service.plan(['+14155550302'], {}, 'Autumn');
  service.faults.createCampaign = failsAfterwards;
  await service.run(['plan', 'run', '2']);
  expect((await listed()).names).toEqual(['Autumn (plan 2, wave 1)']);
  const named = await service.run(['campaign', 'results', 'autumn']);
  expect([named.code, named.stderr]).toEqual([5, expect.stringContaining('→ vagent plan results 2')]);
});

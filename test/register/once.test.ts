/** `call --once`: the same key never rings twice, whoever asks again, at once or later, and whatever became of the first call. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { endedBy } from '../../src/register/guards.ts';
import { sentOnce } from '../../src/register/once.ts';
import { SCHEMA } from '../../src/register/schema.ts';
import type { Rows } from '../../src/storage/database/sql.ts';
import { openEngine, SqliteRows } from '../../src/storage/database/sqlite-rows.ts';
import { sendJson } from '../support/http.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { finished, Operator, type Outcome, temporaryFolder } from '../support/program.ts';
import { shopOf } from '../support/shop.ts';
import { callTo, team } from '../support/team.ts';

const TO = '+14155550123';
const CALL = ['call', TO, '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
const REPLY =
  '{"success":true,"room_name":"room-7","sip_call_to":"+14155550123","more":1.10,"big":12345678901234567890}';
const entry = { call_id: 'c1', agent_id: 3, called_to: TO, call_from: '+14155550100', call_status: 'busy' };

async function service(...answers: (string | number | 'cut' | 'hangs')[]) {
  const shop = await shopOf(({ path }, response) => {
    if (path !== '/trigger-call') return sendJson(response, 200, { success: true, calls: [entry], total: 1 });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === 'cut') return void response.destroy();
    if (answer === 'hangs') return;
    if (typeof answer === 'number') return sendJson(response, answer, { message: 'No.' });
    response.setHeader('content-type', 'application/json');
    response.end(answer);
  });
  return { ...shop, rung: () => shop.server.received.filter(({ path }) => path === '/trigger-call').length };
}

const once = (key: string, ...more: string[]) => [...CALL, '--once', key, ...more];

test('a second time, the first reply comes again, as it was sent, and nothing is sent', async () => {
  const { operator, rung } = await service(REPLY);
  const first = await operator.run(once('k', '--json'));
  const second = await operator.run(once('k', '--json'));
  expect(first).toMatchObject({ code: 0 });
  expect(second).toMatchObject({ code: 0, stdout: first.stdout });
  expect(second.stdout).toContain('12345678901234567890');
  expect(second.stderr).toContain('This call was placed before');
  expect(second.stderr).toContain('nothing was sent');
  expect(rung()).toBe(1);
  expect(await operator.run(once('other'))).toMatchObject({ code: 0 });
  expect(rung()).toBe(2);
});

test.each([
  ['another number', ['call', '+14155550124', ...CALL.slice(2), '--once', 'k']],
  ['another agent', [...CALL, '--agent', '4', '--once', 'k']],
  ['another text', [...CALL, '--first-line', 'Bye.', '--once', 'k']],
  ['another organization', [...CALL, '--org', '8', '--once', 'k']],
  ['--force too', [...CALL, '--first-line', 'Bye.', '--force', '--once', 'k']],
])('%s under the same key is refused', async (_what, args) => {
  const { operator, rung } = await service(REPLY);
  await operator.run(once('k'));
  const { code, stdout, stderr } = await operator.run(args);
  expect(stderr).toMatch(/vagent: The key "k" was used .* for a call with other arguments\. Nothing was sent\.\n/);
  expect({ code, stdout, rung: rung() }).toEqual({ code: 2, stdout: '', rung: 1 });
});

test.each(['cut', 500] as const)(
  'the outcome of the first is unknown (%s): exit 8 again, nothing is sent',
  async (answer) => {
    const { operator, rung } = await service(answer, REPLY);
    expect((await operator.run(once('k'))).code).toBe(8);
    for (const args of [once('k'), once('k', '--force'), once('k', '--wait')]) {
      const { code, stdout, stderr } = await operator.run(args);
      expect(stderr).toMatch(/The key "k" was used .*, and that call may have been placed\. Nothing was sent\./);
      expect(stderr).toContain(`vagent logs list --to ${TO}`);
      expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
    }
    expect(rung()).toBe(1);
  },
);

test('the program was killed while it waited for the reply: exit 8, nothing is sent', async () => {
  const { operator, rung, server } = await service('hangs');
  const child = operator.start(once('k'));
  const outcome = finished(child);
  while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  // While it is under way, another waits for nothing.
  expect((await operator.run(once('k'))).code).toBe(8);
  child.kill('SIGKILL');
  await outcome;
  expect((await operator.run(once('k'))).code).toBe(8);
  expect(rung()).toBe(1);
});

test.each([402, 400, 403] as const)(
  'the first was refused (%s): nobody was called, and the key is free',
  async (status) => {
    const { operator, rung } = await service(status, REPLY);
    expect((await operator.run(once('k'))).code).not.toBe(8);
    expect(await operator.run(once('k'))).toMatchObject({ code: 0 });
    expect(await operator.run(once('k'))).toMatchObject({ code: 0, stderr: expect.stringContaining('placed before') });
    expect(rung()).toBe(2);
  },
);

test('with --wait, a second time the entry of the first call is printed', async () => {
  const { operator, rung } = await service(REPLY);
  await operator.run(once('k'));
  const { code, stdout } = await operator.run(once('k', '--wait', '-o', 'ids'));
  expect({ code, stdout, rung: rung() }).toEqual({ code: 10, stdout: 'c1\n', rung: 1 });
});

test('with --wait, days later, the log is read from the day of the first call on', async () => {
  const { operator, server } = await service(REPLY);
  await operator.run(once('k'));
  const engine = openEngine(join(operator.home, '.local/state/vagent/vagent.db'));
  engine.exec(`update once_keys set began_at = ${Date.UTC(2026, 0, 9, 12)}`);
  engine.close();
  expect(await operator.run(once('k', '--wait', '-o', 'ids'))).toMatchObject({ code: 10, stdout: 'c1\n' });
  const last = server.received.filter(({ path }) => path === '/get-call-logs').at(-1);
  expect(last?.query.get('start_date')).toBe('2026-01-08');
});

test('with --wait, where the log cannot be read, it is not said that the call was never placed', async () => {
  const shop = await shopOf(({ path }, response) =>
    path === '/trigger-call' ? sendJson(response, 200, { success: true }) : sendJson(response, 403, {}),
  );
  await shop.operator.run(once('k'));
  const { code, stderr } = await shop.operator.run(once('k', '--wait'));
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('Nothing was sent.') });
  expect(stderr).not.toContain('No call was placed');
});

test('a dry run says that nothing would be sent, or that it would be refused', async () => {
  const { operator, rung } = await service(REPLY);
  const unused = await operator.run(once('k', '--dry-run'));
  expect(unused.stderr).not.toContain('before');
  await operator.run(once('k'));
  const used = await operator.run(once('k', '--dry-run'));
  expect(used).toMatchObject({ code: 0, stdout: unused.stdout });
  expect(used.stderr).toContain('This call was placed before');
  const other = await operator.run(once('k', '--dry-run', '--first-line', 'Bye.'));
  expect(other.stderr).toMatch(/this would be refused: The key "k" was used .* for a call with other arguments/);
  expect(rung()).toBe(1);
});

test.each(['', ' ', 'x'.repeat(201), ' k', 'k\r', 'k\n', 'a\tb', 'a\u009bb', 'a\u202eb', 'a\u200bb'])(
  '%j is no key',
  async (key) => {
    const { operator, rung } = await service(REPLY);
    expect((await operator.run(once(key))).code).toBe(2);
    expect(rung()).toBe(0);
  },
);

test('a key is the same in both spellings of its letters', async () => {
  const { operator, rung } = await service(REPLY);
  await operator.run(once('Jos\u00e9 1'));
  expect((await operator.run(once('Jose\u0301 1'))).stderr).toContain('placed before');
  expect(rung()).toBe(1);
});

/** Real processes that begin together. */
async function together(operator: Operator, args: string[], count: number): Promise<Outcome[]> {
  return await Promise.all(Array.from({ length: count }, () => finished(operator.start(args))));
}

function requireOne(outcomes: Outcome[]): void {
  // Who comes while the first is under way does not know what comes of it; who comes later gets its reply.
  for (const { code } of outcomes) expect([0, 8]).toContain(code);
  expect(outcomes.filter(({ code, stderr }) => code === 0 && !stderr.includes('placed before'))).toHaveLength(1);
}

test('six processes at once ring once', async () => {
  const { operator, rung } = await service(REPLY);
  requireOne(await together(operator, once('k'), 6));
  expect(rung()).toBe(1);
});

describe('the simulator', () => {
  const local = () => new Operator({ env: { VAGENT_LOCAL: '1' } });
  const call = (number: string, ...more: string[]) => [
    ...['call', number, '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.', '--once', 'k', ...more],
  ];
  const calls = async (operator: Operator) =>
    (await operator.run(['logs', 'list', '-o', 'ids'])).stdout.split('\n').length - 1;

  test('places it once, also of several processes, and begins anew with its store', async () => {
    const operator = local();
    requireOne(await together(operator, call('+14155550190'), 4));
    expect(await calls(operator)).toBe(1);
    expect((await operator.run(call('+14155550191'))).code).toBe(2);
    expect(await operator.run(call('+14155550190', '--wait', '-o', 'ids'))).toMatchObject({
      ...{ code: 0, stdout: 'call_0000000001\n' },
    });
    expect((await operator.run(['local', 'reset', '--yes'])).code).toBe(0);
    expect(await operator.run(call('+14155550191'))).toMatchObject({ code: 0 });
    expect(await calls(operator)).toBe(1);
  });

  test('a call that was placed is not told as failed where its key cannot be completed', async () => {
    const path = join(temporaryFolder(), 'vagent.db');
    const rows = new SqliteRows({ path, schema: SCHEMA, version: 2, name: 'register' });
    const request = { use_agent_id: 1, called_to: TO, call_from: TO, custom_first_line: 'x', custom_identifiers: '' };
    const keyed = { once: { key: 'k', onPlacedBefore() {} }, serviceKey: 'store', organizationId: 1, now: 1 };
    const full = {
      read: rows.read.bind(rows),
      write: rows.write.bind(rows),
      put: () => Promise.reject(Error('Full.')),
    };
    const said: string[] = [];
    const ports = { rows: full as unknown as Rows, endedBy, warn: (text: string) => said.push(text) };
    const send = async () => ({ success: true as const });
    const placed = sentOnce(send, { ...keyed, sent: { operation: 'triggerCall', request } }, ports);
    expect(await placed).toEqual({ success: true });
    expect(said).toEqual(['Full. Its key will show the call as unknown.']);
  });

  test('a call that fails after it may have rung: 8 again', async () => {
    const operator = local();
    expect((await operator.run(call('+14155550199'))).code).toBe(8);
    expect(await operator.run(call('+14155550199'))).toMatchObject({ code: 8, stdout: '' });
    expect(await calls(operator)).toBeLessThanOrEqual(1);
  });
});

test('a forgotten call keeps its key, and nothing of the person', async () => {
  const { operator, rung } = await service(REPLY);
  await operator.run(once('k'));
  expect((await operator.run(['campaign', 'forget', '--keep-days', '0', '--yes'])).code).toBe(0);
  const { code, stderr } = await operator.run(once('k'));
  expect(stderr).toMatch(/The key "k" was used .* for a call that was forgotten since\. Nothing was sent\./);
  expect({ code, rung: rung() }).toEqual({ code: 2, rung: 1 });
  expect(readFileSync(join(operator.home, '.local/state/vagent/vagent.db'), 'latin1')).not.toContain(TO.slice(1));
});

test('a key goes along when the register is copied', async () => {
  const { operator, rung } = await service(REPLY);
  await operator.run(once('k'));
  const to = join(operator.home, 'other');
  mkdirSync(to);
  for (let times = 0; times < 2; times++) expect((await operator.run(['register', 'copy', '--to', to])).code).toBe(0);
  const there = await operator.run(once('k', '--register', to));
  expect(there).toMatchObject({ code: 0, stderr: expect.stringContaining('placed before') });
  expect(rung()).toBe(1);
});

/** Two registers in which the same key stands, and the second of them into which the first was copied. */
describe('a key that stands in both places, after the copy', () => {
  const copied = async (here: (string | number | 'cut')[], there: (string | number | 'cut')[]) => {
    const shop = await service(...there, ...here);
    const to = join(shop.operator.home, 'other');
    mkdirSync(to);
    for (const _ of there) await shop.operator.run(once('k', '--register', to));
    for (const _ of here) await shop.operator.run(once('k'));
    const { code, stderr } = await shop.operator.run(['register', 'copy', '--to', to]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const before = shop.rung();
    const { code: then } = await shop.operator.run(once('k', '--register', to));
    return { code: then, rang: shop.rung() - before };
  };

  test.each([
    ['free there, used here', [REPLY], [402], 0],
    ['free there, unknown here', ['cut'], [402], 8],
    ['used there, free here', [402], [REPLY], 0],
    ['unknown there, free here', [402], ['cut'], 8],
  ] as const)('%s: rings nobody again', async (_what, here, there, code) => {
    expect(await copied([...here], [...there])).toEqual({ code, rang: 0 });
  });

  test('free here, and under way there by another: stays so', async () => {
    const { operator, rung } = await service(402, 'cut');
    const to = join(operator.home, 'other');
    mkdirSync(to);
    await operator.run(once('k'));
    await operator.run(once('k', '--register', to));
    // As if that one was killed before it had ended.
    const engine = openEngine(join(to, 'vagent.db'));
    engine.exec('update once_keys set outcome = null');
    engine.close();
    expect((await operator.run(['register', 'copy', '--to', to])).code).toBe(0);
    expect((await operator.run(once('k', '--register', to))).code).toBe(8);
    expect(rung()).toBe(2);
  });
});

test('what stands under a key and nobody of us wrote is no reply: exit 9, and nothing is sent', async () => {
  const { operator, rung } = await service(REPLY);
  await operator.run(once('k'));
  for (const damage of ["reply = 'x'", 'reply = null', "outcome = 'odd'", 'began_at = 9007199254740991']) {
    const engine = openEngine(join(operator.home, '.local/state/vagent/vagent.db'));
    engine.exec(`update once_keys set ${damage}`);
    engine.close();
    const { code, stdout } = await operator.run(once('k'));
    expect([damage, [8, 9].includes(Number(code)), stdout]).toEqual([damage, true, '']);
  }
  expect(rung()).toBe(1);
});

test('a register that an earlier vagent has made learns of keys', async () => {
  const { operator, rung } = await service(REPLY);
  const folder = join(operator.home, '.local/state/vagent');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'vagent.db'), '', { mode: 0o600 });
  const old = new SqliteRows({ path: join(folder, 'vagent.db'), schema: SCHEMA, version: 1, name: 'register' });
  await old.write(async () => {});
  await expect(old.read((sql) => sql.all('select * from once_keys'))).rejects.toThrow();
  expect((await operator.run(once('k'))).code).toBe(0);
  expect(await operator.run(once('k'))).toMatchObject({ code: 0 });
  expect(rung()).toBe(1);
});

describePostgres('a register that machines share', () => {
  test('rings once, of two machines at once and later, and after it was copied', async () => {
    const { service: shared, machine } = await team(ownSchema());
    const [one, other] = [machine(), machine()];
    const args = callTo('+14155550190', '--once', 'k');
    const outcomes = await Promise.all([one, other, one, other].map(({ operator }) => finished(operator.start(args))));
    requireOne(outcomes);
    expect(await shared.calls()).toHaveLength(1);
    const again = await other.run(args);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('placed before') });
    expect(await shared.calls()).toHaveLength(1);
  });
});

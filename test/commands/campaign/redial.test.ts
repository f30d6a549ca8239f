/** `campaign redial`: who is to be called again, as a list that is sent as it is, once. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { draw, keyBits } from '../../../src/engine/chance.ts';
import { type CallingService, type Fate, setUp } from '../../support/calling-service.ts';
import { callAt } from '../../support/dated-log.ts';
import { BIN, Operator } from '../../support/program.ts';
import { play } from '../../support/terminal.ts';

const FROM = ['--from', '+14155550100'];
const CREATE = ['campaign', 'create', '--agent', '3', ...FROM, '--retry-attempts', '0', '--yes', '--quiet'];
const [REACHED, BUSY, UNANSWERED, MACHINE, FAILED, LATE] = [1, 2, 3, 4, 5, 6].map((at) => `+1415555010${at}`) as [
  ...[string, string, string, string, string, string],
];

/** By the number; `LATE` is not called while this is watched. */
const FATES: Record<string, ReturnType<Fate>> = {
  [REACHED]: ['completed', 'interested'],
  [BUSY]: ['busy'],
  [UNANSWERED]: ['no_answer'],
  [MACHINE]: ['completed', 'voicemail_left'],
  [FAILED]: ['failed'],
};
const ALL = [REACHED, BUSY, UNANSWERED, MACHINE, FAILED, LATE];
const FILE = `Name;Mobile;Nickname\n${ALL.map((number, at) => `"Person; ${at}";${number};P${at}\n`).join('')}`;
const TEXTS = ['--first-line', 'Hello {{Nickname}}, "this" is Ava.', '--identifier', 'crm-{{Nickname}}'];

const HEADER = 'phone_number,custom_first_line,custom_instruction,custom_identifiers,Name,Mobile,Nickname';

/** Made while tests are collected: hooks of vitest do not work inside one. */
const services = await Promise.all(Array.from({ length: 18 }, () => setUp()));

async function sentSpring(fate: Fate = (number) => FATES[number]): Promise<CallingService> {
  const one = services.pop() as CallingService;
  one.fate = fate;
  writeFileSync(join(one.operator.home, 'all.csv'), FILE);
  const { code, stderr } = await one.operator.run([...CREATE, '--name', 'Spring', '--contacts', 'all.csv', ...TEXTS]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return one;
}

const redial = ({ operator }: CallingService, ...flags: string[]) =>
  operator.run(['campaign', 'redial', '9', ...flags]);
const send = ({ operator }: CallingService, list: string, ...flags: string[]) =>
  operator.run([...CREATE, '--name', 'Again', '--contacts', '-', ...flags], { input: list });
const numbersIn = (list: string) => [...list.matchAll(/^\+\d+/gm)].map(([number]) => number);
const contactsSent = ({ posts }: CallingService) =>
  posts().map(({ body }): { phone_number: string }[] => JSON.parse(body).contacts);
const redialsIn = ({ state }: CallingService) => readdirSync(state).filter((name) => name === 'redials');

describe.concurrent('the list', () => {
  test('is of those who were not reached, and is sent as it is with the same texts', async () => {
    const one = await sentSpring();
    const { code, stdout, stderr } = await redial(one);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'phone_number,custom_first_line,custom_instruction,custom_identifiers,Name,Mobile,Nickname',
        `${BUSY},"Hello P1, ""this"" is Ava.",,crm-P1,Person; 1,${BUSY},P1`,
        `${UNANSWERED},"Hello P2, ""this"" is Ava.",,crm-P2,Person; 2,${UNANSWERED},P2`,
        `${MACHINE},"Hello P3, ""this"" is Ava.",,crm-P3,Person; 3,${MACHINE},P3`,
        `${FAILED},"Hello P4, ""this"" is Ava.",,crm-P4,Person; 4,${FAILED},P4`,
        '',
      ].join('\r\n'),
      stderr: 'Campaign 9: 4 contacts to call again.\n',
    });
    const again = await send(one, stdout);
    expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 0, stderr: '' });
    const [first, second] = contactsSent(one);
    expect(second).toEqual(first?.slice(1, 5));
  });

  test('of the list that was sent another is made, with the same columns', async () => {
    const one = await sentSpring();
    const { stdout } = await redial(one);
    await send(one, stdout);
    const again = await one.operator.run(['campaign', 'redial', '10']);
    expect(again.stdout).toBe(stdout);
    expect((await send(one, again.stdout)).code).toBe(0);
  });

  test.each([
    ['busy', [BUSY]],
    ['failed,no_answer', [UNANSWERED, FAILED]],
    ['reached', [REACHED]],
    ['voicemail', [MACHINE]],
  ])('is of those who are %s', async (states, numbers) => {
    const one = await sentSpring();
    expect(numbersIn((await redial(one, '--state', states)).stdout)).toEqual(numbers);
  });

  test('has those who wait only where they are named, and says that they may be called anyway', async () => {
    const one = await sentSpring();
    const { stdout, stderr } = await redial(one, '--state', 'waiting');
    expect(numbersIn(stdout)).toEqual([LATE]);
    expect(stderr).toContain('Warning: the campaign itself may still call 1 of them: it waits for an attempt.');
    // The guard does not know such a list: it would let somebody be called twice.
    writeFileSync(join(one.operator.home, 'waiting.csv'), stdout);
    const again = await one.operator.run([...CREATE, '--name', 'Twice', '--contacts', 'waiting.csv']);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('--again');
  });

  test('leaves out the numbers of --exclude', async () => {
    const one = await sentSpring();
    writeFileSync(join(one.operator.home, 'never.txt'), `${BUSY}\n`);
    const { stdout, stderr } = await redial(one, '--exclude', 'never.txt');
    expect(numbersIn(stdout)).toEqual([UNANSWERED, MACHINE, FAILED]);
    expect(stderr).toBe('Campaign 9: 3 contacts to call again; 1 left out: 1 excluded.\n');
  });

  test.each([
    ['another encoding', Buffer.from(`phone;name\n${BUSY};Jos\u00e9\n`, 'latin1'), '--encoding windows-1252'],
    ['no country', Buffer.from('030 23125001\n'), '--country DE'],
  ])('leads on where the list of --exclude has %s', async (_what, bytes, flags) => {
    const one = await sentSpring();
    writeFileSync(join(one.operator.home, 'never.csv'), bytes);
    const { code, stderr } = await redial(one, '--exclude', 'never.csv');
    expect(code).toBe(3);
    const offered = [...stderr.matchAll(/: (vagent .*)$/gm)].map(([, line = '']) => line);
    const right = offered.find((line) => line.endsWith(`--exclude never.csv ${flags}`)) ?? '';
    const done = await one.operator.paste(right);
    expect(done, stderr).toMatchObject({ code: 0 });
    const others = flags === '--country DE' ? [BUSY] : [];
    expect(numbersIn(done.stdout).sort()).toEqual([...others, UNANSWERED, MACHINE, FAILED].sort());
  });

  test('leaves out who was reached since, by any agent, number and kind of call', async () => {
    const one = await sentSpring();
    const talked = { agent_id: 5, call_from: '+14155550177', call_status: 'completed', call_outcome: 'interested' };
    one.calls.unshift(callAt(Date.now(), 'elsewhere', { called_to: BUSY, ...talked }));
    const call = ['call', UNANSWERED, '--agent', '3', '--from', '+14155550177', '--first-line', 'Hi.', '--quiet'];
    expect((await one.operator.run(call)).code).toBe(0);
    const machine = { agent_id: 3, call_from: '+14155550100', called_to: MACHINE, call_outcome: 'voicemail_left' };
    one.calls.unshift(callAt(Date.now(), 'machine', { ...machine, call_status: 'completed' }));
    const { stdout, stderr } = await redial(one);
    expect(numbersIn(stdout)).toEqual([MACHINE, FAILED]);
    expect(stderr).toContain('2 contacts to call again; 2 left out: 2 reached since.');
  });

  test('leaves out who waits in another campaign, or is in one of unknown outcome', async () => {
    const one = await sentSpring();
    one.fate = () => undefined;
    expect((await send(one, `phone_number\n${BUSY}\n`, '--again', '--agent', '5')).code).toBe(0);
    one.next.behaviour = 'fails';
    expect((await send(one, `phone_number\n${UNANSWERED}\n`, '--again')).code).toBe(8);
    one.next.behaviour = 'accepts';
    const { stdout, stderr } = await redial(one);
    expect(numbersIn(stdout)).toEqual([MACHINE, FAILED]);
    expect(stderr).toContain(
      '2 contacts to call again; 2 left out: 1 of unknown outcome, 1 waiting in another campaign.',
    );
  });

  test('of nobody has a header only, is not remembered, and is no campaign', async () => {
    const one = await sentSpring(() => ['completed', 'interested']);
    const { code, stdout, stderr } = await redial(one);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${HEADER}\r\n` });
    expect(stderr).toBe('Campaign 9: nobody to call again.\n');
    expect(redialsIn(one)).toEqual([]);
    expect((await send(one, stdout)).code).toBe(3);
  });

  test('goes to a file in one step, never to one that is read', async () => {
    const one = await sentSpring();
    const { code, stdout, stderr } = await redial(one, '--out', 'again.csv');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe('Campaign 9: 4 contacts to call again, written to again.csv.\n');
    const list = readFileSync(join(one.operator.home, 'again.csv'), 'utf8');
    expect(numbersIn(list)).toEqual([BUSY, UNANSWERED, MACHINE, FAILED]);
    expect(await redial(one, '--exclude', 'again.csv', '--out', 'again.csv')).toMatchObject({ code: 2 });
    expect(readFileSync(join(one.operator.home, 'again.csv'), 'utf8')).toBe(list);
  });

  test('is not made of a log that cannot be read', async () => {
    const one = await sentSpring();
    one.instead = { status: 503, body: { error: 'unavailable' } };
    expect(await redial(one)).toMatchObject({ code: 7, stdout: '' });
    expect(redialsIn(one)).toEqual([]);
  });
});

describe.concurrent('a campaign of the list', () => {
  test('goes out once: the second time it is refused', async () => {
    const one = await sentSpring();
    const { stdout } = await redial(one);
    expect((await send(one, stdout)).code).toBe(0);
    const twice = await send(one, stdout);
    expect(twice.code).toBe(2);
    expect(twice.stderr).toContain('were sent before');
    expect(one.posts()).toHaveLength(2);
  });

  test('through a pipe, the plan says whose redial it is', async () => {
    const one = await sentSpring();
    const program = 'node "$VAGENT"';
    const again = `${program} campaign create --name Again --agent 3 --from +14155550100 --contacts - --yes`;
    const { code, text } = await play(one.operator, [], [], {
      env: { VAGENT: BIN, VAGENT_LOCAL: '', CI: '1' },
      script: `${program} campaign redial 9 | ${again}`,
    });
    expect({ code, text }).toMatchObject({ code: 0 });
    expect(text).toContain('A redial of  campaign 9 "Spring"');
    expect(contactsSent(one)[1]?.map(({ phone_number }) => phone_number)).toEqual([BUSY, UNANSWERED, MACHINE, FAILED]);
  });
});

/** Another one in each run; VAGENT_TEST_SEED repeats the choices of a run. */
const SEED = Number(process.env.VAGENT_TEST_SEED ?? Date.now() % 1_000_000);

test(`of campaigns that overlap, nobody is on a list who talked since they began (seed ${SEED})`, async () => {
  for (let world = 0; world < 6; world++) {
    let draws = 0;
    const bits = keyBits(SEED, 'sample', world, 0, 0);
    const below = (most: number) => Math.floor(draw(bits, draws++) * most);
    const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
    await operator.run(['local', 'reset', '--seed', String(below(1_000_000)), '--yes']);
    const begun: { at: string; numbers: string[] }[] = [];
    for (let campaign = 0; campaign < 4; campaign++) {
      const numbers = Array.from({ length: 30 }, (_none, at) => `+141555501${String(at).padStart(2, '0')}`).filter(
        () => below(3) > 0,
      );
      const pace = ['--calls-per-hour', String(30 + below(300)), '--retry-attempts', String(below(3))];
      const delay = ['--retry-delay', `${5 + below(60)}m`];
      const create = ['campaign', 'create', '--name', `C${campaign}`, '--agent', '1', ...FROM, ...pace, ...delay];
      await operator.run([...create, '--contacts', '-'], { input: `phone_number\n${numbers.join('\n')}\n` });
      // After it, because another campaign may call while this one is made.
      const { now } = await operator.json<{ now: string }>(['local', 'status']);
      begun.push({ at: now, numbers });
      await operator.run(['local', 'advance', `${below(40)}m`]);
      const to = numbers[below(numbers.length)] ?? REACHED;
      await operator.run(['call', to, '--agent', '1', ...FROM, '--first-line', 'Hi.']);
    }
    await operator.run(['local', 'advance', `${below(600)}m`]);
    const { calls } = await operator.json<{
      calls: { called_to: string; call_status: string; call_outcome: string; timestamp: string }[];
    }>(['logs', 'list', '--all']);
    for (const [at, { at: since, numbers }] of begun.entries()) {
      const { code, stdout } = await operator.run(['campaign', 'redial', String(at + 1)]);
      expect(code).toBe(0);
      const list = numbersIn(stdout);
      const talked = calls.filter(
        ({ call_status, call_outcome, timestamp }) =>
          call_status === 'completed' && !call_outcome.includes('voicemail') && timestamp >= since,
      );
      expect(list.filter((number) => talked.some(({ called_to }) => called_to === number))).toEqual([]);
      expect(list.filter((number) => !numbers.includes(number))).toEqual([]);
      expect(new Set(list).size).toBe(list.length);
      // Whoever was called in vain, and is in no other campaign, is on the list or still waits.
      const others = begun.filter((_one, other) => other !== at).flatMap((one) => one.numbers);
      const results = await operator.json<{ contacts: { phone_number: string; state: string }[] }>([
        ...['campaign', 'results', String(at + 1)],
      ]);
      const alone = results.contacts.filter(
        ({ phone_number, state }) =>
          ['busy', 'no_answer', 'voicemail'].includes(state) &&
          !others.includes(phone_number) &&
          !talked.some(({ called_to }) => called_to === phone_number),
      );
      expect(alone.filter(({ phone_number }) => !list.includes(phone_number))).toEqual([]);
    }
  }
});

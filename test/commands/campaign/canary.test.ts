/** `campaign create --canary`: the first are called, somebody looks, and nobody else is called without a yes of their own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diallingServices, type SentCampaign } from '../../support/dialling-service.ts';
import { Operator } from '../../support/program.ts';
import { rowsAt } from '../../support/rows.ts';
import { CTRL_C, play, playHere } from '../../support/terminal.ts';

const ENTER = '\r';
const NUMBERS = Array.from({ length: 5 }, (_none, at) => `+1415555010${at}`);
const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100'];
const CANARY = [...CREATE, '--contacts', 'all.csv', '--calls-per-hour', '3600', '--retry-attempts', '0', '--canary'];

const ALL = `phone_number,Name\n${NUMBERS.map((number, at) => `${number},Person ${at}\n`).join('')}`;

const newService = await diallingServices();

/** Every other call is answered. */
function service() {
  let calls = 0;
  return newService(() => [calls++ % 2 === 0 ? 'completed' : 'busy'], { 'all.csv': ALL });
}

const numbersOf = ({ contacts }: SentCampaign) => contacts.map(({ phone_number }) => phone_number);

describe.concurrent('at a terminal', () => {
  test('the first are called, and after a yes the others, as one campaign in two parts', async () => {
    const { operator, env, sent, requests, state } = service();
    const steps = [
      /Call the first 2 of 5 people\?/,
      'y',
      ENTER,
      /Called +2 of the first 2/,
      /Call the other 3\?/,
      'y',
      ENTER,
    ];
    const { code, text } = await play(operator, [...CANARY, '2'], steps, { env });
    expect({ code, text }).toMatchObject({ code: 0 });
    expect(sent.map(numbersOf)).toEqual([NUMBERS.slice(0, 2), NUMBERS.slice(2)]);
    expect(sent.map(({ campaign_name }) => campaign_name)).toEqual(['Spring', 'Spring']);
    expect(text).toMatch(/Canary +the first 2, the last of them at .*; the other 3 only after another yes/);
    expect(text).toMatch(/Reached +1/);
    expect(text).toMatch(/Busy +1/);
    expect(text).toMatch(/Answer rate +50 % of 2 calls/);
    expect(await requests()).toMatchObject([
      { entry: 1, part_of: null, contacts: 2, file: 'all.csv' },
      { entry: 2, part_of: 1, contacts: 3, file: 'all.csv' },
    ]);
    const kept = await rowsAt(state);
    const cells = await kept.read((sql) =>
      sql.all('select entry, cells from request_contacts order by entry, position'),
    );
    expect(cells).toEqual(
      NUMBERS.map((number, at) => ({ entry: at < 2 ? 1 : 2, cells: `["${number}","Person ${at}"]` })),
    );
    // What reads it takes it for one.
    const results = await operator.run(['campaign', 'results', '91', '-o', 'csv', '--fields', 'phone_number,state']);
    const states = ['reached', 'busy', 'reached', 'busy', 'reached'];
    expect(results.stdout.split('\r\n').slice(1, -1)).toEqual(NUMBERS.map((number, at) => `${number},${states[at]}`));
    const list = await operator.run(['campaign', 'list', '--fields', 'campaign_id,total_contacts']);
    expect(list.stdout).toBe('91\t5\n');
    const again = await operator.run(['campaign', 'redial', '91']);
    expect(again.stdout.split('\r\n').slice(1, -1)).toEqual([`${NUMBERS[1]},Person 1`, `${NUMBERS[3]},Person 3`]);
  });

  test('what came of the first is shown before the question, with a pager too', async () => {
    const { operator, env } = service();
    const steps = [/Call the first 2/, 'y', ENTER, /Answer rate[\s\S]*Call the other 3\?/, 'n', ENTER];
    const { code } = await play(operator, [...CANARY, '2'], steps, { env: { ...env, PAGER: 'head -30' } });
    expect(code).toBe(0);
  });

  test.each([
    ['a no', ['n', ENTER], 0, 'The other 3 were not sent. To send them later: vagent campaign create'],
    ['Enter alone', [ENTER], 0, 'The other 3 were not sent.'],
    ['Ctrl-C', [CTRL_C], 130, 'Interrupted: campaign 91 calls the first 2. The other 3 were not sent.'],
  ])('%s sends no more, and says how to', async (_what, answer, code, says) => {
    const { operator, env, sent } = service();
    const steps = [/Call the first 2 of 5 people\?/, 'y', ENTER, /Call the other 3\?/, ...answer];
    const played = await playHere(operator, [...CANARY, '2'], steps, { env });
    expect(played.code).toBe(code);
    expect(played.text.replaceAll(/\s+/g, ' ')).toContain(says);
    expect(sent.map(numbersOf)).toEqual([NUMBERS.slice(0, 2)]);
    // The command that it names sends the others, and nobody twice.
    const [, command = ''] =
      /(vagent campaign create .*--exclude-sent)/.exec(played.text.replaceAll(/\s+/g, ' ')) ?? [];
    const again = await operator.run([...command.split(' ').slice(1), '--yes']);
    expect(again.code).toBe(0);
    expect(sent.map(numbersOf)).toEqual([NUMBERS.slice(0, 2), NUMBERS.slice(2)]);
  });

  test('a no to the first sends nobody', async () => {
    const { operator, env, sent } = service();
    const { code } = await playHere(operator, [...CANARY, '2'], [/Call the first 2 of 5 people\?/, 'n', ENTER], {
      env,
    });
    expect({ code, sent }).toEqual({ code: 130, sent: [] });
  });

  test('--yes confirms the first alone', async () => {
    const { operator, env, sent } = service();
    const { code } = await playHere(operator, [...CANARY, '2', '--yes'], [/Call the other 3\?/, 'n', ENTER], { env });
    expect(code).toBe(0);
    expect(sent.map(numbersOf)).toEqual([NUMBERS.slice(0, 2)]);
  });

  test('Ctrl-C while the first are called ends the waiting, and sends no more', async () => {
    const { operator, env, sent, behaviour } = service();
    behaviour.isLogBroken = true;
    const steps = [/the call log cannot be read, and is asked again/, CTRL_C];
    const { code, text } = await playHere(operator, [...CANARY, '2', '--yes', '--timeout', '3s'], steps, { env });
    expect(code).toBe(130);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('The other 3 were not sent.');
    expect(sent).toHaveLength(1);
  });

  test('a log that cannot be read for a while is waited for', async () => {
    const { operator, env, sent, behaviour } = service();
    behaviour.isLogBroken = true;
    const steps = [
      /the call log cannot be read, and is asked again/,
      async () => {
        behaviour.isLogBroken = false;
      },
      /Call the other 3\?/,
      'y',
      ENTER,
    ];
    const { code } = await playHere(operator, [...CANARY, '2', '--yes', '--timeout', '3s'], steps, { env });
    expect({ code, parts: sent.length }).toEqual({ code: 0, parts: 2 });
  });

  test('others that the service refuses are told as such: exit 8, because the first ring', async () => {
    const { operator, env, sent, behaviour } = service();
    const steps = [
      /Call the other 3\?/,
      async () => {
        behaviour.status = 402;
      },
      'y',
      ENTER,
    ];
    const { code, text } = await playHere(operator, [...CANARY, '2', '--yes'], steps, { env });
    expect(code).toBe(8);
    const inWords = text.replaceAll(/\s+/g, ' ');
    expect(inWords).toMatch(/Campaign 91 calls the first 2\. The other 3 were not sent\. .*402/);
    expect(inWords).toMatch(/To send them later: vagent campaign create .*--exclude-sent/);
    expect(sent).toHaveLength(1);
  });

  test('a later start is that of both parts', async () => {
    const { operator, env, sent } = service();
    const steps = [/Call the other 3\?/, 'y', ENTER];
    const { code } = await playHere(operator, [...CANARY, '2', '--yes', '--start', '2h'], steps, { env });
    expect(code).toBe(0);
    expect(sent[0]?.start_time).toMatch(/Z$/);
    expect(sent[1]?.start_time).toBe(sent[0]?.start_time);
  });
});

describe.concurrent('is refused before anything is sent', () => {
  test.each([
    ['without a terminal', ['2', '--yes'], '--canary needs a terminal'],
    ['without a terminal and a yes', ['2'], '--canary needs a terminal'],
    ['without a number', ['0'], '--canary must be an integer'],
  ])('%s', async (_what, args, says) => {
    const { operator, sent } = service();
    const { code, stderr } = await operator.run([...CANARY, ...args]);
    expect({ code, sent }).toEqual({ code: 2, sent: [] });
    expect(stderr).toContain(says);
  });

  test.each(['5', '6'])('where no contact is left after the first %s', async (canary) => {
    const { operator, env, sent } = service();
    const { code, text } = await playHere(operator, [...CANARY, canary, '--yes'], [], { env });
    expect({ code, sent }).toEqual({ code: 2, sent: [] });
    expect(text).toContain(`--canary ${canary}: there are only 5 contacts. Nothing was sent.`);
  });

  test('with one of the others sent before', async () => {
    const { operator, env, sent } = service();
    const args = [...CREATE, '--contacts', '-', '--yes'];
    expect((await operator.run(args, { input: `phone_number\n${NUMBERS[4]}\n` })).code).toBe(0);
    const { code } = await playHere(operator, [...CANARY, '2', '--yes'], [], { env });
    expect({ code, parts: sent.length }).toEqual({ code: 2, parts: 1 });
  });
});

test('a dry run shows the whole, and needs nobody', async () => {
  const { operator, sent } = service();
  const { code, stdout, stderr } = await operator.run([...CANARY, '2', '--dry-run']);
  expect({ code, sent }).toEqual({ code: 0, sent: [] });
  expect(JSON.parse(stdout).body.contacts).toHaveLength(5);
  expect(stderr).toContain('--canary sends the first 2 contacts, and the others after another yes.');
});

test('on the local engine its clock is moved, after a question', async () => {
  const operator = new Operator();
  writeFileSync(join(operator.home, 'all.csv'), `phone_number\n${NUMBERS.join('\n')}\n`);
  const create = CANARY.map((word) => (word === '3' ? '1' : word));
  const steps = [/Move the local engine's clock/, '\r', /Called +2 of the first 2/, /Call the other 3\?/, 'y', ENTER];
  const { code, text } = await playHere(operator, [...create, '2'], steps);
  expect({ code, text }).toMatchObject({ code: 0 });
  const { campaigns } = await operator.json<{ campaigns: { total_contacts: number }[] }>([
    'local',
    'status',
    '--local',
  ]);
  expect(campaigns.map(({ total_contacts }) => total_contacts)).toEqual([2, 3]);
});

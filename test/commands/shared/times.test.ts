/** Times of flags: in whose zone they are read, and that what an error offers works as it stands. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator } from '../../support/program.ts';
import { playHere } from '../../support/terminal.ts';

const ENTER = '\r';
const DATA = { frozenAt: '2026-11-20T09:00:00Z', env: { TZ: 'America/New_York' } };
const PLAN = 'plan create list.csv --name A --agent 1 --from +14155550100 --window 09:00-20:00'.split(' ');
const CAMPAIGN = 'campaign create --contacts list.csv --name A --agent 1 --from +14155550100'.split(' ');

async function somebody(profile?: string[]): Promise<Operator> {
  const operator = new Operator(DATA);
  writeFileSync(join(operator.home, 'list.csv'), 'phone_number\n+14155550111\n');
  if (profile !== undefined) await operator.run(['profile', 'add', 'a', '--local', ...profile]);
  return operator;
}

const BERLIN = ['--timezone', 'Europe/Berlin'];

describe.concurrent('the zone of the profile', () => {
  test.each([
    [
      [...PLAN, '--start', 'tomorrow at 9', '--end', '2026-12-01T18:00'],
      /^Start +21 Nov 09:00 Europe\/Berlin \(21 Nov 08:00 UTC\)$/m,
    ],
    [
      [...PLAN, '--start', 'tomorrow at 9', '--end', '2026-12-01T18:00'],
      /^End +1 Dec 18:00 Europe\/Berlin \(1 Dec 17:00 UTC\)$/m,
    ],
    [
      [...CAMPAIGN, '--start', '2026-12-01T09:00'],
      /--start 2026-12-01T09:00 is 1 Dec 09:00 Europe\/Berlin \(1 Dec 08:00 UTC\)\./,
    ],
    [['local', 'advance', '--until', 'monday 10:00'], /2026-11-23T09:00:00\.000Z/],
    [['logs', 'list', '--since', 'yesterday'], /Since 19 Nov 00:00 Europe\/Berlin \(18 Nov 23:00 UTC\)\./],
    [
      ['campaign', 'rehearse', ...CAMPAIGN.slice(2), '--start', 'noon', '--json'],
      /"first_call_local": "2026-11-20T12:00:00\.000\+01:00"/,
    ],
  ])('is that of times without an offset: %j', async (args, says) => {
    const operator = await somebody(BERLIN);
    const { code, stdout, stderr } = await operator.run([...args, ...(args[0] === 'plan' ? ['-o', 'table'] : [])], {
      isTerminal: args[0] === 'plan',
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout + stderr).toMatch(says);
  });

  test('is overridden by --timezone', async () => {
    const operator = await somebody(BERLIN);
    const args = ['local', 'advance', '--until', 'tomorrow 09:00', '--timezone', 'Asia/Tokyo', '--json'];
    expect((await operator.run(args)).stdout).toContain('"to": "2026-11-21T00:00:00.000Z"');
  });

  test('is shown, edited and taken away', async () => {
    const operator = await somebody(BERLIN);
    expect(await operator.json(['profile', 'show'])).toMatchObject({ timezone: 'Europe/Berlin' });
    await operator.run(['profile', 'edit', 'a', '--timezone', 'Asia/Tokyo']);
    expect(await operator.json(['profile', 'show'])).toMatchObject({ timezone: 'Asia/Tokyo' });
    const wrong = await operator.run(['profile', 'edit', 'a', '--timezone', 'PST']);
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('is an abbreviation') });
    await operator.run(['profile', 'edit', 'a', '--unset', 'timezone']);
    expect(await operator.json(['profile', 'show'])).not.toHaveProperty('timezone');
  });

  test('that is none is refused wherever it would be used', async () => {
    const operator = await somebody(BERLIN);
    const path = join(operator.home, '.config/vagent/config.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('Europe/Berlin', 'Mars/Base'));
    const told = await operator.run(['local', 'advance', '--until', 'tomorrow 09:00']);
    expect(told).toMatchObject({ code: 3, stderr: expect.stringContaining('profile a: timezone Mars/Base is not') });
  });
});

describe.concurrent('where no zone is known', () => {
  test.each([
    [[...PLAN, '--start', 'tomorrow at 9', '--end', '2026-12-01T18:00']],
    [[...CAMPAIGN, '--start', '2026-12-01 09:00']],
    [['campaign', 'rehearse', ...CAMPAIGN.slice(2), '--start', 'tomorrow 09:00']],
    [['local', 'advance', '--until', 'monday 10:00']],
  ])('one command is offered, and it works as it stands: %j', async (args) => {
    const operator = await somebody();
    const { code, stderr } = await operator.run(args);
    expect(code).toBe(3);
    const offered = [...stderr.matchAll(/^ {2}→ (.*)$/gm)].map(([, text]) => text);
    expect(offered).toEqual([expect.stringMatching(/^If America\/New_York is meant: vagent .*/)]);
    const told = await operator.paste(offered[0]?.replace(/^.*?: /, '') ?? '');
    expect(told, told.stderr).toMatchObject({ code: 0 });
  });

  test.each(['friday 18:00', 'next friday', '03/04', '2027-03-14T02:30', '2026-11-20T03:00'])(
    'a time that is none in this zone is refused for that, and what is offered works: %s',
    async (time) => {
      const operator = await somebody();
      const { code, stderr } = await operator.run([...PLAN, '--start', time]);
      expect(code).toBe(3);
      const [, quoted, plain = ''] = /Write (?:"(.*?)"|(\S+?))[ ,.]/.exec(stderr) ?? [];
      const form = quoted ?? plain;
      if (!stderr.includes('has passed'))
        expect(await operator.run([...PLAN, '--start', form])).toMatchObject({ code: 0 });
    },
  );

  test('a time with an offset, and one that is counted from now, need none', async () => {
    const operator = await somebody();
    for (const time of ['2026-12-01T09:00+01:00', 'tomorrow 09:00Z', 'in 2 hours', '2h', '+2h']) {
      expect(await operator.run([...PLAN, '--name', time, '--again', '--start', time])).toMatchObject({ code: 0 });
    }
  });

  test('it is asked for once on a terminal, with that of this machine, and kept in the profile', async () => {
    const operator = await somebody([]);
    const args = [...PLAN, '--start', 'tomorrow at 9'];
    const first = await playHere(operator, args, [/Time zone of these times .*America\/New_York/, 'Europe/Berlin\r']);
    expect(first.code).toBe(0);
    expect(first.text).toContain('it is kept in profile a');
    expect(first.text).toMatch(/Next time: vagent plan create .*--start 'tomorrow at 9' --timezone Europe\/Berlin/);
    expect(first.text).toMatch(/Start +21 Nov 09:00 Europe\/Berlin/);
    expect(await operator.json(['profile', 'show'])).toMatchObject({ timezone: 'Europe/Berlin' });
    const second = await playHere(operator, [...args, '--again'], []);
    expect(second.code).toBe(0);
    expect(second.text).not.toContain('Time zone of these times');
  });

  test('without a profile it stands in the command for the next time', async () => {
    const operator = await somebody();
    const steps = [/Time zone of these times/, ENTER];
    const { code, text } = await playHere(operator, ['local', 'advance', '--until', 'tomorrow 09:00'], steps);
    expect(code).toBe(0);
    expect(text).toContain("Next time: vagent local advance --until 'tomorrow 09:00' --timezone America/New_York");
  });

  test('a flag that is wrong is refused before the zone is asked for', async () => {
    const operator = await somebody();
    for (const flags of [
      ['--encoding', 'utf-99'],
      ['--budget', '5'],
      ['--country', 'XX'],
      ['--end', 'soon'],
      ['--start', 'yesterday'],
    ]) {
      const { text } = await playHere(operator, [...PLAN, '--start', 'tomorrow at 9', ...flags], []);
      expect(text, flags.join(' ')).not.toContain('Time zone');
    }
  });
});

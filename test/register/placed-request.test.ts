/** Once something may have rung, no later failure hides it: exit code 8, a sentence that says so, and the command that shows it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { setUp } from '../support/calling-service.ts';
import { BIN, Operator, type RunOptions } from '../support/program.ts';
import { outcomesOf } from '../support/rows.ts';

const TO = '+14155550190';
const REQUEST = ['--agent', '3', '--from', '+14155550100'];
const SAID = ['--first-line', 'Hi'];
const RAW = [
  `called_to=${TO}`,
  'use_agent_id=3',
  'call_from=+14155550100',
  'custom_first_line=Hi',
  'custom_identifiers=',
];
const CAMPAIGN = [
  'campaign_name=Spring',
  'agent_id=3',
  'call_from=+14155550100',
  `contacts=[{"phone_number":"${TO}"}]`,
];

const LOGS = /see its result with vagent logs list --to \+14155550190 --from \+14155550100 --agent \d --start-date \S+/;
const STATUS = /see its result with vagent campaign status \d+/;
const CALLED = [`The call to ${TO} is placed`, LOGS] as const;
const CREATED = ['"Spring" is created', STATUS] as const;
const CREATE = ['campaign', 'create', '--name', 'Spring', ...REQUEST, '--contacts', '-', '--yes'];

const commands: Record<string, [args: string[], says: string, shows: RegExp]> = {
  'vagent call': [['call', TO, ...REQUEST, ...SAID], ...CALLED],
  'vagent call --wait': [['call', TO, ...REQUEST, ...SAID, '--wait'], ...CALLED],
  'vagent api trigger-call': [['api', 'trigger-call', ...RAW], ...CALLED],
  'vagent campaign create': [CREATE, ...CREATED],
  'vagent api create-campaign': [['api', 'create-campaign', ...CAMPAIGN], ...CREATED],
};

const failures: [name: string, says: RegExp, code: string, options: RunOptions, flags: string[]][] = [
  ['a full disk', /Cannot write standard output: the disk is full/, 'file', { stdoutFails: 'ENOSPC' }, []],
  ['a reader gone', /The reader of standard output has closed/, 'output_closed', { stdoutFails: 'EPIPE' }, []],
  ['no such field', /--fields: unknown nope/, 'usage', {}, ['--fields', 'nope']],
];

describe.concurrent.each(['a real service', 'the local engine'])('on %s', (where) => {
  for (const [name, [args, placed, shows]] of Object.entries(commands)) {
    for (const [failure, says, code, options, flags] of failures) {
      // Looked at before anything is sent, or printed without a choice of fields.
      if (flags.length > 0 && (name.endsWith('--wait') || name.includes('api'))) continue;
      describe(`${name}, then ${failure}`, async () => {
        const shop = await setUp();
        const local = where === 'the local engine';
        const { operator } = local ? { operator: new Operator({ env: { VAGENT_LOCAL: '1' } }) } : shop;
        const given = [...args, ...flags].map((word) =>
          local ? word.replace(/^3$/, '1').replace('id=3', 'id=1') : word,
        );
        const run = (...more: string[]) =>
          operator.run([...given, ...more], { ...options, input: `phone_number\n${TO}\n` });
        test('exit 8, what was placed, and the command that shows it', async () => {
          const plain = await run();
          expect(plain.stderr).toMatch(says);
          expect(plain.stderr).toContain(placed);
          expect(plain.stderr).toMatch(shows);
          expect(plain.code).toBe(8);

          const json = await run('--json', ...(name.includes('campaign') ? ['--force'] : []));
          const message = expect.stringContaining(placed);
          expect(JSON.parse(json.stderr)).toMatchObject({
            error: { exit_code: 8, code, message, hint: expect.stringMatching(shows) },
          });
          expect(json.code).toBe(8);
          if (local) return;
          expect(outcomesOf(await shop.requests())).toEqual(['1 accepted', '2 accepted']);
        });
      });
    }
  }
});

describe('what nobody was called by', async () => {
  const { operator, next, posts } = await setUp();
  test('fails as before: a list, a dry run, a call that was refused', async () => {
    const full = { stdoutFails: 'ENOSPC' };
    expect(await operator.run(['agent', 'list'], full)).toMatchObject({ code: 9 });
    expect(await operator.run(['agent', 'list'], { stdoutFails: 'EPIPE' })).toMatchObject({ code: 0, stderr: '' });
    const call = ['call', TO, ...REQUEST, '--first-line', 'Hi'];
    expect(await operator.run([...call, '--dry-run'], full)).toMatchObject({ code: 9 });
    expect(posts()).toEqual([]);
    next.behaviour = 'refuses';
    expect(await operator.run(call, full)).toMatchObject({ code: 6 });
  });
});

describe.skipIf(!existsSync('/dev/full'))('the program itself', () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const call = `"${process.execPath}" "${BIN}" call ${TO} --agent 1 --from +14155550100 --first-line Hi`;
  test('on a full device', () => {
    const script = `${call} >/dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', script], { env: operator.environment, encoding: 'utf8' });
    expect(stderr).toContain('Do not repeat it');
    expect(status).toBe(8);
  });
});

/** Once something may have rung, no later failure hides it: exit code 8, a sentence that says so, and the command that shows it. */
import { describe, expect, test } from 'vitest';
import { setUp } from '../support/calling-service.ts';
import type { RunOptions } from '../support/program.ts';
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

for (const [name, [args, placed, shows]] of Object.entries(commands)) {
  for (const [failure, says, code, options, flags] of failures) {
    // Looked at before anything is sent, or printed without a choice of fields.
    if (flags.length > 0 && (name.endsWith('--wait') || name.includes('api'))) continue;
    describe(`${name}, then ${failure}`, async () => {
      const { operator, requests } = await setUp();
      const run = (...more: string[]) =>
        operator.run([...args, ...flags, ...more], { ...options, input: `phone_number\n${TO}\n` });
      test.concurrent('exit 8, what was placed, and the command that shows it', async () => {
        const plain = await run();
        for (const told of [says, placed, shows]) expect(plain.stderr).toMatch(told);
        const json = await run('--json', ...(name.includes('campaign') ? ['--force'] : []));
        const error = {
          exit_code: 8,
          code,
          message: expect.stringContaining(placed),
          hint: expect.stringMatching(shows),
        };
        expect(JSON.parse(json.stderr)).toMatchObject({ error });
        expect([plain.code, json.code, outcomesOf(await requests())]).toEqual([8, 8, ['1 accepted', '2 accepted']]);
      });
    });
  }
}

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

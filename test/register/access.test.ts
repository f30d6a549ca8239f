/** Once something may have rung, no later failure hides it: exit code 8, a sentence that says so, and the command that shows it. */
import { describe, expect, test } from 'vitest';
import { setUp } from '../support/calling-service.ts';
import { outcomesOf } from '../support/rows.ts';

const TO = '+14155550190';
const REQUEST = ['--agent', '3', '--from', '+14155550100'];
const CALL = ['call', TO, ...REQUEST, '--first-line', 'Hi'];
const CREATE = ['campaign', 'create', '--name', 'Spring', ...REQUEST, '--contacts', '-', '--yes', '--force'];
const RAW = ['use_agent_id=3', 'call_from=+14155550100', 'custom_first_line=Hi', 'custom_identifiers='];

const LIST = `contacts=${JSON.stringify([{ phone_number: TO, custom_first_line: 'Hi', custom_identifiers: '' }])}`;
const RAW_CAMPAIGN = ['campaign_name=Spring', 'agent_id=3', 'call_from=+14155550100', LIST, '--yes', '--force'];

/** What fails afterwards, and how that is said. */
const FULL = ['file', { stdoutFails: 'ENOSPC' }, /Cannot write standard output: the disk is full/] as const;
const GONE = ['output_closed', { stdoutFails: 'EPIPE' }, /The reader of standard output has closed/] as const;
const NO_FIELD = ['usage', {}, /--fields: unknown nope/] as const;
const LOGS = /see its result with vagent logs list --to \+14155550190 --from \+14155550100 --agent \d --start-date \S+/;
const STATUS = /see its result with vagent campaign status \d+/;

describe.each([
  ['a call', CALL, GONE],
  ['a call', [...CALL, '--fields', 'nope'], NO_FIELD],
  ['a call that is waited for', [...CALL, '--wait'], FULL],
  ['a call by vagent api', ['api', 'trigger-call', `called_to=${TO}`, ...RAW], GONE],
  ['a campaign', CREATE, FULL],
  ['a campaign', [...CREATE, '--fields', 'nope'], NO_FIELD],
  ['a campaign by vagent api', ['api', 'create-campaign', ...RAW_CAMPAIGN], GONE],
] as const)('%s, %j, and then %j', async (what, args, [code, options, says]) => {
  const { operator, requests } = await setUp();
  const run = (...more: string[]) => operator.run([...args, ...more], { ...options, input: `phone_number\n${TO}\n` });
  const [placed, shows] = what.startsWith('a campaign')
    ? ['"Spring" is created', STATUS]
    : [`call to ${TO} is placed`, LOGS];
  test.concurrent('exit 8, what was placed, and the command that shows it', async () => {
    const plain = await run();
    for (const told of [says, placed, shows]) expect(plain.stderr).toMatch(told);
    const json = await run('--json');
    const error = { exit_code: 8, code, message: expect.stringContaining(placed), hint: expect.stringMatching(shows) };
    expect(JSON.parse(json.stderr)).toMatchObject({ error });
    expect([plain.code, json.code, outcomesOf(await requests())]).toEqual([8, 8, ['1 accepted', '2 accepted']]);
  });
});

describe('what nobody was called by', async () => {
  const { operator, next, posts } = await setUp();
  test('fails as before: a list, a dry run, a call that was refused', async () => {
    const full = { stdoutFails: 'ENOSPC' };
    expect(await operator.run(['agent', 'list'], full)).toMatchObject({ code: 9 });
    expect(await operator.run(['agent', 'list'], { stdoutFails: 'EPIPE' })).toMatchObject({ code: 0, stderr: '' });
    expect(await operator.run([...CALL, '--dry-run'], full)).toMatchObject({ code: 9 });
    expect(posts()).toEqual([]);
    next.behaviour = 'refuses';
    expect(await operator.run(CALL, full)).toMatchObject({ code: 6 });
  });
});

/** What the core knows as facts, people read as flags and commands to run. */
import { describe, expect, test } from 'vitest';
import { commandThatShows, hintOf, namingTimeoutFlag } from '../../../src/cli/terminal/advice.ts';
import { serviceOf, traceOf } from '../../../src/contract.ts';
import { NotFoundError, type Reason, reworded, UnavailableError } from '../../../src/errors.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const FLAGS = { profile: 'work' };

test.each(cases<[Reason, string | undefined]>('advice'))('%j', (reason, hint) => {
  expect(hintOf(new UnavailableError('It failed.', { reason }), FLAGS)).toBe(hint);
});

test('what whoever caught the error adds stands behind it', () => {
  const error = new UnavailableError('It failed.', { reason: { kind: 'redirected' }, hint: 'Do not repeat it.' });
  expect(hintOf(error, {})).toBe('Check the base URL: vagent doctor Do not repeat it.');
});

test('an error that a limit of time ended names the flag that sets it', async () => {
  const reason: Reason = { kind: 'unanswered', isTransient: true, limit: 'within 30 s' };
  const slow = serviceOf(async () => {
    throw new UnavailableError('No full answer within 30 s.', { reason });
  });
  await expect(namingTimeoutFlag(slow).getVoices({})).rejects.toThrow('No full answer within 30 s (--timeout).');
});

describe('reworded', () => {
  test('is a copy of the same class, and leaves the error as it was', () => {
    const error = new NotFoundError('There is none.', { code: 'agent_not_found', hint: 'Look.' });
    const other = reworded(error, { message: 'There is none; nothing was sent.' });
    expect(other).toBeInstanceOf(NotFoundError);
    const { message, code, hint, exitCode } = other;
    expect({ message, code, hint, exitCode }).toEqual({
      message: 'There is none; nothing was sent.',
      code: 'agent_not_found',
      hint: 'Look.',
      exitCode: 5,
    });
    expect(error.message).toBe('There is none.');
  });
});

// Commands that are suggested can be pasted, whatever the request held.

const SENT_AT = Date.parse('2026-11-20T09:00:00Z');
const CALL = { use_agent_id: 3, called_to: '+14155550123', custom_first_line: 'Hello.', custom_identifiers: '' };
const CAMPAIGN = { campaign_name: 'Spring', agent_id: 3, contacts: [{ phone_number: '+14155550123' }] };

test.each([
  ['+14155550100', '+14155550100'],
  ['abc; rm -rf ~', "'abc; rm -rf ~'"],
  ["$(id)'", String.raw`'$(id)'\'''`],
  ['', "''"],
])('a call or campaign from %j', (call_from, word) => {
  const days = '--agent 3 --start-date 2026-11-19 --profile work';
  const call = traceOf({ operation: 'triggerCall', request: { ...CALL, call_from } });
  expect(commandThatShows(call, SENT_AT, FLAGS)).toBe(`vagent logs list --to +14155550123 --from ${word} ${days}`);
  const campaign = traceOf({ operation: 'createCampaign', request: { ...CAMPAIGN, call_from } });
  expect(commandThatShows(campaign, SENT_AT, FLAGS)).toBe(`vagent logs list --from ${word} ${days}`);
});

/** Commands that are suggested after a request whose outcome is unknown can be pasted, whatever the request held. */
import { expect, test } from 'vitest';
import { commandThatShows } from '../../src/cli/terminal/advice.ts';

const SENT_AT = Date.parse('2026-11-20T09:00:00Z');
const FLAGS = { profile: 'work' };
const CALL = { use_agent_id: 3, called_to: '+14155550123', custom_first_line: 'Hello.', custom_identifiers: '' };
const CAMPAIGN = { campaign_name: 'Spring', agent_id: 3, contacts: [{ phone_number: '+14155550123' }] };

test.each([
  ['+14155550100', '+14155550100'],
  ['abc; rm -rf ~', "'abc; rm -rf ~'"],
  ["$(id)'", String.raw`'$(id)'\'''`],
  ['', "''"],
])('a call or campaign from %j', (call_from, word) => {
  const days = '--agent 3 --start-date 2026-11-19 --profile work';
  expect(commandThatShows({ operation: 'triggerCall', request: { ...CALL, call_from } }, SENT_AT, FLAGS)).toBe(
    `vagent logs list --to +14155550123 --from ${word} ${days}`,
  );
  expect(commandThatShows({ operation: 'createCampaign', request: { ...CAMPAIGN, call_from } }, SENT_AT, FLAGS)).toBe(
    `vagent logs list --from ${word} ${days}`,
  );
});

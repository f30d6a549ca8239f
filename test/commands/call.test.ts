/** `vagent call` over a service that a test makes. */
import { expect, test } from 'vitest';
import { run } from '../../src/commands/call.ts';
import type { RequestOf } from '../../src/contract.ts';
import { UsageError } from '../../src/errors.ts';
import { testContext } from '../support/context.ts';

const OPTIONS = { agent: 3, from: '+14155550100', firstLine: 'Hello.' };
const ANSWER = {
  success: true as const,
  message: 'Call triggered',
  sip_trunk_id: 'ST_abc',
  sip_call_to: '+14155550123',
  room_name: 'call-1',
  participant_identity: 'sip_14155550123',
  participant_name: '+14155550123',
};

test('sends what the flags say, and prints the answer as it came', async () => {
  const sent: RequestOf<'triggerCall'>[] = [];
  const { context, written } = testContext({
    flags: { json: true },
    service: {
      async triggerCall(request) {
        sent.push(request);
        return ANSWER;
      },
    },
  });
  await run('+14155550123', OPTIONS, context);
  expect(sent).toEqual([
    {
      use_agent_id: 3,
      called_to: '+14155550123',
      call_from: '+14155550100',
      custom_first_line: 'Hello.',
      custom_identifiers: '',
    },
  ]);
  expect(JSON.parse((await written()).stdout)).toEqual(ANSWER);
});

test('names all the flags that are missing, where nobody can be asked', async () => {
  const { context } = testContext();
  const refusal = await run('+14155550123', { agent: 3 }, context).catch((error: unknown) => error);
  expect(refusal).toEqual(new UsageError('Missing: --from, --first-line.'));
});

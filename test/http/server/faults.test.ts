/** What a client meets when a served engine is asked to fail: the faults of `vagent serve --fault`. */
import { expect, test, vi } from 'vitest';
import { type FaultRule, parseFaultRule } from '../../../src/http/server/faults.ts';
import { serveEngine, testEngine } from '../../support/engine.ts';

const VOICES = '/get-voices?organization_id=1&api_key=local-demo-key';

/** Statuses and bodies of as many requests, one after the other; `cut` is a connection that was reset. */
async function answersWith(rules: string[], count: number): Promise<{ status: number | 'cut'; body: string }[]> {
  const faults = rules.map((rule) => parseFaultRule(rule) as FaultRule);
  const server = await serveEngine(testEngine(), { faults });
  const answers: { status: number | 'cut'; body: string }[] = [];
  for (let at = 0; at < count; at++) {
    const answer = await fetch(`${server.url}${VOICES}`).then(
      async (response) => ({ status: response.status, body: await response.text() }),
      () => ({ status: 'cut' as const, body: '' }),
    );
    answers.push(answer);
  }
  await server.close();
  return answers;
}

const [sound] = await answersWith([], 1);
const whole = sound?.body ?? '';

test.each([
  ['503', 503, expect.stringContaining('"server_error"')],
  ['429', 429, expect.stringContaining('"too_many_requests"')],
  ['html', 200, expect.stringContaining('<html>')],
  ['empty', 200, ''],
  ['truncated', 200, whole.slice(0, Math.ceil(whole.length / 2))],
  ['reset', 'cut', ''],
  ['reset-after', 'cut', ''],
])('%s', async (fault, status, body) => {
  const printed = vi.spyOn(console, 'error');
  expect(whole).toContain('"voices"');
  expect(await answersWith([`get-voices:${fault}`], 1)).toEqual([{ status, body }]);
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
});

test.each([
  ['the first ones', ['*:500:2'], [500, 500, 200, 200]],
  ['a share, spread evenly', ['*:500:0.5'], [200, 500, 200, 500]],
  ['the first rule that is met', ['get-voices:500:1', '*:503:2'], [500, 503, 503, 200]],
  ['no other operation', ['trigger-call:500'], [200, 200]],
])('%s', async (_name, rules, statuses) => {
  const answers = await answersWith(rules, statuses.length);
  expect(answers.map(({ status }) => status)).toEqual(statuses);
});

/** Campaigns that overlap, and single calls between them, on a service whose clock is far ahead: nobody's call is another's. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { EPOCH, serveEngine, testEngine } from '../../support/engine.ts';
import { Operator } from '../../support/program.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const engine = testEngine({ seed: 7 });
const server = await serveEngine(engine);
afterAll(() => server.close());

const operator = new Operator({
  env: { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'local-demo-key' },
  frozenAt: new Date(EPOCH).toISOString(),
});

interface Results {
  contacts: { state: string; attempts: number; ambiguous: boolean; call_ids: string[] }[];
}

const FROM = ['--agent', '1', '--from', '+14155550100'];
const numbers = (first: number, count: number) =>
  Array.from({ length: count }, (_none, at) => `+1415555${1000 + first + at}`);

const advance = (milliseconds: number) =>
  engine.timeline.move(
    (now) => now + milliseconds,
    () => {},
  );

async function create(name: string, contacts: string[], flags: string[]): Promise<void> {
  writeFileSync(join(operator.home, `${name}.csv`), `phone_number\n${contacts.join('\n')}\n`);
  const to = ['--contacts', `${name}.csv`, '--again', '--yes'];
  expect(await operator.run(['campaign', 'create', '--name', name, ...FROM, ...to, ...flags])).toMatchObject({
    code: 0,
  });
}

async function call(to: string): Promise<void> {
  expect(await operator.run(['call', to, ...FROM, '--first-line', 'Hello.'])).toMatchObject({ code: 0 });
}

test('every attempt is counted once, for its campaign unless it is ambiguous', async () => {
  await advance(60 * DAY);
  const [early = '', middle = ''] = [numbers(0, 1)[0], numbers(25, 1)[0]];
  await call(early);
  await advance(MINUTE);
  const retries = ['--retry-attempts', '2', '--retry-delay'];
  await create('Spring', numbers(0, 40), ['--calls-per-hour', '120', ...retries, '20m']);
  await advance(7 * MINUTE + 1300);
  await create('Summer', numbers(20, 40), ['--calls-per-hour', '90', ...retries, '11m']);
  await advance(2 * MINUTE);
  await call(middle);
  await advance(3 * MINUTE);
  await create('Autumn', numbers(10, 40), ['--calls-per-hour', '60', ...retries, '45m']);
  await advance(DAY);

  const { state } = await engine.timeline.stored();
  const owned = new Set<string>();
  for (const { campaign_id, attempts, reached, total_contacts } of state.campaigns) {
    const { contacts } = await operator.json<Results>(['campaign', 'results', String(campaign_id)]);
    expect(contacts).toHaveLength(total_contacts);
    const attemptsOf = (some: Results['contacts']) => some.reduce((total, contact) => total + contact.attempts, 0);
    const unsure = contacts.filter(({ ambiguous }) => ambiguous);
    expect(Math.abs(attemptsOf(contacts) - attempts)).toBeLessThanOrEqual(attemptsOf(unsure));
    const completed = contacts.filter((contact) => ['reached', 'voicemail'].includes(contact.state));
    expect(Math.abs(completed.length - reached)).toBeLessThanOrEqual(unsure.length);
    for (const id of contacts.flatMap(({ call_ids }) => call_ids)) {
      expect(owned.has(id)).toBe(false);
      owned.add(id);
    }
  }
  const { calls } = await operator.json<{ calls: { call_id: string }[] }>(['logs', 'list', '--all']);
  // The two single calls.
  expect(calls.filter(({ call_id }) => !owned.has(call_id))).toHaveLength(2);
});

/**
 * The calendar ends with the year 9999: no time lies beyond it, whoever asks. And more widely: no command, whatever its
 * arguments, leaves a store that cannot be read.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DocumentedCall, RequestOf } from '../../src/contract.ts';
import type { State } from '../../src/engine/state.ts';
import { checkOrganization } from '../../src/local/json/check/check-store.ts';
import { systemFiles } from '../../src/storage/files/file-system.ts';
import { CREDENTIALS } from '../conformance.ts';
import { casesBeside } from '../support/cases.ts';
import { serveEngine, type TestEngine, testEngine } from '../support/engine.ts';
import { howMany } from '../support/full-matrix.ts';
import { Operator } from '../support/program.ts';
import fc, { character } from '../support/properties.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const END = Date.parse('9999-12-31T23:59:59.999Z');
const CALL = { use_agent_id: 1, called_to: '+14155550190', call_from: '+14155550100', custom_first_line: 'Hello.' };

async function expectSound(folder: string): Promise<void> {
  const { signal } = new AbortController();
  const { problems } = await checkOrganization({ fs: systemFiles, folder, signal, onCall: () => {} }, 1);
  expect(problems).toEqual([]);
}

function place({ backend }: TestEngine): Promise<unknown> {
  return backend(CREDENTIALS).triggerCall({ ...CALL, custom_identifiers: '' });
}

/** To `count` people who never answer. */
function create({ backend }: TestEngine, count: number, rules: Partial<RequestOf<'createCampaign'>> = {}) {
  const contacts = Array.from({ length: count }, () => ({ phone_number: '+14155550192' }));
  const request = { campaign_name: 'Late', agent_id: 1, call_from: '+14155550100', contacts, ...rules };
  return backend(CREDENTIALS).createCampaign(request);
}

async function timesOfCalls({ backend }: TestEngine): Promise<string[]> {
  const { calls } = await backend(CREDENTIALS).getCallLogs({ limit: 1000 });
  return (calls as DocumentedCall[]).map(({ timestamp }) => timestamp).reverse();
}

const idle = () => 'idle' as const;
const ignore = () => {};

describe('the clock', () => {
  test.each([END + 1, END + DAY, 8.64e15, 8.64e15 + 1, Number.MAX_SAFE_INTEGER, 9.007e24, Number.POSITIVE_INFINITY])(
    'is not moved to %d, and nothing is done',
    async (target) => {
      const engine = testEngine();
      await place(engine);
      await create(engine, 3, { start_time: new Date(engine.clock.now + HOUR).toISOString() });
      const before = JSON.stringify((await engine.timeline.stored()).state);
      await expect(engine.timeline.move(() => target, ignore)).rejects.toThrow(
        /^The clock cannot go beyond the year 9999: the simulator's clock stands at 2026-11-20T09:00:00\.000Z\.$/,
      );
      expect(JSON.stringify((await engine.timeline.stored()).state)).toBe(before);
      await expectSound(engine.folder);
    },
  );

  test('is moved to the end of the calendar, and stays there', async () => {
    const engine = testEngine();
    await engine.timeline.move(() => END, ignore);
    engine.clock.now += 3 * DAY;
    expect((await engine.timeline.read()).now).toBe(END);
    await place(engine);
    expect(await engine.timeline.move(idle, ignore)).toEqual({ from: END, to: END, stranded: [] });
    await expect(engine.timeline.move((now) => now + 1, ignore)).rejects.toThrow(/stands at 9999-12-31T23:59:59\.999Z/);
    expect(await timesOfCalls(engine)).toEqual(['9999-12-31T23:59:59.999Z']);
    await expectSound(engine.folder);
  });

  test.each([
    ['before 1970', -1_000_000_000_001, '1938-04-24T22:13:19.999Z'],
    ['before the calendar', -8.64e15, '0000-01-01T00:00:00.000Z'],
    ['at the end of the calendar', END, '9999-12-31T23:59:59.999Z'],
    ['beyond the calendar', END + 1, '9999-12-31T23:59:59.999Z'],
    ['beyond what a date can be', 8.64e15 + 1, '9999-12-31T23:59:59.999Z'],
  ])("is held within the calendar where the system's is %s", async (_name, now, shown) => {
    const engine = testEngine();
    engine.clock.now = now;
    await place(engine);
    await create(engine, 2, { calls_per_hour: 3_600_000 });
    await place(engine);
    expect((await timesOfCalls(engine))[0]).toBe(shown);
    await expectSound(engine.folder);
    // One that comes to its senses is believed where it does not go back.
    engine.clock.now = Date.parse('2026-11-20T09:00:00Z');
    expect((await engine.timeline.read()).now).toBe(Math.max(Date.parse(shown), engine.clock.now));
    await place(engine);
    await expectSound(engine.folder);
  });
});

test.each<[name: string, harm: (state: State) => void]>([
  ['a time beyond the calendar', (state) => Object.assign(state.clock, { last: END + 1 })],
  ['no number', (state) => Object.assign(state.organization, { balance: Number.NaN })],
  ['a number that none holds exactly', (state) => Object.assign(state.organization, { balance: 2 ** 53 })],
  ['half an id', (state) => Object.assign(state, { next_call_number: 1.5 })],
])('a change that leaves %s is never committed', async (_name, harm) => {
  const engine = testEngine();
  await place(engine);
  const before = readFileSync(join(engine.folder, 'store.json'), 'utf8');
  await expect(engine.store.transact(1, [async ({ state }) => void harm(state)])).rejects.toThrow(
    /the store could not be read again/,
  );
  expect(readFileSync(join(engine.folder, 'store.json'), 'utf8')).toBe(before);
  await place(engine);
  await expectSound(engine.folder);
});

describe('a campaign at the end of the calendar', () => {
  async function atTheEnd(hours: number): Promise<TestEngine> {
    const engine = testEngine();
    await engine.timeline.move(() => END + 1 - hours * HOUR, ignore);
    return engine;
  }

  test('calls until then, never later, and that it is not done is told', async () => {
    const engine = await atTheEnd(3);
    await create(engine, 5, { calls_per_hour: 1 });
    const { to, stranded } = await engine.timeline.move(idle, ignore);
    expect({ to, stranded }).toEqual({ to: END + 1 - HOUR, stranded: [1] });
    const hours = ['21', '22', '23'].map((hour) => `9999-12-31T${hour}:00:00.000Z`);
    expect(await timesOfCalls(engine)).toEqual(hours);
    expect((await engine.timeline.stored()).state.campaigns[0]).toMatchObject({ status: 'running', attempts: 3 });
    await engine.timeline.move(() => END, ignore);
    engine.clock.now += DAY;
    expect(await timesOfCalls(engine)).toHaveLength(3);
    await expectSound(engine.folder);
  });

  test('tries nobody again for whom that would be later', async () => {
    const engine = await atTheEnd(3);
    await create(engine, 2, { calls_per_hour: 60, retry_attempts: 100, retry_delay: 3600 });
    const { stranded } = await engine.timeline.move(idle, ignore);
    expect(stranded).toEqual([]);
    const [campaign] = (await engine.timeline.stored()).state.campaigns;
    expect(campaign).toMatchObject({ status: 'completed', attempts: 6, exhausted: 2, retry_due: null });
    await expectSound(engine.folder);
  });

  test('is not created to start later', async () => {
    const engine = testEngine();
    const refused = create(engine, 1, { start_time: '9999-12-31T23:59:59-00:01' });
    await expect(refused).rejects.toThrow('start_time must not be beyond the year 9999.');
    await create(engine, 1, { start_time: '9999-12-31T23:59:59Z', retry_delay: 2_592_000 });
    const { to, stranded } = await engine.timeline.move(idle, ignore);
    expect({ to, stranded }).toEqual({ to: END - 999, stranded: [] });
    await expectSound(engine.folder);
  });
});

// Any command ---------------------------------------------------------------------------------------------------------

const text = fc.oneof(
  fc.constantFrom('x', '-', '"', '\\', '\u0000', '\ud800', '😀', '{{x}}', '__proto__', ' '),
  fc.string({ unit: character, minLength: 1, maxLength: 20 }),
  fc.constant('n'.repeat(1000)),
  fc.constant('😀'.repeat(500)),
);
const anyOf = (texts: string) => fc.constantFrom(...texts.split(' '));
const span = anyOf('0 1s 1h 30d 36500d 2900000d 2912000d 104250000d 999999999d');
const LATE = '9999-12-31T23:59:59.999Z 9999-12-31T23:59:59.999999999Z 9999-12-31T23:59:59-23:59';
const time = anyOf(`0000-01-01T00:00Z 2500-02-29T00:00Z 2600-01-01T24:00Z ${LATE}`);
const far = span.map((given) => `+${given}`);

const values: Record<string, fc.Arbitrary<string>> = {
  ...{ text, span, time, start: fc.oneof(time, far), id: anyOf('1 2 3 9007199254740991') },
  amount: anyOf('0.000001 0.1 999999999 999999999.999999 1000000000 1e300'),
  share: anyOf('0 1 0.333333333 0.0000000001 0.62'),
  number: anyOf('+14155550100 +1000000 +999999999999999 +14155550199 +14155550194'),
  count: anyOf('0 1 100 1000 3600000 9007199254740991'),
  retries: anyOf('0 1 100 1000 9007199254740991'),
  change: anyOf('add remove'),
  status: anyOf('active paused draft'),
  pausing: anyOf('pause resume'),
  duration: anyOf('0 1 20 75 1d 2d 999999999d'),
  delay: anyOf('0 1s 30d 31d 999999999d'),
};

const CONTACTS = 'phone_number\n+14155550190\n+14155550194\n+442079460104\n';

/** Command lines as an operator gives them, every value at its bounds or beyond; what begins with `?` may be left out. */
const LINES = casesBeside(import.meta.filename)<string>('command lines');

function lineFrom(template: string): fc.Arbitrary<string[]> {
  const words = template.split(' ').map((word) => {
    const [, mark, before = '', name = ''] = /^(\?)?(.*?)(?:\{(\w+)\})?$/.exec(word) ?? [];
    const made = values[name]?.map((value) => before + value) ?? fc.constant(before);
    return mark === undefined
      ? made.map((value) => [value])
      : fc.oneof(
          fc.constant<string[]>([]),
          made.map((value) => [value]),
        );
  });
  return fc.tuple(...words).map((all) => all.flat());
}

const commandLine = fc.oneof(...LINES.map(lineFrom));

describe('whatever the command and its arguments', () => {
  const isWritable = (words: string[]) => words.every((word) => !word.includes('\0'));

  test('nothing is a bug, and the store can be read', async () => {
    const scripts = fc.array(commandLine.filter(isWritable), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
        writeFileSync(join(operator.home, 'contacts.csv'), CONTACTS);
        for (const words of script) {
          const { code, stderr } = await operator.run(words);
          expect(code, stderr).not.toBe(1);
          expect(code, stderr).not.toBe(9);
        }
        const { code, stdout } = await operator.run(['local', 'check', '--json']);
        expect(JSON.parse(stdout).problems).toEqual([]);
        expect(code).toBe(0);
      }),
      { numRuns: howMany(15, 400) },
    );
  });

  test('nor by requests over HTTP', async () => {
    const engine = testEngine();
    const server = await serveEngine(engine);
    const value = fc.oneof(
      fc.constantFrom<unknown>(-1, -0, 0, 1, 1.5, 2 ** 53, 1e308, -1e308, null, true, '', '1', [], {}),
      fc.constantFrom('9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59.9Z'),
      text,
    );
    const contacts = [{ phone_number: '+14155550192' }];
    const operations: Record<string, Record<string, unknown>> = {
      'create-campaign': { campaign_name: 'x', agent_id: 1, call_from: '+14155550100', contacts },
      'create-agent': { agent_name: 'x', base_prompt: 'x', voice_id: 1 },
      'trigger-call': { ...CALL, use_agent_id: 1, custom_identifiers: '' },
    };
    const fields: Record<string, string[]> = {
      'create-campaign': ['campaign_name', 'start_time', 'calls_per_hour', 'retry_attempts', 'retry_delay', 'agent_id'],
      'create-agent': ['agent_name', 'voice_id', 'language', 'greeting', 'conversation_goal', 'agent_description'],
      'trigger-call': ['called_to', 'custom_first_line', 'custom_instruction', 'custom_identifiers', 'use_agent_id'],
    };
    const request = fc
      .constantFrom(...Object.keys(operations))
      .chain((name) =>
        fc.tuple(fc.constant(name), fc.dictionary(fc.constantFrom(...(fields[name] ?? [])), value, { maxKeys: 3 })),
      );
    try {
      await fc.assert(
        fc.asyncProperty(request, fc.constantFrom(0, 1000, DAY), async ([name, given], later) => {
          const body = JSON.stringify({ ...CREDENTIALS, ...operations[name], ...given });
          const headers = { 'content-type': 'application/json' };
          const { status } = await fetch(`${server.url}/${name}`, { method: 'POST', headers, body });
          expect(status).toBeLessThan(500);
          engine.clock.now += later;
          await engine.timeline.read();
        }),
        { numRuns: howMany(100, 1_000) },
      );
      await expectSound(engine.folder);
    } finally {
      await server.close();
    }
  });
});

/** One call, found wherever it stands in the log, with its transcript laid out to be read. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { layOut, turnsOf } from '../../../src/cli/terminal/dialogue.ts';
import { casesBeside } from '../../support/cases.ts';
import { aCall, hostileLog, type LogBehaviour, someCalls } from '../../support/hostile-log.ts';
import { Operator } from '../../support/program.ts';
import { shopOf } from '../../support/shop.ts';
import { play, playHere } from '../../support/terminal.ts';
import { UnderWay } from '../../support/under-way.ts';

const cases = casesBeside(import.meta.filename);

/** What commands a terminal, to be read. */
const visible = (output: string) => output.replaceAll('\u001b', 'ESC');

const laidOut = (transcript: string, columns = 40) => layOut(transcript, { columns, hasColor: false });

describe('a transcript, laid out', async () => {
  const laid = cases<[name: string, transcript: string, lines: string[], columns?: number]>(
    'a transcript, laid out in so many columns',
  );
  test.each(laid)('%s', (_name, transcript, lines, columns) => {
    expect(laidOut(transcript, columns).split('\n').slice(0, -1)).toEqual(lines);
  });

  test('each speaker has a colour, also where a name takes two lines', () => {
    const transcript = 'Ann Lee: Hi.\nBob: Hi.\nAnn Lee: Bye.';
    const shown = layOut(transcript, { columns: 15, hasColor: true });
    const colorsOf = (name: string) =>
      [...visible(shown).matchAll(new RegExp(`ESC\\[(\\d+)m${name}ESC\\[39m`, 'g'))].map(([, color]) => color);
    expect(colorsOf('Ann')).toEqual(colorsOf('Lee'));
    expect(colorsOf('Ann')).toHaveLength(2);
    expect(new Set([...colorsOf('Ann'), ...colorsOf('Bob')]).size).toBe(2);
    expect(stripVTControlCharacters(shown)).toBe(laidOut(transcript, 15));
  });

  test('more speakers than colours', () => {
    const transcript = Array.from({ length: 12 }, (_none, at) => `S${at}: Hi.`).join('\n');
    expect(layOut(transcript, { columns: 40, hasColor: true })).not.toContain('undefined');
    expect(turnsOf(transcript)).toHaveLength(12);
  });
});

const ODD = aCall({
  call_id: 'odd',
  agent_id: '12',
  call_status: 'over\u001b[31m',
  transcript: 'Agent: Hello.\nAnn: \u001b[2JHi.',
  recording_url: undefined,
  call_outcome: null,
  cost: 0.35,
  meta: { by: null, tags: ['a'] },
});

describe.concurrent('what is shown', async () => {
  const { operator } = await shopOf(hostileLog({ calls: [...someCalls(3), ODD] }));
  const piped = cases<[args: string[], stdout: string]>('what is shown by which flags');
  test.each(piped)('%j', async (args, stdout) => {
    const outcome = await operator.run(['logs', 'show', 'odd', ...args]);
    expect(outcome).toEqual({ code: 0, signal: null, stdout, stderr: '' });
  });

  test('--json is the entry as the service sent it', async () => {
    const sent = JSON.parse(JSON.stringify(ODD)) as object;
    expect(await operator.json(['logs', 'show', 'odd'])).toEqual(sent);
  });

  test('a column that is nowhere: exit 2', async () => {
    const { code, stderr } = await operator.run('logs show odd -o table --fields transcript,colour'.split(' '));
    expect(stderr).toMatch(/unknown colour\.[\s\S]*call_id, .*transcript.*, cost, meta/);
    expect(code).toBe(2);
  });
});

describe.concurrent('a call is found', async () => {
  interface Place {
    behaviour: LogBehaviour;
    id: string;
    /** Requests that are needed; a few more may be under way when it is found. */
    needed: number;
  }
  const places: Record<string, Place> = {
    'on the first page': { behaviour: { calls: someCalls(500) }, id: 'call_3', needed: 1 },
    'on a later page': { behaviour: { calls: someCalls(500) }, id: 'call_47', needed: 5 },
    'as the last of all': { behaviour: { calls: someCalls(45) }, id: 'call_45', needed: 5 },
    'where the log grows meanwhile': {
      behaviour: {
        calls: someCalls(45),
        before: ({ number }, log) => number < 4 && log.unshift(...someCalls(7, `late_${number}`)),
      },
      id: 'call_45',
      needed: 5,
    },
    'where the service counts wrongly': {
      behaviour: { calls: someCalls(45), page: () => ({ total: 3 }) },
      id: 'call_40',
      needed: 4,
    },
    'with an id that is a number': {
      behaviour: { calls: someCalls(3), page: () => ({ calls: [aCall({ call_id: 77 as unknown as string })] }) },
      id: '77',
      needed: 1,
    },
  };
  for (const [name, { behaviour, id, needed }] of Object.entries(places)) {
    const { operator, server } = await shopOf(hostileLog(behaviour));
    test(`${name}: ${id}`, async () => {
      const { code, stdout } = await operator.run(['logs', 'show', id, '-o', 'ids']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${id}\n` });
      expect(server.received.length).toBeGreaterThanOrEqual(needed);
      expect(server.received.length, 'no more than are under way at a time').toBeLessThanOrEqual(needed + 4);
    });
  }

  describe('while the pages asked for ahead hang', async () => {
    const log = hostileLog({ calls: someCalls(500) });
    const { operator } = await shopOf((request, response) =>
      request.query.get('offset') === '0' ? log(request, response) : undefined,
    );
    test('nobody waits for them', async () => {
      const { code, stdout, stderr } = await operator.run(['logs', 'show', 'call_3', '-o', 'ids', '--timeout', '10m']);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'call_3\n', stderr: '' });
    });
  });

  describe('with the filters of the service', async () => {
    const { operator, server } = await shopOf(hostileLog({ calls: someCalls(3) }));
    test('they are asked of it', async () => {
      const filters = ['--start-date', '2026-11-01', '--end-date', '2026-11-30', '--agent', '3'];
      expect(await operator.run(['logs', 'show', 'call_1', ...filters])).toMatchObject({ code: 0 });
      expect(Object.fromEntries(server.received[0]?.query ?? [])).toMatchObject({
        start_date: '2026-11-01',
        end_date: '2026-11-30',
        agent_id: '3',
        limit: '1000',
      });
    });
  });
});

describe.concurrent('a call is not found', async () => {
  const { operator, server } = await shopOf(hostileLog({ calls: someCalls(25) }));
  test('exit 5, after all of the log', async () => {
    const { code, stdout, stderr } = await operator.run(['logs', 'show', 'call_26', '--base-url', server.url]);
    expect(stderr).toBe(
      `vagent: There is no call call_26: 25 calls were looked through.\n  → vagent logs list --base-url ${server.url}\n`,
    );
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  });

  test('the filters are told', async () => {
    const filters = ['--agent', '3', '--start-date', '2026-11-01'];
    const { code, stderr } = await operator.run(['logs', 'show', 'call_26', ...filters, '--json']);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: 'not_found',
        message: 'There is no call call_26: 25 calls were looked through, those of --agent 3 --start-date 2026-11-01.',
        status: null,
        exit_code: 5,
      },
    });
    expect(code).toBe(5);
  });

  const short = await shopOf(hostileLog({ calls: someCalls(25), page: () => ({ total: 30 }) }));
  test('exit 7 where the service shows less than it counts: it may be there', async () => {
    const { code, stderr } = await short.operator.run(['logs', 'show', 'call_26']);
    expect(stderr).toMatch(/counts 30 calls but showed 25/);
    expect(code).toBe(7);
  });

  const hanging = await shopOf(() => {});
  test('exit 130 at Ctrl-C', async () => {
    const command = UnderWay.here(hanging.operator, ['logs', 'show', 'call_1']);
    await vi.waitUntil(() => hanging.server.received.length > 0, { timeout: 60_000 });
    expect(await command.interrupt()).toMatchObject({ code: 130, stdout: '', stderr: 'vagent: Interrupted.\n' });
  });
});

describe.concurrent('on a terminal', async () => {
  const operator = new Operator();
  const call = [
    'call',
    '+14155550190',
    '--agent',
    '1',
    '--from',
    '+14155550100',
    '--first-line',
    'Hello, this is Ava.',
  ];
  await operator.run([...call, '--instruction', 'Mention the discount on spring check-ups.', '--local']);

  test('the fields, then the dialogue, in lines that fit', async () => {
    const { code, text, output } = await play(operator, ['logs', 'show', 'call_0000000001'], [], { columns: 64 });
    expect(code).toBe(0);
    const [fields = '', dialogue = ''] = text.split('\n\n');
    expect(fields).toMatch(/^Call {7}call_0000000001\nAgent {6}1\n/);
    expect(fields).not.toContain('Transcript');
    const lines = dialogue.trimEnd().split('\n');
    expect(lines[0]).toBe('Agent     Hello, this is Ava.');
    expect(lines.filter((line) => line.startsWith(' ')).length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/^(Agent {5}|Customer {2}| {10})\S/);
      expect(line.length).toBeLessThanOrEqual(64);
    }
    expect(visible(output)).toContain('ESC[36mAgentESC[39m');
    expect(visible(output)).toContain('ESC[33mCustomerESC[39m');
  });

  test.each([
    ['--no-color', ['--no-color'], {}],
    ['NO_COLOR', [], { NO_COLOR: '1' }],
  ])('%s: no colour', async (_name, flags, env) => {
    const { output } = await playHere(operator, ['logs', 'show', 'call_0000000001', ...flags], [], { env });
    expect(output).not.toContain('\u001b[3');
  });

  const { env: remote } = await shopOf(hostileLog({ calls: [ODD, aCall({ call_id: 'silent', transcript: '' })] }));
  test('nothing of the service commands it', async () => {
    const { code, output } = await playHere(operator, ['logs', 'show', 'odd', '--no-color'], [], { env: remote });
    expect(output).toMatch(/Status +over \[31m\r\n[\s\S]*Ann +\[2JHi\./);
    expect({ code, commands: output.includes('\u001b') }).toEqual({ code: 0, commands: false });
  });

  test('a call without a transcript: the fields alone', async () => {
    const { text } = await playHere(operator, ['logs', 'show', 'silent'], [], { env: remote });
    expect(text).toMatch(/\nTranscript\nRecording .*\n$/);
  });

  test('a terminal that does not know its size', async () => {
    const { text } = await playHere(operator, ['logs', 'show', 'call_0000000001', '--no-color'], [], { columns: 0 });
    expect(text).toMatch(/\n\nAgent {5}Hello, this is Ava\.\n/);
  });
});

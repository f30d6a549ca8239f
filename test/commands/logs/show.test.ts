/** One call, found wherever it stands in the log, with its transcript laid out to be read. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { layOut, turnsOf } from '../../../src/cli/terminal/dialogue.ts';
import { aCall, hostileLog, type LogBehaviour, someCalls } from '../../support/hostile-log.ts';
import { type Answer, startServer, type TestServer } from '../../support/http.ts';
import { Operator } from '../../support/program.ts';
import { play, playHere } from '../../support/terminal.ts';
import { UnderWay } from '../../support/under-way.ts';

/** What commands a terminal, to be read. */
const visible = (output: string) => output.replaceAll('\u001b', 'ESC');

const laidOut = (transcript: string, columns = 40) => layOut(transcript, { columns, hasColor: false });

describe('a transcript, laid out', () => {
  const cases: [name: string, transcript: string, lines: string[], columns?: number][] = [
    ['a dialogue', 'Agent: Hello.\nCustomer: Hi.', ['Agent     Hello.', 'Customer  Hi.']],
    [
      'long lines, wrapped beside the name',
      'Agent: Hello, this is Ava from the Harbour Clinic.\nAnn: Hi.',
      ['Agent  Hello, this is Ava from the', '       Harbour Clinic.', 'Ann    Hi.'],
    ],
    ['one turn alone', 'Agent: Hello.', ['Agent  Hello.']],
    [
      'names of any kind',
      'Dr. Ünal (Ward 3): Ja.\nspeaker_1: No',
      ['Dr. Ünal      Ja.', '(Ward 3)', 'speaker_1     No'],
      38,
    ],
    ['names in other scripts', 'एजेंट: नमस्ते।\nग्राहक: जी।', ['एजेंट    नमस्ते।', 'ग्राहक  जी।']],
    ['wide letters and their colon', '客服：您好。\n顧客:  はい。', ['客服  您好。', '顧客  はい。']],
    ['wide letters, broken anywhere', 'A: 您好您好您好', ['A  您好您', '   好您好'], 9],
    [
      'a word that is longer than a line',
      'A: https://x.test/abcdef',
      ['A  https:', '   //x.te', '   st/abc', '   def'],
      9,
    ],
    [
      'a letter and its accent, kept together',
      'A: ne\u0301ne\u0301ne\u0301',
      ['A  ne\u0301n', '   e\u0301ne\u0301'],
      6,
    ],
    [
      'a turn of several lines',
      'Agent: One.\n  Two.\n\nThree.\nAnn: Four.',
      ['Agent  One.', '       Two.', '       Three.', 'Ann    Four.'],
    ],
    ['a name on a line of its own', 'Agent:\nHello.\nAnn:\n', ['Agent  Hello.', 'Ann']],
    ['something before the first name', '[connected]\nA: Hello.\nB: Hi.', ['   [connected]', 'A  Hello.', 'B  Hi.']],
    [
      'other ends of lines',
      'A: One.\r\nB: Two.\rA: Three.\u2028B: Four.',
      ['A  One.', 'B  Two.', 'A  Three.', 'B  Four.'],
    ],
    ['colons in what is said', 'A: At 10:30, see https://x.test: yes.', ['A  At 10:30, see https://x.test: yes.']],
    [
      'control characters',
      'A\u0007: \u001b[31mred\u001b[0m\tand\u009b2Jmore\u0000\nB: x',
      ['A  [31mred [0m and 2Jmore', 'B  x'],
    ],
    [
      'no dialogue',
      'The customer was friendly.\nNothing was sold.',
      ['The customer was friendly.', 'Nothing was sold.'],
    ],
    [
      'a report with one colon',
      'The customer was friendly.\n\nOutcome: nothing was sold, for the price is too high.',
      ['The customer was friendly.', '', 'Outcome: nothing was sold, for the price', 'is too high.'],
    ],
    ['an address and a time alone', 'https: //x\n10: 30', ['https  //x', '       10: 30']],
    ['indented text, as it is', 'One.\n    Two  three.\n', ['One.', '    Two  three.']],
    ['no more than a name fits', 'Agent: Hi', ['A  H', 'g  i', 'e', 'n', 't'], 4],
  ];
  test.each(cases)('%s', (_name, transcript, lines, columns) => {
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

interface Shop {
  operator: Operator;
  server: TestServer;
}

async function setUp(answer: Answer): Promise<Shop> {
  const server = await startServer(answer);
  const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
  return { server, operator: new Operator({ env }) };
}

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
  const { operator } = await setUp(hostileLog({ calls: [...someCalls(3), ODD] }));
  const piped: [args: string[], stdout: string][] = [
    [
      [],
      'call_id\todd\nagent_id\t12\ncalled_to\t+14155550123\ncall_from\t+14155550100\ncall_duration\t42\n' +
        'call_status\tover\u001b[31m\ncall_outcome\t\ntimestamp\t2026-11-20T09:00:00Z\n' +
        'transcript\tAgent: Hello. Ann: \u001b[2JHi.\ncost\t0.35\nmeta\t{"by":null,"tags":["a"]}\n',
    ],
    [['--fields', 'cost,call_id'], 'cost\t0.35\ncall_id\todd\n'],
    [['--fields', 'recording_url,call_id'], 'recording_url\t\ncall_id\todd\n'],
    [['-o', 'ids'], 'odd\n'],
    [['-o', 'csv', '--fields', 'call_id,cost'], 'call_id,cost\r\nodd,0.35\r\n'],
    [['-o', 'ndjson', '--fields', 'call_id,cost'], '{"call_id":"odd","cost":0.35}\n'],
    [['-o', 'table', '--fields', 'call_id,cost'], 'Call  odd\nCost  0.35\n'],
    [['-o', 'table', '--fields', 'transcript'], 'Agent  Hello.\nAnn    [2JHi.\n'],
    [['-o', 'table', '--fields', 'transcript,cost'], 'Cost  0.35\n\nAgent  Hello.\nAnn    [2JHi.\n'],
  ];
  test.each(piped)('%j', async (args, stdout) => {
    const outcome = await operator.run(['logs', 'show', 'odd', ...args]);
    expect(outcome).toEqual({ code: 0, signal: null, stdout, stderr: '' });
  });

  test('--json is the entry as the service sent it', async () => {
    const sent = JSON.parse(JSON.stringify(ODD)) as object;
    expect(await operator.json(['logs', 'show', 'odd'])).toEqual(sent);
  });

  test('a column that is nowhere: exit 2', async () => {
    const { code, stderr } = await operator.run([
      'logs',
      'show',
      'odd',
      '-o',
      'table',
      '--fields',
      'transcript,colour',
    ]);
    expect(stderr).toMatch(/unknown colour\.[\s\S]*call_id, .*transcript.*, cost, meta/);
    expect(code).toBe(2);
  });
});

describe.concurrent('a call is found', () => {
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
    describe(name, async () => {
      const { operator, server } = await setUp(hostileLog(behaviour));
      test(id, async () => {
        const { code, stdout } = await operator.run(['logs', 'show', id, '-o', 'ids']);
        expect({ code, stdout }).toEqual({ code: 0, stdout: `${id}\n` });
        expect(server.received.length).toBeGreaterThanOrEqual(needed);
        expect(server.received.length, 'no more than are under way at a time').toBeLessThanOrEqual(needed + 4);
      });
    });
  }

  describe('while the pages asked for ahead hang', async () => {
    const log = hostileLog({ calls: someCalls(500) });
    const { operator } = await setUp((request, response) =>
      request.query.get('offset') === '0' ? log(request, response) : undefined,
    );
    test('nobody waits for them', async () => {
      const { code, stdout, stderr } = await operator.run(['logs', 'show', 'call_3', '-o', 'ids', '--timeout', '10m']);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'call_3\n', stderr: '' });
    });
  });

  describe('with the filters of the service', async () => {
    const { operator, server } = await setUp(hostileLog({ calls: someCalls(3) }));
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

    test('others are none of this command', async () => {
      expect(await operator.run(['logs', 'show', 'call_1', '--status', 'busy'])).toMatchObject({ code: 2 });
      expect(await operator.run(['logs', 'show', 'call_1', '--end-date', '2026-11-31'])).toMatchObject({ code: 3 });
      expect(await operator.run(['logs', 'show'])).toMatchObject({ code: 2 });
      expect(await operator.run(['logs', 'show', ''])).toMatchObject({ code: 2 });
    });
  });
});

describe.concurrent('a call is not found', async () => {
  const { operator, server } = await setUp(hostileLog({ calls: someCalls(25) }));
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

  const short = await setUp(hostileLog({ calls: someCalls(25), page: () => ({ total: 30 }) }));
  test('exit 7 where the service shows less than it counts: it may be there', async () => {
    const { code, stderr } = await short.operator.run(['logs', 'show', 'call_26']);
    expect(stderr).toMatch(/counts 30 calls but showed 25/);
    expect(code).toBe(7);
  });

  const hanging = await setUp(() => {});
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

  const { server } = await setUp(hostileLog({ calls: [ODD, aCall({ call_id: 'silent', transcript: '' })] }));
  const remote = { VAGENT_LOCAL: '', VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
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

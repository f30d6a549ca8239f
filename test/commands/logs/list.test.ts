/** A list of calls: the filters that are applied here, the command that goes on from there, and times as clocks here show them. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../../../src/text/shell.ts';
import { casesBeside } from '../../support/cases.ts';
import { aCall, hostileLog, type LogBehaviour, type LogCall, someCalls } from '../../support/hostile-log.ts';
import { Operator, type Outcome } from '../../support/program.ts';
import { shopOf } from '../../support/shop.ts';
import { play, playHere } from '../../support/terminal.ts';

const frozenAt = '2026-11-20T09:00:00Z';
const LIST = ['logs', 'list'];

const setUp = (behaviour: LogBehaviour) => shopOf(hostileLog(behaviour), { frozenAt });
const cases = casesBeside(import.meta.filename);

/** The words of the command that is suggested, as a shell reads them. */
function suggested(stderr: string): string[] | undefined {
  const [, command] = /Next: vagent (.*)\n/.exec(stderr) ?? [];
  if (command === undefined) return undefined;
  return execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
    .split('\n')
    .slice(0, -1);
}

describe('a word of a shell', async () => {
  const words = cases<string>('a word of a shell');
  test.each(words)('%j', (word) => {
    expect(execFileSync('sh', ['-c', `printf '%s' ${shellWord(word)}`], { encoding: 'utf8' })).toBe(word);
  });
});

/** 95 calls of which every tenth is busy, and others are told apart by one field each. */
function mixedCalls(): LogCall[] {
  const special: Record<number, Partial<LogCall>> = {
    12: { call_outcome: 'not_interested' },
    23: { called_to: '+14155550999' },
    34: { call_from: '+442079460100' },
    45: { transcript: 'Agent: Hello.\nAnn: It\'s about the "Harbour" CLINIC.' },
    56: { timestamp: '2026-11-20T08:30:00Z' },
    67: { timestamp: 'who knows' },
    78: { transcript: null, call_outcome: null },
  };
  return someCalls(95).map((call, at) => ({
    ...call,
    timestamp: '2026-11-20T06:00:00Z',
    call_status: at % 10 === 0 ? 'busy' : 'completed',
    ...special[at + 1],
  }));
}

const BUSY = [1, 11, 21, 31, 41, 51, 61, 71, 81, 91].map((at) => `call_${at}`);
const ids = (stdout: string) => stdout.split('\n').slice(0, -1);

describe('words that no call has', async () => {
  const outcomes = { interested: 12, call_back: 3, 'a, b': 1 };
  const calls = Object.entries(outcomes).flatMap(([call_outcome, count]) =>
    Array.from({ length: count }, () => ({ call_outcome })),
  );
  const all = someCalls(calls.length + 1).map((call, at) => ({ ...call, call_outcome: null, ...calls[at] }));
  const { operator } = await setUp({ calls: all });
  const THERE = 'there are: interested (12), call back (3), a, b (1), (none) (1).';
  const rows: [words: string, found: number, says: string][] = [
    ['--outcome intrested', 0, `No call has outcome intrested; ${THERE} Did you mean interested?`],
    ['--outcome zzz,qqq', 0, `No call has outcome zzz or qqq; ${THERE}`],
    ['--status complete', 0, 'No call has status complete; there are: completed (17). Did you mean completed?'],
    ['--outcome intrested,call-back', 3, 'No call has outcome intrested. Did you mean interested?'],
    ['--outcome zzz,CALL_BACK', 3, ''],
    ['--outcome a,b', 1, ''],
  ];
  for (const command of ['list --all -o ids', 'export -o ndjson']) {
    test.each(rows)(`logs ${command} %s`, async (words, found, says) => {
      const [flag = '', value = ''] = words.split(' ');
      const { code, stdout, stderr } = await operator.run(['logs', ...command.split(' '), flag, value]);
      expect([code, ids(stdout).length]).toEqual([0, found]);
      expect(stderr.split('\n').find((line) => line.startsWith('No call has')) ?? '').toBe(says);
    });
  }
  test('logs stats names them, too', async () => {
    const { stderr } = await operator.run(['logs', 'stats', '--outcome', 'nobody']);
    expect(stderr).toContain(`No call has outcome nobody; ${THERE}\n`);
  });
});

describe.concurrent('filters that the service lacks', async () => {
  const filters = cases<[args: string[], found: string[]]>('filters that the service lacks, and what they find');
  for (const [args, found] of filters) {
    const { operator } = await setUp({ calls: mixedCalls() });
    test(`${args.join(' ')}: is applied here, and that is said`, async () => {
      const flags = args.filter((word) => word.startsWith('--')).sort();
      const { code, stdout, stderr } = await operator.run([...LIST, ...args, '-o', 'ids']);
      expect(ids(stdout)).toEqual(found);
      const [said = '', counted] = stderr.split('\n');
      expect(said).toMatch(/^Filtering on this computer: .* \(the service cannot\)\.$/);
      expect([...said.matchAll(/--[a-z]+/g)].map(([flag]) => flag).sort()).toEqual(flags);
      expect(counted).toBe(`Looked at 95 calls, ${found.length} matched.`);
      expect(code).toBe(0);
    });
  }

  describe('--quiet', async () => {
    const { operator } = await setUp({ calls: mixedCalls() });
    test('says none of that', async () => {
      expect(await operator.run([...LIST, '--status', 'busy', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    });
  });
});

describe.concurrent('a page of matching calls', async () => {
  const silent = { page: () => ({ total: undefined }) };
  const two = { calls: [aCall({ call_id: 'a' }), aCall({ call_id: 'b', call_status: 'busy' })] };
  // Four calls come in at the head: the eleven that were looked at first stand at 5 to 15 then.
  const grows = {
    before: ({ number }: { number: number }, log: LogCall[]) => number === 2 && log.unshift(...someCalls(4, 'late')),
  };
  type Page = [
    args: string,
    found: string[],
    says: string,
    next?: number | undefined,
    behaviour?: Partial<LogBehaviour>,
  ];
  const pages: Page[] = [
    ['--limit 2', ['call_1', 'call_11'], 'Looked at 11 calls, 2 matched. 84 more to look at.', 11],
    ['--limit 2 --offset 11', ['call_21', 'call_31'], 'Looked at 20 calls, 2 matched. 64 more to look at.', 31],
    ['--limit 2 --offset 81', ['call_91'], 'Looked at 14 calls, 1 matched.'],
    ['--limit 1', ['b'], 'Looked at 2 calls, 1 matched.', undefined, two],
    ['--offset 200', [], 'Looked at 0 calls, 0 matched.'],
    ['--limit 2', ['call_1', 'call_11'], 'Looked at 11 calls, 2 matched. There may be more.', 11, silent],
    ['--limit 3', ['call_1', 'call_11', 'call_21'], 'Looked at 21 calls, 3 matched. 74 more to look at.', 25, grows],
  ];
  for (const [args, found, says, next, behaviour] of pages) {
    const { operator } = await setUp({ calls: mixedCalls(), ...behaviour });
    test(`${args}: ${says}`, async () => {
      const { code, stdout, stderr } = await operator.run([
        ...LIST,
        '--status',
        'busy',
        ...args.split(' '),
        '-o',
        'ids',
      ]);
      expect(ids(stdout)).toEqual(found);
      const counted = stderr.split('\n')[1] ?? '';
      expect(counted.replace(/ Next: .*/, '')).toBe(says);
      expect(suggested(stderr)?.at(-1)).toBe(next?.toString());
      expect(code).toBe(0);
    });
  }

  describe('by default', async () => {
    const calls = someCalls(250).map((call, at) => ({ ...call, call_status: at % 2 === 0 ? 'busy' : 'failed' }));
    const { operator } = await setUp({ calls, cap: 100 });
    test('holds 100', async () => {
      const { stdout, stderr } = await operator.run([...LIST, '--status', 'busy', '-o', 'ids']);
      expect(ids(stdout)).toHaveLength(100);
      expect(suggested(stderr)?.slice(-2)).toEqual(['--offset', '199']);
    });
  });

  describe('as JSON', async () => {
    const { operator } = await setUp({ calls: mixedCalls(), page: () => ({ region: 'eu' }) });
    const documents: [args: string[], document: object][] = [
      [['--limit', '3'], { success: true, total: null, limit: 3, offset: 0, region: 'eu' }],
      [['--limit', '3', '--offset', '91'], { total: null, limit: 0, offset: 91, calls: [] }],
      [[], { total: 10, limit: 10, offset: 0 }],
    ];
    test.each(documents)('%j: a total where all calls were looked at', async (args, document) => {
      const answer = await operator.json<{ calls: LogCall[] }>([...LIST, '--status', 'busy', ...args]);
      expect(answer).toMatchObject(document);
    });
  });
});

describe.concurrent('the command that goes on', async () => {
  const walks: [name: string, args: string[], all: string[]][] = [
    ['with filters', ['--status', 'busy', '--limit', '3'], BUSY],
    ['with filters, one at a time', ['--search', 'harbour', '--limit', '1'], ['call_45']],
  ];
  for (const [name, args, all] of walks) {
    const { operator } = await setUp({ calls: mixedCalls() });
    test(`${name}: leads to every call, and to an end`, async () => {
      const found: string[] = [];
      let command: string[] | undefined = [...LIST, ...args, '-o', 'ids'];
      for (let page = 0; command !== undefined && page < 10; page++) {
        const outcome: Outcome = await operator.run(command);
        found.push(...ids(outcome.stdout));
        command = suggested(outcome.stderr);
      }
      expect(found).toEqual(all);
      expect(command).toBeUndefined();
    });
  }

  describe('on a terminal', async () => {
    const { operator, env } = await setUp({ calls: someCalls(25) });
    test('without filters: how many more there are', async () => {
      const { text } = await play(operator, [...LIST, '--limit', '4', '--offset', '5'], [], { env });
      expect(text).toContain('\n16 more; so far 9 of 25 calls. Next: vagent logs list --limit 4 --offset 9\n');
      const end = await playHere(operator, [...LIST, '--limit', '10', '--offset', '15'], [], { env });
      expect(end.text).not.toContain('Next');
    });

    test('nothing is said of it where the list is piped', async () => {
      expect(await operator.run([...LIST, '--limit', '4'])).toMatchObject({ code: 0, stderr: '' });
    });

    const silent = await setUp({ calls: someCalls(25), page: () => ({ total: undefined }) });
    test('of a service that counts nothing', async () => {
      const { text } = await playHere(operator, [...LIST, '--limit', '4'], [], { env: silent.env });
      expect(text).toContain('\nThere may be more. Next: vagent logs list --limit 4 --offset 4\n');
      const end = await playHere(operator, [...LIST, '--offset', '25'], [], { env: silent.env });
      expect(end.text).not.toContain('Next');
    });
  });

  describe('repeats every flag', async () => {
    const { operator, server, env } = await setUp({ calls: mixedCalls() });
    const store = 'a store';
    writeFileSync(join(operator.home, 'my key'), 'key-of-tests');
    const flags: [given: string[], repeated: string][] = [
      [['--since=30d', '--agent', '3'], '--since 30d --agent 3'],
      [['--search', 'it\'s about the "Harbour"'], `--search 'it'\\''s about the "Harbour"'`],
      [['--to', '+14155550123', '--offset=0', '-o', 'ids', '-q'], '--to +14155550123 --output ids --quiet'],
      [['--agent', '4', '--agent', '3'], '--agent 3'],
      [['--start-date', '2026-11-01', '--end-date', '2026-11-30'], '--start-date 2026-11-01 --end-date 2026-11-30'],
      [
        ['--fields', 'call_id, call_status', '--no-header', '--json'],
        "--fields 'call_id, call_status' --no-header --json",
      ],
      [['--store', store, '--timeout', '1m'], `--store '${store}' --timeout 1m`],
      [['--base-url', server.url, '--org', '7'], `--base-url ${server.url} --org 7`],
      [['--api-key-file', 'my key', '--no-input', '-y'], "--api-key-file 'my key' --no-input --yes"],
    ];
    for (const [given, repeated] of flags) {
      test(repeated, async () => {
        // The flags of every command may also stand before its name.
        const words = ['--no-color', ...LIST, '--from', '+14155550100', '--limit', '1', ...given];
        const { code, text } = await playHere(operator, words, [], { env });
        const expected = `vagent logs list --no-color --from +14155550100 --limit 1 ${repeated} --offset`;
        if (given.includes('-q')) expect(text).not.toContain('Next');
        else expect(text).toContain(`Next: ${expected}`);
        expect(code).toBe(0);
      });
    }

    test('which names the simulator and a profile as well', async () => {
      const home = new Operator({ frozenAt });
      const call = 'call +14155550191 --agent 1 --from +14155550100 --first-line Hello. --local'.split(' ');
      for (const _ of [1, 2]) await home.run([...call, '--store', 'my store']);
      await home.run(['profile', 'add', 'home', '--local']);
      const rest = ['--status', 'busy', '--limit', '1', '--store', 'my store'];
      for (const connection of [['--local'], ['--profile', 'home']]) {
        const first = await home.run([...connection, ...LIST, ...rest]);
        const command = suggested(first.stderr);
        expect(command).toEqual([...LIST, ...connection, ...rest, '--offset', '1']);
        const second = await home.run([...(command ?? []), '-o', 'ids']);
        expect(second.stdout).toBe('call_0000000001\n');
      }
    });
  });
});

describe.concurrent('--all', async () => {
  const documents = cases<[args: string[], calls: number, offset: number]>('all as one document');
  for (const [args, calls, offset] of documents) {
    const { operator } = await setUp({ calls: mixedCalls(), page: () => ({ region: 'eu' }) });
    test(`${args.join(' ')}: one document, whose total is the number of its calls`, async () => {
      const { code, stdout, stderr } = await operator.run([...LIST, '--all', '--json', ...args]);
      const answer = JSON.parse(stdout) as { calls: LogCall[] };
      expect(answer).toMatchObject({ success: true, total: calls, limit: calls, offset, region: 'eu' });
      expect(answer.calls).toHaveLength(calls);
      expect(suggested(stderr)).toBeUndefined();
      expect(code).toBe(0);
    });
  }
});

describe.concurrent('days and --since', async () => {
  interface Range {
    args: string[];
    code: number;
    tz?: string;
    /** The start_date that the service is asked for. */
    start?: string;
  }
  const ranges = cases<Range>('days and --since, and the first day that is asked for');
  for (const { args, code, tz = 'UTC', start } of ranges) {
    const { operator, server, env } = await setUp({ calls: someCalls(3) });
    test(`${args.join(' ')} in ${tz}: exit ${code}`, async () => {
      const outcome = await operator.run([...LIST, ...args], { env: { ...env, TZ: tz } });
      expect(outcome.code).toBe(code);
      expect(server.received[0]?.query.get('start_date') ?? undefined).toBe(start);
      if (code === 3) {
        expect(outcome.stderr).toMatch(
          /--end-date \S+ is before --since begins, at 2026-11-\d\d \d\d:00:00 [+-]0\d:00: no call can match\./,
        );
      }
    });
  }
});

describe.concurrent('times', async () => {
  const shown: Record<string, Record<string, string>> = {
    '2026-11-20T09:00:00Z': {
      UTC: '20 Nov 09:00',
      'Europe/Berlin': '20 Nov 10:00',
      'America/St_Johns': '20 Nov 05:30',
      'Asia/Kathmandu': '20 Nov 14:45',
    },
    '2025-07-01T23:59:59.999+02:00': {
      UTC: ' 1 Jul 2025 21:59',
      'Europe/Berlin': ' 1 Jul 2025 23:59',
      'America/St_Johns': ' 1 Jul 2025 19:29',
      'Asia/Kathmandu': ' 2 Jul 2025 03:44',
    },
  };
  /** Nobody says where, or when: shown as they are. */
  const odd = ['2026-11-20T09:00:00', '2026-11-20', 'yesterday', '1763629200', '2026-13-40T09:00:00Z'];
  const calls = [...Object.keys(shown), ...odd].map((timestamp, at) => aCall({ call_id: `call_${at}`, timestamp }));
  const { operator, env } = await setUp({ calls });
  const args = [...LIST, '--fields', 'timestamp'];

  test.each([
    ['UTC', playHere],
    ['Europe/Berlin', playHere],
    ['America/St_Johns', play],
    ['Asia/Kathmandu', playHere],
  ])('a table in %s', async (tz, at) => {
    const { text } = await at(operator, args, [], { env: { ...env, TZ: tz } });
    const local = Object.values(shown).map((zones) => zones[tz]);
    expect(text.split('\n').slice(0, -1)).toEqual(['Time', ...local, ...odd]);
  });

  const kept: [name: string, flags: string[]][] = [
    ['tsv', ['-o', 'tsv']],
    ['csv', ['-o', 'csv', '--no-header']],
    ['ndjson', ['-o', 'ndjson']],
    ['json', ['--json']],
  ];
  test.each(kept)('%s on a terminal keeps the text of the service', async (_name, flags) => {
    const { text } = await playHere(operator, [...args, ...flags], [], { env: { ...env, TZ: 'Europe/Berlin' } });
    for (const timestamp of [...Object.keys(shown), ...odd]) expect(text).toContain(timestamp);
  });

  test('a table that is piped shows the same as one on a terminal', async () => {
    const { stdout } = await operator.run([...args, '-o', 'table'], { env: { ...env, TZ: 'Europe/Berlin' } });
    const local = Object.values(shown).map((zones) => zones['Europe/Berlin']);
    expect(stdout.split('\n').slice(1, -1)).toEqual([...local, ...odd]);
  });
});

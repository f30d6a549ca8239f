/** Checking the store: every kind of damage is told, and a check changes nothing. */
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { setAgentStatus } from '../../../../src/engine/controls.ts';
import type { Campaign } from '../../../../src/engine/state.ts';
import { checkStore } from '../../../../src/local/json/check/check-store.ts';
import type { Root, Segment } from '../../../../src/local/json/root.ts';
import { type LocalEngine, openInFolder } from '../../../../src/local/open.ts';
import type { Remark, StoreReport } from '../../../../src/local/store.ts';
import { type FileSystem, systemFiles } from '../../../../src/storage/files/file-system.ts';
import { CREDENTIALS } from '../../../conformance.ts';
import { EPOCH } from '../../../support/engine.ts';
import { engineOver, SEGMENT } from '../../../support/faulty-files.ts';
import { digestsIn } from '../../../support/files.ts';
import { Operator, temporaryFolder } from '../../../support/program.ts';

const HOUR = 3_600_000;
const { signal } = new AbortController();

/** The engine over a folder, six hours after the first call. */
function engine(folder: string): LocalEngine {
  return openInFolder({ folder, command: 'test', systemNow: () => EPOCH + 6 * HOUR, signal });
}

function check(folder: string, fs: FileSystem = systemFiles): Promise<StoreReport> {
  return checkStore({ fs, folder, signal, onCall: () => {} });
}

function told({ problems }: StoreReport): string[] {
  return problems.map(asText);
}

function asText({ file, line, message }: Remark): string {
  return line === null ? `${file} ${message}` : `${file} line ${line} ${message}`;
}

/** Stores with a campaign that is done, one in the midst of its retries and one still to come; the large has 3 segments. */
let small: string;
let large: string;
/** With segments as long as the program makes them. */
let full: string;
/** What a check finds in them before they are damaged. */
let sound: { small: StoreReport; large: StoreReport };

beforeAll(async () => {
  small = await made(5, SEGMENT);
  large = await made(2 * SEGMENT + 100, SEGMENT);
  full = await made(10_100);
  sound = { small: await check(small), large: await check(large) };
});

async function made(dialled: number, segmentEntries?: number): Promise<string> {
  const folder = join(temporaryFolder(), 'store');
  const { backend, timeline } = engineOver(systemFiles, folder, segmentEntries);
  const service = backend(CREDENTIALS);
  const from = { agent_id: 1, call_from: '+14155550100' };
  await timeline.change(({ state }) => {
    state.organization.balance = 1_000_000_000_000;
  });
  await service.createAgent({ agent_name: 'Recall', base_prompt: 'Be brief.', voice_id: 2 });
  const unreachable = Array.from({ length: dialled }, () => ({ phone_number: '+14155550192' }));
  await service.createCampaign({
    ...from,
    campaign_name: 'Done',
    contacts: unreachable,
    calls_per_hour: 100_000,
    retry_attempts: 0,
  });
  const people = Array.from({ length: 50 }, (_, at) => ({
    phone_number: `+1415555${2000 + at}`,
    custom_first_line: `¿Qué tal, número ${at}?`,
  }));
  const half = { ...from, agent_id: 2, campaign_name: 'Half', contacts: people };
  await service.createCampaign({ ...half, calls_per_hour: 12, retry_attempts: 2, retry_delay: 5400 });
  const start_time = new Date(EPOCH + 48 * HOUR).toISOString();
  await service.createCampaign({ ...from, campaign_name: 'Later', contacts: people.slice(0, 3), start_time });
  await timeline.move(
    (now) => now + 3 * HOUR,
    () => {},
  );
  return folder;
}

function callId(number: number): string {
  return `call_${String(number).padStart(10, '0')}`;
}

function copyOf(store: string): string {
  const folder = join(temporaryFolder(), 'store');
  cpSync(store, folder, { recursive: true });
  return folder;
}

function editRoot(folder: string, change: (root: Root) => void): void {
  const path = join(folder, 'store.json');
  const root = JSON.parse(readFileSync(path, 'utf8'));
  change(root);
  writeFileSync(path, `${JSON.stringify(root)}\n`);
}

function editCampaign(id: number, change: (campaign: Campaign) => void): Damage {
  return (folder) => editRoot(folder, ({ state }) => change(state.campaigns[id - 1] as Campaign));
}

/** Changes one line of a file, numbered from 1; bytes are characters here. */
function editLine(file: string, line: number, change: (text: string) => string): Damage {
  return (folder) => {
    const lines = readFileSync(join(folder, file), 'latin1').split('\n');
    lines[line - 1] = change(lines[line - 1] ?? '');
    writeFileSync(join(folder, file), lines.join('\n'), 'latin1');
  };
}

function shorten(file: string, bytes: number): Damage {
  return (folder) => truncateSync(join(folder, file), readFileSync(join(folder, file)).length - bytes);
}

type Damage = (folder: string) => void;

const ONE = 'calls/000001.jsonl';
const TWO = 'calls/000002.jsonl';
const THREE = 'calls/000003.jsonl';
const CONTACTS = 'campaigns/2/contacts.jsonl';
const RETRIES = 'campaigns/2/retries.jsonl';

test('a sound store', () => {
  const facts = { calls: expect.any(Number), missing: 0, campaigns: 3, lock: 'free' };
  const nothing = { problemCount: 0, problems: [], leftovers: [] };
  expect(sound.small).toEqual({ facts: { ...facts, segments: 1 }, ...nothing });
  expect(sound.large).toEqual({ facts: { ...facts, segments: 3 }, ...nothing });
});

test('a store yet to be is sound, and stays yet to be', async () => {
  const folder = join(temporaryFolder(), 'store');
  expect(await check(folder)).toMatchObject({ problemCount: 0, facts: { calls: 0 } });
  expect(existsSync(folder)).toBe(false);
});

/** More of it, and any at all, is in by-hand.test.ts. */
describe('damage is told, and what is sound is counted', () => {
  interface Case {
    damage: Damage;
    problems: (string | RegExp)[];
    /** How many calls are not sound. */
    calls?: number;
    /** Needs several segments. */
    isLarge?: true;
  }

  const cases: Record<string, Case> = {
    'a line that is not JSON': {
      damage: editLine(ONE, 5, (text) => `${text.slice(0, -1)} `),
      problems: [`${ONE} line 5 is not JSON`],
      calls: 1,
    },
    'a line that is not UTF-8': {
      damage: editLine(THREE, 1, (text) => text.replace('call', 'c\xffll')),
      problems: [`${THREE} line 1 is not UTF-8`],
      calls: 1,
      isLarge: true,
    },
    'a time that is none': {
      damage: editLine(ONE, 7, (text) => text.replace('"2026-11-20T', '"2026-13-20T')),
      problems: [`${ONE} line 7 is not a call log entry: its timestamp is wrong`],
      calls: 1,
    },
    'a call_id ahead of its place': {
      damage: editLine(ONE, SEGMENT, (text) => text.replace(callId(SEGMENT), callId(SEGMENT + 99))),
      problems: [`${ONE} line ${SEGMENT} is out of order by its call_id or timestamp`],
      calls: 1,
      isLarge: true,
    },
    'a call_id behind its place': {
      damage: editLine(TWO, 1, (text) => text.replace(callId(SEGMENT + 1), callId(1))),
      problems: [`${TWO} line 1 is out of order by its call_id or timestamp`],
      calls: 1,
      isLarge: true,
    },
    'a call later than the ones after it': {
      damage: editLine(ONE, 2, (text) => text.replace('T09:', 'T11:')),
      problems: [`${ONE} line 2 is out of order by its call_id or timestamp`],
      calls: 1,
    },
    'a root that counts an agent’s calls otherwise': {
      damage: (folder) => editRoot(folder, ({ segments }) => Object.assign(segments[0] ?? {}, { by_agent: { 1: 3 } })),
      problems: [`${ONE} differs from the root in the number of calls of agent 1, 2`],
    },
    'a root that begins a segment at another time': {
      damage: (folder) => editRoot(folder, ({ segments }) => Object.assign(segments[0] ?? {}, { first: '2026' })),
      problems: [/^calls\/000001\.jsonl runs from 2026-11-20T09:00.* to .*, but the root says 2026 to /],
    },

    'a contact to come that is broken': {
      damage: editLine(CONTACTS, 48, (text) => text.replace('+1', '+0')),
      problems: [`${CONTACTS} line 48 is not a contact: its phone_number is wrong`],
    },
    'a contact of the past that is broken': {
      damage: editLine(CONTACTS, 1, (text) => 'x'.repeat(text.length)),
      problems: [`${CONTACTS} line 1 is not JSON`],
    },
    'contacts that are missing, with their original rows beside': {
      damage: (folder) => {
        writeFileSync(join(folder, 'campaigns/2/rows.jsonl'), '{"columns":["phone"]}\n');
        unlinkSync(join(folder, CONTACTS));
      },
      problems: [`${CONTACTS} is missing`],
    },
    'a root that goes on reading within a line': {
      damage: (folder) => editRoot(folder, ({ queues }) => void (queues[1] && queues[1].contacts.taken--)),
      problems: [/^campaigns\/2\/contacts\.jsonl has no line at byte \d+, where the root continues to read$/],
    },
    'everything at once': {
      damage: (folder) => {
        editLine(ONE, 5, (text) => `${text.slice(0, -1)} `)(folder);
        unlinkSync(join(folder, TWO));
        unlinkSync(join(folder, RETRIES));
        shorten(CONTACTS, 3)(folder);
      },
      problems: [`${ONE} line 5 is not JSON`, `${TWO} is missing`, /contacts.* has/, `${RETRIES} is missing`],
      calls: SEGMENT + 1,
      isLarge: true,
    },
  };

  for (const [name, { damage, problems, calls = 0, isLarge }] of Object.entries(cases)) {
    test(name, async () => {
      const folder = copyOf(isLarge ? large : small);
      const before = isLarge ? sound.large : sound.small;
      damage(folder);
      const damaged = digestsIn(folder);

      const found = await check(folder);
      expect(told(found)).toEqual(problems.map(expected));
      expect(found.problemCount).toBe(problems.length);
      expect(digestsIn(folder)).toEqual(damaged);
      expect(found.facts.calls).toBe(Number(before.facts.calls) - calls);
    });
  }

  function expected(problem: string | RegExp): unknown {
    return typeof problem === 'string' ? problem : expect.stringMatching(problem);
  }
});

describe('a root that cannot be used', () => {
  const cases: Record<string, { damage: Damage; says: string | RegExp }> = {
    'is half of one': {
      damage: (folder) => truncateSync(join(folder, 'store.json'), 1500),
      says: 'store.json is not JSON',
    },
    'is something else': {
      damage: (folder) => writeFileSync(join(folder, 'store.json'), '[]'),
      says: /^store\.json is not a store of vagent's/,
    },
    'has a clock in the year 12000': {
      damage: (folder) =>
        editRoot(folder, ({ state }) => Object.assign(state.clock, { last: Date.parse('+012000-06-01T00:00:00Z') })),
      says: /^store\.json is not a store of vagent's: state\.clock\.last: /,
    },
    'fails its schema': {
      damage: (folder) => editRoot(folder, (root) => Object.assign(root.state, { seed: 'one' })),
      says: /^store\.json is not a store of vagent's: state\.seed: /,
    },
    'names a segment twice': {
      damage: (folder) => editRoot(folder, ({ segments }) => void segments.push(segments[0] as Segment)),
      says: 'store.json names the segments of the call log out of order',
    },
    'names a campaign twice': {
      damage: editCampaign(2, (campaign) => Object.assign(campaign, { campaign_id: 1 })),
      says: 'store.json names the campaigns out of order',
    },
    'forgets the files of a campaign': {
      damage: (folder) => editRoot(folder, (root) => void root.queues.pop()),
      says: 'store.json does not name the files of every campaign',
    },
    'is missing': { damage: (folder) => unlinkSync(join(folder, 'store.json')), says: 'store.json is missing' },
  };

  for (const [name, { damage, says }] of Object.entries(cases)) {
    test(name, async () => {
      const folder = copyOf(small);
      damage(folder);
      const damaged = digestsIn(folder);
      const found = await check(folder);
      expect(told(found)).toEqual([typeof says === 'string' ? says : expect.stringMatching(says)]);
      expect(digestsIn(folder)).toEqual(damaged);
    });
  }

  test('a later version of another shape is refused', async () => {
    const folder = copyOf(small);
    writeFileSync(join(folder, 'store.json'), '{"format":99}');
    const before = digestsIn(folder);
    await expect(check(folder)).rejects.toMatchObject({ code: 'store_too_new', exitCode: 9 });
    expect(digestsIn(folder)).toEqual(before);
  });

  test.each([
    ['other files', ['cat.jpg']],
    ['a folder of calls that is none of ours', ['calls/friends.txt']],
    ['a folder of campaigns that is none of ours', ['campaigns/spring.doc']],
  ])('%s and no root is no store', async (_name, files) => {
    const folder = temporaryFolder();
    for (const file of files) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), 'mine');
    }
    const before = digestsIn(folder);
    await expect(check(folder)).rejects.toThrow(/is not a store of vagent's/);
    expect(digestsIn(folder)).toEqual(before);
  });
});

describe('what is no damage', () => {
  test('leftovers are listed and left', async () => {
    const folder = copyOf(small);
    writeFileSync(join(folder, ONE), `${readFileSync(join(folder, ONE), 'utf8')}{"call_id":`);
    writeFileSync(join(folder, 'calls/000002.jsonl'), 'half a li');
    writeFileSync(join(folder, 'store.json.new'), '{');
    mkdirSync(join(folder, 'campaigns/4'));
    writeFileSync(join(folder, 'campaigns/4/contacts.jsonl'), '{}\n');
    writeFileSync(join(folder, 'campaigns/2/progress-1.json'), '{}');
    const before = digestsIn(folder);
    const { problems, leftovers } = await check(folder);
    expect(problems).toEqual([]);
    expect(leftovers.map(asText)).toEqual([
      `${ONE} has 11 bytes beyond what was committed`,
      'store.json.new is not part of any committed state',
      'calls/000002.jsonl is not part of any committed state',
      'campaigns/4 is not part of any committed state',
      'campaigns/2/progress-1.json is not part of any committed state',
    ]);
    expect(digestsIn(folder)).toEqual(before);
  });

  test('what a repair of an older vagent has left out is counted, not complained of', async () => {
    const folder = copyOf(small);
    const takeFirst = (file: string) => {
      const [first = '', ...rest] = readFileSync(join(folder, file), 'utf8').split('\n');
      writeFileSync(join(folder, file), rest.join('\n'));
      return { line: JSON.parse(first), bytes: Buffer.byteLength(first) + 1, next: rest[0] ?? '' };
    };
    const [call, contact] = [takeFirst(ONE), takeFirst(CONTACTS)];
    editRoot(folder, ({ segments: [segment], queues: [, queue] }) => {
      const { by_agent, count, bytes } = segment as Segment;
      const left = { ...by_agent, [call.line.agent_id]: (by_agent[call.line.agent_id] ?? 0) - 1 };
      const first = JSON.parse(call.next).timestamp;
      Object.assign(segment ?? {}, { by_agent: left, count: count - 1, bytes: bytes - call.bytes, first });
      const { bytes: size = 0, taken = 0 } = queue?.contacts ?? {};
      Object.assign(queue?.contacts ?? {}, { bytes: size - contact.bytes, taken: taken - contact.bytes });
    });
    expect(told(await check(folder))).toEqual([`${CONTACTS} does not hold the 50 contacts that the root counts`]);
    writeFileSync(join(folder, 'store.json.damaged-1'), '{');
    const { facts, problems, leftovers } = await check(folder);
    expect({ missing: facts.missing, problems }).toEqual({ missing: 1, problems: [] });
    expect(leftovers.map(asText)).toEqual(['store.json.damaged-1 was set aside by a repair']);
    await engine(folder).timeline.move(
      () => 'idle',
      () => {},
    );
  });

  test('a store that others write to all the while', async () => {
    const folder = copyOf(small);
    const { timeline } = engine(folder);
    let isDone = false;
    const writing = (async () => {
      for (let at = 0; at < 40; at++) {
        await timeline.move(
          (now) => now + HOUR / 2,
          () => {},
        );
        await timeline.change(({ state }, now) => setAgentStatus(state, 2, at % 2 === 0 ? 'paused' : 'active', now));
      }
      isDone = true;
    })();
    while (!isDone) {
      expect(told(await check(folder))).toEqual([]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writing;
  });

  test('a reset in the midst of a check', async () => {
    const folder = copyOf(full);
    const { store, timeline } = engine(folder);
    const { state } = await timeline.stored();
    let resetting: Promise<void> | undefined;
    const report = await checkStore({
      fs: systemFiles,
      folder,
      signal,
      onCall: (done) => {
        if (done === 5000) resetting ??= store.reset({ ...state, campaigns: [], next_call_number: 1 });
      },
    });
    await resetting;
    expect(report).toMatchObject({ problemCount: 0, facts: { calls: 0 } });
  });
});

describe('a read-only disk', () => {
  const refuse = (): never => {
    throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
  };
  const WRITING = ['fsyncSync', 'ftruncateSync', 'mkdirSync', 'renameSync', 'rmSync', 'writeSync'] as const;
  const readOnly: FileSystem = {
    ...systemFiles,
    ...Object.fromEntries(WRITING.map((name) => [name, refuse])),
    openSync: (path, flags, mode) => {
      const writes = typeof flags === 'number' ? flags & (constants.O_WRONLY | constants.O_RDWR) : flags !== 'r';
      return writes ? refuse() : systemFiles.openSync(path, flags, mode);
    },
  };

  test('can be checked, as a check writes nothing', async () => {
    const folder = copyOf(small);
    expect(await check(folder, readOnly)).toMatchObject({ problemCount: 0 });
    editLine(ONE, 2, () => 'x')(folder);
    const before = digestsIn(folder);
    expect(told(await check(folder, readOnly))).toContain(`${ONE} line 2 is not JSON`);
    expect(digestsIn(folder)).toEqual(before);
  });
});

describe.concurrent('the command', () => {
  const STORE = '.local/state/vagent/store';

  async function operator(damage: Damage = () => {}): Promise<Operator> {
    const person = new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: '2026-11-20T09:00:00Z' });
    cpSync(small, join(person.home, STORE), { recursive: true });
    damage(join(person.home, STORE));
    return person;
  }

  test('damage: exit 9, the report on stdout and the issues in the error', async () => {
    const person = await operator(editLine(ONE, 2, (text) => 'x'.repeat(text.length)));
    const { code, stdout, stderr } = await person.run(['local', 'check', '--json']);
    expect(code).toBe(9);
    const problems = [{ file: ONE, line: 2, message: 'is not JSON' }];
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems, problem_count: 1 });
    expect(JSON.parse(stderr).error).toEqual({
      code: 'store_damaged',
      message: `The store is damaged: ${ONE} line 2 is not JSON.`,
      hint: `Put back a copy, or start again with vagent local reset; where that does not help, move the folder away.`,
      status: null,
      exit_code: 9,
      issues: [{ field: `${ONE} line 2`, message: 'is not JSON' }],
    });
  });

  test('a root that is lost cannot be reset; moved away, a new store begins', async () => {
    const person = await operator((folder) => truncateSync(join(folder, 'store.json'), 100));
    expect((await person.run(['local', 'reset', '--yes'])).code).toBe(9);
    renameSync(join(person.home, STORE), join(person.home, 'damaged'));
    const call = ['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
    expect((await person.run(call)).code).toBe(0);
    expect(await person.json(['local', 'check'])).toMatchObject({ ok: true, calls: 1 });
  });
});

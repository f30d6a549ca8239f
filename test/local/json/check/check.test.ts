/** Checking the store: every kind of damage is told, and a check changes nothing. */
import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { setAgentStatus } from '../../../../src/engine/controls.ts';
import { checkOrganization } from '../../../../src/local/json/check/check-store.ts';
import type { Root, Segment } from '../../../../src/local/json/root.ts';
import { type LocalEngine, openInFolder } from '../../../../src/local/open.ts';
import type { Remark, StoreReport } from '../../../../src/local/store.ts';
import { type FileSystem, systemFiles } from '../../../../src/storage/files/file-system.ts';
import { CREDENTIALS } from '../../../conformance.ts';
import { EPOCH } from '../../../support/engine.ts';
import { engineOver, SEGMENT } from '../../../support/faulty-files.ts';
import { digestsIn } from '../../../support/files.ts';
import { temporaryFolder } from '../../../support/program.ts';

const HOUR = 3_600_000;
const { signal } = new AbortController();

/** The engine over a folder, six hours after the first call. */
function engine(folder: string): LocalEngine {
  return openInFolder({ folder, command: 'test', systemNow: () => EPOCH + 6 * HOUR, signal });
}

function check(folder: string, fs: FileSystem = systemFiles): Promise<StoreReport> {
  return checkOrganization({ fs, folder, signal, onCall: () => {} }, 1);
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

const expected = (says: string | RegExp) => (typeof says === 'string' ? says : expect.stringMatching(says));

/** Damages a copy; a check tells it, and changes nothing. */
async function expectTold(store: string, damage: Damage, says: readonly (string | RegExp)[]): Promise<StoreReport> {
  const folder = copyOf(store);
  damage(folder);
  const damaged = digestsIn(folder);
  const found = await check(folder);
  expect(told(found)).toEqual(says.map(expected));
  expect(found.problemCount).toBe(says.length);
  expect(digestsIn(folder)).toEqual(damaged);
  return found;
}

const notJson: Damage = editLine(ONE, 5, (text) => `${text.slice(0, -1)} `);
const segmentOne = (fields: Partial<Segment>): Damage => {
  return (folder) => editRoot(folder, ({ segments }) => Object.assign(segments[0] ?? {}, fields));
};

/** More of it, and any at all, is in by-hand.test.ts. `lost`: how many calls are not sound. */
describe('damage is told, and what is sound is counted', () => {
  test.each<[says: string | RegExp, damage: Damage, lost?: number]>([
    [`${ONE} line 5 is not JSON`, notJson, 1],
    [
      `${ONE} line 7 is not a call log entry: its timestamp is wrong`,
      editLine(ONE, 7, (text) => text.replace('"2026-11-20T', '"2026-13-20T')),
      1,
    ],
    [
      `${ONE} line 2 is out of order by its call_id or timestamp`,
      editLine(ONE, 2, (text) => text.replace('T09:', 'T11:')),
      1,
    ],
    [`${ONE} differs from the root in the number of calls of agent 1, 2`, segmentOne({ by_agent: { 1: 3 } })],
    [
      /^calls\/000001\.jsonl runs from 2026-11-20T09:00.* to .*, but the root says 2026 to /,
      segmentOne({ first: '2026' }),
    ],
    [
      `${CONTACTS} line 48 is not a contact: its phone_number is wrong`,
      editLine(CONTACTS, 48, (text) => text.replace('+1', '+0')),
    ],
    [`${CONTACTS} line 1 is not JSON`, editLine(CONTACTS, 1, (text) => 'x'.repeat(text.length))],
    [
      `${CONTACTS} is missing`,
      (folder) => {
        writeFileSync(join(folder, 'campaigns/2/rows.jsonl'), '{"columns":["phone"]}\n');
        unlinkSync(join(folder, CONTACTS));
      },
    ],
    [
      /^campaigns\/2\/contacts\.jsonl has no line at byte \d+, where the root continues to read$/,
      (folder) => editRoot(folder, ({ queues }) => void (queues[1] && queues[1].contacts.taken--)),
    ],
  ])('%s', async (says, damage, lost = 0) => {
    const { facts } = await expectTold(small, damage, [says]);
    expect(facts.calls).toBe(Number(sound.small.facts.calls) - lost);
  });

  test.each<[says: string, damage: Damage]>([
    [`${THREE} line 1 is not UTF-8`, editLine(THREE, 1, (text) => text.replace('call', 'c\xffll'))],
    [
      `${ONE} line ${SEGMENT} is out of order by its call_id or timestamp`,
      editLine(ONE, SEGMENT, (text) => text.replace(callId(SEGMENT), callId(SEGMENT + 99))),
    ],
    [
      `${TWO} line 1 is out of order by its call_id or timestamp`,
      editLine(TWO, 1, (text) => text.replace(callId(SEGMENT + 1), callId(1))),
    ],
  ])('of several segments, %s', async (says, damage) => {
    const { facts } = await expectTold(large, damage, [says]);
    expect(facts.calls).toBe(Number(sound.large.facts.calls) - 1);
  });

  test('everything at once', async () => {
    const damage: Damage = (folder) => {
      notJson(folder);
      unlinkSync(join(folder, TWO));
      unlinkSync(join(folder, RETRIES));
      shorten(CONTACTS, 3)(folder);
    };
    const says = [`${ONE} line 5 is not JSON`, `${TWO} is missing`, /contacts.* has/, `${RETRIES} is missing`];
    const { facts } = await expectTold(large, damage, says);
    expect(facts.calls).toBe(Number(sound.large.facts.calls) - SEGMENT - 1);
  });
});

describe('a root that cannot be used', () => {
  test.each<[says: string | RegExp, damage: Damage]>([
    ['store.json is not JSON', (folder) => truncateSync(join(folder, 'store.json'), 1500)],
    [/^store\.json is not a store of vagent's/, (folder) => writeFileSync(join(folder, 'store.json'), '[]')],
    [
      'store.json names the segments of the call log out of order',
      (folder) => editRoot(folder, ({ segments }) => void segments.push(segments[0] as Segment)),
    ],
    [
      'store.json names the campaigns out of order',
      (folder) => editRoot(folder, ({ state }) => Object.assign(state.campaigns[1] ?? {}, { campaign_id: 1 })),
    ],
    [
      'store.json does not name the files of every campaign',
      (folder) => editRoot(folder, (root) => void root.queues.pop()),
    ],
    ['store.json is missing', (folder) => unlinkSync(join(folder, 'store.json'))],
  ])('%s', async (says, damage) => {
    await expectTold(small, damage, [says]);
  });

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
    const onCall = (done: number) => {
      if (done === 5000) resetting ??= store.reset({ ...state, campaigns: [], next_call_number: 1 });
    };
    const report = await checkOrganization({ fs: systemFiles, folder, signal, onCall }, 1);
    await resetting;
    expect(report).toMatchObject({ problemCount: 0, facts: { calls: 0 } });
  });
});

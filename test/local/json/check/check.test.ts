/** Checking and repairing the store: every kind of damage is told, nothing sound is lost, and a check changes nothing. */
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { setAgentStatus } from '../../../../src/engine/controls.ts';
import type { Campaign } from '../../../../src/engine/state.ts';
import { FileError } from '../../../../src/errors.ts';
import { type FileSystem, systemFiles } from '../../../../src/files/file-system.ts';
import { checkStore, type Findings } from '../../../../src/local/json/check/check-store.ts';
import { type Repair, repairStore } from '../../../../src/local/json/check/repair.ts';
import type { Root, Segment } from '../../../../src/local/json/root.ts';
import { type LocalEngine, openInFolder } from '../../../../src/local/open.ts';
import type { Remark } from '../../../../src/local/store.ts';
import { CREDENTIALS } from '../../../conformance.ts';
import { EPOCH } from '../../../support/engine.ts';
import { engineOver, SEGMENT } from '../../../support/faulty-files.ts';
import { digest, digestsIn } from '../../../support/files.ts';
import { howMany } from '../../../support/full-matrix.ts';
import { Operator, temporaryFolder } from '../../../support/program.ts';
import fc from '../../../support/properties.ts';

const HOUR = 3_600_000;
const { signal } = new AbortController();

/** The engine over a folder, six hours after the first call. */
function engine(folder: string): LocalEngine {
  return openInFolder({ folder, command: 'test', systemNow: () => EPOCH + 6 * HOUR, signal });
}

function check(folder: string, fs: FileSystem = systemFiles): Promise<Findings> {
  return checkStore({ fs, folder, signal, onCall: () => {} });
}

function repair(folder: string, fs: FileSystem = systemFiles): Promise<Repair> {
  const rest = { command: 'test', timeoutMs: 0, systemNow: () => EPOCH + 6 * HOUR };
  return repairStore({ fs, folder, signal, onCall: () => {}, ...rest });
}

function told({ problems }: Findings): string[] {
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
let sound: { small: Findings; large: Findings };

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

test('a sound store', async () => {
  const whole = await check(full);
  expect(whole).toMatchObject({ problemCount: 0, problems: [], leftovers: [], missing: 0 });
  expect(whole.segments.map(({ found }) => found.count)).toEqual([10_000, whole.calls - 10_000]);

  const findings = sound.large;
  expect(findings).toMatchObject({ problemCount: 0, problems: [], leftovers: [], missing: 0 });
  expect(findings.segments.map(({ found }) => found.count)).toEqual([SEGMENT, SEGMENT, findings.calls - 2 * SEGMENT]);
  const [done, half, later] = findings.campaigns;
  expect([done?.contacts.left, done?.retries.left]).toEqual([0, 0]);
  expect(half?.contacts.left).toBeGreaterThan(10);
  expect(half?.retries.left).toBeGreaterThan(5);
  expect([later?.contacts.left, later?.retries.left]).toEqual([3, 0]);
});

test('a store yet to be is sound, and stays yet to be', async () => {
  const folder = join(temporaryFolder(), 'store');
  expect(await check(folder)).toMatchObject({ problemCount: 0, calls: 0, root: undefined });
  expect((await repair(folder)).setAside).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

describe('damage is told, and repaired with the loss of nothing else', () => {
  interface Case {
    damage: Damage;
    problems: (string | RegExp)[];
    /** How many calls are gone afterwards, and contacts that will never be dialled. */
    calls?: number;
    contacts?: number;
    /** The files of which a part is dropped. */
    files?: string[];
    /** Needs several segments. */
    isLarge?: true;
  }

  const cases: Record<string, Case> = {
    'a line that is not JSON': {
      damage: editLine(ONE, 5, (text) => `${text.slice(0, -1)} `),
      problems: [`${ONE} line 5 is not JSON`],
      calls: 1,
      files: [ONE],
    },
    'a line that is not UTF-8': {
      damage: editLine(THREE, 1, (text) => text.replace('call', 'c\xffll')),
      problems: [`${THREE} line 1 is not UTF-8`],
      calls: 1,
      files: [THREE],
      isLarge: true,
    },
    'an entry without an agent': {
      damage: editLine(ONE, 7, (text) => text.replace('"agent_id"', '"agent_ix"')),
      problems: [`${ONE} line 7 is not a call log entry: its agent_id is wrong`],
      calls: 1,
      files: [ONE],
    },
    'a time that is none': {
      damage: editLine(ONE, 7, (text) => text.replace('"2026-11-20T', '"2026-13-20T')),
      problems: [`${ONE} line 7 is not a call log entry: its timestamp is wrong`],
      calls: 1,
      files: [ONE],
    },
    'a call_id ahead of its place': {
      damage: editLine(ONE, SEGMENT, (text) => text.replace(callId(SEGMENT), callId(SEGMENT + 99))),
      problems: [`${ONE} line ${SEGMENT} is out of order by its call_id or timestamp`],
      calls: 1,
      files: [ONE],
      isLarge: true,
    },
    'a call_id behind its place': {
      damage: editLine(TWO, 1, (text) => text.replace(callId(SEGMENT + 1), callId(1))),
      problems: [`${TWO} line 1 is out of order by its call_id or timestamp`],
      calls: 1,
      files: [TWO],
      isLarge: true,
    },
    'a call_id never given': {
      damage: editLine(TWO, 1, (text) => text.replace(callId(SEGMENT + 1), callId(90_001))),
      problems: [`${TWO} line 1 has a call_id that was never given`],
      calls: 1,
      files: [TWO],
      isLarge: true,
    },
    'a call in the future': {
      damage: editLine(TWO, 9, (text) => text.replace('"2026-11-20T', '"2036-11-20T')),
      problems: [`${TWO} line 9 is later than the store's clock`],
      calls: 1,
      files: [TWO],
      isLarge: true,
    },
    'a call later than the ones after it': {
      damage: editLine(ONE, 2, (text) => text.replace('T09:', 'T11:')),
      problems: [`${ONE} line 2 is out of order by its call_id or timestamp`],
      calls: 1,
      files: [ONE],
    },
    'a segment cut within a line': {
      damage: shorten(THREE, 20),
      problems: [/^calls\/000003\.jsonl has \d+ bytes, but \d+ were committed$/],
      calls: 1,
      files: [THREE],
      isLarge: true,
    },
    'a segment cut after a line': {
      damage: (folder) => {
        const text = readFileSync(join(folder, THREE), 'latin1');
        writeFileSync(join(folder, THREE), text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1), 'latin1');
      },
      problems: [/^calls\/000003\.jsonl has \d+ bytes, but \d+ were committed$/],
      calls: 1,
      isLarge: true,
    },
    'a segment that is empty': {
      damage: (folder) => truncateSync(join(folder, ONE), 0),
      problems: [/^calls\/000001\.jsonl has 0 bytes, but \d+ were committed$/],
      calls: SEGMENT,
      isLarge: true,
    },
    'a segment that is missing': {
      damage: (folder) => unlinkSync(join(folder, TWO)),
      problems: [`${TWO} is missing`],
      calls: SEGMENT,
      isLarge: true,
    },
    'the newest segment missing': {
      damage: (folder) => unlinkSync(join(folder, THREE)),
      problems: [`${THREE} is missing`],
      calls: Number.NaN,
      isLarge: true,
    },
    'a root that counts a segment’s calls otherwise': {
      damage: (folder) => editRoot(folder, ({ segments }) => segments[1] && segments[1].count++),
      problems: [`${TWO} holds ${SEGMENT} calls, but ${SEGMENT + 1} were committed`],
      isLarge: true,
    },
    'a root that counts an agent’s calls otherwise': {
      damage: (folder) => editRoot(folder, ({ segments }) => Object.assign(segments[0] ?? {}, { by_agent: { 1: 3 } })),
      problems: [`${ONE} differs from the root in the number of calls of agent 1, 2`],
    },
    'a root that begins a segment at another time': {
      damage: (folder) => editRoot(folder, ({ segments }) => Object.assign(segments[0] ?? {}, { first: '2026' })),
      problems: [/^calls\/000001\.jsonl runs from 2026-11-20T09:00.* to .*, but the root says 2026 to /],
    },
    'a root that ends a segment within a line': {
      damage: (folder) => editRoot(folder, ({ segments }) => Object.assign(segments[2] ?? {}, { bytes: 1000 })),
      problems: [/^calls\/000003\.jsonl line \d+ is cut off$/],
      calls: Number.NaN,
      files: [THREE],
      isLarge: true,
    },
    'a root that counts calls that no segment holds': {
      damage: (folder) =>
        editRoot(folder, ({ state }) => Object.assign(state, { next_call_number: state.next_call_number + 2 })),
      problems: ['store.json counts 2 more calls than the log holds'],
    },

    'a contact to come that is broken': {
      damage: editLine(CONTACTS, 48, (text) => text.replace('+1', '+0')),
      problems: [`${CONTACTS} line 48 is not a contact: its phone_number is wrong`],
      contacts: 1,
      files: [CONTACTS],
    },
    'a contact of the past that is broken': {
      damage: editLine(CONTACTS, 1, (text) => 'x'.repeat(text.length)),
      problems: [`${CONTACTS} line 1 is not JSON`],
      files: [CONTACTS],
    },
    'contacts that are cut': {
      damage: shorten(CONTACTS, 3),
      problems: [/^campaigns\/2\/contacts\.jsonl has \d+ bytes, but \d+ were committed$/],
      contacts: 1,
      files: [CONTACTS],
    },
    'contacts that are missing, of a campaign under way': {
      damage: (folder) => unlinkSync(join(folder, CONTACTS)),
      problems: [`${CONTACTS} is missing`],
      contacts: Number.NaN,
    },
    'contacts that are missing, with their original rows beside': {
      damage: (folder) => {
        writeFileSync(join(folder, 'campaigns/2/rows.jsonl'), '{"columns":["phone"]}\n');
        unlinkSync(join(folder, CONTACTS));
      },
      problems: [`${CONTACTS} is missing`],
      contacts: Number.NaN,
    },
    'a retry to come that is broken': {
      damage: (folder) => {
        const lines = readFileSync(join(folder, RETRIES), 'latin1').split('\n').length - 1;
        editLine(RETRIES, lines, (text) => text.replace('"due"', '"duo"'))(folder);
      },
      problems: [/^campaigns\/2\/retries\.jsonl line \d+ is not a retry: its due is wrong$/],
      files: [RETRIES],
    },
    'retries that are missing': {
      damage: (folder) => unlinkSync(join(folder, RETRIES)),
      problems: [`${RETRIES} is missing`],
    },
    'a root that counts other contacts': {
      damage: editCampaign(3, (campaign) => void campaign.total_contacts++),
      problems: ['campaigns/3/contacts.jsonl holds 3 contacts to be dialled, but the root counts 4'],
      contacts: 1,
    },
    'a root that counts other retries': {
      damage: editCampaign(2, (campaign) => {
        campaign.retries_waiting++;
        campaign.reached--;
      }),
      problems: [/^campaigns\/2\/retries\.jsonl holds \d+ retries to come, but the root counts \d+$/],
    },
    'a root that knows another time for a retry': {
      damage: editCampaign(2, (campaign) => {
        campaign.retry_due = (campaign.retry_due ?? 0) + 1;
      }),
      problems: [`${RETRIES} continues with a retry due at another time than the root says`],
    },
    'a root whose counts of a campaign contradict each other': {
      damage: editCampaign(2, (campaign) => void campaign.reached++),
      problems: ['store.json has two different counts for the contacts of campaign 2'],
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
      contacts: 1,
      files: [ONE, CONTACTS],
      isLarge: true,
    },
  };

  for (const [name, { damage, problems, calls = 0, contacts = 0, files = [], isLarge }] of Object.entries(cases)) {
    test(name, async () => {
      const folder = copyOf(isLarge ? large : small);
      const before = isLarge ? sound.large : sound.small;
      damage(folder);
      const damaged = digestsIn(folder);

      const found = await check(folder);
      expect(told(found)).toEqual(problems.map(expected));
      expect(found.problemCount).toBe(problems.length);
      expect(digestsIn(folder)).toEqual(damaged);

      const { after, setAside } = await repair(folder);
      expect(told(after)).toEqual([]);
      if (!Number.isNaN(calls)) expect(after.calls).toBe(before.calls - calls);
      expect(setAside.sort()).toEqual([...files, 'store.json'].map((file) => `${file}.damaged-1`).sort());
      for (const copy of setAside) {
        expect(digest(readFileSync(join(folder, copy)))).toBe(damaged[copy.replace('.damaged-1', '')]);
      }
      const lost = totalContacts(before.root as Root) - totalContacts(after.root as Root);
      if (!Number.isNaN(contacts))
        expect(lost).toBe(name.startsWith('a root that counts other contacts') ? 0 : contacts);
      await expectToGoOn(folder, after);
    });
  }

  test('a campaign of an agent that does not exist stands still', async () => {
    const folder = copyOf(small);
    editCampaign(2, (campaign) => {
      campaign.agent_id = 7;
    })(folder);
    expect(told(await check(folder))).toEqual(['store.json has campaign 2 call with agent 7, which does not exist']);
    const { after } = await repair(folder);
    expect(told(after)).toEqual([]);
    expect(after.root?.state.campaigns[1]).toMatchObject({ status: 'paused', reason: 'agent_not_active' });
  });

  function expected(problem: string | RegExp): unknown {
    return typeof problem === 'string' ? problem : expect.stringMatching(problem);
  }

  function totalContacts({ state }: Root): number {
    return state.campaigns.reduce((sum, { total_contacts }) => sum + total_contacts, 0);
  }
});

/** After a repair the log reads as counted, campaigns play to their end, calls are placed, and the store stays sound. */
async function expectToGoOn(folder: string, { calls }: Findings): Promise<void> {
  const { backend, timeline } = engine(folder);
  const service = backend(CREDENTIALS);
  const read = async (offset: number) => (await service.getCallLogs({ limit: 1, offset })).calls[0]?.call_id;
  const before = await check(folder);
  expect(before.calls).toBe(calls);
  await timeline.move(
    () => 'idle',
    () => {},
  );
  await service.triggerCall({
    use_agent_id: 1,
    called_to: '+14155550190',
    call_from: '+14155550100',
    custom_first_line: 'Hello.',
    custom_identifiers: '',
  });
  const { snapshot } = await timeline.read();
  for (const campaign of snapshot.state.campaigns) {
    expect(campaign.status).toBe('completed');
    expect(campaign.reached + campaign.exhausted).toBe(campaign.total_contacts);
  }
  const { total } = await service.getCallLogs({ limit: 1 });
  const after = await check(folder);
  expect(told(after)).toEqual([]);
  expect(total).toBe(after.calls);
  expect(await read(0)).toBe(`call_${String(snapshot.state.next_call_number - 1).padStart(10, '0')}`);
  expect(await read(Number(total) - 1)).toMatch(/^call_/);
  const byAgent = await Promise.all([1, 2].map((agent_id) => service.getCallLogs({ agent_id, limit: 1000 })));
  expect(Number(byAgent[0]?.total) + Number(byAgent[1]?.total)).toBe(total);
}

describe('a root with times that are none', () => {
  const beyond = Date.parse('+012000-06-01T00:00:00Z');
  const YEAR_10000 = 'store.json has times that are not valid times before the year 10000';

  const cases: Record<string, Damage> = {
    'a clock that was moved beyond what a number holds': (folder) =>
      editRoot(folder, ({ state }) => {
        state.clock.offset += 104_250_000 * 24 * HOUR;
        state.clock.last += 104_250_000 * 24 * HOUR;
      }),
    'a clock in the year 12000': (folder) =>
      editRoot(folder, ({ state }) => Object.assign(state.clock, { offset: beyond - EPOCH, last: beyond })),
    'an offset alone': (folder) => editRoot(folder, ({ state }) => Object.assign(state.clock, { offset: -1 })),
    'a clock that is no number': (folder) =>
      editRoot(folder, ({ state }) => Object.assign(state.clock, { last: null })),
    'a campaign that goes on in the year 12000': editCampaign(2, (campaign) => {
      campaign.pace = { anchor: beyond, dials: 0 };
    }),
    'everything at once': (folder) =>
      editRoot(folder, ({ state }) => {
        Object.assign(state.clock, { offset: 1e17, last: 1e17 });
        for (const campaign of state.campaigns) campaign.pace.anchor = 1e17;
      }),
  };

  test.each(Object.entries(cases))('%s: wallet, agents, campaigns and calls are kept', async (_name, damage) => {
    const folder = copyOf(small);
    const before = sound.small;
    const { state } = before.root as Root;
    damage(folder);
    const damaged = digestsIn(folder);
    await expect(engine(folder).store.snapshot()).rejects.toThrow(
      /damaged: .* is not a (time|span that ends) before the year 10000/,
    );

    const found = await check(folder);
    expect(told(found)).toEqual([YEAR_10000]);
    expect(digestsIn(folder)).toEqual(damaged);
    const { after, sentences } = await repair(folder);
    expect(told(after)).toEqual([]);
    // The system's clock stands later than the last call.
    expect(sentences).toEqual([`The clock goes on from ${new Date(EPOCH + 6 * HOUR).toISOString()}.`]);
    expect(after.calls).toBe(before.calls);
    const kept = after.root?.state;
    const { clock: _clock, campaigns, ...rest } = state;
    expect(kept).toMatchObject(rest);
    const facts = ({ pace: _pace, start_time: _start, ...campaign }: Campaign) => campaign;
    expect(kept?.campaigns.map(facts)).toEqual(campaigns.map(facts));
    // What is still to come is not put off.
    expect(kept?.campaigns[2]?.start_time).toBe(EPOCH + 48 * HOUR);
    await expectToGoOn(folder, after);
  });

  test('with the clock ahead of the system’s, it goes on where the calls end', async () => {
    const folder = copyOf(small);
    const { timeline, store } = engine(folder);
    await timeline.move(
      () => 'idle',
      () => {},
    );
    const everything = { from: 0, until: Number.POSITIVE_INFINITY, agentId: undefined };
    const { calls } = await (await store.snapshot()).callPage(everything, 1, 0);
    cases['a clock in the year 12000']?.(folder);
    const { after } = await repair(folder);
    const lastCall = Date.parse(calls[0]?.timestamp ?? '');
    expect(after.root?.state.clock).toEqual({ offset: lastCall - (EPOCH + 6 * HOUR), last: lastCall });
  });

  test('an agent that was made in the year 12000 is as old as the clock', async () => {
    const folder = copyOf(small);
    cases['a clock in the year 12000']?.(folder);
    editRoot(folder, ({ state }) => {
      for (const agent of state.agents) agent.updated_at = '+012000-05-01T00:00:00.000Z';
    });
    const { after } = await repair(folder);
    const [agent] = after.root?.state.agents ?? [];
    const { created_at } = sound.small.root?.state.agents[0] ?? {};
    expect(agent).toMatchObject({ created_at, updated_at: new Date(EPOCH + 6 * HOUR).toISOString() });
  });

  test('calls and retries beyond the calendar are set aside', async () => {
    const folder = copyOf(small);
    const { calls } = sound.small;
    const lines = readFileSync(join(folder, ONE), 'utf8').split('\n').length - 1;
    editLine(ONE, lines, (text) => text.replace(/"timestamp":"2026/, '"timestamp":"+012026'))(folder);
    editLine(RETRIES, 1, (text) => text.replace(/"due":\d+/, `"due":${beyond}`))(folder);
    editRoot(folder, ({ state }) => Object.assign(state.clock, { offset: beyond - EPOCH, last: beyond }));
    const { after, setAside } = await repair(folder);
    expect(told(after)).toEqual([]);
    expect(after.calls).toBe(calls - 1);
    expect(setAside).toContain(`${ONE}.damaged-1`);
  });
});

describe('a root that cannot be used', () => {
  const cases: Record<string, { damage: Damage; says: string | RegExp }> = {
    'is empty': { damage: (folder) => truncateSync(join(folder, 'store.json'), 0), says: 'store.json is not JSON' },
    'is half of one': {
      damage: (folder) => truncateSync(join(folder, 'store.json'), 1500),
      says: 'store.json is not JSON',
    },
    'is something else': {
      damage: (folder) => writeFileSync(join(folder, 'store.json'), '[]'),
      says: /^store\.json is not a store of vagent's/,
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
    test(`${name}: a repair keeps the calls and begins the rest anew`, async () => {
      const folder = copyOf(small);
      damage(folder);
      const damaged = digestsIn(folder);
      const found = await check(folder);
      expect(told(found)).toEqual([typeof says === 'string' ? says : expect.stringMatching(says)]);
      expect(found.rootDamage).toBeDefined();
      expect(digestsIn(folder)).toEqual(damaged);

      const { after, setAside, sentences } = await repair(folder);
      expect(setAside).toEqual(['store.json.damaged-1']);
      expect(sentences.join('\n')).toContain(`the ${sound.small.calls} calls found in the log`);
      expect(sentences.join('\n')).toContain('campaigns/1, campaigns/2, campaigns/3');
      const { 'store.json': _root, 'store.json.damaged-1': copy, ...data } = digestsIn(folder);
      const { 'store.json': original = digest(Buffer.alloc(0)), ...untouched } = damaged;
      expect(copy).toBe(original);
      expect(data).toEqual(untouched);

      const { state } = after.root as Root;
      expect(state.next_call_number).toBe(sound.small.calls + 1);
      expect(state.next_campaign_id).toBe(4);
      expect(state.next_agent_id).toBe(3);
      expect(state.campaigns).toEqual([]);
      const service = engine(folder).backend(CREDENTIALS);
      const contacts = [{ phone_number: '+14155550190' }];
      const from = { agent_id: 1, call_from: '+14155550100' };
      expect(await service.createCampaign({ ...from, campaign_name: 'New', contacts })).toMatchObject({
        campaign_id: 4,
      });
      await expectToGoOn(folder, after);
      expect(digestsIn(folder)).toMatchObject(
        Object.fromEntries(Object.entries(untouched).filter(([path]) => path.startsWith('campaigns/'))),
      );
    });
  }

  test('calls with broken lines among them are kept as well', async () => {
    const folder = copyOf(large);
    const { calls } = sound.large;
    truncateSync(join(folder, 'store.json'), 0);
    editLine(ONE, 5, () => 'x')(folder);
    shorten(THREE, 20)(folder);
    const { after, setAside } = await repair(folder);
    expect(after).toMatchObject({ problemCount: 0, calls: calls - 2 });
    expect(setAside).toEqual(['store.json', ONE, THREE].map((file) => `${file}.damaged-1`));
    await expectToGoOn(folder, after);
  });

  test('the clock goes on after calls of a time to come', async () => {
    const folder = copyOf(small);
    await engine(folder).timeline.move(
      () => EPOCH + 500 * HOUR,
      () => {},
    );
    await engine(folder).backend(CREDENTIALS).triggerCall({
      use_agent_id: 1,
      called_to: '+14155550190',
      call_from: '+14155550100',
      custom_first_line: 'Hello.',
      custom_identifiers: '',
    });
    truncateSync(join(folder, 'store.json'), 0);
    const { after } = await repair(folder);
    expect(after.root?.state.clock).toEqual({ offset: 494 * HOUR, last: EPOCH + 500 * HOUR });
    await expectToGoOn(folder, after);
  });

  test.each([
    [
      'a later version of another shape',
      (folder: string) => writeFileSync(join(folder, 'store.json'), '{"format":99}'),
    ],
  ])('%s is refused, by a repair too', async (_name, damage) => {
    const folder = copyOf(small);
    damage(folder);
    const before = digestsIn(folder);
    await expect(check(folder)).rejects.toMatchObject({ code: 'store_too_new', exitCode: 9 });
    await expect(repair(folder)).rejects.toMatchObject({ code: 'store_too_new', exitCode: 9 });
    expect(digestsIn(folder)).toEqual(before);
  });

  test.each([
    ['other files', ['cat.jpg']],
    ['a folder of calls that is none of ours', ['calls/friends.txt']],
    ['a folder of campaigns that is none of ours', ['campaigns/spring.doc']],
  ])('%s and no root is no store: refused, by a repair too', async (_name, files) => {
    const folder = temporaryFolder();
    for (const file of files) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), 'mine');
    }
    const before = digestsIn(folder);
    await expect(check(folder)).rejects.toThrow(/is not a store of vagent's/);
    await expect(repair(folder)).rejects.toThrow(/is not a store of vagent's/);
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
    expect((await repair(folder)).setAside).toEqual([]);
    expect(digestsIn(folder)).toEqual(before);
  });

  test('calls that a repair has left out are counted, not complained of; those that vanish later are', async () => {
    const folder = copyOf(small);
    editLine(ONE, 2, () => 'x')(folder);
    await repair(folder);
    expect(await check(folder)).toMatchObject({ missing: 1, problemCount: 0 });
    editLine(ONE, 2, () => 'x')(folder);
    expect(told(await check(folder))).toContain(`${ONE} line 2 is not JSON`);
    const { setAside } = await repair(folder);
    expect(setAside).toEqual(['store.json.damaged-2', `${ONE}.damaged-2`]);
    expect(await check(folder)).toMatchObject({ missing: 2, problemCount: 0 });
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
    const { store } = engine(folder);
    const { state } = await store.snapshot();
    let resetting: Promise<void> | undefined;
    const findings = await checkStore({
      fs: systemFiles,
      folder,
      signal,
      onCall: (done) => {
        if (done === 5000) resetting ??= store.reset({ ...state, campaigns: [], next_call_number: 1 });
      },
    });
    await resetting;
    expect(findings).toMatchObject({ problemCount: 0, calls: 0 });
  });
});

describe('files that fail', () => {
  const WRITING = ['fsyncSync', 'ftruncateSync', 'mkdirSync', 'renameSync', 'rmSync', 'writeSync'] as const;

  /** A file system on which a call that writes fails when `isFailing` says so of it. */
  function faulty(code: string, isFailing: () => boolean): FileSystem {
    const fail = () => {
      throw Object.assign(new Error(code), { code });
    };
    const fs = { ...systemFiles } as Record<string, unknown>;
    for (const name of WRITING) {
      const real = systemFiles[name] as (...args: unknown[]) => unknown;
      fs[name] = (...args: unknown[]) => (isFailing() ? fail() : real(...args));
    }
    const isForReading = (flags: string | number) =>
      typeof flags === 'number' ? (flags & (constants.O_WRONLY | constants.O_RDWR)) === 0 : flags === 'r';
    fs.openSync = (path: string, flags: string | number, mode?: number) =>
      !isForReading(flags) && isFailing() ? fail() : systemFiles.openSync(path, flags, mode);
    return fs as unknown as FileSystem;
  }

  test('a check writes nothing, so that a read-only disk can be checked', async () => {
    const folder = copyOf(small);
    const readOnly = faulty('EROFS', () => true);
    expect(await check(folder, readOnly)).toMatchObject({ problemCount: 0 });
    editLine(ONE, 2, () => 'x')(folder);
    const before = digestsIn(folder);
    expect(told(await check(folder, readOnly))).toContain(`${ONE} line 2 is not JSON`);
    await expect(repair(folder, readOnly)).rejects.toThrow(/^Cannot lock .*: the file system is read-only\.$/);
    expect(digestsIn(folder)).toEqual(before);
  });

  test.each(['ENOSPC', 'EIO'])(
    'a repair cut off by %s at any step can be done again, and loses nothing',
    async (code) => {
      const damaged = copyOf(small);
      editLine(ONE, 3, () => 'x')(damaged);
      editLine(CONTACTS, 49, () => '{}')(damaged);
      const whole = copyOf(damaged);
      const { after } = await repair(whole);
      const dataIn = (folder: string) =>
        Object.entries(digestsIn(folder))
          .filter(([path]) => !path.includes('.damaged-') && !path.endsWith('.new'))
          .filter(([path]) => path !== 'store.json');
      const original = digestsIn(damaged)[ONE];
      const repaired = dataIn(whole);
      let failures = 0;
      for (let at = 1; ; at++) {
        const folder = copyOf(damaged);
        let calls = 0;
        const fs = faulty(code, () => ++calls === at);
        try {
          await repair(folder, fs);
          break;
        } catch (error) {
          expect(error).toBeInstanceOf(FileError);
          failures++;
        }
        const copies = Object.entries(digestsIn(folder)).filter(([path]) => path.startsWith(`${ONE}`));
        expect(copies.some(([, bytes]) => bytes === original)).toBe(true);
        const again = await repair(folder);
        expect(told(again.after)).toEqual([]);
        expect(again.after.calls).toBe(after.calls);
        expect(dataIn(folder)).toEqual(repaired);
      }
      expect(failures).toBeGreaterThan(15);
    },
  );

  test('a store that is locked is left alone, and its holder named', async () => {
    const folder = copyOf(small);
    editLine(ONE, 2, () => 'x')(folder);
    const before = digestsIn(folder);
    const { store } = engine(folder);
    let release = () => {};
    let held: Promise<unknown> = Promise.resolve();
    await new Promise<void>((begun) => {
      held = store.transact(() => {
        begun();
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      });
    });
    await expect(repair(folder)).rejects.toMatchObject({ code: 'store_locked' });
    release();
    await held;
    expect(digestsIn(folder)).toEqual(before);
  });
});

describe('any damage at all', () => {
  const FILES = [ONE, CONTACTS, RETRIES, 'campaigns/3/contacts.jsonl', 'campaigns/1/contacts.jsonl'];

  interface Blow {
    file: string;
    kind: 'flip' | 'zero' | 'cut' | 'remove' | 'insert';
    /** Where, as a share of the file. */
    at: number;
    bits: number;
  }

  function strike(folder: string, { file, kind, at, bits }: Blow): void {
    const path = join(folder, file);
    if (!existsSync(path)) return;
    const bytes = readFileSync(path);
    const offset = Math.floor(at * bytes.length);
    const [before, after] = [bytes.subarray(0, offset), bytes.subarray(offset)];
    const struck = {
      flip: () => Buffer.concat([before, Buffer.of((after[0] ?? 0) ^ bits), after.subarray(1)]),
      zero: () => Buffer.concat([before, Buffer.alloc(Math.min(bits, after.length)), after.subarray(bits)]),
      cut: () => before,
      insert: () => Buffer.concat([before, Buffer.of(bits), after]),
      remove: () => undefined,
    }[kind]();
    if (struck === undefined) unlinkSync(path);
    else writeFileSync(path, struck);
  }

  const blow = (files: string[]) =>
    fc.record({
      file: fc.constantFrom(...files),
      kind: fc.constantFrom(
        'flip' as const,
        'flip' as const,
        'zero' as const,
        'cut' as const,
        'remove' as const,
        'insert' as const,
      ),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      bits: fc.integer({ min: 1, max: 255 }),
    });

  test('to the files: repaired, the engine goes on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(blow(FILES), { minLength: 1, maxLength: 4 }), async (blows) => {
        const folder = copyOf(small);
        for (const each of blows) strike(folder, each);
        const damaged = digestsIn(folder);
        await check(folder);
        expect(digestsIn(folder)).toEqual(damaged);
        const { after } = await repair(folder);
        expect(told(after)).toEqual([]);
        await expectToGoOn(folder, after);
      }),
      { numRuns: 60 },
    );
  });

  test('to the root: told or harmless, and repaired', async () => {
    await fc.assert(
      fc.asyncProperty(blow(['store.json']), async (one) => {
        const folder = copyOf(small);
        strike(folder, one);
        const root = existsSync(join(folder, 'store.json')) ? readFileSync(join(folder, 'store.json')) : undefined;
        const found = await check(folder).catch((error: FileError) => expect(error.code).toBe('store_too_new'));
        if (found === undefined) return;
        const { after } = await repair(folder);
        expect(told(after)).toEqual([]);
        if (found.problemCount === 0) return;
        const copy = readFileSync(join(folder, 'store.json.damaged-1'));
        expect(copy.equals(root ?? Buffer.alloc(0))).toBe(true);
      }),
      { numRuns: howMany(50, 150) },
    );
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

  test('a sound store: exit 0', async () => {
    const person = await operator();
    const { code, stdout, stderr } = await person.run(['local', 'check', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      store: join(person.home, STORE),
      calls: expect.any(Number),
      missing: 0,
      segments: 1,
      campaigns: 3,
      lock: 'free',
      problems: [],
      problem_count: 0,
      leftovers: [],
    });
  });

  test('damage: exit 9, the report on stdout and the issues in the error', async () => {
    const person = await operator(editLine(ONE, 2, (text) => 'x'.repeat(text.length)));
    const { code, stdout, stderr } = await person.run(['local', 'check', '--json']);
    expect(code).toBe(9);
    const problems = [{ file: ONE, line: 2, message: 'is not JSON' }];
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems, problem_count: 1 });
    expect(JSON.parse(stderr).error).toEqual({
      code: 'store_damaged',
      message: `The store is damaged: ${ONE} line 2 is not JSON.`,
      hint: 'vagent local check --repair',
      status: null,
      exit_code: 9,
      issues: [{ field: `${ONE} line 2`, message: 'is not JSON' }],
    });
  });

  test('a repair says what it did, and calls can be placed', async () => {
    const person = await operator(editLine(ONE, 2, (text) => 'x'.repeat(text.length)));
    const { code, stdout, stderr } = await person.run(['local', 'check', '--repair']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok\ttrue\n/);
    expect(stderr.split('\n')).toEqual([
      `Repaired: ${ONE} line 2 is not JSON.`,
      '1 call could not be saved.',
      `Set aside: store.json.damaged-1, ${ONE}.damaged-1.`,
      '',
    ]);
    const call = ['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
    expect((await person.run(call)).code).toBe(0);
    expect(await person.json(['local', 'check'])).toMatchObject({ ok: true, missing: 1 });
  });

  test('a root that is lost: what is begun anew is said', async () => {
    const person = await operator((folder) => truncateSync(join(folder, 'store.json'), 100));
    const found = await person.run(['local', 'check']);
    expect(found.code).toBe(9);
    expect(found.stderr).toBe(
      'vagent: The store is damaged: store.json is not JSON.\n' +
        '  → vagent local check --repair keeps the calls, and starts everything else again.\n',
    );
    const { code, stdout, stderr } = await person.run(['local', 'check', '--repair', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      campaigns: 0,
      problems: [],
      repaired: [{ file: 'store.json', line: null, message: 'is not JSON' }],
      set_aside: ['store.json.damaged-1'],
    });
    expect(stderr).toMatch(
      /^Repaired: store\.json is not JSON\.\nA new store\.json holds the demo organization and the \d+ calls/,
    );
    expect(stderr).toContain('Left as they are, and no longer run: campaigns/1, campaigns/2, campaigns/3.');
    expect((await person.run(['logs', 'list'])).stdout).toMatch(/^call_/);
  });

  describe('a damaged store is refused by whatever needs the damaged part, and left as it is', () => {
    const call = 'call +14155550190 --agent 1 --from +14155550100 --first-line Hello.';

    type Row = [name: string, damage: Damage, command: string, says: RegExp];
    const rows: Row[] = [
      [
        'a root that is not JSON',
        (folder) => truncateSync(join(folder, 'store.json'), 99),
        call,
        /store\.json is not JSON/,
      ],
      ['a root that is missing', (folder) => unlinkSync(join(folder, 'store.json')), call, /no store\.json/],
      [
        'a root that fails its schema',
        (folder) => editRoot(folder, ({ state }) => Object.assign(state.organization, { balance: 0.5 })),
        'local status',
        /is not a store of vagent's: state\.organization\.balance/,
      ],
      [
        'a later version, to be repaired',
        (folder) => editRoot(folder, (root) => Object.assign(root, { format: 3 })),
        'local check --repair',
        /has format 3, newer than this vagent reads \(2\)/,
      ],
      ['a segment that is short, read', shorten(ONE, 5), 'logs list', /has \d+ bytes, but \d+ were committed/],
      [
        'a segment that is broken inside',
        editLine(ONE, 2, (text) => `${text.slice(0, 9)}\n${text.slice(10)}`),
        'logs list',
        /holds \d+ whole lines, but \d+ were committed/,
      ],
      ['a segment that is missing', (folder) => unlinkSync(join(folder, ONE)), 'logs export', /it does not exist/],
      [
        'contacts that are missing',
        (folder) => unlinkSync(join(folder, CONTACTS)),
        'local advance --until-idle',
        /contacts\.jsonl|does not exist/,
      ],
    ];

    for (const [name, damage, command, says] of rows) {
      test(`${name}: vagent ${command.split(' +')[0]}`, async () => {
        const person = await operator(damage);
        const before = digestsIn(join(person.home, STORE));
        const { code, stderr } = await person.run(command.split(' '));
        expect(stderr).toMatch(says);
        expect(stderr.match(/^vagent: .*\.$/gm)).toHaveLength(1);
        expect(code).toBe(9);
        expect(digestsIn(join(person.home, STORE))).toEqual(before);
      });
    }
  });
});

/**
 * Whatever call of the file system fails, and whenever the power goes: the store is the old one or the new one, what was
 * acknowledged is there, and the store goes on working. Every kind of transaction × every one of its calls × every fault.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DocumentedCall } from '../../src/contract.ts';
import { setAgentStatus, topUp } from '../../src/engine/controls.ts';
import { FileError, VagentError } from '../../src/errors.ts';
import { newRoot, type Root } from '../../src/local/json/root.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import type { FileSystem } from '../../src/storage/files/file-system.ts';
import {
  AGENT,
  ANSWERS,
  ANSWERS_THE_SECOND_TIME,
  advance,
  CALL,
  CHANGES,
  type Change,
  campaign,
  NEVER_ANSWERS,
  RETRIED,
  RETRYING,
  service,
} from '../support/changes.ts';
import {
  Disk,
  digestOf,
  engineOver,
  FAULTS,
  type FaultKind,
  FaultyFiles,
  hastyFiles,
  type Image,
  imageIn,
  KEPT,
  SEGMENT,
  writeImage,
} from '../support/faulty-files.ts';
import { howMany } from '../support/full-matrix.ts';
import { temporaryFolder } from '../support/program.ts';

const FORMAT_1 = join(import.meta.dirname, '../fixtures/store-format-1/store');
/** As another process would open it. */
const open = (store: string, files: FileSystem = hastyFiles): LocalEngine => engineOver(files, store, SEGMENT);
const KINDS: Record<string, Change> = {
  ...CHANGES,
  'the first change of a store of format 1': {
    before: async ({ store }) => cpSync(FORMAT_1, store.location, { recursive: true }),
    change: (engine) => service(engine).triggerCall(CALL),
  },
};

/** Everything that is committed, as text: the root, every call, every campaign's contacts and retries. */
async function view(store: string): Promise<string> {
  const path = join(store, 'store.json');
  const snapshot = await open(store).timeline.stored();
  const root: Root = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : newRoot(snapshot.state);
  const everything = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, agentId: undefined };
  const calls = await snapshot.callPage(everything, Number.MAX_SAFE_INTEGER, 0);
  const queues = root.queues.map(({ campaign_id, contacts, retries }) => ({
    contacts: committed(join(store, 'campaigns', String(campaign_id), 'contacts.jsonl'), contacts.bytes),
    retries: committed(join(store, 'campaigns', String(campaign_id), 'retries.jsonl'), retries.bytes),
  }));
  const others = await othersIn(open(store));
  return JSON.stringify({ root, state: snapshot.state, calls, queues, ...(others.length > 0 && { others }) });
}

/** The states of further organizations. */
async function othersIn({ store }: LocalEngine): Promise<unknown[]> {
  const others = (await store.ids()).slice(1);
  return Promise.all(others.map(async (id) => (await store.snapshot(id))?.state));
}

/** What is seen of files as they once were. */
function viewOf(image: Image): Promise<string> {
  const folder = temporaryFolder();
  writeImage(folder, image);
  return tried(() => view(storeIn(folder)));
}

function committed(path: string, bytes: number): string {
  return bytes === 0 ? '' : readFileSync(path).toString('utf8', 0, bytes);
}

interface Rehearsal {
  kind: Change;
  /** The store as it was before the change, or nothing. */
  base: Image;
  before: string;
  after: string;
  /** The file-system calls of the change. */
  calls: string[];
}

async function rehearse(kind: Change): Promise<Rehearsal> {
  const folder = temporaryFolder();
  const store = storeIn(folder);
  if (kind.before !== undefined) await kind.before(open(store));
  const before = await view(store);
  const base = imageIn(folder);
  const { store: changed, faulty } = copyOf(base);
  await kind.change(open(changed, faulty.files));
  await nextTurn();
  return { kind, base, before, after: await view(changed), calls: faulty.calls };
}

/** Below folders that do not exist either, so that a creation has to make them all. */
function storeIn(folder: string): string {
  return join(folder, 'state', 'store');
}

function copyOf(base: Image): { store: string; faulty: FaultyFiles; folder: string } {
  const folder = temporaryFolder();
  writeImage(folder, base);
  return { folder, store: storeIn(folder), faulty: new FaultyFiles(storeIn(folder)) };
}

/** Each fault strikes at every so many calls, others in each run; and of very many never at more than so many. */
const EVERY = howMany(8, 1);
const MOST = 150;

/** The numbers of the calls to strike, among those that a fault can meet. */
function struck(calls: readonly string[], isMet = (_call: string) => true): number[] {
  const numbers = calls.flatMap((call, at) => (isMet(call) ? [at + 1] : []));
  const every = Math.max(EVERY, Math.ceil(numbers.length / MOST));
  const first = Math.floor(Math.random() * Math.min(every, numbers.length));
  return numbers.filter((_number, at) => at % every === first);
}

/** What came of a change that met a fault. */
interface Ending {
  /** `EIO at 7 of 23, fsyncSync store.json.new` */
  fault: string;
  folder: string;
  store: string;
  faulty: FaultyFiles;
  disk: Disk;
  error: unknown;
  /** The process that met the fault, where it lives on, as `vagent serve` does. */
  survivor: LocalEngine | undefined;
}

async function strike({ kind, base, calls }: Rehearsal, fault: FaultKind, at: number): Promise<Ending> {
  const { folder, store, faulty } = copyOf(base);
  faulty.fault = { kind: fault, at };
  const disk = new Disk(folder, base);
  faulty.disk = disk;
  const engine = open(store, faulty.files);
  const error = await kind.change(engine).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  // The lock is let go after the answer.
  await nextTurn();
  faulty.fault = undefined;
  faulty.disk = undefined;
  if (fault === 'power cut') faulty.die();
  const where = `${fault} at ${at} of ${calls.length}, ${calls[at - 1] ?? 'after the answer'}`;
  return {
    fault: where,
    folder,
    store,
    faulty,
    disk,
    error,
    survivor: fault === 'power cut' ? undefined : engine,
  };
}

/** What a failure may say of the store: it must not be said of the other case. */
const UNCHANGED = /as it was|nothing was (changed|done)/i;
const CHANGED = /change (is|was) made|do not repeat/i;

/** Everything that is wrong after a fault, as sentences. */
async function faultsOf(ending: Ending, { before, after }: Rehearsal): Promise<string[]> {
  const { fault, folder, store, faulty, survivor, error } = ending;
  const wrong: string[] = [];
  const found = await tried(() => view(store));
  if (found !== before && found !== after) wrong.push(`the store is neither old nor new: ${found.slice(0, 200)}`);
  if (error === undefined && found !== after) wrong.push('what was acknowledged is not there');
  if (error !== undefined) wrong.push(...faultsOfError(error));
  if (survivor !== undefined) {
    const said = error instanceof FileError ? `${error.message} ${error.hint}` : '';
    if (UNCHANGED.test(said) && found !== before) wrong.push(`it is not as it was: ${said}`);
    if (CHANGED.test(said) && found !== after) wrong.push(`the change is not made: ${said}`);
    wrong.push(...faulty.left.map((path) => `${path} stays open`), ...faulty.misused);
    wrong.push(...(await faultsOfUse(survivor, store)));
  }
  wrong.push(...(await faultsOfNewUse(folder, store)));
  return [...new Set(wrong)].map((what) => `${fault}: ${what.replaceAll(store, '~')}`);
}

function faultsOfError(error: unknown): string[] {
  if (!(error instanceof FileError)) return [`it is no FileError: ${error}`];
  const wrong = error.exitCode === 9 ? [] : [`the exit code is ${error.exitCode}`];
  // Some sentences begin with a path.
  return /^[A-Z/].*\.$/.test(error.message) ? wrong : [...wrong, `it is no sentence: ${error.message}`];
}

/** What was wrong with the use of a store by a new process, by all the bytes of the store. */
const newUses = new Map<string, string[]>();

/** As a new process would use the store: the same bytes in the same way, so once is enough. */
async function faultsOfNewUse(folder: string, store: string): Promise<string[]> {
  const bytes = digestOf(new Disk(folder).image({ names: 'all', bytes: 'all' }));
  const known = newUses.get(bytes);
  if (known !== undefined) return known;
  const wrong = await faultsOfUse(open(store), store);
  newUses.set(bytes, wrong);
  return wrong;
}

/** Uses a store that has been through something, and returns what is wrong with it. */
async function faultsOfUse(engine: LocalEngine, store: string): Promise<string[]> {
  try {
    const { organization, agents } = (await engine.timeline.stored()).state;
    // A store that a reset has emptied gets what a call needs.
    if (agents.length === 0) await service(engine).createAgent(AGENT);
    if (organization.numbers.length === 0) {
      await engine.timeline.change(({ state }) => {
        state.organization.numbers.push(CALL.call_from);
        topUp(state, 100_000_000);
      });
    }
    // In one commit; two more follow.
    await Promise.all([
      engine.timeline.change(({ state }, now) => setAgentStatus(state, 1, 'active', now)),
      service(engine).triggerCall(CALL),
      service(engine).createAgent(AGENT),
      service(engine).createCampaign(campaign([ANSWERS_THE_SECOND_TIME, NEVER_ANSWERS, ANSWERS], RETRYING)),
    ]);
    await advance(engine, 'idle');
    await service(engine).triggerCall(CALL);
    return await faultsOfIds(await everyCall(open(store)), engine);
  } catch (error) {
    return [`the store does not go on working: ${error}`];
  }
}

/** Every call there is, newest first, as get-call-logs shows them. */
async function everyCall(engine: LocalEngine): Promise<DocumentedCall[]> {
  const calls: DocumentedCall[] = [];
  for (;;) {
    const page = await service(engine).getCallLogs({ limit: 1000, offset: calls.length });
    calls.push(...(page.calls as DocumentedCall[]));
    if (calls.length >= Number(page.total) || page.calls.length === 0) return calls;
  }
}

async function faultsOfIds(calls: DocumentedCall[], engine: LocalEngine): Promise<string[]> {
  const { state } = await engine.timeline.stored();
  const ids = calls.map(({ call_id }) => call_id).reverse();
  // A reset store goes on counting.
  const given = state.calls_before_reset;
  const gap = ids.findIndex((id, at) => id !== `call_${String(given + at + 1).padStart(10, '0')}`);
  const wrong: string[] = [];
  if (gap !== -1) wrong.push(`call ${gap + 1} of ${ids.length} has the id ${ids[gap]}`);
  if (given + ids.length !== state.next_call_number - 1)
    wrong.push(`${ids.length} calls, ${state.next_call_number} comes next`);
  const agents = state.agents.map(({ agent_id }) => agent_id);
  // After a reset the demo agent is back under its number.
  const counted = given === 0 ? [0, ...agents] : agents.slice(1);
  if (existsSync(join(engine.store.location, 'organizations'))) wrong.push(...(await sharedIdsIn(engine)));
  else if (!isInARow(counted, state.next_agent_id)) wrong.push('the agents are not numbered in a row');
  const campaigns = state.campaigns.map(({ campaign_id }) => campaign_id);
  const isCounted = campaigns.length === state.next_campaign_number - 1;
  if (!isCounted || !isInARow(campaigns, state.next_campaign_id)) wrong.push('nor are the campaigns');
  for (const { campaign_id, status, reason, total_contacts, reached, exhausted } of state.campaigns) {
    const isOver = status === 'completed' && reached + exhausted === total_contacts;
    if (!isOver && reason !== 'agent_not_active') wrong.push(`campaign ${campaign_id} ends ${status} (${reason})`);
  }
  return wrong;
}

/** Ids that two organizations have given. */
async function sharedIdsIn({ store }: LocalEngine): Promise<string[]> {
  const ids = await store.ids();
  const states = await Promise.all(ids.map(async (id) => (await store.snapshot(id))?.state));
  const agents = states.flatMap((state) => state?.agents.map(({ agent_id }) => agent_id) ?? []);
  return new Set(agents).size === agents.length ? [] : [`agents ${agents.join(', ')} of several organizations`];
}

function isInARow(ids: number[], next: number): boolean {
  return ids.every((id, at) => id === next - ids.length + at);
}

async function tried(look: () => Promise<string>): Promise<string> {
  try {
    return await look();
  } catch (error) {
    return String(error);
  }
}

// Some kinds take seconds, and more on a busy machine.
const rehearsals = new Map<Change, Rehearsal>();
beforeAll(async () => {
  for (const kind of Object.values(KINDS)) rehearsals.set(kind, await rehearse(kind));
});

describe.each(Object.entries(KINDS))('%s', (_name, kind) => {
  let rehearsal: Rehearsal;
  beforeAll(() => {
    rehearsal = rehearsals.get(kind) as Rehearsal;
  });

  test('changes the store, by the same calls each time', async () => {
    // What the test takes for the disk is what is on it.
    const { disk, folder } = await strike(rehearsal, 'EIO', Number.POSITIVE_INFINITY);
    const all = { names: 'all', bytes: 'all' } as const;
    expect(digestOf(disk.image(all))).toBe(digestOf(new Disk(folder).image(all)));

    expect(rehearsal.after).not.toBe(rehearsal.before);
    expect((await rehearse(kind)).calls).toEqual(rehearsal.calls);
  });

  test('a reader between any two calls sees the old state or the new one', async () => {
    const { store, faulty, folder } = copyOf(rehearsal.base);
    const engine = open(store, faulty.files);
    const { before, after, calls } = rehearsal;
    const stateIn = ({ timeline }: LocalEngine) => tried(async () => JSON.stringify((await timeline.stored()).state));
    const looks: { image: Image; other: Promise<string>; own: Promise<string> }[] = [];
    // The old state at the first call, and the new one after the last.
    const places = new Set([1, ...struck(calls), calls.length]);
    let number = 0;
    let isLooking = false;
    // A call cannot wait for a reader: the files are kept as they are now, and both snapshots are of now.
    faulty.beforeCall = () => {
      if (isLooking || !places.has(++number)) return;
      isLooking = true;
      looks.push({ image: imageIn(folder), other: stateIn(open(store)), own: stateIn(engine) });
      isLooking = false;
    };
    await kind.change(engine);
    const seen: string[] = [];
    for (const { image, other, own } of looks) {
      const seenByAnother = await viewOf(image);
      if (seenByAnother !== before && seenByAnother !== after) seen.push(seenByAnother.slice(0, 200));
      else seen.push(seenByAnother === before ? 'old' : 'new');
      const state = JSON.stringify(JSON.parse(seenByAnother).state);
      if ((await other) !== state) seen.push(`beside the writing process: ${await other}`);
      // The process that writes shows its own readers no more than others see.
      if ((await own) !== state) seen.push(`in the writing process: ${await own}`);
    }
    expect([...new Set(seen)]).toEqual(['old', 'new']);
    expect(seen).toEqual([...seen].sort().reverse());
  });

  test.each(FAULTS.filter((fault) => fault !== 'power cut'))('%s at any call', async (fault) => {
    const wrong: string[] = [];
    const isMet = (call: string) => !fault.endsWith('write') || call.startsWith('writeSync');
    for (const at of struck(rehearsal.calls, isMet)) {
      const ending = await strike(rehearsal, fault, at);
      if (fault === 'short write' && ending.error !== undefined) wrong.push(`${ending.fault}: it is not continued`);
      wrong.push(...(await faultsOf(ending, rehearsal)));
    }
    expect(wrong).toEqual([]);
  });

  test('a power cut at any call, whether or not it takes what was not synced with it', async () => {
    const wrong: string[] = [];
    const seen = new Set<string>();
    // One more than there are calls: the power goes right after the answer.
    for (const at of [...struck(rehearsal.calls), rehearsal.calls.length + 1]) {
      const ending = await strike(rehearsal, 'power cut', at);
      wrong.push(...(await faultsOf(ending, rehearsal)));
      for (const kept of KEPT) {
        const image = ending.disk.image(kept);
        const key = `${ending.error === undefined} ${digestOf(image)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const folder = temporaryFolder();
        writeImage(folder, image);
        const fault = `${ending.fault}, kept of the rest: names ${kept.names}, bytes ${kept.bytes}`;
        wrong.push(...(await faultsOf({ ...ending, fault, folder, store: storeIn(folder) }, rehearsal)));
      }
    }
    expect(wrong).toEqual([]);
  });
});

test('EIO at any call: a request that is refused in the same commit is not told that its change was made', async () => {
  const { base } = rehearsals.get(KINDS['a call after others'] as Change) as Rehearsal;
  const wrong: string[] = [];
  for (let at = 1, isOver = false; !isOver; at++) {
    const { store, faulty } = copyOf(base);
    faulty.fault = { kind: 'EIO', at };
    const engine = open(store, faulty.files);
    const refused = service(engine).createAgent({ ...AGENT, voice_id: 999 });
    const [, refusal] = await Promise.allSettled([service(engine).triggerCall(CALL), refused]);
    await nextTurn();
    isOver = faulty.calls.length < at;
    const error = refusal.status === 'rejected' ? refusal.reason : 'it is not refused';
    const said = `${error.message} ${error.hint}`;
    if (!(error instanceof VagentError) || CHANGED.test(said))
      wrong.push(`EIO at ${at}, ${faulty.calls[at - 1]}: ${said}`);
  }
  expect(wrong.map((what) => what.replaceAll(/\/\S*\/state\/store/g, '~'))).toEqual([]);
});

test('EIO at any call of a reading: it is refused, and succeeds when repeated', async () => {
  const { base } = rehearsals.get(KINDS['a call after others'] as Change) as Rehearsal;
  const { store: sound } = copyOf(base);
  const before = await view(sound);
  const whole = await service(open(sound)).getCallLogs({});
  const wrong: string[] = [];
  for (let at = 1, isOver = false; !isOver; at++) {
    const { store, faulty } = copyOf(base);
    faulty.fault = { kind: 'EIO', at };
    const reader = service(open(store, faulty.files));
    const error = await reader.getCallLogs({}).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    isOver = faulty.calls.length < at;
    faulty.fault = undefined;
    if (error === undefined ? !isOver : faultsOfError(error).length > 0) wrong.push(`${faulty.calls.at(-1)}: ${error}`);
    expect(await reader.getCallLogs({})).toEqual(whole);
    expect(await view(store)).toBe(before);
  }
  expect(wrong).toEqual([]);
});

/** What a crash leaves at the end of a file, or in a file that no root names. */
const REMAINS: Record<string, string> = {
  'half a line': '{"call_id":"call_00000000',
  'a whole line': `${JSON.stringify({ call_id: 'call_9999999999', agent_id: 1, timestamp: '2020-01-01T00:00:00Z' })}\n`,
  zeros: '\0'.repeat(4096),
};

/** Files of a store with one running campaign, and whether a later write cuts off what was not committed. */
const TORN: Record<string, { isCut: boolean }> = {
  'calls/000001.jsonl': { isCut: true },
  'calls/000002.jsonl': { isCut: false },
  'campaigns/1/retries.jsonl': { isCut: true },
  // Written once, before the commit that names it.
  'campaigns/1/contacts.jsonl': { isCut: false },
  'campaigns/2/contacts.jsonl': { isCut: true },
  'campaigns/2/retries.jsonl': { isCut: true },
  'store.json.new': { isCut: true },
};

describe.each(Object.entries(TORN))('bytes that nobody committed, in %s', (torn, { isCut }) => {
  test.each(Object.entries(REMAINS))(
    '%s: nobody sees them, and the store goes on as if they were not there',
    async (_name, remains) => {
      const folder = temporaryFolder();
      const engine = open(storeIn(folder));
      await service(engine).createCampaign(campaign(RETRIED, RETRYING));
      await advance(engine, 1000);
      const base = imageIn(folder);
      const clean = copyOf(base).store;
      const { store } = copyOf(base);
      const path = join(store, torn);
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, remains, 'latin1');
      expect(await view(store)).toBe(await view(clean));

      for (const one of [clean, store]) {
        const another = open(one);
        await advance(another, 4000);
        await service(another).triggerCall(CALL);
        await service(another).createCampaign(campaign(RETRIED, { ...RETRYING, retry_delay: 1 }));
        await advance(another, 4000);
      }
      expect(await view(store)).toBe(await view(clean));
      const bytes = (folder: string) =>
        existsSync(join(folder, torn)) ? readFileSync(join(folder, torn), 'latin1') : '';
      expect(bytes(store)).toBe(isCut ? bytes(clean) : bytes(clean) + remains);
      expect(await faultsOfUse(open(store), store)).toEqual([]);
    },
  );
});

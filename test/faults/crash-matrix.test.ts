/**
 * Whatever call of the file system fails, and whenever the power goes: the store is the old one or the new one, what was
 * acknowledged is there, and the store goes on working. Every kind of transaction × every one of its calls × every fault.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { FileError, VagentError } from '../../src/errors.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import type { FileSystem } from '../../src/storage/files/file-system.ts';
import {
  AGENT,
  advance,
  CALL,
  CHANGES,
  type Change,
  campaign,
  RETRIED,
  RETRYING,
  requireWhole,
  service,
} from '../support/changes.ts';
import { everythingButIdsOf, problemsOf } from '../support/everything-of.ts';
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

/** Everything that another process sees. */
const contentOf = (store: string) => everythingButIdsOf(open(store));

const stateIn = async ({ timeline }: LocalEngine) => JSON.stringify((await timeline.stored()).state);

/** What is seen of files as they once were. */
function contentOfImage(image: Image): Promise<string> {
  const folder = temporaryFolder();
  writeImage(folder, image);
  return contentOf(storeIn(folder));
}

interface Rehearsal {
  kind: Change;
  /** The store as it was before the change, or nothing. */
  base: Image;
  old: string;
  fresh: string;
  /** The file-system calls of the change. */
  calls: string[];
}

async function rehearse(kind: Change): Promise<Rehearsal> {
  const folder = temporaryFolder();
  const store = storeIn(folder);
  if (kind.before !== undefined) await kind.before(open(store));
  const old = await contentOf(store);
  const base = imageIn(folder);
  const { store: changed, faulty } = copyOf(base);
  await kind.change(open(changed, faulty.files));
  await nextTurn();
  return { kind, base, old, fresh: await contentOf(changed), calls: faulty.calls };
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

/** Makes a change that meets a fault. */
async function strike({ kind, base, calls }: Rehearsal, fault: FaultKind, at: number) {
  const { folder, store, faulty } = copyOf(base);
  faulty.fault = { kind: fault, at };
  const disk = new Disk(folder, base);
  faulty.disk = disk;
  const engine = open(store, faulty.files);
  const error = await failureOf(kind.change(engine));
  // The lock is let go after the answer.
  await nextTurn();
  faulty.fault = undefined;
  faulty.disk = undefined;
  if (fault === 'power cut') faulty.die();
  const where = `${fault} at ${at} of ${calls.length}, ${calls[at - 1] ?? 'after the answer'}: ${error}`;
  return { where, folder, store, faulty, disk, error, engine };
}

const failureOf = (change: Promise<unknown>): Promise<unknown> =>
  change.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

/** What a failure may say of the store: it must not be said of the other case. */
const CHANGED = /change (is|was) made|do not repeat/i;

function requireSentence(error: unknown, where: string): void {
  // Some sentences begin with a path.
  expect(error, where).toMatchObject({ exitCode: 9, message: expect.stringMatching(/^[A-Z/].*\.$/) });
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

    expect(rehearsal.fresh).not.toBe(rehearsal.old);
    expect((await rehearse(kind)).calls).toEqual(rehearsal.calls);
  });

  test('a reader between any two calls sees the old state or the new one', async () => {
    const { store, faulty, folder } = copyOf(rehearsal.base);
    const engine = open(store, faulty.files);
    const { old, fresh, calls } = rehearsal;
    const looks: { image: Image; others: Promise<string>; own: Promise<string> }[] = [];
    // The old state at the first call, and the new one at the last, of which a look may spare some.
    const last = Array.from({ length: 8 }, (_none, at) => calls.length - at);
    const places = new Set([1, ...struck(calls), ...last]);
    let number = 0;
    let isLooking = false;
    // A call cannot wait for a reader: the files are kept as they are now, and both snapshots are of now.
    faulty.beforeCall = () => {
      if (isLooking || !places.has(++number)) return;
      isLooking = true;
      looks.push({ image: imageIn(folder), others: stateIn(open(store)), own: stateIn(engine) });
      isLooking = false;
    };
    await kind.change(engine);
    const seen: string[] = [];
    for (const { image, others, own } of looks) {
      const content = await contentOfImage(image);
      seen.push(content === old ? 'old' : content === fresh ? 'new' : content.slice(0, 200));
      const folder = temporaryFolder();
      writeImage(folder, image);
      // The process that writes shows its own readers no more than others see.
      expect([await others, await own]).toEqual(Array(2).fill(await stateIn(open(storeIn(folder)))));
    }
    expect([...new Set(seen)]).toEqual(['old', 'new']);
    expect(seen).toEqual([...seen].sort().reverse());
  });

  test.each(FAULTS.filter((fault) => fault !== 'power cut'))('%s at any call', async (fault) => {
    const isMet = (call: string) => !fault.endsWith('write') || call.startsWith('writeSync');
    for (const at of struck(rehearsal.calls, isMet)) {
      const { where, store, faulty, error, engine } = await strike(rehearsal, fault, at);
      if (fault === 'short write') expect(error, where).toBeUndefined();
      if (error !== undefined) requireSentence(error, where);
      const found = await contentOf(store);
      if (CHANGED.test(String((error as FileError | undefined)?.hint))) expect(found, where).toBe(rehearsal.fresh);
      // The process goes on, as `vagent serve` does.
      await requireWhole({ ...rehearsal, engine, error, found }, where);
      await nextTurn();
      expect([...faulty.left, ...faulty.misused], where).toEqual([]);
      expect(await contentOf(store), where).toBe(rehearsal.fresh);
    }
  });

  test('a power cut at any call, whether or not it takes what was not synced with it', async () => {
    const seen = new Set<string>();
    // One more than there are calls: the power goes right after the answer.
    for (const at of [...struck(rehearsal.calls), rehearsal.calls.length + 1]) {
      const { where, disk, error, folder } = await strike(rehearsal, 'power cut', at);
      for (const kept of [undefined, ...KEPT]) {
        const image = kept === undefined ? imageIn(folder) : disk.image(kept);
        const key = `${error === undefined} ${digestOf(image)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const other = temporaryFolder();
        writeImage(other, image);
        const store = storeIn(other);
        const found = await contentOf(store);
        // Who has lost the power has heard nothing.
        const heard = error === undefined ? undefined : new FileError('The power is cut.');
        await requireWhole(
          { ...rehearsal, engine: open(store), error: heard, found },
          `${where}, ${JSON.stringify(kept)}`,
        );
      }
    }
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
  const before = await contentOf(sound);
  const whole = await service(open(sound)).getCallLogs({});
  for (let at = 1, isOver = false; !isOver; at++) {
    const { store, faulty } = copyOf(base);
    faulty.fault = { kind: 'EIO', at };
    const reader = service(open(store, faulty.files));
    const error = await failureOf(reader.getCallLogs({}));
    isOver = faulty.calls.length < at;
    faulty.fault = undefined;
    if (isOver) expect(error).toBeUndefined();
    else requireSentence(error, `${faulty.calls.at(-1)}`);
    expect(await reader.getCallLogs({})).toEqual(whole);
    expect(await contentOf(store)).toBe(before);
  }
});

/** What a crash leaves at the end of a file, or in a file that no root names. */
const REMAINS: Record<string, string> = {
  'half a line': '{"call_id":"call_00000000',
  'whole lines':
    `${JSON.stringify({ call_id: 'call_9999999999', agent_id: 1, timestamp: '2020-01-01T00:00:00Z' })}\n`.repeat(3),
  zeros: '\0'.repeat(4096),
  noise: Array.from({ length: 999 }, (_none, at) => String.fromCharCode((at * 7919) % 256)).join(''),
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
      expect(await contentOf(store)).toBe(await contentOf(clean));

      for (const one of [clean, store]) {
        const another = open(one);
        await advance(another, 4000);
        await service(another).triggerCall(CALL);
        await service(another).createCampaign(campaign(RETRIED, { ...RETRYING, retry_delay: 1 }));
        await advance(another, 4000);
      }
      expect(await contentOf(store)).toBe(await contentOf(clean));
      const bytes = (folder: string) =>
        existsSync(join(folder, torn)) ? readFileSync(join(folder, torn), 'latin1') : '';
      expect(bytes(store)).toBe(isCut ? bytes(clean) : bytes(clean) + remains);
      expect(await problemsOf(open(store))).toEqual([]);
    },
  );
});

/**
 * Whatever call of the file system fails while a plan is made, changed or forgotten, and whenever the power goes: the plan is
 * the one before or the one after, what was acknowledged is there, and it goes on working.
 */

import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { VagentError } from '../../../src/errors.ts';
import type { FileSystem } from '../../../src/files/file-system.ts';
import type { PlanEvent } from '../../../src/plans/events.ts';
import { forgetPlan, listPlans } from '../../../src/plans/folder/plans.ts';
import { OptedOut } from '../../../src/register/opted-out.ts';
import { ownState } from '../../../src/state/state-folder.ts';
import { KeptRows } from '../../../src/text/kept-rows.ts';
import { EPOCH } from '../../support/engine.ts';
import {
  Disk,
  digestOf,
  everyFault,
  FAULTS,
  type FaultKind,
  FaultyFiles,
  hastyFiles,
  imageIn,
  placesOf,
} from '../../support/faulty-files.ts';
import { howMany } from '../../support/full-matrix.ts';
import { contentOf, folderOf, makePlan, somePeople } from '../../support/plan-folder.ts';
import { temporaryFolder } from '../../support/program.ts';

const HANDED: PlanEvent = {
  event: 'handed',
  at: EPOCH,
  wave: 1,
  from: '+14155550100',
  start: EPOCH,
  interval: 60_000,
  rows: [1, 2, 5, 1],
  entry: 1,
};
const ACCEPTED: PlanEvent = { event: 'answered', at: EPOCH + 1, wave: 1, outcome: 'accepted', campaign_id: 7 };
const call = (row: number, result: 'reached' | 'busy'): PlanEvent => ({
  event: 'called',
  at: EPOCH + 60_000 * row,
  row,
  wave: 1,
  result,
  status: result === 'reached' ? 'completed' : result,
  outcome: '',
  seconds: 61,
});

function commit(...groups: PlanEvent[][]) {
  return (state: string, fs: FileSystem) =>
    folderOf(state, 1, fs).change(async (session) => {
      for (const events of groups) await session.commit(events);
    });
}

interface Kind {
  /** Whether a failure, other than of the power, leaves everything as it was. */
  isUndone?: true;
  before?: (state: string, fs: FileSystem) => Promise<unknown>;
  change: (state: string, fs: FileSystem) => Promise<unknown>;
}

const KINDS: Record<string, Kind> = {
  'the first plan': {
    change: (state, fs) => makePlan(state, somePeople(5), undefined, fs),
  },
  'another plan, with its original rows': {
    before: (state, fs) => makePlan(state, undefined, undefined, fs),
    change: (state, fs) => {
      const rows = new KeptRows(['phone']);
      for (let row = 0; row < 5; row++) rows.add([`row ${row}`]);
      return makePlan(state, somePeople(5, { rows }), undefined, fs);
    },
  },
  'the first events': {
    isUndone: true,
    before: (state, fs) => makePlan(state, undefined, undefined, fs),
    change: commit([HANDED]),
  },
  'several events together': {
    isUndone: true,
    before: async (state, fs) => {
      await makePlan(state, undefined, undefined, fs);
      await commit([HANDED])(state, fs);
    },
    change: commit([ACCEPTED, call(1, 'busy'), call(2, 'reached')]),
  },
  'an event that changes no contact': {
    isUndone: true,
    before: async (state, fs) => {
      await makePlan(state, undefined, undefined, fs);
      await commit([HANDED])(state, fs);
    },
    change: commit([ACCEPTED]),
  },
  'a wish to stop that is fulfilled': {
    before: async (state, fs) => {
      await makePlan(state, undefined, undefined, fs);
      await folderOf(state, 1, fs).requestStop({ at: EPOCH, reason: 'stopped by hand' });
    },
    change: commit(),
  },
  'a number that opts out': {
    before: (state, fs) => optedOut(state, fs).add([14155550200]),
    change: (state, fs) => optedOut(state, fs).add([14155550201]),
  },
  'a plan that is forgotten': {
    before: async (state, fs) => {
      await makePlan(state, undefined, undefined, fs);
      await commit([HANDED], [ACCEPTED, call(1, 'busy')])(state, fs);
    },
    change: (state, fs) => forgetPlan({ state: ownState(state, fs), command: 'test' }, 1, () => {}),
  },
};

function optedOut(state: string, fs: FileSystem): OptedOut {
  return new OptedOut({
    state: ownState(state, fs),
    command: 'test',
    service: 'https://calls.example',
    isLocal: false,
    organizationId: 1,
  });
}

/** All that the state folder holds, as the next command sees it. */
function contentIn(state: string): string {
  const plans = listPlans(ownState(state, hastyFiles));
  const out = optedOut(state, hastyFiles);
  const phones = [14155550200, 14155550201].filter((phone) => out.has(phone));
  return JSON.stringify([
    plans.map(({ planId }) => planId),
    plans.map(({ planId }) => contentOf(folderOf(state, planId, hastyFiles))),
    phones,
  ]);
}

/** Each fault strikes at every so many calls, others in each run. */
const EVERY = howMany(4, 1);
const FIRST = Date.now() % EVERY;

describe.each(Object.entries(KINDS))('%s', (_name, { before, change, isUndone }) => {
  const start = join(temporaryFolder(), 'state');
  let calls: string[] = [];
  let [old, fresh] = ['', ''];
  const seen = new Set<string>();
  /** What was found in folders of the same files, by their digest. */
  const known = new Map<string, string>();

  beforeAll(async () => {
    mkdirSync(start);
    await before?.(start, hastyFiles);
    old = contentIn(start);
    const state = copyOf(start);
    const files = new FaultyFiles(state);
    await change(state, files.files);
    fresh = contentIn(state);
    calls = files.calls;
    expect(files.misused).toEqual([]);
    expect(fresh).not.toBe(old);
  });

  test.each(FAULTS)('%s at any call', async (kind) => {
    expect(calls.length).toBeGreaterThan(5);
    for (const fault of everyFault(calls))
      if (fault.kind === kind && fault.at % EVERY === FIRST) await strike(kind, fault.at);
  });

  async function strike(kind: FaultKind, at: number): Promise<void> {
    const state = copyOf(start);
    const faulty = new FaultyFiles(state);
    faulty.disk = new Disk(state);
    faulty.fault = { kind, at };
    const failure = await change(state, faulty.files).then(
      () => undefined,
      (error: unknown) => error,
    );
    const where = `${kind} at ${faulty.calls[at - 1]} (call ${at})`;
    expect(faulty.misused, where).toEqual([]);
    faulty.die();
    if (failure !== undefined) expect(failure, where).toBeInstanceOf(VagentError);
    const circumstances = `${failure === undefined} ${kind === 'power cut'}`;
    for (const place of placesOf({ folder: state, disk: faulty.disk }, { seen, circumstances })) {
      const found = await look(place);
      if (failure === undefined) expect(found, `${where}, acknowledged`).toBe(fresh);
      else if (isUndone && kind !== 'power cut' && place === state) expect(found, `${where}, refused`).toBe(old);
      else expect([old, fresh], where).toContain(found);
    }
  }

  async function look(place: string): Promise<string> {
    const digest = digestOf(imageIn(place));
    const standing = known.get(digest);
    if (standing !== undefined) return standing;
    const found = contentIn(place);
    known.set(digest, found);
    await goesOn(place);
    return found;
  }
});

function copyOf(folder: string): string {
  const copy = join(temporaryFolder(), 'state');
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Another plan can be made, and every plan changed; nothing unfinished stays. */
async function goesOn(state: string): Promise<void> {
  const planId = await makePlan(state, somePeople(2), undefined, hastyFiles);
  const others = listPlans(ownState(state, hastyFiles)).map((plan) => plan.planId);
  expect(others.at(-1)).toBe(planId);
  for (const id of others) {
    const folder = folderOf(state, id, hastyFiles);
    const expected = await folder.change(async (session) => {
      const { state: standing } = session.loaded.position;
      await session.commit([{ event: 'left', at: EPOCH, rows: [0, 1] }]);
      return standing;
    });
    const { position, roster } = folder.load();
    expect(position.state).toBe(expected);
    expect(roster.stateOf(0)).toBe('left');
  }
  expect(existsSync(join(state, 'plans', `${planId}.new`))).toBe(false);
}

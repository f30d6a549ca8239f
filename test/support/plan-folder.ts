/** Plans in a folder of the test, and what they hold, to be compared. */

import type { Contact } from '../../src/contract.ts';
import { type FileSystem, systemFiles } from '../../src/files/file-system.ts';
import { PlanFolder } from '../../src/plans/folder/plan-folder.ts';
import { createPlan, type PlanContacts, type PlanDraft } from '../../src/plans/folder/plans.ts';
import { DEFAULTS, type PlanRules } from '../../src/plans/rules.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { EPOCH } from './engine.ts';

const ALL_DAY = [{ from: 0, until: 1440 }];

export function planRules(changes: Partial<PlanRules> = {}): PlanRules {
  return {
    window: Array.from({ length: 7 }, () => ALL_DAY),
    zone: 'UTC',
    skipDates: [],
    start: undefined,
    end: undefined,
    maxPerNumber: undefined,
    budget: undefined,
    pricePerMinute: undefined,
    canary: undefined,
    fromCap: undefined,
    exclude: [],
    ...DEFAULTS,
    ...changes,
  };
}

export function planDraft(changes: Partial<PlanDraft> = {}): PlanDraft {
  return {
    plan_name: 'Spring',
    service: 'https://calls.example',
    isLocal: false,
    organization_id: 1,
    createdAt: EPOCH,
    agent_id: 1,
    from: ['+14155550100'],
    rules: planRules(),
    places: [{ zones: ['UTC'], country: null }],
    ...changes,
  };
}

/** The number of a contact is in its text as well, so that each line is known by both. */
export function somePeople(count: number, changes: Partial<PlanContacts> = {}): PlanContacts {
  const contacts: Contact[] = Array.from({ length: count }, (_, row) => ({
    phone_number: `+1415${String(5_550_200 + row)}`,
    custom_first_line: `Hello ${row}, “über” you`,
  }));
  return { contacts, placeOf: new Uint16Array(count), rows: undefined, redact: (text) => text, ...changes };
}

export function folderOf(stateFolder: string, planId = 1, fs: FileSystem = systemFiles): PlanFolder {
  return new PlanFolder({ state: ownState(stateFolder, fs), planId, command: 'test' });
}

export function makePlan(
  stateFolder: string,
  people: PlanContacts = somePeople(6),
  draft: PlanDraft = planDraft(),
  fs: FileSystem = systemFiles,
): Promise<number> {
  return createPlan({ state: ownState(stateFolder, fs), command: 'test' }, draft, people);
}

/** All that a plan holds, in a form that two of them can be compared by. */
export function contentOf(folder: PlanFolder): string {
  const { plan, position, roster } = folder.load();
  const records = Buffer.from(roster.records).toString('hex');
  const events = [...folder.events()];
  const contacts = [...folder.eachContact()];
  return JSON.stringify({ plan, position: inOrder(position), counts: roster.counts, records, events, contacts });
}

/** Fields in the order of their names: what was read from a file has them in another order than what was made. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, inOrder(field)]));
}

/** Which files of a state folder are shared: those of this list, and no other. */
import { expect, test } from 'vitest';
import { PlanPaths } from '../../src/plans/folder/paths.ts';
import { isScope, kindOf, scopeOf } from '../../src/state/shape.ts';

/** Of a plan; a new file has to be put here, and is this machine's own unless it is put into the list of those that are shared. */
const OF_PLAN: Record<string, string> = {
  root: 'seed',
  contacts: 'whole',
  rows: 'whole',
  fixed: 'whole',
  records: 'seed',
  changed: 'own',
  journal: 'lines',
  log: 'whole',
  told: 'whole',
  halt: 'own',
  stop: 'whole',
  forgotten: 'whole',
  lock: 'own',
};

test('every file of a plan is shared or is not', () => {
  const names = Object.getOwnPropertyNames(PlanPaths.prototype).filter((name) => name !== 'constructor');
  expect(names.toSorted()).toEqual(Object.keys(OF_PLAN).toSorted());
  const paths = PlanPaths.of('', 7);
  for (const name of names) expect([name, kindOf(paths[name as 'root'])]).toEqual([name, OF_PLAN[name]]);
});

test.each([
  ['register.jsonl', 'lines', 'register'],
  ['campaigns/12.jsonl', 'whole', 'register'],
  ['campaigns/12.rows.jsonl', 'whole', 'register'],
  ['campaigns/12.phones', 'own', 'register'],
  ['campaigns/12.summary.json', 'own', 'register'],
  ['redials/3.json', 'whole', 'register'],
  ['register.index', 'own', 'register'],
  ['register.lock', 'own', 'register'],
  ['plans/lock', 'own', 'plans'],
  ['plans/7.new/plan.json', 'own', 'plans'],
  ['plans/opted-out.jsonl', 'lines', 'plans/opted-out'],
  ['plans/opted-out.count.json', 'whole', 'plans/opted-out'],
  ['plans/opted-out.lock', 'own', 'plans/opted-out'],
  ['plans/7/stop.json', 'whole', 'plans/7/stop.json'],
  ['plans/7/plan.json', 'seed', 'plans/7'],
])('%s is %s, of %s', (path, kind, scope) => {
  expect([kindOf(path), scopeOf(path)]).toEqual([kind, scope]);
});

test.each(['', '..', '../register', 'plans', 'plans/0', 'plans/7/', 'plans/7/plan.json', 'copied', 'register/..'])(
  'no part of a register is called %j',
  (scope) => expect(isScope(scope)).toBe(false),
);

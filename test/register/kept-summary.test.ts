/** What came of a campaign that is over: kept for its own campaign alone, and of no weight where it is lost. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Register } from '../../src/register/register.ts';
import { ownState } from '../../src/state/state-folder.ts';
import { temporaryFolder } from '../support/program.ts';

const SUMMARY = {
  at: '2026-11-20T12:00:00.000Z',
  contacts: 3,
  states: { reached: 2, busy: 1 },
  attempts: 5,
  ambiguous: 0,
  first_call: '2026-11-20T09:00:00.000Z',
  last_call: '2026-11-20T11:00:00.000Z',
};
const SENT = { entry: 4, at: '2026-11-20T08:59:00.000Z' };

function register(): { register: Register; campaigns: string } {
  const folder = temporaryFolder();
  const campaigns = join(folder, 'campaigns');
  mkdirSync(campaigns);
  const own = new Register({ state: ownState(folder), systemNow: () => 0, command: 'test', warn: () => {} });
  return { register: own, campaigns };
}

test('it is there again, for its owner alone', () => {
  const { register: own, campaigns } = register();
  expect(own.summaryOf(SENT)).toBeUndefined();
  own.keepSummary(SENT, SUMMARY);
  expect(own.summaryOf(SENT)).toEqual({ sent_at: SENT.at, ...SUMMARY });
  expect(readdirSync(campaigns)).toEqual(['4.summary.json']);
  expect(statSync(join(campaigns, '4.summary.json')).mode & 0o777).toBe(0o600);
});

test('a campaign that was sent at another time has another', () => {
  const { register: own } = register();
  own.keepSummary(SENT, SUMMARY);
  expect(own.summaryOf({ ...SENT, at: '2026-11-21T08:59:00.000Z' })).toBeUndefined();
  expect(own.summaryOf({ ...SENT, entry: 5 })).toBeUndefined();
});

test.each(['', '{', 'null', '[]', '{"sent_at":"2026-11-20T08:59:00.000Z"}'])('damaged: %j is none', (text) => {
  const { register: own, campaigns } = register();
  writeFileSync(join(campaigns, '4.summary.json'), text);
  expect(own.summaryOf(SENT)).toBeUndefined();
});

test('where it cannot be kept, nothing happens', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'campaigns'), 'a file in place of the folder');
  const own = new Register({ state: ownState(folder), systemNow: () => 0, command: 'test', warn: () => {} });
  own.keepSummary(SENT, SUMMARY);
  expect(own.summaryOf(SENT)).toBeUndefined();
  expect(readFileSync(join(folder, 'campaigns'), 'utf8')).toBe('a file in place of the folder');
});

test.each(['at', 'first_call', 'last_call'])('with a time that cannot be it is of no weight: %s', (name) => {
  const { register: own, campaigns } = register();
  for (const time of ['2026-99-99T00:00:00Z', 'yesterday', 7e20]) {
    own.keepSummary(SENT, SUMMARY);
    const path = join(campaigns, '4.summary.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), [name]: time }));
    expect(own.summaryOf(SENT), `${time}`).toBeUndefined();
  }
});

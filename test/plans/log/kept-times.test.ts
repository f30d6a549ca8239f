/** What is kept of a log only saves time: with a time that cannot be it is not used. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemFiles } from '../../../src/files/file-system.ts';
import { readKept } from '../../../src/plans/log/log-position.ts';
import { readTold } from '../../../src/plans/log/told-entries.ts';
import { temporaryFolder } from '../../support/program.ts';

const HEARD = { from: 0, until: 1e12, entry: 1 };
const POSITION = { day: '2026-11-20', floor: '2026-11-20', rungs: [] };
const OWN = { row: 0, wave: 1, at: 1e12, seconds: 1, result: 'reached', status: '', outcome: '', isAmbiguous: false };
const TOLD = { identity: 'a', saidAt: 1e12, until: 1e12, own: OWN };

function read<T>(content: unknown, reader: (path: string) => T): T {
  const path = join(temporaryFolder(), 'kept.json');
  writeFileSync(path, JSON.stringify(content));
  return reader(path);
}

const kept = (change: object, place: object = {}) =>
  read({ format: 2, heard: { ...HEARD, ...change }, position: { ...POSITION, ...place } }, (path) =>
    readKept(systemFiles, path),
  );
const told = (change: object, own: object = {}) =>
  read({ format: 1, journal: 0, entries: [{ ...TOLD, own: { ...OWN, ...own }, ...change }] }, (path) =>
    readTold(systemFiles, path, { journalBytes: 0, contacts: 1, eventsFrom: () => [] }),
  ).size;

test('how far a log was read', () => {
  expect(kept({})).toEqual({ heard: HEARD, position: POSITION });
  for (const time of [1e20, -1e20, null, '2026-11-20']) {
    expect([kept({ from: time }), kept({ until: time })]).toEqual([undefined, undefined]);
  }
  for (const day of ['2026-99-99', '2026-02-30', '0', 7]) {
    expect([kept({}, { day })?.position, kept({}, { floor: day })?.position]).toEqual([undefined, undefined]);
  }
});

test('whose the latest entries are', () => {
  expect(told({})).toBe(1);
  for (const time of [1e20, null, 'now']) {
    expect([told({ saidAt: time }), told({ until: time }), told({}, { at: time })]).toEqual([0, 0, 0]);
  }
});

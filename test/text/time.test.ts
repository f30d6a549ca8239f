/** Times and zones of the command line: what is accepted means one instant, and what is refused is told truly. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VagentError } from '../../src/errors.ts';
import { canonicalZone, parseTime } from '../../src/text/time.ts';
import { Operator, ROOT } from '../support/program.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z');
const parsed = (text: string, timezone?: string) =>
  parseTime(text, { flag: '--start', now: NOW, zone: { name: timezone, flag: '--timezone' } });

describe('a time', () => {
  test.each<[text: string, zone: string | undefined, instant: string]>([
    ['2026-11-20T09:00Z', undefined, '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T09:00+01:00', undefined, '2026-11-20T08:00:00.000Z'],
    ['2026-11-20T09:00-0330', undefined, '2026-11-20T12:30:00.000Z'],
    ['2026-11-20T09:00+01:00', 'America/New_York', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20T24:00Z', undefined, '2026-11-21T00:00:00.000Z'],
    ['2026-11-20T24:00', 'Europe/Berlin', '2026-11-20T23:00:00.000Z'],
    ['2026-11-20', 'Europe/Berlin', '2026-11-19T23:00:00.000Z'],
    ['2026-11-20T09:00', 'europe/berlin', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20T09:00', 'EUROPE/BERLIN', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20T09:00', 'Asia/Kolkata', '2026-11-20T03:30:00.000Z'],
    ['2026-11-20T09:00', 'Asia/Calcutta', '2026-11-20T03:30:00.000Z'],
    ['2026-07-20T09:00', 'US/Pacific', '2026-07-20T16:00:00.000Z'],
    ['2026-07-20T09:00', 'PST8PDT', '2026-07-20T16:00:00.000Z'],
    // Their names say it: hours behind UTC, the whole year.
    ['2026-07-20T09:00', 'EST', '2026-07-20T14:00:00.000Z'],
    ['2026-07-20T09:00', 'MST', '2026-07-20T16:00:00.000Z'],
    ['2026-07-20T09:00', 'CET', '2026-07-20T07:00:00.000Z'],
    ['2026-11-20T09:00', 'UTC', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T09:00', 'GMT', '2026-11-20T09:00:00.000Z'],
    // East of Greenwich, by the database's own rule for these names.
    ['2026-11-20T09:00', 'Etc/GMT-5', '2026-11-20T04:00:00.000Z'],
    ['9999-12-31T23:59:59Z', undefined, '9999-12-31T23:59:59.000Z'],
    ['+0', undefined, '2026-11-20T09:00:00.000Z'],
    ['+3d', undefined, '2026-11-23T09:00:00.000Z'],
  ])('%s in %s', async (text, zone, instant) => {
    expect(new Date(await parsed(text, zone)).toISOString()).toBe(instant);
  });

  test.each<[text: string, zone: string | undefined, says: RegExp]>([
    ['2026-02-30T09:00Z', undefined, /is not a time\.$/],
    ['2026-11-20T23:59:60Z', undefined, /is not a time\.$/],
    ['2026-11-20T24:01Z', undefined, /is not a time\.$/],
    ['2026-11-20T09:00+24:00', undefined, /is not a time\.$/],
    ['2026-11-20 09:00', 'Europe/Berlin', /is not a time\.$/],
    ['+010000-01-01T00:00Z', undefined, /is not a time\.$/],
    ['+-5m', undefined, /is not a time\.$/],
    ['+1.5h', undefined, /is not a time\.$/],
    ['+1h30m', undefined, /is not a time\.$/],
    ['2026-11-20T09:00', undefined, /has no time zone\.$/],
    ['9999-12-31T23:59:59-00:01', undefined, /is beyond the year 9999\.$/],
    ['9999-12-31T23:00', 'America/New_York', /is beyond the year 9999\.$/],
    ['+999999999d', undefined, /is beyond the year 9999\.$/],
    ['+2912400d', undefined, /is beyond the year 9999\.$/],
  ])('%s in %s is refused', async (text, zone, says) => {
    await expect(parsed(text, zone)).rejects.toThrow(says);
  });

  test.each([
    ['2027-03-28T02:30', 'Europe/Berlin', 'Write 2027-03-28T01:30:00+01:00 or 2027-03-28T03:30:00+02:00.'],
    ['2027-10-31T02:30', 'Europe/Berlin', 'Write 2027-10-31T02:30:00+02:00 or 2027-10-31T02:30:00+01:00.'],
    ['2026-11-01T01:30', 'PST8PDT', 'Write 2026-11-01T01:30:00-07:00 or 2026-11-01T01:30:00-08:00.'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe', 'Write 2026-10-04T01:45:00+10:30 or 2026-10-04T02:45:00+11:00.'],
  ])('%s in %s is skipped or comes twice', async (text, zone, hint) => {
    const refusal = await parsed(text, zone).catch((error) => error);
    expect(refusal).toBeInstanceOf(VagentError);
    expect(refusal.message).toBe(
      `--start ${text} does not exist, or exists twice, in ${zone}: the clocks change then.`,
    );
    expect(refusal.hint).toBe(hint);
    // Either of what is offered is taken.
    const offered = hint.matchAll(/\S+T\S+[+-]\d\d:\d\d/g);
    for (const [time] of offered) expect(await parsed(time)).toEqual(expect.any(Number));
  });
});

describe('a zone', () => {
  test('every one that the runtime supports can be computed with', async () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      expect(await parsed('2026-11-20T12:00', zone), zone).toEqual(expect.any(Number));
    }
  });

  const ABBREVIATION = /^--timezone \S+ is an abbreviation, not the name of a time zone\.$/;
  const NONE = /^--timezone .* is not a time zone\.$/;

  test.each<[name: string, says: RegExp, hint?: RegExp]>([
    ['PST', ABBREVIATION],
    ['pst', ABBREVIATION],
    ['IST', ABBREVIATION],
    ['BST', ABBREVIATION],
    ['CST', ABBREVIATION],
    ['PDT', NONE],
    ['CEST', NONE],
    ['Europe/Atlantis', NONE],
    ['Berlin', NONE],
    ['local', NONE],
    ['+02:00', NONE, /offset behind the time/],
    ['-05:00', NONE, /offset behind the time/],
    ['GMT+2', NONE, /offset behind the time/],
    ['UTC-5', NONE, /offset behind the time/],
    ['Europe/Berlin ', NONE],
  ])('%s is refused', (name, says, hint = /Europe\/Berlin/) => {
    const refused = () => canonicalZone(name, '--timezone');
    expect(refused).toThrow(says);
    expect(refused).toThrow(expect.objectContaining({ exitCode: 3, hint: expect.stringMatching(hint) }));
  });

  test.each(['create', 'rehearse'])('a wrong one is refused by campaign %s without --start, too', async (command) => {
    const operator = new Operator();
    const contacts = join(ROOT, 'samples/contacts.csv');
    const flags = ['--name', 'A', '--agent', '1', '--from', '+14155550100', '--contacts', contacts, '--local'];
    for (const zone of ['PST', '-05:00', 'Europe/Atlantis']) {
      const told = await operator.run(['campaign', command, ...flags, '--timezone', zone]);
      expect({ code: told.code, stdout: told.stdout }).toEqual({ code: 3, stdout: '' });
      expect(told.stderr).toMatch(new RegExp(`^vagent: --timezone ${zone} is .* time zone\\.\n {2}→ Write .*\n$`));
    }
  });
});

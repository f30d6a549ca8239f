/** Times and zones of the command line: what is accepted means one instant, and what is refused is told truly. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VagentError } from '../../src/errors.ts';
import { canonicalZone, isInWords, parseTime, type TimeOptions } from '../../src/text/time.ts';
import { Operator, ROOT } from '../support/program.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z');
const parsed = (text: string, timezone?: string) =>
  parseTime(text, { flag: '--start', now: NOW, direction: 'ahead', zone: { name: timezone, flag: '--timezone' } });

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
    ['+1h30m', undefined, '2026-11-20T10:30:00.000Z'],
    ['2h', undefined, '2026-11-20T11:00:00.000Z'],
    ['1w', undefined, '2026-11-27T09:00:00.000Z'],
    ['in 2 hours', undefined, '2026-11-20T11:00:00.000Z'],
    ['90 minutes', undefined, '2026-11-20T10:30:00.000Z'],
    ['2026-12-01 09:00', 'Europe/Berlin', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01 09:00 +01:00', undefined, '2026-12-01T08:00:00.000Z'],
    ['2026-12-01 09:00:30Z', undefined, '2026-12-01T09:00:30.000Z'],
    ['2026-12-01 9am', 'Europe/Berlin', '2026-12-01T08:00:00.000Z'],
    // NOW is a Friday, 10:00 in Berlin.
    ['today 14:30', 'Europe/Berlin', '2026-11-20T13:30:00.000Z'],
    ['14:30', 'Europe/Berlin', '2026-11-20T13:30:00.000Z'],
    ['2:30 pm', 'Europe/Berlin', '2026-11-20T13:30:00.000Z'],
    ['tomorrow 09:00', 'Europe/Berlin', '2026-11-21T08:00:00.000Z'],
    ['Tomorrow at 9am', 'Europe/Berlin', '2026-11-21T08:00:00.000Z'],
    ['09:00 tomorrow', 'Europe/Berlin', '2026-11-21T08:00:00.000Z'],
    ['tomorrow 09:00', 'Pacific/Kiritimati', '2026-11-20T19:00:00.000Z'],
    ['tomorrow 09:00', 'Pacific/Pago_Pago', '2026-11-20T20:00:00.000Z'],
    ['tomorrow 09:00Z', undefined, '2026-11-21T09:00:00.000Z'],
    ['tomorrow 09:00 +14:00', undefined, '2026-11-20T19:00:00.000Z'],
    ['monday 09:00', 'Europe/Berlin', '2026-11-23T08:00:00.000Z'],
    ['mon 9:00', 'Europe/Berlin', '2026-11-23T08:00:00.000Z'],
    ['thursday 23:59:59', 'UTC', '2026-11-26T23:59:59.000Z'],
  ])('%s in %s', async (text, zone, instant) => {
    expect(new Date(await parsed(text, zone)).toISOString()).toBe(instant);
  });

  test.each<[text: string, zone: string | undefined, says: RegExp]>([
    ['2026-02-30T09:00Z', undefined, /is not a time\.$/],
    ['2026-11-20T23:59:60Z', undefined, /is not a time\.$/],
    ['2026-11-20T24:01Z', undefined, /is not a time\.$/],
    ['2026-11-20T09:00+24:00', undefined, /is not a time\.$/],
    ['+010000-01-01T00:00Z', undefined, /is not a time\.$/],
    ['+-5m', undefined, /is not a time\.$/],
    ['+1.5h', undefined, /is not a time\.$/],
    ['++2h', undefined, /is not a time\.$/],
    ['90', 'Europe/Berlin', /is not a time\.$/],
    ['tomorrow', 'Europe/Berlin', /is not a time\.$/],
    ['tomorrow 25:00', 'Europe/Berlin', /is not a time\.$/],
    ['tomorrow 09:60', 'Europe/Berlin', /is not a time\.$/],
    ['tomorrow monday 09:00', 'Europe/Berlin', /is not a time\.$/],
    ['tomorrow 09:00 10:00', 'Europe/Berlin', /is not a time\.$/],
    ['tomorrow 09:00 CET', 'Europe/Berlin', /is not a time\.$/],
    ['2026-02-30 09:00', 'Europe/Berlin', /is not a time\.$/],
    ['noon', 'Europe/Berlin', /is not a time\.$/],
    ['tomorrow 09:00', undefined, /has no time zone\.$/],
    ['09:00', undefined, /has no time zone\.$/],
    ['2026-12-01 09:00', undefined, /has no time zone\.$/],
    ['friday 18:00', 'Europe/Berlin', /could be 2026-11-20T18:00 or 2026-11-27T18:00: today is Friday\.$/],
    ['09:00', 'Europe/Berlin', /^--start 09:00 has passed today: it is 10:00 in Europe\/Berlin\.$/],
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

describe('the hint for a time that is refused', () => {
  test.each<[text: string, hint: string]>([
    ['soon', 'Write 2026-11-21T09:00Z, 2026-11-21T09:00+01:00, "tomorrow 09:00" or 2h.'],
    ['tomorrow', 'Write "tomorrow 09:00".'],
    ['90', 'Write 90s, 90m or 90h.'],
    ['1430', 'It could be 14:30 or 1430s.'],
    ['tomorrow 9', 'It could be "tomorrow 09:00" or "tomorrow 21:00".'],
    ['tomorrow 12am', 'Write tomorrow 12:00 for noon, or tomorrow 00:00 for midnight.'],
    ['01/12/2026 09:00', 'Write the date as 2026-12-01 or 2026-01-12.'],
    ['20.11.2026 09:00', 'Write the date as 2026-11-20.'],
    ['2026/12/1 09:00', 'Write the date as 2026-12-01.'],
    ['now', 'Leave it out to begin now.'],
    ['+1.5h', 'Did you mean 90m?'],
    ['1 month', 'Did you mean 30d?'],
    ['next monday 09:00', 'Write the date that is meant.'],
    ['09:00', 'Write "tomorrow 09:00".'],
    ['friday 18:00', 'Write the date that is meant.'],
  ])('%s', async (text, hint) => {
    await expect(parsed(text, 'Europe/Berlin')).rejects.toMatchObject({ exitCode: 3, hint });
  });

  test('the zone of this machine is named, and not taken', async () => {
    await expect(parsed('tomorrow 09:00')).rejects.toMatchObject({
      hint: expect.stringMatching(/^Add --timezone \S+, if this computer's zone is meant\. Write 2026-11-21T09:00Z, /),
    });
  });
});

describe('a time that has been', () => {
  const options: TimeOptions = { flag: '--since', now: NOW, direction: 'back', zone: 'Europe/Berlin' };

  test.each<[text: string, instant: string]>([
    ['today', '2026-11-19T23:00:00.000Z'],
    ['yesterday', '2026-11-18T23:00:00.000Z'],
    ['yesterday 14:00', '2026-11-19T13:00:00.000Z'],
    ['09:00', '2026-11-20T08:00:00.000Z'],
    ['monday', '2026-11-15T23:00:00.000Z'],
    ['thu 9am', '2026-11-19T08:00:00.000Z'],
    ['2026-11-01', '2026-10-31T23:00:00.000Z'],
    ['2026-11-01T09:00', '2026-11-01T08:00:00.000Z'],
    ['2026-11-01 09:00Z', '2026-11-01T09:00:00.000Z'],
  ])('%s', async (text, instant) => {
    expect(new Date(await parseTime(text, options)).toISOString()).toBe(instant);
  });

  test.each<[text: string, says: string]>([
    ['friday', '--since friday could be 2026-11-20 or 2026-11-13: today is Friday.'],
    ['11:00', '--since 11:00 has not come today: it is 10:00 in Europe/Berlin.'],
    ['2h', '--since 2h is not a time.'],
  ])('%s is refused', async (text, says) => {
    await expect(parseTime(text, options)).rejects.toThrow(says);
  });

  test.each<[zone: string, day: string, begins: string]>([
    // The clocks went from 24:00 to 01:00.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
    // They went back from 01:00 to 00:00: the first midnight.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
  ])('in %s, %s begins when its first hour does', async (zone, day, begins) => {
    expect(new Date(await parseTime(day, { ...options, zone })).toISOString()).toBe(begins);
  });
});

describe('a time in words', () => {
  test.each<[text: string, isSo: boolean]>([
    ['tomorrow 09:00', true],
    ['09:00', true],
    ['monday 09:00', true],
    ['2026-12-01 09:00', false],
    ['2026-12-01T09:00Z', false],
    ['+2h', false],
  ])('%s: %j', (text, isSo) => {
    expect(isInWords(text)).toBe(isSo);
  });
});

describe('a zone', () => {
  test('every one that the runtime supports can be computed with', async () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      expect(await parsed('2026-08-20T12:00', zone), zone).toEqual(expect.any(Number));
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

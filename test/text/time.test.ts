/** Times and zones of the command line: what is accepted means one instant, and what is refused is told truly. */
import { describe, expect, test } from 'vitest';
import { VagentError } from '../../src/errors.ts';
import { canonicalZone, isInWords, parseTime, type TimeOptions } from '../../src/text/time.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const NOW = Date.parse('2026-11-20T09:00:00Z');
const parsed = (text: string, timezone?: string) =>
  parseTime(text, { flag: '--start', now: NOW, direction: 'ahead', zone: { name: timezone, flag: '--timezone' } });

describe('a time', () => {
  test.each(cases<[text: string, zone: string | undefined, instant: string]>('a time'))(
    '%s in %s',
    async (text, zone, instant) => {
      expect(new Date(await parsed(text, zone)).toISOString()).toBe(instant);
    },
  );

  test.each(cases<[text: string, zone: string | undefined, says: RegExp]>('a time that is refused'))(
    '%s in %s is refused',
    async (text, zone, says) => {
      await expect(parsed(text, zone)).rejects.toThrow(says);
    },
  );

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
  test.each(cases<[text: string, hint: string]>('the hint for a time that is refused'))('%s', async (text, hint) => {
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

  test.each(cases<[text: string, instant: string]>('back'))('%s', async (text, instant) => {
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
});

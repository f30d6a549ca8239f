/** Times and zones of the command line: what is accepted means one instant, and what is refused is told truly. */
import { describe, expect, test } from 'vitest';
import { VagentError } from '../../src/errors.ts';
import { canonicalZone, isInWords, parseDay, parseTime, type TimeOptions, timeInZone } from '../../src/text/time.ts';
import { HOUR } from '../../src/text/units.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const NOW = Date.parse('2026-11-20T09:00:00Z');
const parsed = (text: string, timezone?: string) =>
  parseTime(text, { flag: '--start', now: NOW, direction: 'ahead', zone: timezone });

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

  test.each(cases<[text: string, zone: string, hint: string]>('skipped, or twice'))(
    '%s in %s is skipped or comes twice',
    async (text, zone, hint) => {
      const refusal = await parsed(text, zone).catch((error) => error);
      expect(refusal).toBeInstanceOf(VagentError);
      expect(refusal.message).toBe(
        `--start ${text} does not exist, or exists twice, in ${zone}: the clocks change then.`,
      );
      expect(refusal.hint).toBe(hint);
      // Either of what is offered is taken.
      const offered = hint.matchAll(/\S+T\S+[+-]\d\d:\d\d/g);
      for (const [time] of offered) expect(await parsed(time)).toEqual(expect.any(Number));
    },
  );
});

describe('the hint for a time that is refused', () => {
  test.each(cases<[text: string, hint: string]>('the hint for a time that is refused'))('%s', async (text, hint) => {
    await expect(parsed(text, 'Europe/Berlin')).rejects.toMatchObject({ exitCode: 3, hint });
    const [, quoted, plain] = /(?:Write|mean) (?:"(.*)"|([^ ,?]+))/.exec(hint) ?? [];
    const form = quoted ?? plain;
    if (form !== undefined) expect(await parsed(form, 'Europe/Berlin'), form).toBeGreaterThan(NOW - 2 * HOUR);
  });

  test('is taken without a zone where none is known', async () => {
    for (const text of ['soon', 'tomorrow', 'next friday', '03/04']) {
      const { hint } = await parsed(text).catch((error) => error);
      const [, form = ''] = /"(.*)"/.exec(hint) ?? [];
      expect(await parsed(form), hint).toBeGreaterThan(NOW);
    }
  });
});

describe('a time that has been', () => {
  const options: TimeOptions = { flag: '--since', now: NOW, direction: 'back', zone: 'Europe/Berlin' };

  test.each(cases<[text: string, instant: string]>('back'))('%s', async (text, instant) => {
    expect(new Date(await parseTime(text, options)).toISOString()).toBe(instant);
  });

  test.each(cases<[text: string, says: string]>('back, and refused'))('%s is refused', async (text, says) => {
    await expect(parseTime(text, options)).rejects.toThrow(says);
  });

  test.each(cases<[zone: string, day: string, begins: string]>('days without midnight'))(
    'in %s, %s begins when its first hour does',
    async (zone, day, begins) => {
      expect(new Date(await parseTime(day, { ...options, zone })).toISOString()).toBe(begins);
    },
  );
});

test.each(cases<[text: string, isSo: boolean]>('in words'))('%s is a time in words: %j', (text, isSo) => {
  expect(isInWords(text)).toBe(isSo);
});

test('an instant is shown as Intl has it, with the name of the zone, and in UTC', () => {
  const zones = ['Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Asia/Kolkata', 'Australia/Lord_Howe'];
  for (const timeZone of zones) {
    const options = { timeZone, day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
    const inIntl = new Intl.DateTimeFormat('en-GB', { ...options, hourCycle: 'h23' });
    for (let at = Date.parse('2026-01-02T00:00Z'); at < Date.parse('2026-12-31T00:00Z'); at += 11.5 * HOUR) {
      const there = inIntl.format(at).replace(',', '').replace('Sept', 'Sep');
      const utc = new Date(at).toISOString().slice(11, 16);
      expect(timeInZone(at, timeZone, NOW)).toMatch(new RegExp(`^${there} ${timeZone} \\(\\d+ \\w+ ${utc} UTC\\)$`));
    }
  }
  expect(timeInZone(NOW, 'UTC', NOW)).toBe('20 Nov 09:00 UTC');
});

describe('a zone', () => {
  test('every one that the runtime supports can be computed with', async () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      expect(await parsed('2026-08-20T12:00', zone), zone).toEqual(expect.any(Number));
    }
  });

  test.each(cases<[name: string, why: string, hint?: RegExp]>('no zone'))(
    '%s %s',
    (name, why, hint = /Europe\/Berlin/) => {
      const refused = () => canonicalZone(name, '--timezone');
      expect(refused).toThrow(`--timezone ${name} ${why}`);
      expect(refused).toThrow(expect.objectContaining({ exitCode: 3, hint: expect.stringMatching(hint) }));
    },
  );
});

describe('a day', () => {
  const dayOf = (text: string) => parseDay(text, '--start-date', () => NOW + 2 * HOUR, undefined);

  test.each(cases<[text: string, date: string]>('a day'))('%s is %s', async (text, date) => {
    expect(await dayOf(text)).toBe(date);
  });

  test.each(cases<[text: string, says: string, hint: RegExp]>('a day that is refused'))(
    '%s is refused',
    async (text, message, hint) => {
      const refusal = await dayOf(text).catch((error) => error);
      expect(refusal).toMatchObject({ exitCode: 3, message });
      expect(refusal.hint ?? '').toMatch(hint);
    },
  );

  test('a date needs no clock', async () => {
    const asked = async () => parseDay('2026-11-01', '--start-date', () => Promise.reject(new Error()), undefined);
    expect(await asked()).toBe('2026-11-01');
  });
});

import { describe, expect, test } from 'vitest';
import { parseDay } from '../../src/text/time.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

/** A Friday; it is the same day in every zone that a test may run in. */
const now = () => Date.parse('2026-11-20T11:00:00Z');
const parsed = (text: string) => parseDay(text, '--start-date', now);

describe('a day', () => {
  test.each(cases<[text: string, date: string]>('a day'))('%s is %s', async (text, date) => {
    expect(await parsed(text)).toBe(date);
  });

  test.each(cases<[text: string, says: string, hint: RegExp]>('a day that is refused'))(
    '%s is refused',
    async (text, message, hint) => {
      const refusal = await parsed(text).catch((error) => error);
      expect(refusal).toMatchObject({ exitCode: 3, message });
      expect(refusal.hint ?? '').toMatch(hint);
    },
  );

  test('a date needs no clock', async () => {
    const asked = async () => parseDay('2026-11-01', '--start-date', () => Promise.reject(new Error()));
    expect(await asked()).toBe('2026-11-01');
  });
});

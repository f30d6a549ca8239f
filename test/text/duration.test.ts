import { describe, expect, test } from 'vitest';
import { durationMeant, parseDuration, writeDuration } from '../../src/text/duration.ts';
import { casesBeside } from '../support/cases.ts';
import fc from '../support/properties.ts';

const cases = casesBeside(import.meta.filename);

describe('a duration', () => {
  test.each(cases<[text: string, seconds: number]>('a duration'))('%s is %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  test.each(cases<[text: string, meant: string | undefined]>('none'))(
    '%j is none, and perhaps meant: %j',
    (text, meant) => {
      expect(parseDuration(text)).toBeUndefined();
      expect(durationMeant(text)).toBe(meant);
    },
  );

  test('what is written is read again', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), (seconds) => {
        expect(parseDuration(writeDuration(seconds))).toBe(seconds);
      }),
    );
  });

  test('parts are added up, however they are written', () => {
    const names = { w: ['w', ' weeks'], d: ['d', ' days'], h: ['h', ' hrs'], m: ['m', ' min'], s: ['s', ' seconds'] };
    const lengths = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };
    const part = fc.tuple(fc.option(fc.nat(999), { nil: undefined }), fc.boolean());
    fc.assert(
      fc.property(
        fc.record({ w: part, d: part, h: part, m: part, s: part }),
        fc.constantFrom('', ' '),
        (parts, gap) => {
          const units = (['w', 'd', 'h', 'm', 's'] as const).filter((unit) => parts[unit][0] !== undefined);
          fc.pre(units.length > 0);
          const text = units.map((unit) => `${parts[unit][0]}${names[unit][parts[unit][1] ? 1 : 0]}`).join(gap);
          const sum = units.reduce((total, unit) => total + (parts[unit][0] as number) * lengths[unit], 0);
          expect(parseDuration(text)).toBe(sum);
        },
      ),
    );
  });
});

import { describe, expect, test } from 'vitest';
import { durationMeant, parseDuration, writeDuration } from '../../src/text/duration.ts';
import fc from '../support/properties.ts';

describe('a duration', () => {
  test.each<[text: string, seconds: number]>([
    ['0', 0],
    ['90', 90],
    ['90s', 90],
    ['90 s', 90],
    ['15m', 900],
    ['15min', 900],
    ['15 minutes', 900],
    ['2h', 7200],
    ['2 hours', 7200],
    ['1hr', 3600],
    ['3d', 259_200],
    ['1 day', 86_400],
    ['1w', 604_800],
    ['2 weeks', 1_209_600],
    ['1h30m', 5400],
    ['1h 30m', 5400],
    ['1d 2h 3m 4s', 93_784],
    ['1w1s', 604_801],
  ])('%s is %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  test.each<[text: string, meant: string | undefined]>([
    ['', undefined],
    ['s', undefined],
    ['soon', undefined],
    ['-5m', undefined],
    ['30m1h', undefined],
    ['1h1h', undefined],
    ['1e3', undefined],
    ['1h30', 'It could be 1h30m or 1h30s.'],
    ['1:30', 'It could be 1h30m or 1m30s.'],
    ['1.5h', 'Did you mean 90m?'],
    ['0,5 d', 'Did you mean 12h?'],
    ['1.0001h', undefined],
    ['2H', 'Did you mean 2h?'],
    [' 2h', 'Did you mean 2h?'],
    ['2 Hours', 'Did you mean 2 hours?'],
    ['1 month', 'Did you mean 30d?'],
    ['2y', 'Did you mean 730d?'],
  ])('%j is none, and perhaps meant: %j', (text, meant) => {
    expect(parseDuration(text)).toBeUndefined();
    expect(durationMeant(text)).toBe(meant);
  });

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

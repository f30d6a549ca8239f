/** Where the contacts of a file are: by the column of time zones if a row has one, otherwise by the number. */
import { describe, expect, test } from 'vitest';
import { checkInMemory, FILE } from '../in-memory.ts';

const everywhere = () => true;

const check = (text: string, options: Parameters<typeof checkInMemory>[1]) => checkInMemory({ [FILE]: text }, options);

test('each accepted row comes with its contact and place, and the report counts them', async () => {
  const { places, report } = await check(
    'phone,name\n+14155550100,Ann\n+4420,Bad\n+80012345678,Tim\n+14155550101,Bob\n',
    { skipInvalid: true, acceptsZones: everywhere },
  );
  const california = { zones: ['America/Los_Angeles'], country: 'US' };
  const nowhere = { zones: [], country: null };
  expect(places).toEqual([california, nowhere, california]);
  expect(report.zones).toEqual([
    { ...california, contacts: 2 },
    { ...nowhere, contacts: 1 },
  ]);
});

test('a zone of the column is called as this runtime calls it', async () => {
  const options = { acceptsZones: everywhere, zoneColumn: 'zone' };
  const { places } = await check('phone,Zone\n+80012345678,Asia/Kathmandu\n', options);
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Kathmandu' }).resolvedOptions();
  expect(places).toEqual([{ zones: [timeZone], country: null }]);
});

describe('no_common_hour', () => {
  test('for zones that are not accepted; it is asked once for the same zones and country', async () => {
    const asked: [readonly string[], string | undefined][] = [];
    const { report } = await check('phone\n+79161234567\n+14155550100\n+79261234567\n', {
      skipInvalid: true,
      acceptsZones(zones, country) {
        asked.push([zones, country]);
        return zones.length === 1;
      },
    });
    expect(asked.map(([zones, country]) => [zones.length > 1, country])).toEqual([
      [true, 'RU'],
      [false, 'US'],
    ]);
    expect(report).toMatchObject({ accepted: 1, rejected: 2, problem_counts: { no_common_hour: 2 } });
  });

  test('is a problem of the cell that names the zone', async () => {
    const { report } = await check('phone,zone\n+80012345678,Asia/Tokyo\n', {
      zoneColumn: 'zone',
      acceptsZones: () => false,
    });
    expect(report.problems).toMatchObject([{ code: 'no_common_hour', column: 'zone', value: 'Asia/Tokyo' }]);
  });
});

/** Where the contacts of a file are: by the column of time zones if a row has one, otherwise by the number. */
import { describe, expect, test } from 'vitest';
import { checkInMemory, FILE, REJECTS } from '../in-memory.ts';

const everywhere = () => true;

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

const check = (text: string, options: Parameters<typeof checkInMemory>[1]) =>
  checkInMemory({ [FILE]: bytesOf(text) }, options);

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

test('nothing is said about places if nobody asks', async () => {
  const { places, report } = await check('phone\n+14155550100\n', {});
  expect(places).toEqual([undefined]);
  expect(report).not.toHaveProperty('zones');
});

describe('a column of time zones', () => {
  const options = { acceptsZones: everywhere, zoneColumn: 'zone' };

  test('beats the number, in any case; an empty cell leaves it to the number', async () => {
    const { places } = await check(
      'phone,Zone\n+14155550100, europe/berlin \n+14155550101,\n+80012345678,Asia/Kathmandu\n',
      options,
    );
    expect(places).toEqual([
      { zones: ['Europe/Berlin'], country: 'US' },
      { zones: ['America/Los_Angeles'], country: 'US' },
      // As this runtime calls it.
      {
        zones: [new Intl.DateTimeFormat('en', { timeZone: 'Asia/Kathmandu' }).resolvedOptions().timeZone],
        country: null,
      },
    ]);
  });

  test.each(['Europe/Berlim', 'PST', '+01:00', 'Berlin', 'CEST'])('%s is no zone', async (written) => {
    const { report, rejects } = await check(`phone,zone\n+14155550100,UTC\n+14155550101,${written}\n`, {
      ...options,
      skipInvalid: true,
      rejects: REJECTS,
    });
    expect(report).toMatchObject({ accepted: 1, rejected: 1, problem_counts: { unknown_zone: 1 } });
    expect(report.problems).toEqual([
      {
        ...{ line: 3, column: 'zone', value: written, code: 'unknown_zone' },
        message: `"${written}" is not a time zone`,
        fix: expect.stringContaining('Europe/Berlin'),
      },
    ]);
    expect(rejects).toContain(`3,zone,unknown_zone,`);
  });

  test('must be in the file', async () => {
    await expect(check('phone,name\n+14155550100,Ann\n', options)).rejects.toMatchObject({
      code: 'unknown_column',
      message: '--zone-column zone: a.csv has no column zone.',
      hint: 'Columns: phone, name.',
    });
  });
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
    expect(report.problems[0]).toMatchObject({ line: 2, column: 'phone', value: '+79161234567' });
    expect(report.problems[0]?.message).toMatch(
      /^the window is never open at once in the time zones where \+79161234567 may be: \S+, \S+, \S+ and \d+ more$/,
    );
  });

  test('says if nobody can say where a number is', async () => {
    const { report } = await check('phone\n+80012345678\n', { acceptsZones: (zones) => zones.length > 0 });
    expect(report.problems).toMatchObject([
      { code: 'no_common_hour', message: 'nobody can say in which time zone +80012345678 is' },
    ]);
  });

  test('is a problem of the cell that names the zone', async () => {
    const { report } = await check('phone,zone\n+80012345678,Asia/Tokyo\n', {
      zoneColumn: 'zone',
      acceptsZones: () => false,
    });
    expect(report.problems).toMatchObject([{ code: 'no_common_hour', column: 'zone', value: 'Asia/Tokyo' }]);
  });
});

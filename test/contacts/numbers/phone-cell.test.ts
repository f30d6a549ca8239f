/** Whose phone a cell rings: exit codes, two numbers in a cell, old spellings; and the same asked of another library. */
import { describe, expect, test } from 'vitest';
import { requireDialable } from '../../../src/contacts/numbers/dialable.ts';
import { isProblem } from '../../../src/contacts/numbers/dialled.ts';
import { isAssigned, planOf } from '../../../src/contacts/numbers/numbering-plans.ts';
import { numberReader, readCell, readOrdinary } from '../../../src/contacts/numbers/phone-cell.ts';
import { SHORTEST_NUMBER } from '../../../src/contacts/numbers/two-numbers.ts';
import { E164 } from '../../../src/contract.ts';
import { casesBeside } from '../../support/cases.ts';
import { howMany, IS_FULL } from '../../support/full-matrix.ts';
import { Operator } from '../../support/program.ts';
import fc from '../../support/properties.ts';
import { COUNTRIES, EXAMPLES, isHonest, meanings, spellingsOf } from './spellings.ts';

const cases = casesBeside(import.meta.filename);

/** The number, or the sentence that says what to do. */
function read(cell: string, country?: string): string {
  const reading = numberReader(country)(cell);
  return isProblem(reading) ? `${reading.message}. ${reading.fix}` : reading.number;
}

test.each(cases<[string | undefined, string, string]>('read'))('%s %s is %s', (country, cell, number) => {
  expect(read(cell, country)).toBe(number);
});

test.each([...cases<string[]>('refused'), ...cases<string[]>('refused, with what it may be')])(
  '%s %s is refused: %s',
  (country = '', cell = '', _what = '', said = '') => {
    expect(read(cell, country)).toContain(said);
    expect(isProblem(numberReader(country)(cell)), read(cell, country)).toBe(true);
  },
);

describe('two numbers in one cell, or a number and an extension, are none', () => {
  test.each(cases<[string | undefined, string]>('two numbers'))('%s %s', (country, cell) => {
    const reading = numberReader(country)(cell);
    expect([cell, reading]).toEqual([cell, expect.objectContaining({ code: 'not_e164' })]);
    expect(isProblem(reading) && reading.fix).not.toMatch(/\d/);
  });

  test('however they are divided, in every country', () => {
    const dividers = [' – ', ' — ', ' - ', '–', '/', ' / ', ' (', ' . '];
    const tails = ['6', '12', '123', '1234'];
    // Shorter ones look like area codes.
    const assigned = EXAMPLES.filter(({ number }) => isAssigned(number) && number.length >= SHORTEST_NUMBER);
    // Each with every third tail, in turn: in numbers of most countries all of them meet.
    let turn = 0;
    const wrong = assigned.flatMap(({ country, number, national, international }) => {
      const reader = numberReader(country);
      return [national, international].flatMap((text) =>
        dividers.flatMap((divider) =>
          [...new Set([...tails, national, text])].flatMap((tail) => {
            if (!IS_FULL && turn++ % 3 !== 0) return [];
            const cell = `${text}${divider}${tail}${divider === ' (' ? ')' : ''}`;
            const reading = reader(cell);
            return isProblem(reading) ? [] : [{ country, number, cell, read: reading.number }];
          }),
        ),
      );
    });
    expect(wrong).toEqual([]);
  });

  test.each(cases<[string | undefined, string]>('letters between'))(
    'no sentence joins digits across letters: %s %s',
    (country, cell) => {
      const told = read(cell, country).replace('"', '').replace(cell, '').replace('+14155550100', '');
      expect(told).not.toMatch(/\+?\d{5}/);
    },
  );
});

describe('a number or a text given by itself is checked as strictly as those of a file', () => {
  const REMOTE = { VAGENT_BASE_URL: 'http://127.0.0.1:9', VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'k' };

  test.each(cases<[string[], number, RegExp]>('given by itself'))('%j', async (args, expected, says) => {
    const env = args.includes('--local') ? {} : REMOTE;
    const { code, stderr } = await new Operator().run(args, {
      env,
      input: 'phone,first_line\n+14155550101,Hello {Name}.\n',
    });
    expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringMatching(says) });
  });

  test('without the library, where it would refuse none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^\+(1|27|3[1-49]|4[13-9]|6[145]|81|91)[2-9]\d{5,11}$/), async (number) => {
        await requireDialable(number, '<to>');
        fc.pre(E164.test(number));
        expect([number, numberReader(undefined)(number)]).toMatchObject([number, { number }]);
      }),
      { numRuns: howMany(500, 3000) },
    );
  });
});

describe('held against google-libphonenumber', () => {
  /** A sample, of some fifty spellings each: `test/bench/spellings.ts` reads them all. */
  test('no spelling of any country’s numbers is misread in any country', () => {
    const pairs = fc.tuple(fc.constantFrom(...EXAMPLES), fc.constantFrom(...COUNTRIES), fc.boolean());
    const wrong = fc.sample(pairs, howMany(500, 1500)).flatMap(([example, elsewhere, isHome]) => {
      const country = isHome ? example.country : elsewhere;
      const reader = numberReader(country);
      return spellingsOf(example, country).flatMap((spelling) => {
        const reading = reader(spelling.text);
        if (isProblem(reading)) return [];
        const meant = meanings(spelling, country);
        return meant.includes(reading.number) ? [] : [{ country, ...spelling, read: reading.number, meant }];
      });
    });
    expect(wrong).toEqual([]);
  });

  test('what is written as its country writes it is read, but for 12 that look like something else', () => {
    const refused = EXAMPLES.flatMap((example) => {
      const reader = numberReader(example.country);
      return spellingsOf(example, example.country).flatMap((spelling) => {
        if (spelling.says !== undefined || !isHonest(spelling, example, example.country)) return [];
        const reading = reader(spelling.text);
        if (!isProblem(reading)) expect([spelling.text, reading.number]).toEqual([spelling.text, example.number]);
        return isProblem(reading) ? [`${example.country} ${spelling.text}: ${reading.fix}`] : [];
      });
    });
    expect(refused.slice(12)).toEqual([]);
  });
});

describe('the patterns of a country', () => {
  const digit = fc.integer({ min: 0, max: 9 }).map(String);
  /** Spellings of example numbers, with some digits changed. */
  const cells = fc
    .tuple(fc.constantFrom(...EXAMPLES), fc.constantFrom(...COUNTRIES), fc.boolean(), fc.nat(1000))
    .chain(([example, elsewhere, isHome, at]) => {
      const country = isHome ? example.country : elsewhere;
      const spellings = spellingsOf(example, country);
      const { text } = spellings[at % spellings.length] ?? { text: '' };
      const changes = fc.array(fc.tuple(fc.nat(text.length), digit), { maxLength: 6 });
      return changes.map((all) => {
        const characters = [...text];
        for (const [place, put] of all) if (/\d/.test(characters[place] ?? '')) characters[place] = put;
        return { country, cell: characters.join('') };
      });
    });

  test('read what they read as the library does', () => {
    let settled = 0;
    fc.assert(
      fc.property(cells, ({ country, cell }) => {
        const number = readOrdinary(cell, planOf(country));
        if (number === undefined) return;
        settled++;
        expect([country, cell, readCell(cell, country)]).toEqual([
          country,
          cell,
          { number, isAssigned: true, wrapping: undefined },
        ]);
      }),
      // Few cells are settled by the patterns alone.
      { numRuns: 6000 },
    );
    expect(settled).toBeGreaterThan(300);
  });

  test.each(cases<[string, string]>('settled by the patterns of a country'))(
    'settle what most write: %s %s',
    (country, cell) => {
      expect(readOrdinary(cell, planOf(country))).toMatch(/^\+\d+$/);
    },
  );
});

/** Whose phone a cell rings: exit codes, two numbers in a cell, old spellings; and the same asked of another library. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requireDialable } from '../../../src/contacts/numbers/dialable.ts';
import { isProblem } from '../../../src/contacts/numbers/dialled.ts';
import { isAssigned, planOf } from '../../../src/contacts/numbers/numbering-plans.ts';
import { readOrdinary } from '../../../src/contacts/numbers/ordinary-numbers.ts';
import { numberReader, readCell } from '../../../src/contacts/numbers/phone-cell.ts';
import { SHORTEST_NUMBER } from '../../../src/contacts/numbers/two-numbers.ts';
import { E164 } from '../../../src/contract.ts';
import { howMany, IS_FULL } from '../../support/full-matrix.ts';
import { Operator } from '../../support/program.ts';
import fc from '../../support/properties.ts';
import { COUNTRIES, EXAMPLES, isHonest, meanings, spellingsOf } from './spellings.ts';

/** The number, or the sentence that says what to do. */
function read(cell: string, country?: string): string {
  const reading = numberReader(country)(cell);
  return isProblem(reading) ? `${reading.message}. ${reading.fix}` : reading.number;
}

describe('what may be two numbers, or one with an extension, is refused', () => {
  test.each([
    ['one digit alone behind a number', 'DE', '0171 1234567 5'],
    ['one digit alone behind a number', 'DE', '0171.1234567.5'],
    ['one digit alone behind a number', 'DE', '+49 171 1234567 5'],
    ['one digit alone behind a number', 'AT', '0664 1234567 5'],
    ['one digit alone behind a number', 'IT', '06 1234567 8'],
    ['one digit alone behind a number', 'FI', '09 1234567 5'],
    ['two dashes in a row', 'DE', '030-1234567--12'],
    ['two dashes in a row', 'GB', '020 7946 0018--2'],
    ['two dashes in a row', 'US', '415-555-0100 - - 2'],
    ['two full stops in a row', 'DE', '0171..1234567'],
    ['a dash at the end', 'DE', '030 1234567-'],
    ['a slash at the end', 'AT', '+43 1 2345678 / '],
    ['a dash behind a slash', 'DE', '030/1234567/-12'],
    ['a number in brackets', 'DE', '030(1234567)12'],
    ['a number in brackets', 'FR', '01(42685300)12'],
    ['brackets behind the area code', 'DE', '030 (12) 1234567'],
    ['brackets behind the area code', 'DE', '+49 30 (12) 1234567'],
    ['brackets behind the area code', 'GB', '020 (12) 79460018'],
    ['brackets behind the area code', 'AU', '02 (12) 93744000'],
    ['brackets behind an exit code and an area code', 'DE', '0044 20 (79) 460018'],
  ])('%s: %s %s', (_what, country, cell) => {
    expect(isProblem(numberReader(country)(cell)), read(cell, country)).toBe(true);
  });

  test.each([
    ['DE', '030 1234567-0', '+493012345670'],
    ['DE', '(030) 1234567', '+49301234567'],
    ['DE', '0 (30) 1234567', '+49301234567'],
    ['DE', '+49 (0) 30 1234567', '+49301234567'],
    ['US', '1 (415) 555-0100', '+14155550100'],
    ['RU', '8 (495) 123-45-67', '+74951234567'],
    ['AR', '+54 9 (11) 2345-6789', '+5491123456789'],
    ['FR', '01 42 68 53 00', '+33142685300'],
  ])('but not the usual spelling %s %s', (country, cell, number) => {
    expect(read(cell, country)).toBe(number);
  });
});

describe('digits that begin with an exit code mean + and exactly the digits after it', () => {
  test.each([
    ['DE', '0044 20 7946 0018', '+442079460018'],
    ['GB', '00 (49) 30 23125006', '+493023125006'],
    ['GB', '0044 (0)20 7946 0018', '+442079460018'],
    ['US', '011 44 20 7946 0018', '+442079460018'],
    ['AU', '0011 44 20 7946 0018', '+442079460018'],
    ['AU', '0011-65-6123-4567', '+6561234567'],
    ['RU', '810 44 20 7946 0018', '+442079460018'],
    ['JP', '010 44 20 7946 0018', '+442079460018'],
    ['TH', '001 44 20 7946 0018', '+442079460018'],
    ['NG', '009 44 20 7946 0018', '+442079460018'],
    // Nobody's number, and called as it stands, like +44 7700 900123.
    ['DE', '0044 7700 900123', '+447700900123'],
  ])('%s %s', (country, cell, number) => {
    expect(read(cell, country)).toBe(number);
  });

  test.each([
    ['the code of a company, or the calling code', 'BR', '0055 33 98765-4321', '+5533987654321 or +33987654321'],
    ['the code of a company, or the calling code', 'CO', '00573511234567', '+573511234567 or +73511234567'],
    ['a 0 in brackets, where it belongs to some numbers', 'IT', '(0) 312 3456789', '+3903123456789 or +393123456789'],
    ['the same behind the calling code', 'IT', '39(0)3123456789', '+3903123456789 or +393123456789'],
    ['the code of a company', 'BR', '0022 98 5751 234', 'not a number of BR'],
    ['the code of a company, or the calling code', 'SG', '0038 1601 234567', '+381601234567 or +81601234567'],
    ['an exit code of other countries', 'US', '00 44 20 7946 0018', 'Write +442079460018, if'],
    ['an exit code of other countries', 'DE', '011 44 20 7946 0018', 'Write +442079460018, if'],
    ['an exit code of other countries, or Buenos Aires', 'AR', '01149891109', '+541149891109 or +49891109'],
    ['an exit code of other countries, or Vienna', 'AT', '011 1 500 234 5678', '+431115002345678 or +15002345678'],
    ['a trunk 0 behind the calling code', 'DE', '0044 020 7946 0018', 'Write +442079460018, if'],
    ['too long to be anybody', 'DE', '0011 44 20 7946 0018', 'too long or too short'],
  ])('or are refused: %s, %s %s', (_, country, cell, said) => {
    expect(read(cell, country)).toContain(said);
    expect(isProblem(numberReader(country)(cell))).toBe(true);
  });

  test.each([
    ['IT', '011 555 1234', '+390115551234'],
    ['AR', '011 4123-4567', '+541141234567'],
    ['AR', '011 4989-1109', '+541149891109'],
    ['BR', '(011) 95706-2236', '+5511957062236'],
    ['LB', '01 123 456', '+9611123456'],
    ['ZA', '011 492 1234', '+27114921234'],
    ['IN', '011 2345 6789', '+911123456789'],
  ])('011 begins numbers in %s: %s', (country, cell, number) => {
    expect(read(cell, country)).toBe(number);
  });
});

describe('two numbers in one cell, or a number and an extension, are none', () => {
  test.each([
    ['DE', '030 1234-030 1235'],
    ['DE', '030 1234 030 1235'],
    ['DE', '030 1234/030 1235'],
    [undefined, '+49 30 1234-030 1235'],
    [undefined, '+49 30 12345 – 6'],
    [undefined, '+49 30 12345 — 6'],
    [undefined, '+49 30 12345 ‒ 67'],
    [undefined, '+49 30 12345 − 678'],
    [undefined, '+49 30 12345 - 6789'],
    ['DE', '0049 30 12345 – 6'],
    ['DE', '030 1234567 – 12'],
    ['DE', '030 1234567–12'],
    ['DE', '030 1234567 . 12'],
    ['DE', '030 1234567 12)'],
    ['DE', '030 1234567   12'],
    ['DE', '030 1234567..12'],
    ['IT', '+39 02 1234 5678   1'],
    ['DE', '2. 01512 3456789'],
    ['DE', '(2) 01512 3456789'],
    ['DE', '12 01512 3456789'],
    ['SE', '1. 08-12 34 56'],
    ['SE', '3/ 08-12 34 56'],
    ['FI', '7-041 2345678'],
    ['ID', '2. 812345678'],
    ['IT', '3. 312 345 6789'],
    ['DE', '(030) 1234567 12)'],
    ['DE', '030 1234567 (12'],
    ['DE', '030 1234567 (12345)'],
    ['DE', '((030) 1234567)'],
    ['DE', '030 1234567/89012'],
    ['GB', '020 7946 0018 – 020 7946 0019'],
    ['GB', '020 7946 0018/020 7946 0019'],
    ['AT', '01 12345 - 0'],
  ])('%s %s', (country, cell) => {
    const reading = numberReader(country)(cell);
    expect([cell, reading]).toEqual([cell, expect.objectContaining({ code: 'not_e164' })]);
    expect(isProblem(reading) && reading.fix).not.toMatch(/\d/);
  });

  test.each([
    ['DE', '(030) 23125-002', '+493023125002'],
    ['DE', '030 23125‑002', '+493023125002'],
    ['DE', '033201/12345', '+493320112345'],
    ['DE', '030 - 1234567', '+49301234567'],
    ['US', '(415) 555 - 2673', '+14155552673'],
    ['US', '415–555–2673', '+14155552673'],
    ['FR', '01-23-45-67-89', '+33123456789'],
    ['FR', '01 02 03 04 05', '+33102030405'],
    ['AT', '0664/1234567', '+436641234567'],
    [undefined, '+44 (20) 7946 - 0018', '+442079460018'],
  ])('one number stays one: %s %s', (country, cell, number) => {
    expect(read(cell, country)).toBe(number);
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

  test.each([
    ['CH', '415-555-2673 ext. 5'],
    [undefined, '415-555-2673 ext. 5'],
    ['CH', '415-555-2673 x5'],
    ['CH', '41 55 526 73 or 44'],
    [undefined, '1 415 555 2673 Ann 5'],
  ])('no sentence joins digits across letters: %s %s', (country, cell) => {
    const told = read(cell, country).replace('"', '').replace(cell, '').replace('+14155550100', '');
    expect(told).not.toMatch(/\+?\d{5}/);
  });
});

describe('an old spelling is the same phone', () => {
  const MEXICAN = ['+5215512345678', '+525512345678'] as const;
  const BRAZILIAN = ['+551187654321', '+5511987654321'] as const;

  async function check(contacts: string, never?: string, ...flags: string[]): Promise<Record<string, unknown>> {
    const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
    const path = (name: string, text: string) => {
      writeFileSync(join(operator.home, name), text);
      return join(operator.home, name);
    };
    const lists = never === undefined ? [] : ['--exclude', path('never.txt', never)];
    const args = ['contacts', 'check', path('a.csv', contacts), ...lists, ...flags, '--json'];
    return JSON.parse((await operator.run(args)).stdout) as Record<string, unknown>;
  }

  test.each([MEXICAN, [...MEXICAN].reverse(), BRAZILIAN, [...BRAZILIAN].reverse()])(
    'as a duplicate: %s %s',
    async (...both) => {
      const [first, second] = both;
      expect(await check(`phone\n${first}\n${second}\n`)).toMatchObject({
        accepted: 1,
        duplicates: 1,
        problems: [{ line: 3, code: 'duplicate', message: `${second} is on line 2 already` }],
        preview: [{ phone_number: first }],
      });
    },
  );

  test.each([MEXICAN, [...MEXICAN].reverse(), BRAZILIAN, [...BRAZILIAN].reverse()])(
    'on a list: %s %s',
    async (...both) => {
      const [listed, called] = both;
      expect(await check(`phone\n${called}\n`, `${listed}\n`)).toMatchObject({ accepted: 0, excluded: 1 });
    },
  );

  test('is called as it stands, with a warning that says the one of today', async () => {
    expect(await check('phone\n+52 1 55 1234 5678\n')).toMatchObject({
      accepted: 1,
      warnings: [{ code: 'unassigned_number', message: '+5215512345678 is the old spelling of +525512345678' }],
      preview: [{ phone_number: '+5215512345678' }],
    });
  });

  test('on a list that separates its digits', async () => {
    expect(await check('phone\n+525512345678\n', '+52 1 55 1234 5678\n')).toMatchObject({ accepted: 0, excluded: 1 });
    expect(await check('phone\n+5511987654321\n', '(11) 8765-4321\n', '--country', 'BR')).toMatchObject({
      excluded: 1,
    });
  });

  test('misread nowhere: a list that could be read otherwise is refused', async () => {
    const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
    const [contacts, never] = [join(operator.home, 'a.csv'), join(operator.home, 'never.txt')];
    writeFileSync(contacts, 'phone\n+5533987654321\n');
    writeFileSync(never, '0055 33 98765-4321\n');
    const { code, stderr } = await operator.run(['contacts', 'check', contacts, '--exclude', never, '--country', 'BR']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/1 entry is not understood.*line 1: .*could be \+5533987654321 or \+33987654321/s);
  });
});

describe('a number given by itself is checked as strictly as those of a file', () => {
  const CALL = ['--agent', '1', '--first-line', 'Hello.'];
  const FROM = ['--from', '+14155550100'];

  test.each([
    ['call <to>', ['call', '+4402079460018', ...FROM, ...CALL]],
    ['call --from', ['call', '+14155550190', '--from', '+4402079460018', ...CALL]],
    ['call --dry-run', ['call', '+4402079460018', ...FROM, ...CALL, '--dry-run']],
    [
      'campaign create --from',
      ['campaign', 'create', '--name', 'a', '--from', '+4402079460018', '--agent', '1', '--contacts', 'a.csv'],
    ],
    ['local number add', ['local', 'number', 'add', '+4402079460018']],
    ['profile add --from', ['profile', 'add', 'x', '--local', '--from', '+4402079460018']],
  ])('%s', async (_, args) => {
    const { code, stderr } = await new Operator().run([...args, '--local']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/"\+4402079460018" is not an E\.164 number.*Write \+442079460018/s);
  });

  test.each(['+14155550190', '+442079460018'])('call %s', async (to) => {
    const { code } = await new Operator().run(['call', to, ...FROM, ...CALL, '--local']);
    expect(code).toBe(0);
  });

  test('nobody’s number is warned of before a real service calls it', async () => {
    const remote = { VAGENT_BASE_URL: 'http://127.0.0.1:9', VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'k' };
    const args = ['call', '+19995550100', ...FROM, ...CALL, '--dry-run'];
    const { code, stderr } = await new Operator().run(args, { env: remote });
    expect(code).toBe(0);
    expect(stderr).toMatch(/\+19995550100 is well-formed, but not assigned in/);
  });

  test('without the library, where it would refuse none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^\+(1|27|3[1-49]|4[13-9]|6[145]|81|91)[2-9]\d{5,11}$/), async (number) => {
        await requireDialable(number, '<to>');
        fc.pre(E164.test(number));
        expect([number, numberReader(undefined)(number)]).toMatchObject([number, { number }]);
      }),
      { numRuns: howMany(1000, 3000) },
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

  test.each([
    ['US', '(415) 200-0000'],
    ['US', '4152000000'],
    ['DE', '030 23125002'],
    ['DE', '0151 23456789'],
    ['FR', '01 23 45 67 89'],
    ['FR', '01.23.45.67.89'],
    ['GB', '020 7946 0018'],
    ['ES', '912 345 678'],
    ['BR', '(11) 98765-4321'],
    ['AU', '0412 345 678'],
  ])('settle what most write: %s %s', (country, cell) => {
    expect(readOrdinary(cell, planOf(country))).toMatch(/^\+\d+$/);
  });
});

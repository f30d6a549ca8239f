/** `contacts check` says in which time zones contacts are, as scripts and people meet it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator } from '../../support/program.ts';
import { play } from '../../support/terminal.ts';

const FILE = [
  'phone,where',
  '+14155550100,',
  '+14155550101,',
  '+34612345678,',
  '+80012345678,',
  '+80012345679,asia/tokyo',
  '',
].join('\n');

function someone(file = FILE): Operator {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  writeFileSync(join(operator.home, 'a.csv'), file);
  return operator;
}

const CHECK = ['contacts', 'check', 'a.csv'];
const CALIFORNIA = { zones: ['America/Los_Angeles'], country: 'US', contacts: 2 };

describe.concurrent('as JSON', () => {
  test('each place with its contacts, the most frequent first, and those that nobody can place', async () => {
    const { zones } = await someone().json<{ zones: unknown }>([...CHECK, '--zones']);
    expect(zones).toEqual([
      CALIFORNIA,
      { zones: [], country: null, contacts: 2 },
      { zones: ['Africa/Ceuta', 'Atlantic/Canary', 'Europe/Madrid'], country: 'ES', contacts: 1 },
    ]);
  });

  test('--zone-column beats the number, and asks too', async () => {
    const { zones } = await someone().json<{ zones: unknown[] }>([...CHECK, '--zone-column', 'Where']);
    expect(zones).toContainEqual(CALIFORNIA);
    expect(zones).toContainEqual({ zones: [], country: null, contacts: 1 });
    expect(zones).toContainEqual({ zones: ['Asia/Tokyo'], country: null, contacts: 1 });
  });

  test('without one of the flags it says nothing of them', async () => {
    expect(await someone().json(CHECK)).not.toHaveProperty('zones');
  });

  test('--window rejects those who are never inside it', async () => {
    const outcome = await someone().run([...CHECK, '--window', '09:00-11:00', '--json']);
    expect(outcome.code).toBe(3);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      accepted: 3,
      rejected: 2,
      problem_counts: { no_common_hour: 2 },
      problems: [
        { line: 5, column: 'phone', code: 'no_common_hour', value: '+80012345678' },
        { line: 6, column: 'phone', code: 'no_common_hour', value: '+80012345679' },
      ],
      // Madrid and Ceuta, and an hour behind it the Canary Islands.
      zones: [CALIFORNIA, { country: 'ES', contacts: 1 }],
    });
  });

  test('a window that is none, and a column that is none, are errors', async () => {
    const refused = await someone().run([...CHECK, '--window', '20:00-09:00', '--json']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('The window 20:00-09:00 ends before it begins.');
    const unknown = await someone().run([...CHECK, '--zone-column', 'city']);
    expect(unknown).toMatchObject({ code: 3, stdout: '' });
    expect(unknown.stderr).toContain('--zone-column city: a.csv has no column city.\n  → Columns: phone, where.');
  });
});

test('for a person: what is sure, what is not, and what nobody can say', async () => {
  const { code, text } = await play(someone(), [...CHECK, '--zones']);
  expect(code).toBe(0);
  expect(text).toContain(
    [
      'In one time zone (2)',
      '  2  US  America/Los_Angeles',
      '',
      'In any of several time zones (1)',
      '  1  ES  Africa/Ceuta, Atlantic/Canary and 1 more',
      '',
      'In which time zone, nobody can say (2)',
    ].join('\n'),
  );
});

test('for a person: of many places the most frequent, and how many are left', async () => {
  const zones = ['Asia/Tokyo', 'Asia/Seoul', 'Europe/Rome', 'Europe/Oslo', 'Africa/Lagos', 'Africa/Cairo', 'UTC'];
  const rows = [...zones, 'Asia/Tokyo'].map((zone, row) => `+8001234567${row},${zone}`);
  const { text } = await play(someone(`phone,zone\n${rows.join('\n')}\n`), [...CHECK, '--zone-column', 'zone']);
  expect(text).toContain('In one time zone (8)\n  2  --  Asia/Tokyo\n  1  --  Asia/Seoul\n');
  expect(text).toContain('  … and 2 in 2 more (--json shows all)\n');
});

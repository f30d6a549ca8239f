/** `contacts check` says in which time zones contacts are, as scripts and people meet it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test('a window that is none is an error', async () => {
  const refused = await someone().run([...CHECK, '--window', '20:00-09:00', '--json']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('The window 20:00-09:00 ends before it begins.');
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

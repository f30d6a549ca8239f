/** The contacts file as an operator hands it in: through the built program, what is sent and what is refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readContacts } from '../src/contacts/read.ts';
import type { Contact } from '../src/contract.ts';
import { InputError } from '../src/errors.ts';
import { Operator } from './support/program.ts';

const HEADER = 'phone_number,custom_first_line,custom_instruction,custom_identifiers';

const accepted: Record<string, { text: string; contacts: Contact[] }> = {
  'only the number': { text: 'phone_number\n+14155550101\n', contacts: [{ phone_number: '+14155550101' }] },
  'all columns, in any order, unknown ones left out': {
    text: 'name,custom_identifiers,custom_instruction,custom_first_line,phone_number\nAnn,a1,Be brief,Hi Ann,+14155550101\n',
    contacts: [
      {
        phone_number: '+14155550101',
        custom_first_line: 'Hi Ann',
        custom_instruction: 'Be brief',
        custom_identifiers: 'a1',
      },
    ],
  },
  'a byte order mark, header names in capitals and with spaces': {
    text: '\uFEFFPhone_Number , CUSTOM_IDENTIFIERS\r\n+14155550101,a1\r\n',
    contacts: [{ phone_number: '+14155550101', custom_identifiers: 'a1' }],
  },
  'quotes, commas and line breaks inside a cell': {
    text: `${HEADER}\n+14155550101,"Hi ""Bob"", hello","Line one\nline two",x\n`,
    contacts: [
      {
        phone_number: '+14155550101',
        custom_first_line: 'Hi "Bob", hello',
        custom_instruction: 'Line one\nline two',
        custom_identifiers: 'x',
      },
    ],
  },
  'empty cells are left out, empty lines skipped': {
    text: `${HEADER}\n\n+14155550101,,,\n\n`,
    contacts: [{ phone_number: '+14155550101' }],
  },
};

const refused: Record<string, { text: string | Buffer; code?: string; issues?: string[] }> = {
  'an empty file': { text: '', code: 'empty_file' },
  'a header and nothing else': { text: `${HEADER}\n`, code: 'empty_file' },
  'no column for the number': { text: 'name,phone\nAnn,+14155550101\n', code: 'no_phone_column' },
  'two columns of one name': {
    text: 'phone_number,phone_number\n+14155550101,+14155550102\n',
    code: 'duplicate_header',
  },
  'bytes that are not UTF-8': { text: Buffer.from('phone_number\n+1415555010\xe9\n', 'latin1'), code: 'bad_encoding' },
  'a quote that is not closed': { text: `${HEADER}\n+14155550101,"Hi\n`, code: 'unclosed_quote' },
  'numbers that are not E.164, a missing one, a ragged row, a number twice': {
    text: 'phone_number,custom_identifiers\n4155550101,a\n+14155550102,b\n,c\n+14155550103\n+14155550102,d\n',
    issues: ['line 2', 'line 4', 'line 5', 'line 6'],
  },
  'a line number after a cell with line breaks': {
    text: 'phone_number,custom_first_line\n+14155550101,"one\ntwo\nthree"\n555,x\n',
    issues: ['line 5'],
  },
};

describe('readContacts', () => {
  test.each(Object.entries(accepted))('takes %s', async (_name, { text, contacts }) => {
    expect(await readContacts(Buffer.from(text), 'contacts.csv')).toEqual(contacts);
  });

  test.each(Object.entries(refused))('refuses %s', async (_name, { text, code, issues }) => {
    const thrown: unknown = await readContacts(Buffer.from(text), 'contacts.csv').catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(InputError);
    const error = thrown as InputError;
    expect(error.message).toContain('contacts.csv');
    if (code !== undefined) expect(error.code).toBe(code);
    if (issues !== undefined) expect(error.issues.map(({ field }) => field)).toEqual(issues);
  });
});

test('one bad row in a file or on standard input: nothing is created', async () => {
  const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
  const bad = `${HEADER}\n+14155550101,,,\n555,,,\n`;
  const file = join(operator.home, 'bad.csv');
  writeFileSync(file, bad);
  const create = ['campaign', 'create', '--name', 'X', '--agent', '1', '--from', '+14155550100', '--contacts'];
  for (const [source, input] of [
    [file, ''],
    ['-', bad],
  ] as const) {
    const { code, stdout, stderr } = await operator.run([...create, source], { input });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('line 3');
  }
  expect(await operator.json(['local', 'status'])).toMatchObject({ campaigns: [], calls: 0 });
});

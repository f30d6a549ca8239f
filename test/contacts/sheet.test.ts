/** Contacts that were sent are written so that they are read again, without a flag, as the same contacts. */
import { expect, test } from 'vitest';
import type { Field } from '../../src/contacts/header/columns.ts';
import { ContactSheet } from '../../src/contacts/sheet.ts';
import type { Contact } from '../../src/contract.ts';
import { casesBeside } from '../support/cases.ts';
import fc from '../support/properties.ts';
import { checkInMemory, FILE } from './in-memory.ts';

const cases = casesBeside(import.meta.filename);

interface Sent {
  contact: Contact;
  cells: string[];
}

function written(columns: readonly string[], sent: readonly Sent[]): string {
  const used = new Set(sent.flatMap(({ contact }) => Object.keys(contact) as Field[]));
  const sheet = new ContactSheet(used, columns);
  return sheet.header + sent.map(({ contact, cells }) => sheet.line(contact, cells)).join('');
}

/** The columns and the rows that a campaign from this file would keep. */
async function sentFrom(text: string): Promise<{ columns: readonly string[]; sent: Sent[]; unusable: number }> {
  const { contacts, unusable, columns, cells } = await checkInMemory({ [FILE]: text }, {});
  return { columns, unusable, sent: contacts.map((contact, at) => ({ contact, cells: cells[at] ?? [] })) };
}

const ANN = '+14155550101';
const headerOf = (columns: string[], contact: Partial<Contact> = {}) =>
  written(columns, [{ contact: { phone_number: ANN, ...contact }, cells: columns.map((name) => `of ${name}`) }]).split(
    '\r\n',
  )[0];

test.each(cases<[what: string, columns: string[], contact: Partial<Contact>, header: string]>('columns'))(
  'the columns: %s',
  (_what, columns, contact, header) => {
    expect(headerOf(columns, contact)).toBe(header);
  },
);

/** Columns that people have, some of which are taken for a field. */
const COLUMN = fc.constantFrom(...cases<string[]>('columns that people have').flat());
const TEXT = fc
  .string({ unit: fc.constantFrom(...'aé😀 ,;|\t"\'\n={}+1'), maxLength: 12 })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const CONTACT = fc.record(
  {
    phone_number: fc.integer({ min: 0, max: 99 }),
    custom_first_line: TEXT,
    custom_instruction: TEXT,
    custom_identifiers: TEXT,
  },
  { requiredKeys: ['phone_number'] },
);

test('whatever the columns, the texts and the cells, the same contacts are read, and a second list is the first', async () => {
  const columns = fc.uniqueArray(COLUMN, { maxLength: 6, selector: (name) => name.toLowerCase() });
  const lists = columns.chain((names) =>
    fc.tuple(
      fc.constant(names),
      fc.array(fc.tuple(CONTACT, fc.array(TEXT, { minLength: names.length, maxLength: names.length })), {
        minLength: 1,
        maxLength: 5,
      }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(lists, async ([names, rows]) => {
      const seen = new Set<number>();
      const sent = rows
        .filter(([{ phone_number }]) => !seen.has(phone_number) && seen.add(phone_number))
        .map(([given, cells]) => ({
          contact: { ...given, phone_number: `+141555501${String(given.phone_number).padStart(2, '0')}` },
          cells,
        }));
      const text = written(names, sent);
      const again = await sentFrom(text);
      expect(again.unusable).toBe(0);
      expect(again.sent.map(({ contact }) => contact)).toEqual(sent.map(({ contact }) => contact));
      expect(written(again.columns, again.sent)).toBe(text);
    }),
    { numRuns: 100 },
  );
});

/** How many rows go into each part, what the parts are called, and that each part reads as the file did. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addContactFlags, type ContactOptions, rulesOf } from '../../../src/commands/shared/contacts-flags.ts';
import { checkContactsFile } from '../../../src/contacts/check-file.ts';
import { evenParts, isPartOf, partNameOf, partNames, partsOfSize } from '../../../src/contacts/cut/parts.ts';
import { aboveHeader } from '../../../src/contacts/report/above-header.ts';
import type { Contact } from '../../../src/contract.ts';
import { csvLine } from '../../../src/text/csv.ts';
import { CORPUS } from '../corpus.ts';

test.each([
  [10, 3, [4, 3, 3]],
  [9, 3, [3, 3, 3]],
  [3, 3, [1, 1, 1]],
  [7, 1, [7]],
])('%i rows in %i parts', (rows, parts, sizes) => {
  expect(evenParts(rows, parts)).toEqual(sizes);
});

test.each([
  [10, 4, [4, 4, 2]],
  [8, 4, [4, 4]],
  [3, 4, [3]],
])('%i rows in parts of %i', (rows, size, sizes) => {
  expect(partsOfSize(rows, size)).toEqual(sizes);
});

test.each([
  ['part.csv', 2, ['part-1.csv', 'part-2.csv']],
  ['part', 1, ['part-1.csv']],
  ['week.49', 1, ['week.49-1.csv']],
  ['lists/Part.TSV', 1, ['lists/Part-1.TSV']],
  ['.csv', 1, ['.csv-1.csv']],
])('%s is the name of %i parts', (name, count, names) => {
  expect(partNames(partNameOf(name), count)).toEqual(names);
});

test('names sort as their numbers do', () => {
  const names = partNames(partNameOf('p.csv'), 120);
  expect([...names].sort()).toEqual(names);
  expect(names[0]).toBe('p-001.csv');
});

test.each([
  ['part-1.csv', true],
  ['part-0012.csv', true],
  ['part-.csv', false],
  ['part-1.tsv', false],
  ['part-one.csv', false],
  ['apart-1.csv', false],
  ['part.csv', false],
])('%s is a part of part.csv: %s', (file, is) => {
  expect(isPartOf(partNameOf('part.csv'), file)).toBe(is);
});

// Reading the parts ---------------------------------------------------------------------------------------------------

const FOLDER = join(import.meta.dirname, '../corpus');

interface Checked {
  contacts: Contact[];
  /** What a part is made of. */
  header: string;
  lines: string[];
  /** Undefined if the file was refused as a whole. */
  error?: unknown;
}

/** Leaves out what cannot be used, since what is left is what is cut. */
async function check(bytes: Buffer, options: ContactOptions): Promise<Checked> {
  const read = (name: string) => readFileSync(join(FOLDER, name));
  const open = (name: string) => ({ name, bytes: chunksOf(read(name)) });
  const rules = await rulesOf(options, open);
  let header = '';
  let delimiter = '';
  const lines: string[] = [];
  try {
    const { contacts } = await checkContactsFile(
      { name: 'a.csv', bytes: chunksOf(bytes) },
      { ...rules, skipsInvalid: true, keepsContacts: true },
      {
        create: () => Promise.reject(new Error('no file of rejects is asked for')),
        progress: () => {},
        accepted: {
          begin(names, dialect) {
            delimiter = dialect.delimiter;
            header = aboveHeader(dialect) + (names === undefined ? '' : csvLine(names, delimiter));
          },
          row: (cells) => lines.push(csvLine(cells, delimiter)),
        },
      },
    );
    return { contacts: [...contacts], header, lines };
  } catch (error) {
    return { contacts: [], header, lines, error };
  }
}

async function* chunksOf(bytes: Buffer) {
  yield bytes;
}

function optionsOf(words: readonly string[]): ContactOptions {
  const command = addContactFlags(new Command().argument('[file]'));
  return command.parse([...words], { from: 'user' }).opts<ContactOptions>();
}

describe.each(Object.entries(CORPUS))('%s', (_subject, cases) => {
  const sound = cases.filter(([, , expected]) => !('error' in expected));
  test.runIf(sound.length > 0).each(sound)('%s: each part reads as the file did', async (_what, args) => {
    const [file = '', ...flags] = typeof args === 'string' ? args.split(' ') : args;
    const options = optionsOf(flags);
    const whole = await check(readFileSync(join(FOLDER, file)), options);
    expect(whole.lines).toHaveLength(whole.contacts.length);
    for (const parts of [1, 2, whole.lines.length]) {
      const again: Contact[] = [];
      let first = 0;
      for (const size of evenParts(whole.lines.length, parts)) {
        if (size === 0) continue;
        const text = whole.header + whole.lines.slice(first, first + size).join('');
        const part = await check(Buffer.from(text), options);
        expect(part.error).toBeUndefined();
        expect(part.lines).toEqual(whole.lines.slice(first, first + size));
        again.push(...part.contacts);
        first += size;
      }
      if (parts > 0) expect(again).toEqual(whole.contacts);
    }
  });
});

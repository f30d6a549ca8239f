/** How a contacts file is read: the flags that `contacts check`, `campaign create` and `campaign rehearse` share. */
import { type Command, InvalidArgumentError } from 'commander';
import type { DuplicateRule } from '../../contacts/rules.ts';
import { type Contact, contact } from '../../contract.ts';
import { country, filled, integerFrom, oneOf, repeated } from '../../flags/values.ts';

const FIELDS = Object.keys(contact.shape) as (keyof Contact)[];

export function addContactFlags(command: Command): Command {
  return command
    .option('--map <field=column>', `column of a field (${FIELDS.join(', ')}); repeatable`, repeated(mapping))
    .option('--first-line <template>', 'first line of every contact, with {{column}} or {{column|fallback}}', filled)
    .option('--instruction <template>', 'instruction of every contact, as above', filled)
    .option('--identifier <template>', 'identifier of every contact, as above', filled)
    .option('--country <code>', 'ISO code of the country of national numbers, such as DE', country)
    .option(
      '--duplicates <rule>',
      'what to do with repeated numbers: reject (default), skip or keep',
      oneOf(DUPLICATES),
    )
    .option('--exclude <file>', 'numbers never to call: a text file or a CSV; repeatable', repeated(filled))
    .option('--skip-invalid', 'leave out rows that cannot be used')
    .option('--rejects <file>', 'write the rows that cannot be used to a CSV, to be fixed', filled)
    .option('--encoding <name>', 'such as windows-1252 (default: UTF-8, or that of the byte order mark)', filled)
    .option('--delimiter <char>', 'the character between cells (default: found among , ; tab |)', delimiter)
    .option('--header-line <n>', 'the line of the header, if a title or other text is above it', integerFrom(1));
}

const DUPLICATES = ['reject', 'skip', 'keep'] as const satisfies readonly DuplicateRule[];

function mapping(text: string): { field: keyof Contact; column: string } {
  const at = text.indexOf('=');
  const field = FIELDS.find((name) => name === text.slice(0, at).trim());
  const column = text.slice(at + 1).trim();
  if (field !== undefined && column !== '') return { field, column };
  throw new InvalidArgumentError(`It must be <field>=<column>, the field one of ${FIELDS.join(', ')}.`);
}

function delimiter(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t';
  if ([...text].length === 1 && !/["\r\n]/.test(text)) return text;
  throw new InvalidArgumentError('It must be one character, or tab.');
}

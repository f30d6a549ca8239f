/** How a contacts file is read: the flags that `contacts check`, `campaign create` and `campaign rehearse` share. */
import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import { country, filled, integerFrom, type OptionsOf, oneOf, repeated } from '../../cli/flags/values.ts';
import { sourceName } from '../../cli/terminal/io.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import { ask, askOneOf } from '../../cli/terminal/prompt.ts';
import type { AcceptedRows, CheckedFile, CheckOptions } from '../../contacts/check-file.ts';
import { type ChosenColumn, FIELDS, type Field, type Mapping } from '../../contacts/header/columns.ts';
import { parseTemplate, type Templates } from '../../contacts/header/template.ts';
import {
  type ContactRules,
  DUPLICATE_RULES,
  ENCODINGS,
  type Encoding,
  encodingNamed,
  type Source,
  type ZoneRules,
} from '../../contacts/rules.ts';
import type { Context } from '../../context.ts';
import { FileError, InputError, UnavailableError, UsageError } from '../../errors.ts';
import { requireOwnCsv } from './output-file.ts';
import { requireCountry } from './phone.ts';

const FLAGS = {
  map: ['--map <field=column>', `column of a field (${FIELDS.join(', ')}); repeatable`, repeated(mapping)],
  firstLine: ['--first-line <template>', 'first line of every contact, with {{column}} or {{column|fallback}}', filled],
  instruction: ['--instruction <template>', 'instruction of every contact, as above', filled],
  identifier: ['--identifier <template>', 'identifier of every contact, as above', filled],
  country: ['--country <code>', 'ISO code of the country of national numbers, such as DE', country],
  duplicates: [
    '--duplicates <rule>',
    'what to do with repeated numbers: reject (default), skip or keep',
    oneOf(DUPLICATE_RULES),
  ],
  exclude: ['--exclude <file>', 'numbers never to call: a text file, CSV or .xlsx; repeatable', repeated(filled)],
  skipInvalid: ['--skip-invalid', 'leave out rows that cannot be used'],
  rejects: ['--rejects <file>', 'write the rows that cannot be used to a CSV, to be fixed', filled],
  encoding: ['--encoding <name>', 'such as windows-1252 (default: UTF-8, or that of the byte order mark)', filled],
  delimiter: ['--delimiter <char>', 'the character between cells (default: found among , ; tab |)', delimiter],
  sheet: ['--sheet <name>', 'sheet of a workbook, if several hold something', filled],
  headerLine: ['--header-line <n>', 'the line of the header, if a title or other text is above it', integerFrom(1)],
} as const;

/** For commands that ask where contacts are. */
export const ZONE_COLUMN = {
  zoneColumn: ['--zone-column <column>', 'column with the time zone of each contact; beats the number', filled],
} as const;

export type ContactOptions = Omit<OptionsOf<typeof FLAGS & typeof ZONE_COLUMN>, 'country'> & {
  country?: string | undefined;
};

export function addContactFlags(command: PlainCommand): PlainCommand {
  return command.takesFlags(FLAGS, 'Contacts');
}

function mapping(text: string): { field: Field; column: string } {
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

/** What the flags mean. `open` opens the file that a flag names. Throws UsageError for flags that contradict each other. */
export async function rulesOf(
  options: ContactOptions & Pick<ReadOptions, 'acceptsZones'>,
  open: (path: string, flag: string) => Source,
): Promise<ContactRules> {
  const { duplicates = 'reject', exclude = [], delimiter, headerLine, sheet, zoneColumn } = options;
  const mapping = mappingOf(options.map ?? []);
  const templates = templatesOf(options, mapping);
  const encoding = options.encoding === undefined ? undefined : encodingOf(options.encoding);
  if (options.country !== undefined) await requireCountry(options.country);
  const lists = exclude.map((path) => open(path, '--exclude'));
  const zones = options.acceptsZones && {
    column: zoneColumn === undefined ? undefined : { column: zoneColumn, name: `--zone-column ${zoneColumn}` },
    accepts: options.acceptsZones,
  };
  return {
    ...{ mapping, templates, country: options.country, duplicates, exclude: lists, encoding, delimiter, headerLine },
    ...{ sheet, zones },
  };
}

function mappingOf(given: NonNullable<ContactOptions['map']>): Mapping {
  const mapping: Partial<Record<Field, ChosenColumn>> = {};
  for (const { field, column } of given) {
    if (field in mapping) throw new UsageError(`--map ${field} is given twice.`);
    mapping[field] = { column, name: `--map ${field}=${column}` };
  }
  return mapping;
}

function templatesOf({ firstLine, instruction, identifier }: ContactOptions, mapping: Mapping): Templates {
  const given = [
    ['custom_first_line', '--first-line', firstLine],
    ['custom_instruction', '--instruction', instruction],
    ['custom_identifiers', '--identifier', identifier],
  ] as const;
  return given.flatMap(([field, flag, text]) => {
    if (text === undefined) return [];
    if (field in mapping) throw new UsageError(`${flag} and --map ${field}=… cannot be used together.`);
    return [parseTemplate(text, field, flag)];
  });
}

function encodingOf(name: string): Encoding {
  const encoding = encodingNamed(name);
  if (encoding !== undefined) return encoding;
  throw new UsageError(`--encoding ${name} is not known.`, { hint: `Encodings: ${ENCODINGS.join(', ')}.` });
}

/** What the command that reads the file adds to its flags. */
export interface ReadOptions extends ContactOptions {
  /** Where contacts are is asked if it is there: see `ZoneRules`. */
  acceptsZones?: ZoneRules['accepts'] | undefined;
  /** The flag or argument that names the file, for messages. */
  flag: string;
  keepsContacts?: CheckOptions['keepsContacts'];
  hashes?: CheckOptions['hashes'];
  leaveOut?: CheckOptions['leaveOut'];
  accepted?: AcceptedRows | undefined;
}

/** The options with the file of the argument as that of the flag. Throws UsageError if both are given. */
export function withFile<O extends { contacts?: string }>(file: string | undefined, options: O): O {
  if (file === undefined) return options;
  if (options.contacts === undefined) return { ...options, contacts: file };
  throw new UsageError(`The contacts are given twice: ${file}, and --contacts ${options.contacts}.`);
}

export async function readContacts(path: string, options: ReadOptions, context: Context): Promise<CheckedFile> {
  const { io, settings, line } = context;
  const { flag, rejects, keepsContacts, hashes, leaveOut, accepted } = options;
  if (rejects === '-') throw new UsageError('--rejects - is standard output: name another file.');
  if (rejects !== undefined) requireOwnCsv(rejects, '--rejects', line);
  const { checkContactsFile } = await import('../../contacts/check-file.ts');
  const open = (named: string, by: string) => ({ name: sourceName(named), bytes: io.chunks(named, by) });
  const rules = await rulesOf({ ...options, country: options.country ?? settings.profile()?.country }, open);
  const size = sizeOf(path);
  let read = 0;
  async function* counted(bytes: AsyncIterable<Buffer>) {
    for await (const chunk of bytes) {
      read += chunk.length;
      yield chunk;
    }
  }
  const progress = new Progress(io, 'Checking contacts');
  let severalSheets: readonly string[];
  try {
    return await checkContactsFile(
      { ...open(path, flag), bytes: counted(io.chunks(path, flag)) },
      { ...rules, skipsInvalid: options.skipInvalid === true, rejects, keepsContacts, hashes, leaveOut },
      {
        async create(named, fill) {
          const { writingFile } = await import('../../storage/files/in-progress.ts');
          return writingFile(named, line, fill);
        },
        accepted,
        progress: (rows) => progress.at(rows, undefined, size === undefined ? undefined : read / size),
      },
    );
  } catch (error) {
    const reason = error instanceof InputError ? error.reason : undefined;
    if (reason?.kind !== 'several_sheets' || !io.canAsk || path === '-') throw error;
    severalSheets = reason.sheets;
  } finally {
    progress.end();
  }
  const sheet = await ask(io, askOneOf('--sheet', 'Sheet with the contacts', severalSheets));
  return readContacts(path, { ...options, sheet }, context);
}

/** The error for a file with rows that cannot be used; `consequence` is such as `nothing was sent`. */
export function unusableRows(
  path: string,
  { report: { rows, problems }, unusable }: CheckedFile,
  consequence: string,
): InputError {
  return new InputError(`${sourceName(path)}: ${unusable} of ${rows} rows cannot be used; ${consequence}.`, {
    hint: 'vagent contacts check, with the same flags, shows how to fix each; --skip-invalid leaves them out.',
    issues: problems.map(({ line, message }) => ({ field: `line ${line}`, message })),
  });
}

/** In bytes; undefined for a pipe, and for what cannot be read, which is reported when it is opened. */
function sizeOf(path: string): number | undefined {
  try {
    return path === '-' ? undefined : statSync(path).size || undefined;
  } catch {
    return undefined;
  }
}

/** Keys of phones (`phoneKeyOfDigits`). */
export async function optedOutIfKnown({ register, io }: Context): Promise<ReadonlySet<number> | undefined> {
  try {
    return await (await register.optedOut()).phones();
  } catch (error) {
    if (!(error instanceof FileError || error instanceof UnavailableError)) throw error;
    io.warn(`it is not known who opted out, and nobody is left out for that. ${error.message}`);
    return undefined;
  }
}

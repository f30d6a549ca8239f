/** How a contacts file is read: the flags that `contacts check`, `campaign create` and `campaign rehearse` share. */
import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { PlainCommand } from '../../cli/flags/plain-command.ts';
import { country, filled, integerFrom, type OptionsOf, oneOf, repeated } from '../../cli/flags/values.ts';
import { withValue } from '../../cli/flags/written.ts';
import { sourceName } from '../../cli/terminal/io.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import { ask, askOneOf } from '../../cli/terminal/prompt.ts';
import type { AcceptedRows, CheckedFile, CheckOptions } from '../../contacts/check-file.ts';
import { type ChosenColumn, FIELDS, type Field, type Mapping } from '../../contacts/header/columns.ts';
import { parseTemplate, type Templates } from '../../contacts/header/template.ts';
import type { Reading, Refused } from '../../contacts/readings/reading.ts';
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
import { FileError, InputError, reworded, UnavailableError, UsageError } from '../../errors.ts';
import { counted } from '../../text/numbers.ts';
import { machineZone } from '../../text/time.ts';
import { requireOwnCsv } from './output-file.ts';
import { requireCountry } from './phone.ts';
import { FilesReadAgain } from './read-again.ts';
import { zoneSaid } from './times.ts';

export const CONTACT_FLAGS = {
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
  zoneColumn: ['--zone-column <column>', 'column with the time zone of each contact; overrides the number', filled],
} as const;

export type ContactOptions = Omit<OptionsOf<typeof CONTACT_FLAGS & typeof ZONE_COLUMN>, 'country'> & {
  country?: string | undefined;
};

export function addContactFlags(command: PlainCommand): PlainCommand {
  return command.takesFlags(CONTACT_FLAGS, 'Contacts');
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

/** Throws UsageError for flags that are wrong whatever the file is: before the first question. */
export function requireContactFlags(options: ContactOptions, { line }: Context): void {
  if (options.rejects === '-') throw new UsageError('--rejects - is standard output: name another file.');
  if (options.rejects !== undefined) requireOwnCsv(options.rejects, '--rejects', line);
  templatesOf(options, mappingOf(options.map ?? []));
  if (options.encoding !== undefined) encodingOf(options.encoding);
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

/** Throws UsageError. */
export function encodingOf(name: string): Encoding {
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
  /** Numbers of the organization: their countries are likely for others. */
  near?: readonly string[] | undefined;
}

/** The options with the file of the argument as that of the flag. Throws UsageError if both are given. */
export function withFile<O extends { contacts?: string }>(file: string | undefined, options: O): O {
  if (file === undefined) return options;
  if (options.contacts === undefined) return { ...options, contacts: file };
  throw new UsageError(`The contacts are given twice: ${file}, and --contacts ${options.contacts}.`);
}

/** With the options as if what was answered about the file had been given as flags. */
export interface ReadContacts<O extends ReadOptions> extends CheckedFile {
  options: O;
  /** The commands that would read the file, where nobody can be asked. */
  advice: string | undefined;
}

/**
 * Where the file is refused for how it is read, asks which reading of it is right. If nobody can be asked, the error has the
 * commands that say it.
 */
export async function readContacts<O extends ReadOptions>(
  path: string,
  given: O,
  context: Context,
): Promise<ReadContacts<O>> {
  const { io } = context;
  requireContactFlags(given, context);
  const files = new FilesReadAgain(io);
  try {
    for (let options = given; ; ) {
      const outcome = await checked(path, options, files, context).catch((error: unknown) => {
        if (error instanceof InputError) return error;
        throw error;
      });
      const isFine = !(outcome instanceof InputError) && outcome.unusable === 0 && outcome.report.accepted > 0;
      const otherwise = isFine
        ? undefined
        : await files.tried(() => otherReading(outcome, path, options, files, context));
      if (otherwise !== undefined && 'options' in otherwise) {
        options = otherwise.options;
        continue;
      }
      const advice = otherwise?.advice;
      if (!(outcome instanceof InputError)) return { ...outcome, options, advice };
      throw advice === undefined ? outcome : reworded(outcome, { hint: advice, reason: undefined });
    }
  } finally {
    await files.close();
  }
}

/** Bytes of a file that is checked in full for each way to read it. */
const LONGEST_CHECKED = 32 << 20;

async function otherReading<O extends ReadOptions>(
  outcome: Refused,
  path: string,
  given: O,
  files: FilesReadAgain,
  context: Context,
): Promise<{ options: O } | { advice: string | undefined } | undefined> {
  const { io, settings } = context;
  const reason = outcome instanceof InputError ? outcome.reason : undefined;
  if (reason?.kind === 'several_sheets') {
    if (!io.canAsk) return undefined;
    const sheet = await ask(io, askOneOf('--sheet', 'Sheet with the contacts', reason.sheets));
    return { options: { ...given, sheet } };
  }
  const [{ listReadingsOf, readingsOf }, { adviceToRead, askReading }] = await Promise.all([
    import('../../contacts/readings/readings.ts'),
    import('./which-reading.ts'),
  ]);
  const from = settings.profile()?.from;
  const near = {
    numbers: [...(given.near ?? []), ...(from === undefined ? [] : [from])],
    zone: zoneSaid(undefined, context) ?? machineZone(io.now()),
  };
  const contacts = files.of(path, given.flag);
  const trials = {
    async readings(refused: Refused, options: O): Promise<Reading[]> {
      const rules = await rulesIn(options, files, context);
      const isList = refused instanceof InputError && files.last !== path;
      if (!isList) return readingsOf(refused, contacts, rules, near);
      const list = files.of(files.last, '--exclude');
      // How the contacts are to be read comes first: the lists are read in the same way.
      const alone = await trials.check({ ...options, exclude: undefined });
      const found = alone instanceof InputError ? await readingsOf(alone, contacts, rules, near) : [];
      return found.length > 0 ? found : listReadingsOf(refused, list, contacts, rules, near);
    },
    check(options: O): Promise<Refused> {
      const { rejects: _notWritten, ...silent }: ReadOptions = { ...options, accepted: undefined, leaveOut: undefined };
      return checked(path, silent, files, context).catch((error: unknown) => {
        if (error instanceof InputError) return error;
        throw error;
      });
    },
  };
  const readings = await trials.readings(outcome, given);
  if (readings.length === 0) return undefined;
  if (!io.canAsk) {
    const isChecked = (sizeOf(path) ?? 0) < LONGEST_CHECKED;
    return { advice: await adviceToRead(outcome, given, trials, isChecked, context) };
  }
  const options = await askReading(outcome, readings, given, sourceName(path), context);
  return options && { options };
}

function rulesIn(options: ReadOptions, files: FilesReadAgain, { settings }: Context): Promise<ContactRules> {
  const open = (named: string, by: string) => {
    const { name, bytes } = files.of(named, by);
    return { name, bytes: bytes() };
  };
  return rulesOf({ ...options, country: options.country ?? settings.profile()?.country }, open);
}

async function checked(
  path: string,
  options: ReadOptions,
  files: FilesReadAgain,
  context: Context,
): Promise<CheckedFile> {
  const { io, line } = context;
  const { flag, rejects, keepsContacts, hashes, leaveOut, accepted } = options;
  const { checkContactsFile } = await import('../../contacts/check-file.ts');
  const rules = await rulesIn(options, files, context);
  const size = sizeOf(path);
  let read = 0;
  const { name, bytes } = files.of(path, flag);
  async function* counted() {
    for await (const chunk of bytes()) {
      read += chunk.length;
      yield chunk;
    }
  }
  const progress = new Progress(io, 'Checking contacts');
  try {
    return await checkContactsFile(
      { name, bytes: counted() },
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
  } finally {
    progress.end();
  }
}

/**
 * Reads the file before anything else is asked, so that nothing is answered in vain; returns the options with what was answered
 * about it. Throws what the file is refused for.
 */
export async function readFirst<O extends ContactOptions>(
  path: string,
  options: O & Pick<ReadOptions, 'near'>,
  consequence: string,
  context: Context,
): Promise<O> {
  const read = await readContacts(path, { ...options, flag: '--contacts' }, context);
  if (read.unusable > 0) throw unusableRows(path, read, consequence);
  return read.options;
}

/** The flags that say how the file is read, as given or answered, with a space before each. */
export function contactFlagsAsGiven({ io, line }: Context): string {
  const flags = Object.values(CONTACT_FLAGS).map(([written]) => written.split(' ', 1)[0] as string);
  const answered = io.answers.filter(({ flag }) => flags.includes(flag));
  const isAnswered = (flag: string) => flag !== '--map' && answered.some((answer) => answer.flag === flag);
  const given = line.only(flags.filter((flag) => flag !== '--rejects' && !isAnswered(flag)));
  return given + answered.map(({ flag, text = '' }) => ` ${withValue(flag, text)}`).join('');
}

/** The error for a file with rows that cannot be used; `consequence` is such as `nothing was sent`. */
export function unusableRows(
  path: string,
  { report: { rows, problems }, unusable, advice }: ReadContacts<ReadOptions>,
  consequence: string,
): InputError {
  return new InputError(`${sourceName(path)}: ${unusable} of ${counted(rows, 'row')} cannot be used; ${consequence}.`, {
    hint:
      advice ?? 'vagent contacts check, with the same flags, shows how to fix each; --skip-invalid leaves them out.',
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

/** What `contacts check`, `campaign create` and `campaign rehearse` share: the flags that say how a contacts file is read. */
import type { Hash } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { country, filled, oneOf, repeated } from '../../arguments.ts';
import type { ContactRules, DuplicateRule, Listener, RejectedRow } from '../../contacts/check.ts';
import type { Report } from '../../contacts/report.ts';
import type { Context } from '../../context.ts';
import { type Contact, contact } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { FileInProgress, wouldReplace } from '../../files.ts';
import { sourceName } from '../../io.ts';
import { Progress } from '../../progress.ts';

export interface ContactOptions {
  map?: { field: keyof Contact; column: string }[];
  firstLine?: string;
  instruction?: string;
  identifier?: string;
  country?: string;
  duplicates?: DuplicateRule;
  exclude?: string[];
  skipInvalid?: true;
  rejects?: string;
  encoding?: string;
  delimiter?: string;
}

const FIELDS = Object.keys(contact.shape) as (keyof Contact)[];

export function addContactFlags(command: Command): Command {
  return command
    .option('--map <field=column>', `column of a field (${FIELDS.join(', ')}); repeatable`, repeated(mapping))
    .option('--first-line <template>', 'first line of every contact, with {{column}} or {{column|fallback}}', filled)
    .option('--instruction <template>', 'instruction of every contact, as above', filled)
    .option('--identifier <template>', 'identifier of every contact, as above', filled)
    .option('--country <code>', 'ISO code of the country of national numbers, such as DE', country)
    .option('--duplicates <rule>', 'numbers that come twice: reject (default), skip or keep', oneOf(DUPLICATES))
    .option('--exclude <file>', 'numbers never to call: a text file or a CSV; repeatable', repeated(filled))
    .option('--skip-invalid', 'leave out the rows that cannot be used, and go on')
    .option('--rejects <file>', 'write those rows to a CSV, to be mended', filled)
    .option('--encoding <name>', 'such as windows-1252 (default UTF-8, or what the byte order mark says)', filled)
    .option('--delimiter <char>', 'what stands between cells (default: found among , ; tab |)', delimiter);
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

/** Where a contacts file is named on the command line, for messages. */
export interface ContactsFile {
  path: string;
  flag: string;
  /** Sees its bytes, where it is to be known again. */
  sha256?: Hash | undefined;
}

/**
 * Checks the whole file and writes the rejects, where they are wanted. Rows that cannot be used are in the report, not
 * thrown.
 */
export async function checkContactsFile(
  { path, flag, sha256 }: ContactsFile,
  options: ContactOptions,
  { io, settings }: Context,
  accept?: (contact: Contact) => void,
): Promise<Report> {
  if (options.rejects !== undefined) requireAnotherFile(options.rejects, [path, ...(options.exclude ?? [])]);
  const { checkContacts } = await import('../../contacts/check.ts');
  const rules = await readRules(options, settings.profile?.country, (list) => io.chunks(list, '--exclude'));
  const rejects = options.rejects === undefined ? undefined : await openRejects(options.rejects);
  const progress = new Progress(io, 'Checking contacts');
  const listener: Listener = { progress: (rows) => progress.at(rows) };
  if (accept !== undefined) listener.accept = accept;
  if (rejects !== undefined) Object.assign(listener, rejects.listener);
  try {
    const report = await checkContacts(hashed(io.chunks(path, flag), sha256), sourceName(path), rules, listener);
    await rejects?.finish();
    return report;
  } catch (error) {
    rejects?.abandon();
    throw error;
  } finally {
    progress.end();
  }
}

async function* hashed(chunks: AsyncIterable<Buffer>, sha256: Hash | undefined): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    sha256?.update(chunk);
    yield chunk;
  }
}

/** The rejects must not take the place of what is read, under whatever name. */
function requireAnotherFile(rejects: string, sources: readonly string[]): void {
  if (rejects !== '-' && !sources.some((source) => wouldReplace(rejects, source))) return;
  throw new UsageError(`--rejects ${rejects}: name another file.`);
}

async function readRules(
  options: ContactOptions,
  profileCountry: string | undefined,
  open: (list: string) => AsyncIterable<Buffer>,
): Promise<ContactRules> {
  const [{ TEMPLATE_FLAGS }, { parseTemplate }, { parseEncoding }, { readExclusions }] = await Promise.all([
    import('../../contacts/check.ts'),
    import('../../contacts/template.ts'),
    import('../../contacts/decode.ts'),
    import('../../contacts/exclude.ts'),
  ]);
  const mapping: ContactRules['mapping'] = readMapping(options.map ?? []);
  const templates: Record<string, ReturnType<typeof parseTemplate>> = {};
  for (const [field, text] of Object.entries({
    custom_first_line: options.firstLine,
    custom_instruction: options.instruction,
    custom_identifiers: options.identifier,
  })) {
    if (text === undefined) continue;
    const flag = TEMPLATE_FLAGS[field as keyof typeof TEMPLATE_FLAGS];
    if (field in mapping) throw new UsageError(`${flag} and --map ${field}=… exclude each other.`);
    templates[field] = parseTemplate(text, flag);
  }
  const inCountry = options.country ?? profileCountry;
  const encoding = options.encoding === undefined ? undefined : parseEncoding(options.encoding);
  const exclude = [];
  for (const list of options.exclude ?? []) {
    exclude.push(await readExclusions(open(list), sourceName(list), { country: inCountry, encoding }));
  }
  const { duplicates = 'reject', delimiter: between } = options;
  return { mapping, templates, country: inCountry, duplicates, exclude, encoding, delimiter: between };
}

function readMapping(given: NonNullable<ContactOptions['map']>): ContactRules['mapping'] {
  const mapping: Partial<Record<keyof Contact, string>> = {};
  for (const { field, column } of given) {
    if (field in mapping) throw new UsageError(`--map ${field} is given twice.`);
    mapping[field] = column;
  }
  return mapping;
}

/** Rows that are gathered before they are written. */
const ROWS_A_WRITE = 1000;

interface OpenRejects {
  listener: Pick<Listener, 'begin' | 'reject'>;
  finish(): Promise<void>;
  abandon(): void;
}

/** The file appears when the whole check is done, also where nothing was rejected: an old one would mislead. */
async function openRejects(path: string): Promise<OpenRejects> {
  const { rejectsWriter } = await import('../../contacts/rejects.ts');
  const file = FileInProgress.open(path);
  let writer: ReturnType<typeof rejectsWriter> | undefined;
  let gathered: RejectedRow[] = [];
  const flush = () => {
    if (gathered.length > 0) file.write(writer?.rows(gathered) ?? '');
    gathered = [];
  };
  return {
    listener: {
      begin(columns, form) {
        writer = rejectsWriter(columns, form);
        file.write(writer.header());
      },
      reject(row) {
        gathered.push(row);
        if (gathered.length >= ROWS_A_WRITE) flush();
      },
    },
    async finish() {
      flush();
      file.finish();
    },
    abandon: () => file.abandon(),
  };
}

/** How many rows cannot be used: those that are rejected, or come twice, unless they are to be left out. */
export function unusableRows(
  { rejected, duplicates }: Report,
  { duplicates: rule = 'reject', skipInvalid }: ContactOptions,
): number {
  if (skipInvalid) return 0;
  return rejected + (rule === 'reject' ? duplicates : 0);
}

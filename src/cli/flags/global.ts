/** The global flags: one table with their names, their values, and whether suggested commands repeat them. */
import { type Command, InvalidArgumentError } from 'commander';
import { ROW_FORMATS, type RowFormat } from '../../text/formats.ts';
import { shellWord } from '../../text/shell.ts';
import {
  baseUrl,
  type Flag,
  type FlagTable,
  filled,
  integerFrom,
  names,
  type OptionsOf,
  oneOf,
  timeout,
} from './values.ts';
import { withValue } from './written.ts';

export type OutputFormat = 'table' | RowFormat;
export const OUTPUT_FORMATS: readonly OutputFormat[] = ['table', ...ROW_FORMATS];

/** `csv, ndjson or json`. */
export function either(names: readonly string[]): string {
  return names.join(', ').replace(/, (?=[^ ]+$)/, ' or ');
}

/** Whether the value of -o is the name of a file, as other tools take it. */
export function isFileName(text: string): boolean {
  return /[./\\]/.test(text);
}

const knownFormat = oneOf(OUTPUT_FORMATS);

function readFormat(text: string): OutputFormat {
  if (!isFileName(text)) return knownFormat(text);
  const named = OUTPUT_FORMATS.find((name) => text.endsWith(`.${name}`));
  const format = named ?? 'csv';
  const file = shellWord(text);
  const out = `${named === undefined ? '-o csv ' : ''}--out ${file}`;
  throw new InvalidArgumentError(
    `It takes a format, not a file: -o ${format} > ${file} writes to one, and for calls vagent logs export ${out}.`,
  );
}

export const outputFormat = Object.assign(readFormat, { choices: OUTPUT_FORMATS });

/** For each request to a service. */
export const DEFAULT_TIMEOUT = '30s';

/** They choose the service, so suggested commands repeat them. */
const OF_CONNECTION = {
  profile: ['--profile <name>', 'use this profile', filled],
  local: ['--local', 'use the simulator'],
  store: ['--store <dir>', "the simulator's folder, or postgres://user@host/db", filled],
  register: ['--register <dir>', 'where the register and the plans are: a folder, or postgres://user@host/db', filled],
  baseUrl: ['--base-url <url>', 'use the service at this URL', baseUrl],
  org: ['--org <id>', 'organization', integerFrom(1)],
  apiKeyFile: ['--api-key-file <file>', 'read the API key from a file, or - for standard input', filled],
  insecureHttp: ['--insecure-http', 'allow plain http to another machine'],
} as const;

const OTHERS = {
  output: ['-o, --output <format>', either(OUTPUT_FORMATS), outputFormat],
  json: ['--json', 'the same as --output json'],
  jq: ['--jq <filter>', 'filter the JSON that is printed, as jq does; texts are printed as they are', filled],
  fields: ['--fields <a,b>', 'choose and order the columns', names],
  noHeader: ['--no-header', 'leave out the header line'],
  quiet: ['-q, --quiet', 'print only errors on stderr'],
  yes: ['-y, --yes', 'confirm without being asked'],
  noInput: ['--no-input', 'never ask'],
  /** Milliseconds. */
  timeout: [
    '--timeout <duration>',
    `deadline for each request, repeated attempts included (default ${DEFAULT_TIMEOUT})`,
    timeout,
  ],
  verbose: ['--verbose', 'log each request to stderr'],
  noColor: ['--no-color', 'no colours'],
  noPager: ['--no-pager', 'show long results as they are, without a pager'],
} as const;

/** Of commands that print a list. */
export const OF_LISTS = {
  sort: [
    '--sort <column>',
    'sort by a column of --fields, with :desc the largest first; holds the whole list in memory',
    filled,
  ],
} as const;

export const GLOBAL_FLAGS: FlagTable = { ...OF_CONNECTION, ...OTHERS };

/** The global flags given on the command line. */
export type GlobalFlags = OptionsOf<typeof OF_CONNECTION & typeof OTHERS & typeof OF_LISTS>;

/** Whether the output, and therefore also an error, must be JSON. */
export function isJson({ json, output }: GlobalFlags): boolean {
  return json === true || output === 'json';
}

/** The same flags where `--jq` has made JSON of the output, but not of an error. */
export function withJq(flags: GlobalFlags): GlobalFlags {
  return flags.jq === undefined ? flags : { ...flags, json: true };
}

/** The flag of every command that a word is: `--profile`, but not `--profile=work`. */
export function globalFlag(word: string): Flag | undefined {
  return Object.values(GLOBAL_FLAGS).find(([flags]) => flags.split(/[ ,]+/).includes(word));
}

/** The flags that choose the service, quoted for a shell, with a space before each. */
export function connectionFlags(given: GlobalFlags): string {
  const words = Object.entries<Flag>(OF_CONNECTION).map(([name, [flags]]) => {
    const value = given[name as keyof GlobalFlags];
    if (value === undefined) return '';
    const [flag = ''] = flags.split(' ', 1);
    const text = value instanceof URL ? value.href.replace(/\/+$/, '') : String(value);
    return ` ${value === true ? flag : withValue(flag, text)}`;
  });
  return words.join('');
}

/** The global flags of a parsed command line, from before and after the command's name; later ones win. */
export function globalFlagsOf(action: Command): GlobalFlags {
  const chain: Command[] = [];
  for (let command: Command | null = action; command !== null; command = command.parent) chain.unshift(command);
  // Defaults are left out: a default of a later command would override the flag of an earlier one.
  const given = chain.flatMap((command) =>
    Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );
  return Object.fromEntries(given);
}

/** The flags of every command as Markdown. */
export function flagsAsMarkdown(): string {
  const rows = (table: FlagTable) => Object.values(table).map(([flags, help]) => `| \`${flags}\` | ${help} |`);
  const header = ['| flag | what it does |', '| --- | --- |'];
  const own = ['| `-h, --help` | show help |', '| `-V, --version` | print the version |'];
  return [
    '# Flags of every command',
    'They stand before or after the name of the command.',
    '## Which service',
    [...header, ...rows(OF_CONNECTION)].join('\n'),
    '## Output, questions, requests',
    [...header, ...rows(OTHERS), ...own].join('\n'),
  ].join('\n\n');
}

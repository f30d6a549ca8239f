/** What is said about a mistake on the command line: the nearest right thing, and the help of the command itself. */
import type { Command } from 'commander';
import { UsageError } from '../../errors.ts';
import { shellWord } from '../../text/shell.ts';
import { nearest } from './nearest.ts';

interface NamedCommand extends Command {
  /** The command line that names it. */
  path: string;
  /** The names of the commands below it, known before those are made. */
  verbs: readonly string[];
  explanation: { formats: readonly string[] } | undefined;
  /** Those that are listed. */
  visible(): NamedCommand[];
}

/** What somebody writes who wants the output in a file. */
const FILE_FLAGS = ['--out', '--outfile', '--out-file', '--output-file', '--write', '--save'];

/** Flags of other commands that are arguments of some. */
const ARGUMENTS: Readonly<Record<string, string>> = { contacts: 'file', id: 'campaign' };

/** The error for what commander complains of: its message, and the code of its kind. */
export function mistakeOf(command: NamedCommand, message: string, code: string | undefined): UsageError {
  const [, subject = ''] = /'(.*?)'/s.exec(message) ?? [];
  const hint = `See ${command.path} --help.`;
  switch (code) {
    case 'commander.unknownCommand':
      return unknownCommand(command, command.args[0] ?? '');
    case 'commander.unknownOption':
      return new UsageError(`Unknown flag '${subject}'.`, { hint: `${similarFlag(command, subject)}${hint}` });
    case 'commander.missingArgument':
      return new UsageError(`Missing: <${subject}>.`, { hint });
    case 'commander.excessArguments':
      return new UsageError(excess(command), { hint });
    case 'commander.optionMissingArgument':
      return new UsageError(`${subject} needs a value.`, { hint });
    default:
      return new UsageError(refusalOf(message), { hint });
  }
}

export function unknownCommand(command: NamedCommand, name: string, topics: readonly string[] = []): UsageError {
  const names = namesBelow(command);
  const similar = nearest(name, [...names, ...topics]) ?? deeper(command, name);
  const guess = similar === undefined ? '' : `Did you mean ${similar}? `;
  const others = topics.length === 0 ? '' : ' Topics: vagent help topics.';
  const complaint = command.parent === null ? `Unknown command '${name}'.` : `${command.path} has no command ${name}.`;
  return new UsageError(complaint, {
    hint: `${guess}Commands: ${names.join(', ')}.${others} See ${command.path} --help.`,
  });
}

/** Where a name is that of a command further down, `export`: its path from here, `logs export`. */
function deeper(command: NamedCommand, name: string): string | undefined {
  const paths = command.visible().filter(({ verbs }) => verbs.includes(name));
  return paths.length === 0 ? undefined : paths.map((noun) => `${noun.name()} ${name}`).join(' or ');
}

export function missingCommand(command: NamedCommand): UsageError {
  return new UsageError(`${command.path} needs a command.`, {
    hint: `Commands: ${namesBelow(command).join(', ')}. See ${command.path} --help.`,
  });
}

function namesBelow(command: NamedCommand): string[] {
  return command.visible().map((child) => child.name());
}

function similarFlag(command: NamedCommand, typed: string): string {
  const [flag = ''] = typed.split('=', 1);
  const isShort = /^-[^-]$/.test(flag);
  const known = [...command.options.flatMap(({ long }) => long ?? []), '--help', '--version'];
  const argument = argumentNamed(command, flag);
  if (argument !== undefined) return `It is no flag, but an argument: ${command.path} ${argument}. `;
  if (FILE_FLAGS.includes(flag) && !known.includes('--out'))
    return 'Standard output can go to a file: -o csv > file.csv. ';
  const noun = command.parent as NamedCommand | null;
  if (flag === '--sort' && noun?.verbs.includes('list')) return `A list is sorted: ${noun.path} list --sort <column>. `;
  const synonyms = Object.entries(FLAG_SYNONYMS).filter(([, others]) => others.split(' ').includes(flag));
  const [synonym] = synonyms.find(([meant]) => known.includes(meant)) ?? [];
  const similar =
    synonym ?? nearest(flag, isShort ? ['-h', '-V', ...command.options.flatMap(({ short }) => short ?? [])] : known);
  return similar === undefined ? '' : `Did you mean ${similar}? `;
}

/** `--to` is `<to>`. */
function argumentNamed(command: NamedCommand, flag: string): string | undefined {
  const name = flag.replace(/^-+/, '').replaceAll('-', '_');
  const found = command.registeredArguments.find((argument) => argument.name() === (ARGUMENTS[name] ?? name));
  return found === undefined ? undefined : `<${found.name()}>`;
}

/** A file that stands alone goes after the flag that takes one. */
function excess(command: NamedCommand): string {
  const extra = command.args.slice(command.registeredArguments.length);
  const [first = ''] = extra;
  const takesFile = command.options.find(({ flags, hidden }) => !hidden && /<file/.test(flags));
  return takesFile !== undefined && /\.[a-z]{2,6}$/i.test(first)
    ? `A file goes after ${takesFile.long}: ${takesFile.long} ${shellWord(first)}`
    : `${command.path} does not take ${extra.map(shellWord).join(' ')}.`;
}

/** Commander's sentence about a value: what takes it, the value, and what is wrong with it. */
const TAKER = /^(?:option '(?<flags>.*?)' argument|command-argument value)/;
const FAULT = / '(?<value>.*)' is invalid(?: for argument '(?<argument>.*?)')?\. (?<why>.*)$/;
const INVALID = new RegExp(TAKER.source + FAULT.source, 's');

/** `--agent must be an integer, 1 or more, not 'x'.` */
function refusalOf(message: string): string {
  const { flags = '', value = '', argument, why = '' } = INVALID.exec(message.replace(/^error: /, ''))?.groups ?? {};
  if (why === '') {
    const sentence = message.replace(/^error: /, '').replace(/([^.?!])$/, '$1.');
    return sentence.charAt(0).toUpperCase() + sentence.slice(1);
  }
  const name = argument === undefined ? (/--[a-z-]+/.exec(flags)?.[0] ?? flags) : `<${argument}>`;
  // The value is not repeated where what is wrong with it may be credentials.
  const shown = name === '--base-url' || value.trim() === '' ? '' : `'${value}'`;
  const [, first = '', rest = ''] = /^It (.*?)\.(?= [A-Z]|$)(.*)$/s.exec(why) ?? [];
  if (first === '') return `${name} cannot be ${shown}. ${why}`;
  if (first.startsWith('takes ')) return `${name} ${first}.${rest}`;
  if (!first.startsWith('must ')) return `${name}: ${shown} ${first}.${rest}`;
  return `${name} ${first}${shown && `, not ${shown}`}.${rest}`;
}

/** Flags of vagent, and what other tools call them. A suggestion names the first that the command has. */
const FLAG_SYNONYMS: Readonly<Record<string, string>> = {
  '--agent': '--agent-id',
  '--api-key-file': '--api-key --key --token',
  '--base-url': '--url',
  '--budget': '--max-cost',
  '--calls-per-hour': '--pace --rate',
  '--contacts': '--csv --file --list',
  '--out': '--file --outfile --output-file --write',
  '--fields': '--columns',
  '--input': '--file',
  '--output': '--csv --format',
  '--end-date': '--date-to --until',
  '--first-line': '--greeting --message --text',
  '--from': '--caller-id --call-from --from-number',
  '--limit': '--count',
  '--offset': '--page',
  '--quiet': '--silent',
  '--retry': '--retry-delay',
  '--retry-attempts': '--retries',
  '--max-attempts': '--attempts --retries',
  '--search': '--text',
  '--skip-dates': '--holidays',
  '--start': '--start-time',
  '--start-date': '--date-from',
  '--timezone': '--tz',
  '--to': '--to-number',
  '--voice': '--voice-id',
  '--window': '--calling-hours --hours',
};

/** Where a command prints a list for its argument `list` alone. */
export function nothingToSort({ path }: NamedCommand): UsageError {
  return new UsageError(`--sort is for ${path} list: nothing else prints a list.`);
}

/** The filter of `--jq`. Throws UsageError where there is no JSON for it. */
export function filterFor({ path, explanation }: NamedCommand, jq: string, { output }: { output?: string }): string {
  if (!explanation?.formats.includes('json')) throw new UsageError(`${path} prints no JSON that --jq could filter.`);
  if (output === undefined || output === 'json') return jq;
  throw new UsageError(`--jq filters JSON, and the output is ${output}.`, { hint: `Leave -o ${output} out.` });
}

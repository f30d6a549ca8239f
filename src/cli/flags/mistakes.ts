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
  const others = topics.length === 0 ? '' : ` Topics: ${topics.join(', ')}.`;
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
  const synonym = FLAG_SYNONYMS[flag]?.find((meant) => known.includes(meant));
  const similar = synonym ?? nearest(flag, isShort ? ['-h', '-V', ...shortFlags(command)] : known);
  return similar === undefined ? '' : `Did you mean ${similar}? `;
}

function shortFlags(command: NamedCommand): string[] {
  return command.options.flatMap(({ short }) => short ?? []);
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

/** Flags of other tools, and those of vagent that do the same. A suggestion names the first that the command has. */
export const FLAG_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  '--agent-id': ['--agent'],
  '--api-key': ['--api-key-file'],
  '--attempts': ['--max-attempts'],
  '--caller-id': ['--from'],
  '--calling-hours': ['--window'],
  '--call-from': ['--from'],
  '--count': ['--limit'],
  '--csv': ['--contacts', '--output'],
  '--date-from': ['--start-date'],
  '--date-to': ['--end-date'],
  '--file': ['--contacts', '--out', '--input'],
  '--format': ['--output'],
  '--from-number': ['--from'],
  '--greeting': ['--first-line'],
  '--key': ['--api-key-file'],
  '--holidays': ['--skip-dates'],
  '--hours': ['--window'],
  '--list': ['--contacts'],
  '--max-cost': ['--budget'],
  '--message': ['--first-line'],
  '--outfile': ['--out'],
  '--output-file': ['--out'],
  '--page': ['--offset'],
  '--pace': ['--calls-per-hour'],
  '--rate': ['--calls-per-hour'],
  '--retries': ['--retry-attempts', '--max-attempts'],
  '--retry-delay': ['--retry'],
  '--silent': ['--quiet'],
  '--start-time': ['--start'],
  '--text': ['--first-line', '--search'],
  '--to-number': ['--to'],
  '--token': ['--api-key-file'],
  '--tz': ['--timezone'],
  '--until': ['--end-date'],
  '--url': ['--base-url'],
  '--voice-id': ['--voice'],
  '--write': ['--out'],
};

/** The manual page, vagent(1), in the macros of man(7). */
import { wrap } from '../../src/text/width.ts';
import type { DocumentedCommand, DocumentedProgram, Entry } from './commands.mts';
import type { Table } from './tables.mts';

/** Characters. */
const LONGEST_LINE = 80;

export interface ManPage extends DocumentedProgram {
  version: string;
  /** YYYY-MM-DD. */
  date: string;
  globalFlags: readonly Entry[];
  environment: Table;
  files: readonly Entry[];
  exitCodes: Table;
  topics: readonly Entry[];
}

export function manPage(page: ManPage): string {
  const { about, groups, version, date, globalFlags, environment, files, exitCodes, topics } = page;
  return [
    '.\\" Written by npm run docs.',
    `.TH VAGENT 1 ${date} "vagent ${version}" "User Commands"`,
    '.SH NAME',
    'vagent \\- run voice\\-agent phone campaigns',
    '.SH SYNOPSIS',
    '.B vagent',
    '.I command',
    '.RI [ flags ]',
    '.SH DESCRIPTION',
    text(about),
    '.PP',
    text('This page has every command. The help of one: vagent help followed by its name.'),
    ...[...groups].flatMap(([group, listed]) => [`.SH ${quoted(group.toUpperCase())}`, ...listed.flatMap(command)]),
    '.SH FLAGS OF EVERY COMMAND',
    text('They stand before or after the name of the command.'),
    ...terms(globalFlags),
    '.SH ENVIRONMENT',
    ...terms(environment),
    '.SH FILES',
    ...terms(files),
    '.SH EXIT STATUS',
    ...terms(exitCodes),
    '.SH TOPICS',
    text('Shown by vagent help followed by the name of the topic.'),
    ...terms(topics),
  ]
    .join('\n')
    .concat('\n');
}

function command(shown: DocumentedCommand): string[] {
  const { path, purpose, usage, notes, flags, examples, operation, exits } = shown;
  return [
    `.SS ${quoted(path)}`,
    text(purpose),
    '.PP',
    `.B ${quoted(usage)}`,
    ...notes.flatMap((note) => ['.PP', text(note)]),
    ...terms(shown.arguments),
    ...flags.flatMap(([heading, entries]) => [
      ...(flags.length === 1 ? [] : ['.PP', text(`${heading}:`)]),
      ...terms(entries),
    ]),
    '.PP',
    text('Examples:'),
    '.PP',
    '.RS 4',
    '.nf',
    ...examples.map((example) => asText(escaped(example))),
    '.fi',
    '.RE',
    ...(operation === undefined ? [] : ['.PP', text(`Operation: ${operation}`)]),
    '.PP',
    text(`Exit codes: ${exits.join('; ')}`),
  ];
}

function terms(entries: readonly Entry[]): string[] {
  return entries.flatMap(([term, meaning]) => ['.TP', `.B ${quoted(term)}`, text(meaning)]);
}

/** One argument of a macro. */
function quoted(line: string): string {
  return `"${escaped(line).replaceAll('"', '\\(dq')}"`;
}

/** Lines of text. */
function text(paragraph: string): string {
  return wrap(escaped(paragraph), LONGEST_LINE).map(asText).join('\n');
}

/** A line that is no request to roff, whatever it begins with. */
function asText(line: string): string {
  return line.replace(/^[.']/, '\\&$&');
}

/** A dash stays the dash that can be typed; roff would make a hyphen of it. */
function escaped(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(
      /[\u0080-\u{10ffff}]/gu,
      (char) => `\\[u${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

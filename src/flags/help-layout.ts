/**
 * Lays the help of a command out for a width: purpose, usage, arguments, flags in groups, examples, what else to know, operation,
 * exit codes.
 */
import type { Option } from 'commander';
import { wrap } from '../text/width.ts';
import { EXIT_CODES, wireName } from './help.ts';
import type { PlainCommand } from './plain-command.ts';

export interface HelpStyle {
  /** Characters in a line. */
  width: number;
  /** How a heading is written. */
  heading: (text: string) => string;
}

/** A term and what it means. */
type Entry = readonly [term: string, meaning: string];

/** Between a term and its meaning; before a term. */
const GAP = 2;
/** Below this width a meaning stands under its term. */
const NARROW = 60;
/** The widest term that the meanings of others make room for. */
const WIDEST_TERM = 30;
const FLAGS = 'Flags';

export function layOutHelp(command: PlainCommand, style: HelpStyle): string {
  const { explanation } = command;
  const commands = command.createHelp().visibleCommands(command) as PlainCommand[];
  const lists: [heading: string, entries: Entry[]][] = [
    ['Arguments', command.registeredArguments.map((argument) => [argument.name(), argument.description])],
    ['Commands', commands.map((child) => [child.term, child.summary()])],
    ...(commands.length === 0 ? flagGroups(command) : []),
  ];
  const shown = lists.filter(([, entries]) => entries.length > 0);
  const column = columnOf(shown.flatMap(([, entries]) => entries));
  const sections = [
    wrap(command.description(), style.width),
    wrap(`Usage: ${command.usageLine}`, style.width),
    ...shown.map(([heading, entries]) => [
      style.heading(`${heading}:`),
      ...layOutEntries(entries, column, style.width),
    ]),
    wrap('Flags of every command: vagent help flags', style.width),
    explanation === undefined
      ? []
      : [style.heading('Examples:'), ...explanation.examples.flatMap(exampleIn(style.width))],
    ...paragraphs(explanation?.notes).map((text) => wrap(text, style.width)),
    explanation?.operation === undefined ? [] : wrap(`Operation: ${wireName(explanation.operation)}`, style.width),
    explanation === undefined
      ? []
      : wrap(`Exit codes: ${explanation.exits.map((code) => `${code} ${EXIT_CODES[code]}`).join('; ')}`, style.width),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');
}

/** The flags of a command under the headings that they were given, those without one last. */
export function flagGroups(command: PlainCommand): [heading: string, flags: Entry[]][] {
  const groups = new Map<string, Entry[]>();
  for (const option of command.options.filter(({ hidden }) => !hidden)) {
    const heading = option.helpGroupHeading ?? FLAGS;
    groups.set(heading, [...(groups.get(heading) ?? []), entryOf(option)]);
  }
  const general = groups.get(FLAGS) ?? [];
  groups.delete(FLAGS);
  return [...groups, [FLAGS, [...general, ['-h, --help', 'show this help']]]];
}

function entryOf({ flags, description }: Option): Entry {
  return [flags, description];
}

function paragraphs(text = ''): string[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => paragraph.replace(/\s+/g, ' '));
}

/** The column in which meanings begin. */
function columnOf(entries: readonly Entry[]): number {
  const widths = entries.map(([term]) => term.length).filter((width) => width <= WIDEST_TERM);
  return GAP + Math.max(0, ...widths) + GAP;
}

export function layOutEntries(entries: readonly Entry[], column: number, width: number): string[] {
  return entries.flatMap(([term, meaning]) => {
    const head = ' '.repeat(GAP) + term;
    const isBeside = width >= NARROW && head.length + GAP <= column;
    const indent = ' '.repeat(width >= NARROW ? column : 3 * GAP);
    const lines = wrap(meaning, width - indent.length).map((line) => (line === '' ? '' : indent + line));
    const [first = '', ...rest] = lines;
    return isBeside
      ? [`${head.padEnd(column)}${first.trimStart()}`.trimEnd(), ...rest]
      : [head, ...lines.filter(Boolean)];
  });
}

/** A command line in pieces that a shell puts together again: a flag stays with its value where they fit. */
export function exampleIn(width: number): (example: string) => string[] {
  return (example) => {
    const words = example.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? [];
    const pieces = piecesOf(words, width - CONTINUED.length - 2);
    const lines: string[] = [];
    let line = '  $';
    for (const [at, piece] of pieces.entries()) {
      // A backslash after the piece needs room as well.
      const room = at === pieces.length - 1 ? width : width - 2;
      if (at > 0 && `${line} ${piece}`.length > room) {
        lines.push(`${line} \\`);
        line = `${CONTINUED}${piece}`;
      } else {
        line = `${line} ${piece}`;
      }
    }
    return [...lines, line];
  };
}

/** Before a line that continues a command. */
const CONTINUED = '     ';

function piecesOf(words: readonly string[], width: number): string[] {
  const pieces: string[] = [];
  for (const [at, word] of words.entries()) {
    const flag = words[at - 1] ?? '';
    const isValue = flag.startsWith('-') && /^[^-|>&]/.test(word) && `${flag} ${word}`.length <= width;
    if (isValue) pieces.push(`${pieces.pop()} ${word}`);
    else pieces.push(word);
  }
  return pieces;
}

/** Lays help out for a width. Commander takes the colours out where none are wanted. */
import type { Option } from 'commander';
import { hung, wrap } from '../../text/width.ts';
import { painted } from '../terminal/table.ts';
import { EXIT_CODES, type Explanation, wireName } from './help.ts';
import type { PlainCommand } from './plain-command.ts';

/** A term and what it means. */
type Entry = readonly [term: string, meaning: string];

/** Between a term and its meaning; before a term. */
const GAP = 2;
/** Below this width a meaning stands under its term. */
const NARROW = 60;
/** The widest term that the meanings of others make room for. */
const WIDEST_TERM = 30;
const FLAGS = 'Flags';
const BOLD = 1;

/** The help of a command: purpose, usage, arguments, flags in groups, examples, what else to know, operation, exit codes. */
export function layOutHelp(command: PlainCommand, width: number): string {
  if (command.parent === null) return layOutOverview(command, width);
  const { explanation } = command;
  const commands = command.visible();
  const lists: [heading: string, entries: Entry[]][] = [
    ['Arguments', command.registeredArguments.map((argument) => [argument.name(), argument.description])],
    ['Commands', commands.map((child) => [child.term, child.summary()])],
    ...(commands.length === 0 ? flagGroups(command) : []),
  ];
  const rare = explanation?.rare;
  const isRare = ([term]: Entry) => rare?.flags.some((flag) => term.split(' ', 1)[0] === flag) === true;
  const shown = lists.filter(([, entries]) => entries.length > 0);
  const column = columnOf(shown.flatMap(([, entries]) => entries.filter((entry) => !isRare(entry))));
  const examples = explanation === undefined ? [] : layOutExamples(explanation, width);
  return parts([
    wrap(command.description(), width),
    wrap(`Usage: ${command.usageLine}`, width),
    // Of a long help, what most people came for.
    ...(rare === undefined ? [] : [examples]),
    ...shown.map(([heading, entries]) => [
      painted(`${heading}:`, BOLD),
      ...layOutEntries(
        entries.filter((entry) => !isRare(entry)),
        column,
        width,
      ),
      ...layOutRare(entries.filter(isRare), width),
    ]),
    wrap(rare?.more ?? '', width).filter((line) => line !== ''),
    wrap('Flags of every command: vagent help flags', width),
    ...(rare === undefined ? [examples] : []),
    ...(explanation === undefined ? [] : explained(explanation, width)),
  ]);
}

function layOutExamples({ examples }: Explanation, width: number): string[] {
  return examples.length === 0 ? [] : [painted('Examples:', BOLD), ...examples.flatMap(exampleIn(width))];
}

/** By their names alone. */
function layOutRare(entries: readonly Entry[], width: number): string[] {
  const names = entries.map(([term]) => term.split(' ', 1)[0]).join(', ');
  return names === '' ? [] : hung('  also ', names, width);
}

function explained({ notes, operation, exits }: Explanation, width: number): string[][] {
  return [
    ...paragraphs(notes).map((text) => wrap(text, width)),
    operation === undefined ? [] : wrap(`Operation: ${wireName(operation)}`, width),
    wrap(`Exit codes: ${exits.map((code) => `${code} ${EXIT_CODES[code]}`).join('; ')}`, width),
  ];
}

/** Parts with an empty line between them. */
function parts(all: readonly (readonly string[])[]): string {
  return all
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');
}

/** The flags of a command under the headings that they were given, those without one last. */
export function flagGroups(command: PlainCommand): [heading: string, flags: Entry[]][] {
  const shown = command.options.filter(({ hidden }) => !hidden);
  const groups = command.createHelp().groupItems(shown, shown, ({ helpGroupHeading = FLAGS }) => helpGroupHeading);
  const general = groups.get(FLAGS) ?? [];
  groups.delete(FLAGS);
  const entries = (options: readonly Option[]) => options.map(({ flags, description }): Entry => [flags, description]);
  const own = [...groups].map(([heading, options]): [string, Entry[]] => [heading, entries(options)]);
  return [...own, [FLAGS, [...entries(general), ['-h, --help', 'show this help']]]];
}

function paragraphs(text = ''): string[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => paragraph.replace(/`([^`]+)`/g, '$1').replace(/\s+/g, ' '));
}

/** The column in which meanings begin. */
function columnOf(entries: readonly Entry[]): number {
  const widths = entries.map(([term]) => term.length).filter((width) => width <= WIDEST_TERM);
  return GAP + Math.max(0, ...widths) + GAP;
}

function layOutEntries(entries: readonly Entry[], column: number, width: number): string[] {
  return entries.flatMap(([term, meaning]) => {
    const head = ' '.repeat(GAP) + term;
    const isBeside = width >= NARROW && head.length + GAP <= column;
    const indent = ' '.repeat(width >= NARROW ? column : 3 * GAP);
    const lines = isBeside ? hung(head.padEnd(column), meaning, width) : [head, ...hung(indent, meaning, width)];
    return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  });
}

/** A command line in pieces that a shell puts together again: a flag stays with its value where they fit. */
export function exampleIn(width: number, prompt = '  $'): (example: string) => string[] {
  return (example) => {
    const words = example.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? [];
    const pieces = piecesOf(words, width - CONTINUED.length - 2);
    const lines: string[] = [];
    let line = prompt;
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

// The overview ------------------------------------------------------------------------------------------------------

/** The column in which the text of a note begins. */
const LABEL = 9;

/** The help of the program itself: what it is, its commands in groups, and where to start, on one screen. */
function layOutOverview(program: PlainCommand, width: number): string {
  const shown = program.visible();
  const groups = program.createHelp().groupItems(shown, shown, (command) => command.helpGroup());
  const names = [...groups.values()].flat().map((command) => command.name().length);
  const nameColumn = Math.max(...names) + 2;
  const groupColumn = Math.max(...[...groups.keys()].map((group) => group.length)) + 2;
  const beside = [...groups].flatMap(([group, commands]) =>
    commands.map((command, at) => {
      const label = (at === 0 ? group : '').padEnd(groupColumn);
      return `${label}${command.name().padEnd(nameColumn)}${command.summary()}`;
    }),
  );
  const below = [...groups].flatMap(([group, commands]) => {
    const entries = commands.map((command) => [command.name(), command.summary()] as const);
    return [group, ...layOutEntries(entries, GAP + nameColumn, width)];
  });
  const lines = beside.every((line) => line.length <= width) ? beside : below;
  const notes = (program.explanation?.notes ?? '').split('\n\n');
  const [first = [], last = []] = notes.map((block) => block.split('\n').flatMap((note) => hanging(note, width)));
  return parts([[...wrap(program.description().replace(/\n/g, ' '), width), ...first], lines, last]);
}

/** `Start: …`, with what follows the first word wrapped beside it. */
function hanging(note: string, width: number): string[] {
  const [label = ''] = note.split(' ', 1);
  const text = note.slice(label.length).trim();
  return hung(label.padEnd(LABEL), text, width);
}

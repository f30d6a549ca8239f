/** What is to be completed: a command line as it stands in a shell while Tab is pressed, its command and flags, and the cursor. */
import type { Argument, Option } from 'commander';
import { globalFlag } from '../flags/global.ts';
import type { PlainCommand } from '../flags/plain-command.ts';
import type { Described } from '../flags/values.ts';

/** A value, and a few words about it. */
export interface Candidate {
  value: string;
  about: string;
}

/** What stands at the cursor. `typed` is as much of it as is there. */
export type Place =
  /** The value of a flag; `prefix` is `--flag=` if flag and value are one word. */
  | { kind: 'value'; option: Option; prefix: string; typed: string }
  | { kind: 'flag'; typed: string }
  /** A command, or an argument. */
  | { kind: 'word'; typed: string };

/** What can be typed. */
export interface Tree {
  root: PlainCommand;
  /** A command line with aliases replaced. Throws UsageError for what cannot be done. */
  meantBy(words: readonly string[]): readonly string[];
}

export interface Request {
  /** The innermost command that was typed. */
  command: PlainCommand;
  /** Flags and their values, as typed; of those that are given again, the last. */
  given: Map<Option, string>;
  /** Arguments of the command. */
  args: string[];
  place: Place;
}

/** Reads the words of a command line, without the program's name. Loads the commands that are named, and no others. */
export async function readRequest({ root, meantBy }: Tree, line: TypedLine): Promise<Request> {
  let command = root;
  const given = new Map<Option, string>();
  const args: string[] = [];
  let open: Option | undefined;
  let isPastFlags = false;
  for (const word of withoutAliases(line, meantBy)) {
    if (open !== undefined) {
      given.set(open, word);
      open = undefined;
    } else if (isPastFlags) args.push(word);
    else if (word === '--') isPastFlags = true;
    else if (word.startsWith('-') && word !== '-') {
      const [option, value] = flagIn(command, word);
      if (option === undefined) continue;
      if (value === undefined && option.required) open = option;
      else given.set(option, value ?? '');
    } else {
      const child = args.length === 0 ? command.child(word) : undefined;
      if (child === undefined) args.push(word);
      else {
        command = child;
        await command.complete();
      }
    }
  }
  return { command, given, args, place: placeOf(command, line, open, isPastFlags) };
}

/** The word that is being typed may become an alias, but it is none yet. */
function withoutAliases({ words, last }: TypedLine, meantBy: Tree['meantBy']): readonly string[] {
  const meant = meantBy([...words, last]);
  return meant.at(-1) === last ? meant.slice(0, -1) : words;
}

function placeOf(
  command: PlainCommand,
  { last, quote }: TypedLine,
  open: Option | undefined,
  isPastFlags: boolean,
): Place {
  if (open !== undefined) return { kind: 'value', option: open, prefix: '', typed: last };
  if (isPastFlags || !last.startsWith('-')) return { kind: 'word', typed: last };
  const [option, value] = flagIn(command, last);
  if (option?.required && value !== undefined) {
    return { kind: 'value', option, prefix: last.slice(0, last.length - value.length), typed: value };
  }
  return quote !== '' ? { kind: 'word', typed: last } : { kind: 'flag', typed: last };
}

export function commandsBelow(command: PlainCommand): Candidate[] {
  return command.visible().map((child) => ({ value: child.name(), about: child.summary() }));
}

/** The flag that a word names, and the value that is attached to it: `--output=json`, or `-ojson`. */
function flagIn(command: PlainCommand, word: string): [option?: Option | undefined, value?: string] {
  const [name = ''] = word.split('=', 1);
  const flags = flagsOf(command);
  const found = flags.find(({ long, short }) => name === long || word === short);
  if (found !== undefined) return word.includes('=') ? [found, word.slice(name.length + 1)] : [found];
  const attached = word.startsWith('--') ? undefined : flags.find(({ short }) => short === word.slice(0, 2));
  return attached?.required ? [attached, word.slice(2)] : [attached];
}

/** The flags that a command takes: its own, and those of every command. */
export function flagsOf(command: PlainCommand): Option[] {
  return command.options.filter(({ hidden, long }) => !hidden || globalFlag(long ?? '') !== undefined);
}

export function describedBy(taker: Option | Argument): Described {
  return (taker.parseArg as Described | undefined) ?? {};
}

// The words of a line ---------------------------------------------------------------------------------------------------

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export interface TypedLine {
  /** The words before the one that is being typed, without their quotes. */
  words: string[];
  /** The one that is being typed, without quotes; empty after a space. */
  last: string;
  /** The quote that is still open in it, or nothing. */
  quote: '' | '"' | "'";
}

/**
 * Reads what a shell's completion function passes: the raw line, whole or split at spaces. Only fish splits it into words
 * itself, all but the last. Nothing is expanded: neither variables nor commands.
 */
export function readLine(shell: Shell, parts: readonly string[]): TypedLine {
  if (shell !== 'fish') return split(parts.join(' '), shell);
  const { words, last, quote } = split(parts.at(-1) ?? '', shell);
  return { words: [...parts.slice(0, -1), ...words], last, quote };
}

function split(text: string, shell: Shell): TypedLine {
  const escaping = shell === 'powershell' ? '`' : '\\';
  const words: string[] = [];
  let last = '';
  let isWord = false;
  let quote: TypedLine['quote'] = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    const next = text[at + 1];
    if (char === escaping && quote !== "'") {
      // In double quotes a backslash stands for itself before an ordinary character.
      if (quote === '"' && shell !== 'powershell' && next !== undefined && !'$`"\\'.includes(next)) last += char;
      last += next ?? '';
      isWord = true;
      at++;
    } else if (quote !== '') {
      if (char !== quote) last += char;
      else if (shell === 'powershell' && next === quote) last += text[++at];
      else quote = '';
    } else if (char === '"' || char === "'") {
      quote = char;
      isWord = true;
    } else if (/\s/.test(char)) {
      if (isWord) words.push(last);
      last = '';
      isWord = false;
    } else {
      last += char;
      isWord = true;
    }
  }
  return { words, last, quote };
}

/** Commander's command without its guesses: a flag, a value or a command is exactly what was typed, or is refused. */
import { Command, type ErrorOptions, type HelpContext, type Option, type ParseOptionsResult } from 'commander';
import { UsageError } from '../errors.ts';
import { shellWord } from '../text/shell.ts';
import type { Explanation } from './help.ts';
import { layOutHelp } from './help-layout.ts';
import { nearest } from './nearest.ts';
import { layOutOverview } from './overview.ts';
import { FLAG_SYNONYMS } from './synonyms.ts';
import type { Described } from './values.ts';

/** A flag as it was written; `text` is undefined if it takes no value. */
export interface WrittenFlag {
  flag: string;
  text: string | undefined;
  isRepeatable: boolean;
}

/** The argument of commander's help function; an old form of it is a function. */
type HelpSubject = HelpContext | ((text: string) => string);

/** What somebody writes who wants the output in a file. */
const FILE_FLAGS = ['--out', '--outfile', '--out-file', '--output-file', '--write', '--save'];

/** Flags of other commands that are arguments of some. */
const ARGUMENTS: Readonly<Record<string, string>> = { contacts: 'file', id: 'campaign' };

export class PlainCommand extends Command {
  /** The arguments, as shown in the parent's list of commands. */
  takes = '';
  /** What its help says beside its arguments and flags. */
  explanation: Explanation | undefined;
  /** The names of the commands below it, known before those are made. */
  verbs: readonly string[] = [];
  #complete: (() => void | Promise<void>) | undefined;
  readonly #given: WrittenFlag[] = [];
  /** Arguments that the command asks for if they are missing. */
  readonly #asked = new Set<string>();

  constructor(name?: string) {
    super(name);
    this.hook('preSubcommand', (_parent, chosen) => (chosen as PlainCommand).complete());
  }

  /**
   * The function that adds flags, arguments, subcommands and action; it runs only for a command that is used or shows its help.
   */
  completeBy(complete: () => void | Promise<void>): void {
    this.#complete = complete;
  }

  /** Returns a promise only if there is something to wait for, because commander then waits too. */
  complete(): void | Promise<void> {
    const complete = this.#complete;
    this.#complete = undefined;
    return complete?.();
  }

  /** How the command appears in a list of commands. */
  get term(): string {
    return this.takes === '' ? this.name() : `${this.name()} ${this.takes}`;
  }

  /** `vagent logs show [flags] <call_id>` */
  get usageLine(): string {
    if (this.commands.length > 0) return `${this.path} <command> [flags]`;
    return [this.path, '[flags]', ...(this.takes === '' ? [] : [this.takes])].join(' ');
  }

  override createCommand(name?: string): PlainCommand {
    return new PlainCommand(name);
  }

  /** `--no-answer-rate` is an ordinary flag; commander would take it for the opposite of `--answer-rate`. */
  override createOption(flags: string, description?: string): Option {
    const option = super.createOption(flags, description);
    option.negate = false;
    return option;
  }

  override addOption(option: Option): this {
    super.addOption(option);
    const flag = option.long ?? option.flags;
    return this.on(`option:${option.name()}`, (text: string | null | undefined) =>
      this.#given.push({
        flag,
        text: text ?? undefined,
        isRepeatable: (option.parseArg as Described | undefined)?.isRepeatable === true,
      }),
    );
  }

  /** The flags as written on the command line, before and after this command's name; of those that are not repeatable, the last. */
  given(): WrittenFlag[] {
    const all = [...((this.parent as PlainCommand | null)?.given() ?? []), ...this.#given];
    return all.filter(
      ({ flag, isRepeatable }, at) => isRepeatable || !all.slice(at + 1).some((later) => later.flag === flag),
    );
  }

  /** Says that the command asks for its last argument if it is missing. */
  asksForLast(): this {
    this.#asked.add(this.registeredArguments.at(-1)?.name() ?? '');
    return this;
  }

  /** Commander calls this for each required argument that is missing. */
  missingArgument(name: string): void {
    if (this.#asked.has(name)) return;
    this.error(`error: missing required argument '${name}'`, { code: 'commander.missingArgument' });
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    this.#requireValues(words);
    return super.parseOptions(words);
  }

  /** A flag is never a value: otherwise an agent might say "--instruction" as its first line because the text was forgotten. */
  #requireValues(words: readonly string[]): void {
    for (let at = 0; at < words.length && words[at] !== '--'; at++) {
      const option = this.#flag(words[at]);
      if (option === undefined || !option.required) continue;
      const value = words[++at];
      if (value === undefined || !this.#isFlag(value)) continue;
      throw new UsageError(`${option.flags} needs a value, and ${value} is a flag.`, {
        hint: `If it is the value: ${option.long}=${value}`,
      });
    }
  }

  #flag(word: string | undefined): Option | undefined {
    return this.options.find(({ short, long }) => word === short || word === long);
  }

  #isFlag(word: string): boolean {
    const [name = ''] = word.split('=', 1);
    return ['--', '-h', '--help'].includes(name) || this.#flag(name) !== undefined;
  }

  /** The command line that names this command: `vagent logs export`. */
  get path(): string {
    return this.parent === null ? this.name() : `${(this.parent as PlainCommand).path} ${this.name()}`;
  }

  /** Shows the help of the command at a path below this one. Throws UsageError, which suggests a command or a topic. */
  async helpOf([name, ...rest]: readonly string[], topics: readonly string[] = []): Promise<never> {
    await this.complete();
    if (name === undefined) return this.help();
    const command = this.#child(name);
    if (command !== undefined) return command.helpOf(rest);
    if (this.commands.length === 0) {
      throw new UsageError(`${this.path} has no commands, and ${name} is none.`, { hint: `See ${this.path} --help.` });
    }
    throw this.#unknownCommand(name, topics);
  }

  #child(name: string): PlainCommand | undefined {
    return this.commands.find((command) => command.name() === name) as PlainCommand | undefined;
  }

  /** Commander reports every mistake on the command line here. */
  override error(message: string, options: ErrorOptions = {}): never {
    const [, subject = ''] = /'(.*?)'/s.exec(message) ?? [];
    const see = `See ${this.path} --help.`;
    switch (options.code) {
      case 'commander.unknownCommand':
        throw this.#unknownCommand(this.args[0] ?? '');
      case 'commander.unknownOption':
        throw new UsageError(`Unknown flag '${subject}'.`, { hint: `${this.#similarFlag(subject)}${see}` });
      case 'commander.missingArgument':
        throw new UsageError(`Missing: <${subject}>.`, { hint: see });
      case 'commander.excessArguments':
        throw this.#tooMuch(see);
      case 'commander.optionMissingArgument':
        throw new UsageError(`${subject} needs a value.`, { hint: see });
      default:
        throw new UsageError(refusalOf(message), { hint: see });
    }
  }

  #unknownCommand(name: string, topics: readonly string[] = []): UsageError {
    const names = this.#visible().map((command) => command.name());
    const similar = nearest(name, [...names, ...topics]) ?? this.#deeper(name);
    const guess = similar === undefined ? '' : `Did you mean ${similar}? `;
    const others = topics.length === 0 ? '' : ` Topics: ${topics.join(', ')}.`;
    const complaint = this.parent === null ? `Unknown command '${name}'.` : `${this.path} has no command ${name}.`;
    return new UsageError(complaint, {
      hint: `${guess}Commands: ${names.join(', ')}.${others} See ${this.path} --help.`,
    });
  }

  /** Where a name is that of a command further down, `export`: its path from here, `logs export`. */
  #deeper(name: string): string | undefined {
    const paths = this.#visible().filter(({ verbs }) => verbs.includes(name));
    return paths.length === 0 ? undefined : paths.map((command) => `${command.name()} ${name}`).join(' or ');
  }

  #visible(): PlainCommand[] {
    return this.createHelp().visibleCommands(this) as PlainCommand[];
  }

  #similarFlag(typed: string): string {
    const [flag = ''] = typed.split('=', 1);
    const known = this.options.flatMap(({ long }) => long ?? []);
    const argument = this.#argumentNamed(flag);
    if (argument !== undefined) return `It is no flag, but an argument: ${this.path} ${argument}. `;
    if (FILE_FLAGS.includes(flag) && !known.includes('--out'))
      return 'Standard output can go to a file: -o csv > file.csv. ';
    const synonym = FLAG_SYNONYMS[flag]?.find((meant) => known.includes(meant));
    const similar = synonym ?? nearest(flag, known);
    return similar === undefined ? '' : `Did you mean ${similar}? `;
  }

  /** `--to` is `<to>`. */
  #argumentNamed(flag: string): string | undefined {
    const name = flag.replace(/^-+/, '').replaceAll('-', '_');
    const found = this.registeredArguments.find((argument) => argument.name() === (ARGUMENTS[name] ?? name));
    return found === undefined ? undefined : `<${found.name()}>`;
  }

  /** A file that stands alone goes after the flag that takes one. */
  #tooMuch(see: string): UsageError {
    const extra = this.args.slice(this.registeredArguments.length);
    const [first = ''] = extra;
    const takesFile = this.options.find(({ flags, hidden }) => !hidden && /<file/.test(flags));
    const word = shellWord(first);
    return takesFile !== undefined && /\.[a-z]{2,6}$/i.test(first)
      ? new UsageError(`A file goes after ${takesFile.long}: ${takesFile.long} ${word}`, { hint: see })
      : new UsageError(`${this.path} does not take ${extra.map(shellWord).join(' ')}.`, { hint: see });
  }

  /** Commander shows help when a command that only holds others is called without one. */
  override help(context?: HelpSubject): never {
    const isMissing = typeof context === 'object' && context.error === true;
    if (isMissing && this.parent !== null) {
      const names = this.#visible().map((command) => command.name());
      throw new UsageError(`${this.path} needs a command.`, {
        hint: `Commands: ${names.join(', ')}. See ${this.path} --help.`,
      });
    }
    return super.help();
  }

  /** Refuses `vagent logs nope --help` instead of showing the help of `vagent logs`. */
  override outputHelp(context?: HelpSubject): void {
    const [name = 'help'] = this.args;
    const isName = this.commands.length > 0 && name !== 'help' && !name.startsWith('-');
    if (isName && this.#child(name) === undefined) throw this.#unknownCommand(name);
    super.outputHelp(context as HelpContext);
  }

  override helpInformation(): string {
    const { getOutHelpWidth, getOutHasColors } = this.configureOutput();
    const isColored = getOutHasColors?.() === true;
    const style = {
      width: getOutHelpWidth?.() ?? 80,
      heading: (text: string) => (isColored ? `\u001b[1m${text}\u001b[22m` : text),
    };
    return this.parent === null ? layOutOverview(this, style) : layOutHelp(this, style);
  }
}

/** Commander's sentence about a value: what takes it, the value, and what is wrong with it. */
const INVALID =
  /^(?:option '(?<flags>.*?)' argument|command-argument value) '(?<value>.*)' is invalid(?: for argument '(?<argument>.*?)')?\. (?<why>.*)$/s;

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

/**
 * Adds an argument that help shows as required. The command's action gets undefined if it is missing, and asks for it or refuses
 * it with `complete`.
 */
export function askedArgument<T>(
  command: Command,
  name: string,
  description: string,
  parse: (text: string) => T,
): PlainCommand {
  return (command.argument(name, description, parse) as PlainCommand).asksForLast();
}

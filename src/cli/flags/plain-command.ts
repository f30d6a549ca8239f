/** Commander's command without its guesses: a flag, a value or a command is exactly what was typed, or is refused. */
import { Command, type ErrorOptions, type HelpContext, type Option, type ParseOptionsResult } from 'commander';
import { UsageError } from '../../errors.ts';
import type { Explanation } from './help.ts';
import { missingCommand, mistakeOf, unknownCommand } from './mistakes.ts';
import type { Described, FlagTable } from './values.ts';

/** A flag as it was written; `text` is undefined if it takes no value. */
interface WrittenFlag {
  flag: string;
  text: string | undefined;
  isRepeatable: boolean;
  /** Whether the text is the name of a file. */
  isFile: boolean;
}

/** The argument of commander's help function; an old form of it is a function. */
type HelpSubject = HelpContext | ((text: string) => string);

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
        isFile: /<file/.test(option.flags),
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

  /** Adds the flags of a table, under a heading of their own if there is one. */
  takesFlags(flags: FlagTable, heading?: string): this {
    if (heading !== undefined) this.optionsGroup(heading);
    for (const [written, help, read] of Object.values(flags)) {
      const option = this.createOption(written, help);
      this.addOption(
        read === undefined ? option : option.argParser(read as (text: string, before: unknown) => unknown),
      );
    }
    return heading === undefined ? this : this.optionsGroup('Flags');
  }

  /** An earlier name of a flag: it works as that flag does, and is shown nowhere. */
  earlier(flags: string, flag: string, read?: (text: string) => unknown): this {
    const meant = this.options.find(({ long }) => long === flag) as Option;
    const option = this.createOption(flags).hideHelp();
    option.argParser((read ?? meant.parseArg) as (text: string, before: unknown) => unknown);
    option.attributeName = () => meant.attributeName();
    return this.addOption(option);
  }

  /**
   * Adds an argument that help shows as required. The command's action gets undefined if it is missing, and asks for it or refuses
   * it with `complete`.
   */
  asked(name: string, description: string, parse: (text: string) => unknown): this {
    this.argument(name, description, parse);
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
    const command = this.child(name);
    if (command !== undefined) return command.helpOf(rest);
    if (this.commands.length === 0) {
      throw new UsageError(`${this.path} has no commands, and ${name} is none.`, { hint: `See ${this.path} --help.` });
    }
    throw unknownCommand(this, name, topics);
  }

  /** The commands below it that are listed. */
  visible(): PlainCommand[] {
    return this.createHelp().visibleCommands(this) as PlainCommand[];
  }

  /** The commands that do something, of it and below it, in the order of the overview. */
  async leaves(): Promise<PlainCommand[]> {
    await this.complete();
    const children = this.visible();
    if (children.length === 0) return [this];
    return (await Promise.all(children.map((child) => child.leaves()))).flat();
  }

  /** The command of that name below it, listed or not. */
  child(name: string): PlainCommand | undefined {
    return this.commands.find((command) => command.name() === name) as PlainCommand | undefined;
  }

  /** Commander reports every mistake on the command line here. */
  override error(message: string, options: ErrorOptions = {}): never {
    throw mistakeOf(this, message, options.code);
  }

  /** Commander shows help when a command that only holds others is called without one. */
  override help(context?: HelpSubject): never {
    const isMissing = typeof context === 'object' && context.error === true;
    if (isMissing && this.parent !== null) {
      throw missingCommand(this);
    }
    return super.help();
  }

  /** Refuses `vagent logs nope --help` instead of showing the help of `vagent logs`. */
  override outputHelp(context?: HelpSubject): void {
    const [name = 'help'] = this.args;
    const isName = this.commands.length > 0 && name !== 'help' && !name.startsWith('-');
    if (isName && this.child(name) === undefined) throw unknownCommand(this, name);
    super.outputHelp(context as HelpContext);
  }
}

/** Commander's command without its guesses: a flag, a value or a command is exactly what was typed, or is refused. */
import { Command, type ErrorOptions, type HelpContext, type Option, type ParseOptionsResult } from 'commander';
import { UsageError } from '../errors.ts';

/** The argument of commander's help function; an old form of it is a function. */
type HelpSubject = HelpContext | ((text: string) => string);

export class PlainCommand extends Command {
  /** The arguments, as shown in the parent's list of commands. */
  takes = '';
  #complete: (() => void | Promise<void>) | undefined;
  readonly #given = new Map<string, string | undefined>();
  /** Further names that help accepts; some are names of commands as well. */
  #topics: readonly string[] = [];
  /** Whether it stands for a topic, so that commander suggests its name. */
  #isTopic = false;

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
    return `${this.name()} [options]${this.takes === '' ? '' : ` ${this.takes}`}`;
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
    return this.on(`option:${option.name()}`, (text: string | null | undefined) =>
      this.#given.set(option.long ?? option.flags, text ?? undefined),
    );
  }

  /** The flags as written on the command line, before and after this command's name; later ones win. */
  given(): Map<string, string | undefined> {
    return new Map([...((this.parent as PlainCommand | null)?.given() ?? []), ...this.#given]);
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
    if (this.commands.length === 0) throw new UsageError(`${this.path} has no commands: ${name} is too much.`);
    this.#topics = topics;
    // Commander compares a name only with those of commands.
    const others = topics.filter((topic) => this.#child(topic) === undefined);
    for (const topic of others) (this.command(topic) as PlainCommand).#isTopic = true;
    this.#complainOf(name);
  }

  #child(name: string): PlainCommand | undefined {
    return this.commands.find((command) => command.name() === name) as PlainCommand | undefined;
  }

  #complainOf(name: string): never {
    // Commander finds the most similar names.
    this.parse([name], { from: 'user' });
    throw new Error(`${this.path} has a command ${name}`);
  }

  override error(message: string, options?: ErrorOptions): never {
    const [name = ''] = this.args;
    if (options?.code !== 'commander.unknownCommand') return super.error(message, options);
    const [, similar] = /\((Did you mean .*\?)\)/.exec(message) ?? [];
    const complaint = this.parent === null ? `Unknown command '${name}'.` : `${this.path} has no command ${name}.`;
    throw new UsageError(complaint, { hint: `${similar ? `${similar} ` : ''}${this.#commandList()}` });
  }

  #commandList(): string {
    const names = this.createHelp()
      .visibleCommands(this)
      .filter((command) => !(command as PlainCommand).#isTopic)
      .map((command) => command.name());
    const topics = this.#topics.length === 0 ? '' : ` Topics: ${this.#topics.join(', ')}.`;
    return `Commands: ${names.join(', ')}.${topics} See ${this.path} --help.`;
  }

  /** Commander shows help when a command that only holds others is called without one. */
  override help(context?: HelpSubject): never {
    const isMissing = typeof context === 'object' && context.error === true;
    if (isMissing && this.parent !== null) {
      throw new UsageError(`${this.path} needs a command.`, { hint: this.#commandList() });
    }
    return super.help();
  }

  /** Refuses `vagent logs nope --help` instead of showing the help of `vagent logs`. */
  override outputHelp(context?: HelpSubject): void {
    const [name = 'help'] = this.args;
    const isName = this.commands.length > 0 && name !== 'help' && !name.startsWith('-');
    if (isName && this.#child(name) === undefined) this.#complainOf(name);
    super.outputHelp(context as HelpContext);
  }
}

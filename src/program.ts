/** Builds the program: its commands, and the flags of every command. */
import packageJson from '../package.json' with { type: 'json' };
import { unaliased } from './cli/flags/aliases.ts';
import { GLOBAL_FLAGS, type GlobalFlags, globalFlagsOf, OF_LISTS, OUTPUT_FORMATS } from './cli/flags/global.ts';
import { EXITS } from './cli/flags/help.ts';
import { layOutHelp } from './cli/flags/help-layout.ts';
import { filterFor, nothingToSort } from './cli/flags/mistakes.ts';
import { PlainCommand } from './cli/flags/plain-command.ts';
import type { CommandModule } from './commands/shared/command.ts';
import { TOPICS } from './commands/shared/topics.ts';
import { help, type Leaf, type Noun, tree } from './commands/tree.ts';
import type { Context } from './context.ts';

/** The summary of each command, by its name as it is typed: `logs export`. */
export function commandSummaries(): Map<string, string> {
  const summaries = new Map<string, string>();
  for (const [name, node] of Object.entries(tree)) {
    if ('load' in node) summaries.set(name, node.summary);
    else for (const [verb, { summary }] of Object.entries(node.commands)) summaries.set(`${name} ${verb}`, summary);
  }
  return summaries;
}

export interface Program {
  parse(): Promise<void>;
  /** The help or version text that commander wrote. */
  written(): string;
  /** The command that was chosen, `vagent logs list`; undefined before its action runs. */
  path(): string | undefined;
  /** For documents about the commands. */
  root: PlainCommand;
}

/** What the completion scripts of shells run, followed by the line at the cursor. Not a command for people. */
const COMPLETE = 'complete';

/** `useFlags` gets the flags of every command as soon as they are parsed. */
export function buildProgram(
  argv: readonly string[],
  context: Context,
  useFlags: (flags: GlobalFlags, command?: PlainCommand) => void,
): Program {
  const written: string[] = [];
  let chosen: PlainCommand | undefined;
  const { io } = context;
  const program = new PlainCommand('vagent')
    .description(ABOUT)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => written.push(text),
      outputError: () => {},
      getOutHelpWidth: () => io.columns,
      getOutHasColors: () => io.colorsStdout,
    })
    .configureHelp({ formatHelp: (command, { helpWidth = 80 }) => layOutHelp(command as PlainCommand, helpWidth) })
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .hook('preAction', (_program, action) => {
      chosen = action as PlainCommand;
      useFlags(globalFlagsOf(action), chosen);
    }) as PlainCommand;
  program.explanation = { notes: WHERE_TO_START, examples: [], exits: [], formats: [] };
  program.takesFlags(GLOBAL_FLAGS).version(packageJson.version, '-V, --version', 'print the version');
  addCommands(program, tree, context);
  return {
    async parse() {
      if (argv[0] !== COMPLETE) return void (await program.parseAsync(meantBy(argv), { from: 'user' }));
      const { complete } = await import('./commands/completion/complete.ts');
      await complete(argv.slice(1), { root: program, meantBy }, { context, useFlags });
    },
    written: () => written.join(''),
    path: () => chosen?.path,
    root: program,
  };
}

/** The command line with aliases replaced. Throws UsageError for what the service cannot do. */
function meantBy(argv: readonly string[]): readonly string[] {
  return unaliased(argv, {
    verbsOf(noun) {
      const node = Object.hasOwn(tree, noun) ? tree[noun] : undefined;
      return node === undefined ? undefined : verbsOf(node);
    },
    topics: Object.keys(TOPICS),
  });
}

function verbsOf(node: Leaf | Noun): string[] {
  return 'load' in node ? [] : Object.keys(node.commands);
}

const ABOUT = 'Runs voice-agent phone campaigns. Until you name a service, no phone rings.';

const WHERE_TO_START = `List: vagent plan create calls a list of people within hours where they are
Batch: vagent campaign create sends one batch, all of it at once

Start: vagent login; then vagent help <command>, vagent help topics or flags
Topics: plans contacts logs results safety settings output exit-codes offline …`;

function addCommands(parent: PlainCommand, nodes: Record<string, Leaf | Noun>, context: Context): void {
  for (const [name, node] of Object.entries(nodes)) {
    const isLeaf = 'load' in node;
    const { summary } = node;
    const command = parent.command(name, { hidden: isLeaf && node.isHidden === true }) as PlainCommand;
    command.summary(summary).description(`${summary}.`).helpCommand(false);
    command.helpGroup(node.group ?? '');
    command.verbs = verbsOf(node);
    if (isLeaf) command.takes = node.takes ?? '';
    command.completeBy(() => {
      addGlobalFlags(command);
      if (isLeaf) return node.load().then((module) => fill(command, module.command, context));
      addCommands(command, { ...node.commands, help: { ...help, isHidden: true } }, context);
    });
  }
}

type Run = (context: Context, ...taken: unknown[]) => Promise<void>;

function fill(command: PlainCommand, module: CommandModule, context: Context): void {
  const { exits, takes, run, lists, isLive = false, formats = OUTPUT_FORMATS, ...explanation } = module;
  command.explanation = { ...explanation, formats, exits: EXITS[exits] };
  takes?.(command);
  if (lists !== undefined) command.takesFlags(OF_LISTS, 'Order');
  command.action(async (...taken) => {
    if (lists === 'list' && taken[0] !== lists && context.flags.sort !== undefined) throw nothingToSort(command);
    const { jq } = context.flags;
    // Before anything is asked or sent.
    if (jq !== undefined) await context.io.filterBy(filterFor(command, jq, context.flags), isLive);
    await (run as Run)(context, ...taken);
  });
}

function addGlobalFlags(command: PlainCommand): void {
  command.version(packageJson.version, '-V, --version').takesFlags(GLOBAL_FLAGS);
  for (const option of command.options) option.hidden = true;
}

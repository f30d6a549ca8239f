/** The command tree and the flags of every command. A command's own module is imported only when it is chosen. */
import { Command, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { baseUrl, filled, integerFrom, names, outputFormat, timeout } from './arguments.ts';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';
import type { GlobalFlags } from './settings.ts';

export interface CommandModule {
  /** Adds flags, arguments, help and the action to a command whose name and summary are set. */
  register(command: Command, context: Context): void;
}

interface Leaf {
  summary: string;
  load: () => Promise<CommandModule>;
}

interface Noun {
  summary: string;
  commands: Record<string, Leaf>;
}

const tree: Record<string, Leaf | Noun> = {
  call: { summary: 'Place one call', load: () => import('./commands/call.ts') },
  campaign: {
    summary: 'Create campaigns from contact lists',
    commands: {
      create: {
        summary: 'Create a campaign from a CSV of contacts',
        load: () => import('./commands/campaign/create.ts'),
      },
    },
  },
  logs: {
    summary: 'Read and export call logs',
    commands: {
      list: { summary: 'List calls, one page or all', load: () => import('./commands/logs/list.ts') },
      export: { summary: 'Write every matching call to a file', load: () => import('./commands/logs/export.ts') },
    },
  },
  agent: {
    summary: 'Create and list voice agents',
    commands: {
      create: { summary: 'Create a voice agent', load: () => import('./commands/agent/create.ts') },
      list: { summary: 'List voice agents', load: () => import('./commands/agent/list.ts') },
    },
  },
  voice: {
    summary: 'List the voices an agent can use',
    commands: { list: { summary: 'List voices', load: () => import('./commands/voice/list.ts') } },
  },
  profile: {
    summary: 'Keep named connections',
    commands: {
      add: { summary: 'Add or replace a profile', load: () => import('./commands/profile/add.ts') },
      list: { summary: 'List profiles', load: () => import('./commands/profile/list.ts') },
      use: { summary: 'Make a profile the active one', load: () => import('./commands/profile/use.ts') },
      show: { summary: 'Show a profile and what is in effect', load: () => import('./commands/profile/show.ts') },
      remove: { summary: 'Remove a profile', load: () => import('./commands/profile/remove.ts') },
    },
  },
  serve: { summary: 'Serve the local engine over HTTP', load: () => import('./commands/serve.ts') },
  local: {
    summary: 'Control the local engine',
    commands: {
      status: { summary: 'Show balance, clock and campaigns', load: () => import('./commands/local/status.ts') },
      reset: { summary: 'Start a new store', load: () => import('./commands/local/reset.ts') },
      advance: { summary: 'Move the clock forward', load: () => import('./commands/local/advance.ts') },
      topup: { summary: 'Add money to the wallet', load: () => import('./commands/local/topup.ts') },
      number: { summary: 'Register agent phone numbers', load: () => import('./commands/local/number.ts') },
      agent: { summary: 'Set the status of an agent', load: () => import('./commands/local/agent.ts') },
    },
  },
  api: { summary: 'Send one raw operation', load: () => import('./commands/api.ts') },
};

/** What `parse` has to say besides running a command: help and version texts, printed by the caller. */
export interface Program {
  parse(): Promise<void>;
  /** Help or version text that commander wanted on stdout. */
  said(): string;
}

export async function buildProgram(argv: readonly string[], context: Context): Promise<Program> {
  const said: string[] = [];
  const program = new Command('vagent')
    .description(packageJson.description)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => said.push(text), writeErr: () => {} })
    .configureHelp({ showGlobalOptions: false })
    .showSuggestionAfterError()
    .hook('preAction', (_program, action) => applyGlobalFlags(action, context));
  for (const option of globalOptions()) program.addOption(option);
  program.version(packageJson.version);
  program.addHelpText('after', ROOT_HELP);

  const path = chosenPath(argv);
  for (const [name, node] of Object.entries(tree)) {
    const command = addCommand(program, name, node.summary);
    if ('load' in node) {
      if (path[0] === name) (await node.load()).register(command, context);
      continue;
    }
    for (const [verb, leaf] of Object.entries(node.commands)) {
      const subcommand = addCommand(command, verb, leaf.summary);
      if (path[0] === name && path[1] === verb) (await leaf.load()).register(subcommand, context);
    }
    command.allowExcessArguments().action(() => {
      const [unknown] = command.args;
      const verbs = Object.keys(node.commands);
      throw new UsageError(
        unknown === undefined ? `vagent ${name} needs a command.` : `vagent ${name} has no command ${unknown}.`,
        { hint: `Commands: ${verbs.join(', ')}. See vagent ${name} --help.` },
      );
    });
  }
  return { parse: async () => void (await program.parseAsync(argv, { from: 'user' })), said: () => said.join('') };
}

const ROOT_HELP = `
Examples:
  $ vagent voice list --language en
  $ vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello, this is Ava."
  $ vagent campaign create --name Spring --agent 1 --from +14155550100 --contacts contacts.csv
  $ vagent logs export --out calls.csv

Without a profile or --base-url the local engine serves: no real call is placed.
Exit codes: 0 done, 2 usage, 3 invalid input, 4 credentials, 5 not found, 6 wallet,
7 unreachable (try again), 8 outcome unknown (do not repeat), 9 file or store, 130 interrupted.`;

function addCommand(parent: Command, name: string, summary: string): Command {
  const command = parent.command(name).summary(summary).description(`${summary}.`);
  command.version(packageJson.version, '-V, --version');
  hide(command, '--version');
  for (const option of globalOptions()) command.addOption(option.hideHelp());
  return command;
}

function hide(command: Command, long: string): void {
  const option = command.options.find((candidate) => candidate.long === long);
  if (option !== undefined) option.hidden = true;
}

function globalOptions(): Option[] {
  return [
    new Option('--profile <name>', 'use this profile').argParser(filled),
    new Option('--local', 'use the local engine'),
    new Option('--store <dir>', "the local engine's folder").argParser(filled),
    new Option('--base-url <url>', 'use the service at this URL').argParser(baseUrl),
    new Option('--org <id>', 'organization').argParser(integerFrom(1)),
    new Option('--api-key-file <file>', 'read the API key from a file, or - for standard input').argParser(filled),
    new Option('--insecure-http', 'allow plain http to another machine'),
    new Option('-o, --output <format>', 'table, json, ndjson, csv, tsv or ids').argParser(outputFormat),
    new Option('--json', 'the same as --output json'),
    new Option('--fields <a,b>', 'choose and order the columns').argParser(names),
    new Option('--no-header', 'leave out the header line'),
    new Option('-q, --quiet', 'say nothing but errors on stderr'),
    new Option('-y, --yes', 'answer yes to questions of consent'),
    new Option('--no-input', 'never ask'),
    new Option('--timeout <duration>', 'deadline for each request (default 30s)').argParser(timeout),
    new Option('--verbose', 'tell each request on stderr'),
    new Option('--no-color', 'no colours'),
  ];
}

/** The flags before the command's name and after it, the later ones winning. */
function applyGlobalFlags(action: Command, context: Context): void {
  const chain: Command[] = [];
  for (let command: Command | null = action; command !== null; command = command.parent) chain.unshift(command);
  // Defaults are left out: the one of a later command would beat the flag of an earlier one.
  const given = chain.flatMap((command) =>
    Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );
  const flags: GlobalFlags = Object.fromEntries(given);
  context.flags = flags;
  const { io } = context;
  io.isQuiet = flags.quiet === true;
  io.mayAsk = flags.input !== false;
  if (flags.color === false) io.wantsColor = false;
}

/** The command that `argv` names, found without parsing it: flags and the values they take are stepped over. */
function chosenPath(argv: readonly string[]): string[] {
  const takesValue = new Set(globalOptions().flatMap(({ required, short, long }) => (required ? [short, long] : [])));
  const words: string[] = [];
  for (let at = 0; at < argv.length && words.length < 2; at++) {
    const word = argv[at] as string;
    if (takesValue.has(word)) at++;
    else if (!word.startsWith('-') && !(word === 'help' && words.length === 0)) words.push(word);
  }
  return words;
}

/** The examples at the end of a command's help. */
export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

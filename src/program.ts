/** The command tree and the flags of every command. A command's file is loaded when it is run, or its help is asked for. */
import type { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { unaliased } from './commands/shared/aliases.ts';
import { TOPICS } from './commands/shared/topics.ts';
import type { Context } from './context.ts';
import { type GlobalFlags, globalFlagsOf, globalOptions, isAlone, takesValue } from './flags/global.ts';
import { PlainCommand } from './flags/plain-command.ts';
import { WrittenFlags } from './flags/written.ts';

export interface CommandModule {
  /** Adds flags, arguments, help and the action to a command whose name and summary are set. */
  register(command: Command, context: Context): void;
}

interface Leaf {
  summary: string;
  /** Where it stands in the overview; only at the top. */
  group?: string;
  /** Its arguments, for lists of commands, which are shown without loading the command. */
  takes?: string;
  load: () => Promise<CommandModule>;
  isHidden?: boolean;
}

interface Noun {
  summary: string;
  group: string;
  commands: Record<string, Leaf>;
}

const CALLS = 'Calls and campaigns';
const CONTACTS = 'Contacts';
const AGENTS = 'Agents and voices';
const LOCAL = 'Local engine';
const SETTINGS = 'Settings';

const help: Leaf = {
  summary: 'Show the help of a command, or a topic',
  group: SETTINGS,
  takes: '[command or topic...]',
  load: () => import('./commands/help.ts'),
};

const tree: Record<string, Leaf | Noun> = {
  call: {
    summary: 'Place one call',
    group: CALLS,
    takes: '<to>',
    load: () => import('./commands/call.ts'),
  },
  campaign: {
    summary: 'Create, rehearse and follow campaigns',
    group: CALLS,
    commands: {
      create: {
        summary: 'Create a campaign from a CSV of contacts',
        takes: '[contacts]',
        load: () => import('./commands/campaign/create.ts'),
      },
      list: {
        summary: 'List the campaigns that were created from here',
        load: () => import('./commands/campaign/list.ts'),
      },
      status: {
        summary: 'Show how far a campaign is',
        takes: '[campaign]',
        load: () => import('./commands/campaign/status.ts'),
      },
      results: {
        summary: 'Show the result of each contact of a campaign',
        takes: '[campaign]',
        load: () => import('./commands/campaign/results.ts'),
      },
      rehearse: {
        summary: 'Simulate a campaign: when it would end, what it would cost',
        takes: '[contacts]',
        load: () => import('./commands/campaign/rehearse.ts'),
      },
    },
  },
  logs: {
    summary: 'Read and export call logs',
    group: CALLS,
    commands: {
      list: { summary: 'List calls, one page or all', load: () => import('./commands/logs/list.ts') },
      export: { summary: 'Write every matching call to a file', load: () => import('./commands/logs/export.ts') },
      show: {
        summary: 'Show one call with its transcript',
        takes: '<call_id>',
        load: () => import('./commands/logs/show.ts'),
      },
      recording: {
        summary: 'Save the recording of a call',
        takes: '<call_id>',
        load: () => import('./commands/logs/recording.ts'),
      },
      stats: { summary: 'Count calls, and chart them', load: () => import('./commands/logs/stats.ts') },
      sync: { summary: 'Add the calls that are new to a file', load: () => import('./commands/logs/sync.ts') },
      follow: { summary: 'Print calls as they come', load: () => import('./commands/logs/follow.ts') },
    },
  },
  contacts: {
    summary: 'Check a file of contacts, or start one',
    group: CONTACTS,
    commands: {
      check: {
        summary: 'Check a whole file of contacts, without a campaign',
        takes: '<file>',
        load: () => import('./commands/contacts/check.ts'),
      },
      template: { summary: 'Print a CSV to fill in', load: () => import('./commands/contacts/template.ts') },
    },
  },
  agent: {
    summary: 'Create and list voice agents',
    group: AGENTS,
    commands: {
      create: { summary: 'Create a voice agent', load: () => import('./commands/agent/create.ts') },
      list: { summary: 'List voice agents', load: () => import('./commands/agent/list.ts') },
      show: {
        summary: 'Show one agent with its instructions',
        takes: '<id>',
        load: () => import('./commands/agent/show.ts'),
      },
      export: {
        summary: 'Write agents as JSON, to keep in git',
        takes: '[id]',
        load: () => import('./commands/agent/export.ts'),
      },
    },
  },
  voice: {
    summary: 'List the voices an agent can use',
    group: AGENTS,
    commands: {
      list: { summary: 'List voices', load: () => import('./commands/voice/list.ts') },
      preview: {
        summary: 'Save the preview of a voice',
        takes: '<id>',
        load: () => import('./commands/voice/preview.ts'),
      },
    },
  },
  local: {
    summary: 'Control the local engine',
    group: LOCAL,
    commands: {
      status: { summary: 'Show balance, clock and campaigns', load: () => import('./commands/local/status.ts') },
      reset: { summary: 'Start a new store', load: () => import('./commands/local/reset.ts') },
      advance: {
        summary: 'Move the clock forward',
        takes: '[duration]',
        load: () => import('./commands/local/advance.ts'),
      },
      topup: { summary: 'Add money to the wallet', takes: '<amount>', load: () => import('./commands/local/topup.ts') },
      number: {
        summary: 'Register agent phone numbers',
        takes: '<action> [number]',
        load: () => import('./commands/local/number.ts'),
      },
      agent: { summary: 'Set the status of an agent', takes: '<id>', load: () => import('./commands/local/agent.ts') },
      campaign: {
        summary: 'List, pause and resume campaigns',
        takes: '<action> [campaign]',
        load: () => import('./commands/local/campaign.ts'),
      },
      scenario: { summary: 'Show or change how calls turn out', load: () => import('./commands/local/scenario.ts') },
      check: { summary: 'Check the store, and repair it', load: () => import('./commands/local/check.ts') },
    },
  },
  serve: {
    summary: 'Serve the local engine over HTTP',
    group: LOCAL,
    load: () => import('./commands/serve.ts'),
  },
  profile: {
    summary: 'Manage connection profiles',
    group: SETTINGS,
    commands: {
      add: {
        summary: 'Add a profile, with questions where nothing is given',
        takes: '<name>',
        load: () => import('./commands/profile/add.ts'),
      },
      edit: { summary: 'Change a profile', takes: '<name>', load: () => import('./commands/profile/edit.ts') },
      list: { summary: 'List profiles', load: () => import('./commands/profile/list.ts') },
      use: {
        summary: 'Make a profile the active one',
        takes: '<name>',
        load: () => import('./commands/profile/use.ts'),
      },
      show: {
        summary: 'Show a profile and what is in effect',
        takes: '[name]',
        load: () => import('./commands/profile/show.ts'),
      },
      remove: { summary: 'Remove a profile', takes: '<name>', load: () => import('./commands/profile/remove.ts') },
    },
  },
  completion: {
    summary: 'Complete commands, flags and values with Tab',
    group: SETTINGS,
    takes: '<shell> [name]',
    load: () => import('./commands/completion.ts'),
  },
  doctor: {
    summary: 'Check settings, service and key; say what to do',
    group: SETTINGS,
    load: () => import('./commands/doctor.ts'),
  },
  api: {
    summary: 'Send one raw operation',
    group: SETTINGS,
    takes: '<operation> [field=value...]',
    load: () => import('./commands/api.ts'),
  },
  help,
};

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
  useFlags: (flags: GlobalFlags, written?: WrittenFlags) => void,
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
      stripColor: (text) => text,
    })
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .hook('preAction', (_program, action) => {
      chosen = action as PlainCommand;
      useFlags(globalFlagsOf(action), new WrittenFlags(action));
    }) as PlainCommand;
  program.explanation = { notes: WHERE_TO_START, examples: [], exits: [] };
  for (const option of globalOptions(program)) program.addOption(option);
  program.version(packageJson.version);
  addCommands(program, tree, context);
  return {
    async parse() {
      if (argv[0] !== COMPLETE) return void (await program.parseAsync(meantBy(argv), { from: 'user' }));
      const { complete } = await import('./commands/shared/completion/complete.ts');
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
    takesValue,
    isAlone,
  });
}

function verbsOf(node: Leaf | Noun): string[] {
  return 'load' in node ? [] : Object.keys(node.commands);
}

const ABOUT = `Runs voice-agent phone campaigns: places calls, makes campaigns from a CSV of
contacts, exports call logs. Until you name a service, all of it happens on the
local engine: no phone rings, and nothing costs money.`;

const WHERE_TO_START = `Start: vagent login (connect to your service), vagent help offline (practise)
Help: vagent help <command>, vagent help flags, vagent help <topic>
Topics: ${Object.keys(TOPICS).join(' ')}`;

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
      if (isLeaf) return node.load().then((module) => module.register(command, context));
      addCommands(command, { ...node.commands, help: { ...help, isHidden: true } }, context);
    });
  }
}

function addGlobalFlags(command: Command): void {
  command.version(packageJson.version, '-V, --version');
  hide(command, '--version');
  for (const option of globalOptions(command)) command.addOption(option.hideHelp());
}

function hide(command: Command, long: string): void {
  const option = command.options.find((candidate) => candidate.long === long);
  if (option !== undefined) option.hidden = true;
}

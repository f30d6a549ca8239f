/**
 * The command tree and the flags of every command. Commands are imported whole: they are small, and one file loads faster
 * than thirty. What is heavy (the HTTP client, the store, the libraries for tables, prompts and CSV) they import when used.
 */
import { Command, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { baseUrl, filled, integerFrom, names, outputFormat, timeout } from './arguments.ts';
import * as agentCreate from './commands/agent/create.ts';
import * as agentList from './commands/agent/list.ts';
import * as api from './commands/api.ts';
import * as call from './commands/call.ts';
import * as campaignCreate from './commands/campaign/create.ts';
import * as campaignList from './commands/campaign/list.ts';
import * as campaignRehearse from './commands/campaign/rehearse.ts';
import * as campaignResults from './commands/campaign/results.ts';
import * as campaignStatus from './commands/campaign/status.ts';
import * as contactsCheck from './commands/contacts/check.ts';
import * as contactsTemplate from './commands/contacts/template.ts';
import * as doctor from './commands/doctor.ts';
import * as localAdvance from './commands/local/advance.ts';
import * as localAgent from './commands/local/agent.ts';
import * as localCampaign from './commands/local/campaign.ts';
import * as localCheck from './commands/local/check.ts';
import * as localNumber from './commands/local/number.ts';
import * as localReset from './commands/local/reset.ts';
import * as localScenario from './commands/local/scenario.ts';
import * as localStatus from './commands/local/status.ts';
import * as localTopup from './commands/local/topup.ts';
import * as logsExport from './commands/logs/export.ts';
import * as logsFollow from './commands/logs/follow.ts';
import * as logsList from './commands/logs/list.ts';
import * as logsShow from './commands/logs/show.ts';
import * as logsStats from './commands/logs/stats.ts';
import * as logsSync from './commands/logs/sync.ts';
import * as profileAdd from './commands/profile/add.ts';
import * as profileList from './commands/profile/list.ts';
import * as profileRemove from './commands/profile/remove.ts';
import * as profileShow from './commands/profile/show.ts';
import * as profileUse from './commands/profile/use.ts';
import * as serve from './commands/serve.ts';
import * as voiceList from './commands/voice/list.ts';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';

export interface CommandModule {
  /** Adds flags, arguments, help and the action to a command whose name and summary are set. */
  register(command: Command, context: Context): void;
}

interface Leaf {
  summary: string;
  module: CommandModule;
}

interface Noun {
  summary: string;
  commands: Record<string, Leaf>;
}

const tree: Record<string, Leaf | Noun> = {
  call: { summary: 'Place one call', module: call },
  campaign: {
    summary: 'Create, rehearse and follow campaigns',
    commands: {
      create: { summary: 'Create a campaign from a CSV of contacts', module: campaignCreate },
      list: { summary: 'List the campaigns that were created from here', module: campaignList },
      status: { summary: 'Show how far a campaign is', module: campaignStatus },
      results: { summary: 'Show what came of each contact of a campaign', module: campaignResults },
      rehearse: { summary: 'Play a campaign in memory: when it ends, what it costs', module: campaignRehearse },
    },
  },
  logs: {
    summary: 'Read and export call logs',
    commands: {
      list: { summary: 'List calls, one page or all', module: logsList },
      export: { summary: 'Write every matching call to a file', module: logsExport },
      show: { summary: 'Show one call with its transcript', module: logsShow },
      stats: { summary: 'Count calls, and chart them', module: logsStats },
      sync: { summary: 'Add the calls that are new to a file', module: logsSync },
      follow: { summary: 'Print calls as they come', module: logsFollow },
    },
  },
  contacts: {
    summary: 'Check a file of contacts, or begin one',
    commands: {
      check: { summary: 'Check a file of contacts whole, without a campaign', module: contactsCheck },
      template: { summary: 'Print a CSV to fill in', module: contactsTemplate },
    },
  },
  agent: {
    summary: 'Create and list voice agents',
    commands: {
      create: { summary: 'Create a voice agent', module: agentCreate },
      list: { summary: 'List voice agents', module: agentList },
    },
  },
  voice: {
    summary: 'List the voices an agent can use',
    commands: { list: { summary: 'List voices', module: voiceList } },
  },
  profile: {
    summary: 'Keep named connections',
    commands: {
      add: { summary: 'Add or replace a profile', module: profileAdd },
      list: { summary: 'List profiles', module: profileList },
      use: { summary: 'Make a profile the active one', module: profileUse },
      show: { summary: 'Show a profile and what is in effect', module: profileShow },
      remove: { summary: 'Remove a profile', module: profileRemove },
    },
  },
  serve: { summary: 'Serve the local engine over HTTP', module: serve },
  local: {
    summary: 'Control the local engine',
    commands: {
      status: { summary: 'Show balance, clock and campaigns', module: localStatus },
      reset: { summary: 'Start a new store', module: localReset },
      advance: { summary: 'Move the clock forward', module: localAdvance },
      topup: { summary: 'Add money to the wallet', module: localTopup },
      number: { summary: 'Register agent phone numbers', module: localNumber },
      agent: { summary: 'Set the status of an agent', module: localAgent },
      campaign: { summary: 'List, pause and resume campaigns', module: localCampaign },
      scenario: { summary: 'Show or change how calls turn out', module: localScenario },
      check: { summary: 'Check the store, and repair it', module: localCheck },
    },
  },
  doctor: { summary: 'Check settings, service, key and clock, and say what to do', module: doctor },
  api: { summary: 'Send one raw operation', module: api },
};

export interface Program {
  parse(): Promise<void>;
  /** Help or version text that commander wanted on stdout. */
  said(): string;
}

export function buildProgram(argv: readonly string[], context: Context): Program {
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

  for (const [name, node] of Object.entries(tree)) {
    const command = addCommand(program, name, node.summary);
    if ('module' in node) {
      node.module.register(command, context);
      continue;
    }
    for (const [verb, leaf] of Object.entries(node.commands)) {
      const subcommand = addCommand(command, verb, leaf.summary);
      leaf.module.register(subcommand, context);
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
7 unreachable (try again), 8 outcome unknown (do not repeat), 9 file or store, 10 --wait: not completed, 130 interrupted.`;

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
    negative('--no-header', 'leave out the header line'),
    new Option('-q, --quiet', 'say nothing but errors on stderr'),
    new Option('-y, --yes', 'answer yes to questions of consent'),
    negative('--no-input', 'never ask'),
    new Option('--timeout <duration>', 'deadline for each request (default 30s)').argParser(timeout),
    new Option('--verbose', 'tell each request on stderr'),
    negative('--no-color', 'no colours'),
  ];
}

/** A flag of its own, where commander would take `--no-input` for the opposite of a command's `--input <file>`. */
function negative(flag: string, description: string): Option {
  const option = new Option(flag, description);
  option.negate = false;
  return option;
}

/** The flags before the command's name and after it, the later ones winning. */
function applyGlobalFlags(action: Command, context: Context): void {
  const chain: Command[] = [];
  for (let command: Command | null = action; command !== null; command = command.parent) chain.unshift(command);
  // Defaults are left out: the one of a later command would beat the flag of an earlier one.
  const given = chain.flatMap((command) =>
    Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );
  context.useFlags(Object.fromEntries(given));
}

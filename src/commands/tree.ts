/** Every command, by its name: a summary, and the file that is loaded when it is run or its help is asked for. */
import type { CommandModule } from './shared/command.ts';

export interface Leaf {
  summary: string;
  /** Where it stands in the overview; only at the top. */
  group?: string;
  /** Its arguments, for lists of commands, which are shown without loading the command. */
  takes?: string;
  load: () => Promise<{ command: CommandModule }>;
  isHidden?: boolean;
}

export interface Noun {
  summary: string;
  group: string;
  commands: Record<string, Leaf>;
}

const CALLS = 'Calls and campaigns';
const CONTACTS = 'Contacts';
const AGENTS = 'Agents and voices';
const LOCAL = 'Simulator';
const SETTINGS = 'Settings';

function noun(summary: string, group: string, commands: Noun['commands']): Noun {
  return { summary, group, commands };
}

function leaf(summary: string, load: Leaf['load'], takes = '', group?: string): Leaf {
  return { summary, load, takes, ...(group !== undefined && { group }) };
}

export const help = leaf(
  'Show the help of a command, or a topic',
  () => import('./help.ts'),
  '[command or topic...]',
  SETTINGS,
);

export const tree: Record<string, Leaf | Noun> = {
  call: leaf('Place one call', () => import('./call.ts'), '<to>', CALLS),
  plan: noun('Call a list within hours, caps and a budget', CALLS, {
    create: leaf(
      'Make a plan from a list of contacts: it calls nobody yet',
      () => import('./plan/create.ts'),
      '[contacts]',
    ),
    rehearse: leaf(
      'Simulate a plan: when it would end, what it would cost',
      () => import('./plan/rehearse.ts'),
      '[plan]',
    ),
    run: leaf('Send what is due, once or until the plan is done', () => import('./plan/run.ts'), '[plan]'),
    schedule: leaf('Have this machine run a plan by itself', () => import('./plan/schedule.ts'), '[plan]'),
    watch: leaf('Watch a plan until it is done or stopped', () => import('./plan/watch.ts'), '[plan]'),
    status: leaf('Show where a plan stands', () => import('./plan/status.ts'), '[plan]'),
    results: leaf('Show the result of each contact of a plan', () => import('./plan/results.ts'), '[plan]'),
    approve: leaf('Let a plan go on after a look at its first wave', () => import('./plan/approve.ts'), '[plan]'),
    edit: leaf('Change rules of a plan that is under way', () => import('./plan/edit.ts'), '[plan]'),
    stop: leaf('Stop sending', () => import('./plan/stop.ts'), '[plan]'),
    resume: leaf('Go on with a plan that was stopped', () => import('./plan/resume.ts'), '[plan]'),
    cancel: leaf('End a plan for good', () => import('./plan/cancel.ts'), '[plan]'),
    list: leaf('List the plans of this machine', () => import('./plan/list.ts')),
    forget: leaf('Remove a plan from this machine', () => import('./plan/forget.ts'), '[plan]'),
  }),
  campaign: noun('Create, rehearse and follow campaigns', CALLS, {
    create: leaf('Create a campaign from a list of contacts', () => import('./campaign/create.ts'), '[contacts]'),
    list: leaf('List the campaigns that were created from here', () => import('./campaign/list.ts')),
    status: leaf('Show how far a campaign is', () => import('./campaign/status.ts'), '[campaign]'),
    results: leaf('Show the result of each contact of a campaign', () => import('./campaign/results.ts'), '[campaign]'),
    watch: leaf('Watch a campaign until it is over', () => import('./campaign/watch.ts'), '[campaign]'),
    redial: leaf('Make a list of those to call again', () => import('./campaign/redial.ts'), '[campaign]'),
    rehearse: leaf(
      'Simulate a campaign: when it would end, what it would cost',
      () => import('./campaign/rehearse.ts'),
      '[contacts]',
    ),
    forget: leaf("Remove what is kept here of a campaign's people", () => import('./campaign/forget.ts'), '[campaign]'),
  }),
  logs: noun('Read and export call logs', CALLS, {
    list: leaf('List calls, one page or all', () => import('./logs/list.ts')),
    export: leaf('Write every matching call to a file', () => import('./logs/export.ts')),
    show: leaf('Show one call with its transcript', () => import('./logs/show.ts'), '<call_id>'),
    recording: leaf('Save the recording of a call', () => import('./logs/recording.ts'), '<call_id>'),
    stats: leaf('Count calls, and chart them', () => import('./logs/stats.ts')),
    sync: leaf('Add new calls to a file', () => import('./logs/sync.ts')),
    follow: leaf('Print calls as they come', () => import('./logs/follow.ts')),
  }),
  contacts: noun('Check a file of contacts, or start one', CONTACTS, {
    check: leaf('Check a list of contacts: nobody is called', () => import('./contacts/check.ts'), '<file>'),
    template: leaf('Print a CSV to fill in', () => import('./contacts/template.ts')),
  }),
  agent: noun('Create and list voice agents', AGENTS, {
    create: leaf('Create a voice agent', () => import('./agent/create.ts')),
    list: leaf('List voice agents', () => import('./agent/list.ts')),
    show: leaf('Show one agent with its instructions', () => import('./agent/show.ts'), '<id>'),
    export: leaf('Write agents as JSON, to keep in git', () => import('./agent/export.ts'), '[id]'),
  }),
  voice: noun('List the voices an agent can use', AGENTS, {
    list: leaf('List voices', () => import('./voice/list.ts')),
    preview: leaf('Save the preview of a voice', () => import('./voice/preview.ts'), '<id>'),
  }),
  local: noun('Simulator: clock, balance, numbers', LOCAL, {
    status: leaf('Show balance, clock and campaigns', () => import('./local/status.ts')),
    reset: leaf('Start a new store', () => import('./local/reset.ts')),
    advance: leaf('Move the clock forward', () => import('./local/advance.ts'), '[duration]'),
    topup: leaf('Add money to the wallet', () => import('./local/topup.ts'), '<amount>'),
    number: leaf('Register agent phone numbers', () => import('./local/number.ts'), '<action> [number]'),
    agent: leaf('Set the status of an agent', () => import('./local/agent.ts'), '<id>'),
    campaign: leaf('List, pause and resume campaigns', () => import('./local/campaign.ts'), '<action> [campaign]'),
    scenario: leaf('Show or change how calls turn out', () => import('./local/scenario.ts')),
    check: leaf('Check the store', () => import('./local/check.ts')),
    org: leaf('Add and list organizations', () => import('./local/org.ts'), '<action>'),
    migrate: leaf('Copy the store to another place', () => import('./local/migrate.ts')),
  }),
  serve: leaf('Serve the simulator over HTTP', () => import('./serve.ts'), '', LOCAL),
  profile: noun('Manage connection profiles', SETTINGS, {
    add: leaf('Add a profile, with questions where nothing is given', () => import('./profile/add.ts'), '<name>'),
    edit: leaf('Change a profile', () => import('./profile/edit.ts'), '<name>'),
    list: leaf('List profiles', () => import('./profile/list.ts')),
    use: leaf('Make a profile the active one', () => import('./profile/use.ts'), '<name>'),
    show: leaf('Show a profile and what is in effect', () => import('./profile/show.ts'), '[name]'),
    remove: leaf('Remove a profile', () => import('./profile/remove.ts'), '<name>'),
  }),
  register: noun('What was sent, who opted out, and the plans', SETTINGS, {
    copy: leaf('Copy the register to another place, and merge it', () => import('./register/copy.ts')),
  }),
  completion: leaf(
    'Complete commands, flags and values with Tab',
    () => import('./completion.ts'),
    '<shell> [name]',
    SETTINGS,
  ),
  doctor: leaf('Check settings, service and key; say what to do', () => import('./doctor.ts'), '', SETTINGS),
  commands: leaf('List every command, for programs', () => import('./commands.ts'), '', SETTINGS),
  api: leaf('Send one raw operation', () => import('./api.ts'), '<operation> [field=value...]', SETTINGS),
  help,
};

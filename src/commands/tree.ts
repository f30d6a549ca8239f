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
const LOCAL = 'Local engine';
const SETTINGS = 'Settings';

export const help: Leaf = {
  summary: 'Show the help of a command, or a topic',
  group: SETTINGS,
  takes: '[command or topic...]',
  load: () => import('./help.ts'),
};

export const tree: Record<string, Leaf | Noun> = {
  call: {
    summary: 'Place one call',
    group: CALLS,
    takes: '<to>',
    load: () => import('./call.ts'),
  },
  campaign: {
    summary: 'Create, rehearse and follow campaigns',
    group: CALLS,
    commands: {
      create: {
        summary: 'Create a campaign from a CSV of contacts',
        takes: '[contacts]',
        load: () => import('./campaign/create.ts'),
      },
      list: {
        summary: 'List the campaigns that were created from here',
        load: () => import('./campaign/list.ts'),
      },
      status: {
        summary: 'Show how far a campaign is',
        takes: '[campaign]',
        load: () => import('./campaign/status.ts'),
      },
      results: {
        summary: 'Show the result of each contact of a campaign',
        takes: '[campaign]',
        load: () => import('./campaign/results.ts'),
      },
      watch: {
        summary: 'Watch a campaign until it is over',
        takes: '[campaign]',
        load: () => import('./campaign/watch.ts'),
      },
      redial: {
        summary: 'List those of a campaign to call again',
        takes: '[campaign]',
        load: () => import('./campaign/redial.ts'),
      },
      rehearse: {
        summary: 'Simulate a campaign: when it would end, what it would cost',
        takes: '[contacts]',
        load: () => import('./campaign/rehearse.ts'),
      },
      forget: {
        summary: 'Remove what is kept here of the people a campaign called',
        takes: '[campaign]',
        load: () => import('./campaign/forget.ts'),
      },
    },
  },
  plan: {
    summary: 'Call a list within hours, caps and a budget',
    group: CALLS,
    commands: {
      create: {
        summary: 'Make a plan from a CSV of contacts: it calls nobody yet',
        takes: '[contacts]',
        load: () => import('./plan/create.ts'),
      },
      rehearse: {
        summary: 'Simulate a plan: when it would end, what it would cost',
        takes: '[plan]',
        load: () => import('./plan/rehearse.ts'),
      },
      run: {
        summary: 'Hand over what is due, once or until the plan is done',
        takes: '[plan]',
        load: () => import('./plan/run.ts'),
      },
      watch: {
        summary: 'Watch a plan until it is done or stopped',
        takes: '[plan]',
        load: () => import('./plan/watch.ts'),
      },
      status: { summary: 'Show where a plan stands', takes: '[plan]', load: () => import('./plan/status.ts') },
      results: {
        summary: 'Show what came of each contact of a plan',
        takes: '[plan]',
        load: () => import('./plan/results.ts'),
      },
      stop: { summary: 'Hand over no further wave', takes: '[plan]', load: () => import('./plan/stop.ts') },
      resume: {
        summary: 'Go on with a plan that was stopped, or waits',
        takes: '[plan]',
        load: () => import('./plan/resume.ts'),
      },
      cancel: { summary: 'End a plan for good', takes: '[plan]', load: () => import('./plan/cancel.ts') },
      list: { summary: 'List the plans of this machine', load: () => import('./plan/list.ts') },
      forget: {
        summary: 'Remove all that is kept here of a plan',
        takes: '[plan]',
        load: () => import('./plan/forget.ts'),
      },
    },
  },
  logs: {
    summary: 'Read and export call logs',
    group: CALLS,
    commands: {
      list: { summary: 'List calls, one page or all', load: () => import('./logs/list.ts') },
      export: { summary: 'Write every matching call to a file', load: () => import('./logs/export.ts') },
      show: {
        summary: 'Show one call with its transcript',
        takes: '<call_id>',
        load: () => import('./logs/show.ts'),
      },
      recording: {
        summary: 'Save the recording of a call',
        takes: '<call_id>',
        load: () => import('./logs/recording.ts'),
      },
      stats: { summary: 'Count calls, and chart them', load: () => import('./logs/stats.ts') },
      sync: { summary: 'Add the calls that are new to a file', load: () => import('./logs/sync.ts') },
      follow: { summary: 'Print calls as they come', load: () => import('./logs/follow.ts') },
    },
  },
  contacts: {
    summary: 'Check a file of contacts, or start one',
    group: CONTACTS,
    commands: {
      check: {
        summary: 'Check a whole file of contacts, without a campaign',
        takes: '<file>',
        load: () => import('./contacts/check.ts'),
      },
      template: { summary: 'Print a CSV to fill in', load: () => import('./contacts/template.ts') },
    },
  },
  agent: {
    summary: 'Create and list voice agents',
    group: AGENTS,
    commands: {
      create: { summary: 'Create a voice agent', load: () => import('./agent/create.ts') },
      list: { summary: 'List voice agents', load: () => import('./agent/list.ts') },
      show: {
        summary: 'Show one agent with its instructions',
        takes: '<id>',
        load: () => import('./agent/show.ts'),
      },
      export: {
        summary: 'Write agents as JSON, to keep in git',
        takes: '[id]',
        load: () => import('./agent/export.ts'),
      },
    },
  },
  voice: {
    summary: 'List the voices an agent can use',
    group: AGENTS,
    commands: {
      list: { summary: 'List voices', load: () => import('./voice/list.ts') },
      preview: {
        summary: 'Save the preview of a voice',
        takes: '<id>',
        load: () => import('./voice/preview.ts'),
      },
    },
  },
  local: {
    summary: 'Control the local engine',
    group: LOCAL,
    commands: {
      status: { summary: 'Show balance, clock and campaigns', load: () => import('./local/status.ts') },
      reset: { summary: 'Start a new store', load: () => import('./local/reset.ts') },
      advance: {
        summary: 'Move the clock forward',
        takes: '[duration]',
        load: () => import('./local/advance.ts'),
      },
      topup: { summary: 'Add money to the wallet', takes: '<amount>', load: () => import('./local/topup.ts') },
      number: {
        summary: 'Register agent phone numbers',
        takes: '<action> [number]',
        load: () => import('./local/number.ts'),
      },
      agent: { summary: 'Set the status of an agent', takes: '<id>', load: () => import('./local/agent.ts') },
      campaign: {
        summary: 'List, pause and resume campaigns',
        takes: '<action> [campaign]',
        load: () => import('./local/campaign.ts'),
      },
      scenario: { summary: 'Show or change how calls turn out', load: () => import('./local/scenario.ts') },
      check: { summary: 'Check the store', load: () => import('./local/check.ts') },
      org: { summary: 'Add and list organizations', takes: '<action>', load: () => import('./local/org.ts') },
      migrate: { summary: 'Copy the store to another place', load: () => import('./local/migrate.ts') },
    },
  },
  serve: {
    summary: 'Serve the local engine over HTTP',
    group: LOCAL,
    load: () => import('./serve.ts'),
  },
  profile: {
    summary: 'Manage connection profiles',
    group: SETTINGS,
    commands: {
      add: {
        summary: 'Add a profile, with questions where nothing is given',
        takes: '<name>',
        load: () => import('./profile/add.ts'),
      },
      edit: { summary: 'Change a profile', takes: '<name>', load: () => import('./profile/edit.ts') },
      list: { summary: 'List profiles', load: () => import('./profile/list.ts') },
      use: {
        summary: 'Make a profile the active one',
        takes: '<name>',
        load: () => import('./profile/use.ts'),
      },
      show: {
        summary: 'Show a profile and what is in effect',
        takes: '[name]',
        load: () => import('./profile/show.ts'),
      },
      remove: { summary: 'Remove a profile', takes: '<name>', load: () => import('./profile/remove.ts') },
    },
  },
  register: {
    summary: 'What was sent, who opted out, and the plans',
    group: SETTINGS,
    commands: {
      copy: {
        summary: 'Copy what was sent to another place, and merge it',
        load: () => import('./register/copy.ts'),
      },
    },
  },
  completion: {
    summary: 'Complete commands, flags and values with Tab',
    group: SETTINGS,
    takes: '<shell> [name]',
    load: () => import('./completion.ts'),
  },
  doctor: {
    summary: 'Check settings, service and key; say what to do',
    group: SETTINGS,
    load: () => import('./doctor.ts'),
  },
  api: {
    summary: 'Send one raw operation',
    group: SETTINGS,
    takes: '<operation> [field=value...]',
    load: () => import('./api.ts'),
  },
  help,
};

import { InvalidArgumentError } from 'commander';
import { integerFrom } from '../../cli/flags/values.ts';
import { printList, printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { askOneOf, orAsk } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { fromMicros } from '../../engine/money.ts';
import { DEFAULT_SEED, initialState } from '../../engine/state.ts';
import { UsageError } from '../../errors.ts';
import type { CommandModule } from '../shared/command.ts';

interface Options {
  seed?: number;
  empty?: true;
}

const ACTIONS = ['list', 'add'] as const;
type Action = (typeof ACTIONS)[number];

const WHY_NONE: Record<Action, string> = {
  list: 'it shows every organization',
  add: 'the new organization gets the next id',
};

export const command: CommandModule = {
  notes: `
Each organization has a wallet, numbers, agents, campaigns, a call log and a clock of its own, and nothing that one
does changes another: so tests that run at the same time do not disturb each other. --org <id> names one to any other
command; over HTTP its key is local-demo-key-<id>, and local-demo-key for the first. The list shows each as it was last written.
`,
  examples: ['vagent local org add', 'vagent local org list'],
  exits: 'engine',
  lists: 'list',
  takes: (command) =>
    command
      .asked('<action>', 'add or list', action)
      .option('--seed <n>', `random seed of a new one (default ${DEFAULT_SEED})`, integerFrom(0))
      .option('--empty', 'a new one without an agent, a number and money'),
  run,
};

function action(text: string): Action {
  const known = ACTIONS.find((name) => name === text);
  if (known !== undefined) return known;
  throw new InvalidArgumentError('It must be add or list.');
}

async function run(context: Context, given: Action | undefined, options: Options): Promise<void> {
  const wanted = await orAsk(context.io, given, askOneOf('<action>', 'What to do', ACTIONS));
  if (context.flags.org !== undefined)
    throw new UsageError(`vagent local org ${wanted} takes no --org: ${WHY_NONE[wanted]}.`);
  if (wanted === 'add') return add(options, context);
  if (options.seed !== undefined || options.empty) throw new UsageError('vagent local org list takes no flags of add.');
  await list(context);
}

async function add({ seed = DEFAULT_SEED, empty }: Options, context: Context): Promise<void> {
  const { clock } = context;
  const { store } = await context.local.at(context.settings.store());
  const organizationId = await store.add((organizationId, demoAgentId) =>
    initialState({ seed, now: clock.system(), empty: empty === true, organizationId, demoAgentId }),
  );
  const agents = (await store.snapshot(organizationId))?.state.agents ?? [];
  await printRecord(context, { organization_id: organizationId, agents: agents.map(({ agent_id }) => agent_id) });
  suggestNext(context, `vagent local status --org ${organizationId}`);
}

async function list(context: Context): Promise<void> {
  const { organizationFacts } = await import('../../local/organizations.ts');
  const { store } = await context.local.at(context.settings.store());
  const facts = await organizationFacts(store);
  await printList(
    context,
    { organizations: facts.map((one) => ({ ...one, balance: fromMicros(one.balance) })) },
    'organizations',
    { columns: ['organization_id', 'balance', 'agents', 'campaigns', 'calls'] },
  );
}

import { integerFrom } from '../../cli/flags/values.ts';
import { printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { requireYes } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import { DEFAULT_SEED, initialState } from '../../engine/state.ts';
import { UsageError } from '../../errors.ts';
import type { CommandModule } from '../shared/command.ts';

interface Options {
  seed?: number;
  empty?: true;
}

export const command: CommandModule = {
  examples: ['vagent local reset --yes', 'vagent local reset --seed 42 --yes'],
  exits: 'engine',
  takes: (command) =>
    command
      .option('--seed <n>', `random seed (default ${DEFAULT_SEED})`, integerFrom(0))
      .option('--empty', 'no agent, no number and no money, instead of the demo organization'),
  run,
};

async function run(context: Context, { seed, empty }: Options): Promise<void> {
  const { io, flags, settings } = context;
  const { store, timeline } = await context.local.engine();
  const isOneOfSeveral = (await store.ids()).length > 1;
  const organizationId = settings.localOrganization();
  if (!flags.yes) {
    const ofOne = `of organization ${organizationId}`;
    if (!io.canAsk) {
      const whose = isOneOfSeveral ? ofOne : 'of the store';
      throw new UsageError(`A reset deletes every call and campaign ${whose}: it needs --yes.`);
    }
    const whose = isOneOfSeveral ? `${ofOne} ` : '';
    await requireYes(io, `Delete every call and campaign ${whose}in ${store.location}?`, 'Nothing was changed.');
  }
  // Whose store it is, and the id of its demo agent, stay the same.
  const { demo_agent_id } = (await timeline.stored()).state.organization;
  const state = initialState({
    seed: seed ?? DEFAULT_SEED,
    now: context.clock.system(),
    empty: empty === true,
    ...{ organizationId, demoAgentId: demo_agent_id },
  });
  const optedOut = await context.register.optedOut();
  await store.reset(state);
  await optedOut.beginAnew();
  const whose = isOneOfSeveral ? { organization_id: organizationId } : {};
  await printRecord(context, { store: store.location, ...whose, seed: state.seed });
  suggestNext(context, empty ? 'vagent local number add +14155550142' : 'vagent local status');
}

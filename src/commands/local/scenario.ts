import { duration, share } from '../../cli/flags/values.ts';
import { printRecord } from '../../cli/terminal/output.ts';
import type { Context } from '../../context.ts';
import type { Scenario } from '../../engine/state.ts';
import type { CommandModule } from '../shared/command.ts';
import { pricePerMinute } from '../shared/flags.ts';

/** A flag for each field of the scenario. */
const FLAGS: Record<keyof Scenario, [flag: string, help: string, read: (text: string) => number]> = {
  answer_rate: ['--answer-rate <rate>', 'share of attempts that are answered; alone, it scales the other three', share],
  busy_rate: ['--busy-rate <rate>', 'share that is busy', share],
  no_answer_rate: ['--no-answer-rate <rate>', 'share that is not answered', share],
  failed_rate: ['--failed-rate <rate>', 'share that fails', share],
  median_duration: ['--median-duration <duration>', 'half of the conversations are shorter', duration],
  min_duration: ['--min-duration <duration>', 'the shortest conversation', duration],
  max_duration: ['--max-duration <duration>', 'the longest conversation', duration],
  price_per_minute: ['--price-per-minute <amount>', 'for each started minute of a conversation', pricePerMinute],
};

export const command: CommandModule = {
  examples: [
    'vagent local scenario',
    'vagent local scenario --answer-rate 0.4',
    'vagent local scenario --median-duration 2m --max-duration 10m --price-per-minute 0.08',
  ],
  exits: 'engine',
  takes: (command) => command.takesFlags(FLAGS),
  run,
};

async function run(context: Context, given: Record<string, number>): Promise<void> {
  const nameOf = (field: string) => field.replace(/_\w/g, (start) => start.charAt(1).toUpperCase());
  const fields = Object.keys(FLAGS).filter((field) => given[nameOf(field)] !== undefined);
  const changes: Partial<Scenario> = Object.fromEntries(fields.map((field) => [field, given[nameOf(field)]]));
  const { changeScenario, describeScenario } = await import('../../engine/scenario.ts');
  const { timeline } = await context.local.engine();
  const isChange = Object.keys(changes).length > 0;
  const scenario = isChange
    ? await timeline.change(({ state }) => changeScenario(state, changes))
    : (await timeline.read()).snapshot.state.scenario;
  await printRecord(context, describeScenario(scenario));
}

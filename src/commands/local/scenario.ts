import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { Scenario } from '../../engine/state.ts';
import { examples } from '../../flags/examples.ts';
import { duration, share } from '../../flags/values.ts';
import { printRecord } from '../../terminal/output.ts';
import { pricePerMinute } from '../shared/price-per-minute.ts';

interface Options {
  answerRate?: number;
  busyRate?: number;
  noAnswerRate?: number;
  failedRate?: number;
  medianDuration?: number;
  minDuration?: number;
  maxDuration?: number;
  pricePerMinute?: number;
}

export function register(command: Command, context: Context): void {
  command
    .option('--answer-rate <rate>', 'share of attempts that are answered; alone, it scales the other three', share)
    .option('--busy-rate <rate>', 'share that is busy', share)
    .option('--no-answer-rate <rate>', 'share that is not answered', share)
    .option('--failed-rate <rate>', 'share that fails', share)
    .option('--median-duration <duration>', 'half of the conversations are shorter', duration)
    .option('--min-duration <duration>', 'the shortest conversation', duration)
    .option('--max-duration <duration>', 'the longest conversation', duration)
    .option('--price-per-minute <amount>', 'for each started minute of a conversation', pricePerMinute)
    .addHelpText(
      'after',
      examples([
        'vagent local scenario',
        'vagent local scenario --answer-rate 0.4',
        'vagent local scenario --median-duration 2m --max-duration 10m --price-per-minute 0.08',
      ]),
    )
    .action((options: Options) => run(changesOf(options), context));
}

/** The given flags, under the scenario's names. */
function changesOf(options: Options): Partial<Scenario> {
  const named: Record<keyof Scenario, number | undefined> = {
    answer_rate: options.answerRate,
    busy_rate: options.busyRate,
    no_answer_rate: options.noAnswerRate,
    failed_rate: options.failedRate,
    median_duration: options.medianDuration,
    min_duration: options.minDuration,
    max_duration: options.maxDuration,
    price_per_minute: options.pricePerMinute,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

export async function run(changes: Partial<Scenario>, context: Context): Promise<void> {
  const { changeScenario, describeScenario } = await import('../../engine/scenario.ts');
  const { timeline } = await context.local();
  const isChange = Object.keys(changes).length > 0;
  const scenario = isChange
    ? await timeline.change(({ state }) => changeScenario(state, changes))
    : (await timeline.read()).snapshot.state.scenario;
  await printRecord(context.io, context.flags, describeScenario(scenario));
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import { duration, identifier, integerFrom, pricePerMinute, share } from '../../arguments.ts';
import type { Context } from '../../context.ts';
import { type CheckedRequest, checkRequest, type RequestOf } from '../../contract.ts';
import type { Plan, Report, Setting } from '../../engine/rehearsal.ts';
import type { Scenario } from '../../engine/state.ts';
import { badRequest, InputError, UsageError } from '../../errors.ts';
import { examples } from '../../help.ts';
import { chooseFormat, printList, printRecord } from '../../output.ts';
import { Progress } from '../../progress.ts';
import type { Question } from '../../prompt.ts';
import { addCampaignFlags, type CampaignOptions, readCampaign } from './flags.ts';

interface Options extends CampaignOptions {
  runs?: number;
  answerRate?: number;
  /** Millionths. */
  pricePerMinute?: number;
  /** Seconds. */
  meanDuration?: number;
}

const MAX_RUNS = 10_000;
export function register(command: Command, context: Context): void {
  addCampaignFlags(command)
    .option('--runs <n>', `play it so often, each with chances of its own (1 to ${MAX_RUNS})`, integerFrom(1, MAX_RUNS))
    .option('--answer-rate <share>', 'share of calls that are answered, 0 to 1', share)
    .option('--price-per-minute <amount>', 'price of a started minute', pricePerMinute)
    .option('--mean-duration <duration>', 'length of an average conversation', duration)
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, context));
}

const HELP = `
Nothing is placed or stored, and no network is needed. With --timezone, times are shown in that zone too.
What no flag says is taken from the local engine's scenario. Run k of --runs draws from the store's seed plus k;
the first, run 0, is what the local engine would do, and what the report is about.
${examples([
  'vagent campaign rehearse --agent 1 --from +14155550100 --contacts contacts.csv',
  'vagent campaign rehearse --agent 1 --from +14155550100 --contacts contacts.csv --runs 200 --json',
  'vagent campaign rehearse --agent 1 --from +14155550100 --contacts contacts.csv --start 2026-12-01T09:00 \\\n' +
    '      --timezone Europe/Berlin --answer-rate 0.4 --price-per-minute 0.18 --mean-duration 95s',
])}`;

async function run(options: Options, context: Context): Promise<void> {
  const inZone = await zoneOf(options.timezone);
  const { assumedState, planCampaign } = await import('../../engine/rehearsal.ts');
  const local = context.isRemote ? undefined : await localSetting(context);
  const now = local?.now ?? context.systemNow();
  const campaign = await readCampaign({ ...options, name: options.name ?? 'Rehearsal' }, context, {
    askAgent: askAgent(local),
    now: async () => now,
  });
  const request = check(campaign.request);
  const setting = local ?? {
    state: assumedState(request.agent_id, request.call_from, now),
    now,
    isWalletKnown: false,
  };
  if (options.meanDuration !== undefined) requireReachable(options.meanDuration, setting.state.scenario);
  const plan = planCampaign(setting, request, options);
  if (local === undefined) {
    context.io.warn(
      "the service was not asked: its agent, number and balance were not checked. Chance is a new store's.",
    );
  }
  const report = await play(plan, options.runs ?? 1, context);
  await show(report, inZone, context);
}

/**
 * The local engine's state as it was last committed, and its clock. Campaigns of the store that have fallen due since are
 * left where they are: to let them go on would write to the store.
 */
async function localSetting(context: Context): Promise<Setting> {
  const [{ store }, { engineNow }] = await Promise.all([context.local(), import('../../local/timeline.ts')]);
  const { state } = store.snapshot();
  return { state, now: engineNow(state, context), isWalletKnown: true };
}

/** Without asking a service: the list of a remote one is not at hand, and that of the local one is in its state. */
function askAgent(local: Setting | undefined): Question<number> {
  const asking = { flag: '--agent', message: 'Agent' };
  if (local === undefined) return { ...asking, parse: identifier };
  const active = local.state.agents.filter(({ status }) => status === 'active');
  const choices = active.map(({ agent_id, agent_name }) => ({ name: `${agent_id}  ${agent_name}`, value: agent_id }));
  return { ...asking, choices: async () => choices };
}

function check(request: RequestOf<'createCampaign'>): CheckedRequest<'createCampaign'> {
  const checked = checkRequest('createCampaign', request);
  if (checked.ok) return checked.value;
  throw badRequest(checked.issues);
}

function requireReachable(meanDuration: number, { min_duration, max_duration }: Scenario): void {
  if (meanDuration >= min_duration && meanDuration <= max_duration) return;
  throw new UsageError(
    `--mean-duration ${meanDuration}s: the scenario's conversations last ${min_duration} to ${max_duration} s.`,
  );
}

/** Calls between two turns of the event loop, in which an interrupt may arrive. */
const CALLS_A_TURN = 5_000;

async function play(plan: Plan, runs: number, { io, signal }: Context): Promise<Report> {
  const { rehearse } = await import('../../engine/rehearsal.ts');
  const rehearsal = rehearse(plan, runs);
  const progress = new Progress(io, 'Rehearsing calls');
  try {
    for (let calls = 1; ; calls++) {
      const step = rehearsal.next();
      if (step.done) return step.value;
      progress.at(calls);
      if (calls % CALLS_A_TURN === 0) {
        await nextTurn();
        signal.throwIfAborted();
      }
    }
  } finally {
    progress.end();
  }
}

// Showing ------------------------------------------------------------------------------------------------------------

/** An instant as the clocks of a zone show it, with their offset. */
type InZone = (time: string | null) => string | null;

/** Undefined where no zone is asked for. Throws InputError where there is no such zone. */
async function zoneOf(timezone: string | undefined): Promise<InZone | undefined> {
  if (timezone === undefined) return undefined;
  const { Temporal } = await import('temporal-polyfill');
  const inZone: InZone = (time) =>
    time === null ? null : Temporal.Instant.from(time).toString({ timeZone: timezone, fractionalSecondDigits: 3 });
  try {
    inZone('1970-01-01T00:00:00Z');
    return inZone;
  } catch (cause) {
    throw new InputError(`--timezone ${timezone} is not a time zone.`, {
      hint: 'Write an IANA name like Europe/Berlin.',
      cause,
    });
  }
}

async function show(report: Report, inZone: InZone | undefined, { io, flags }: Context): Promise<void> {
  if (report.paused !== null) {
    io.warn(
      `the wallet is empty after ${report.attempts} attempts. For the whole campaign: vagent local topup ${report.shortfall}`,
    );
  }
  const record = inZone === undefined ? report : { ...report, ...localTimes(report, inZone) };
  if (chooseFormat(io, flags) !== 'table' || flags.fields !== undefined) return printRecord(io, flags, { ...record });

  const { percentiles, by_status, by_outcome, ...facts } = record;
  const told = Object.entries(facts).filter(([, value]) => value !== null);
  const counts = { by_status: inWords(by_status), by_outcome: inWords(by_outcome) };
  await printRecord(io, flags, { ...Object.fromEntries(told), ...counts });
  if (percentiles === undefined) return;
  const rows = Object.entries(percentiles).map(([of, values]) => ({ of, ...values }));
  await io.data('\n');
  await printList(io, flags, { percentiles: rows }, { key: 'percentiles', columns: ['of', 'p5', 'p50', 'p95'] });
}

function localTimes({ first_call, last_call, worst_case_finish }: Report, inZone: InZone) {
  return {
    first_call_local: inZone(first_call),
    last_call_local: inZone(last_call),
    worst_case_finish_local: inZone(worst_case_finish),
  };
}

function inWords(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([label, count]) => `${label} ${count}`)
    .join(', ');
}

import { connectionFlags } from '../../cli/flags/global.ts';
import { duration, identifier, share } from '../../cli/flags/values.ts';
import { isForPerson, printRecord } from '../../cli/terminal/output.ts';
import type { Question } from '../../cli/terminal/question.ts';
import type { Context } from '../../context.ts';
import { checkRequest } from '../../contract.ts';
import type { Rehearsal } from '../../engine/rehearsal.ts';
import type { Setting } from '../../engine/simulation.ts';
import type { Scenario } from '../../engine/state.ts';
import { badRequest, UsageError } from '../../errors.ts';
import { counted, plural } from '../../text/numbers.ts';
import { writtenTime } from '../../text/when.ts';
import { canonicalName } from '../../text/zone-clock.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { withFile } from '../shared/contacts.ts';
import { localSetting, playCampaign, RUNS, showPercentiles } from '../shared/rehearsing.ts';
import { addCampaignFlags, type CampaignOptions, readCampaign } from './shared/flags.ts';
import { hoursInWords, warn } from './shared/warnings.ts';

interface Options extends CampaignOptions {
  runs?: number;
  answerRate?: number;
  /** Seconds. */
  meanDuration?: number;
}

export const command: CommandModule = {
  notes: `
Nothing is placed or stored, and no network is needed. With --timezone, or a zone of the profile, times are shown in it too.
Other unfinished campaigns of the simulator are simulated too, because they use the same wallet.
Defaults come from the simulator's scenario. Run k of --runs uses the store's random seed plus k. The report
describes the first run, run 0, which is what the simulator would do.
`,
  examples: [
    'vagent campaign rehearse --agent 1 --from +14155550100 --contacts contacts.csv',
    'vagent campaign rehearse --agent 1 --from +14155550100 --contacts contacts.csv --runs 200 --json',
    'vagent campaign rehearse --agent 1 --from +14155550100 --contacts contacts.csv --start 2026-12-01T09:00 ' +
      '--timezone Europe/Berlin --answer-rate 0.4 --price-per-minute 0.18 --mean-duration 95s',
  ],
  exits: 'offline',
  takes: (command) =>
    addCampaignFlags(command)
      .option(...RUNS)
      .option('--answer-rate <share>', 'share of calls that are answered, 0 to 1', share)
      .option('--mean-duration <duration>', 'length of an average conversation', duration),
  run,
};

async function run(context: Context, file: string | undefined, given: Options): Promise<void> {
  const options = withFile(file, given);
  const [{ planCampaign }, { assumedSetting }] = await Promise.all([
    import('../../engine/rehearsal.ts'),
    import('../../engine/simulation.ts'),
  ]);
  // A campaign that is paused calls nobody in a rehearsal.
  const local = context.settings.isRemote() ? undefined : await localSetting(context, ['scheduled', 'running']);
  const now = local?.now ?? context.clock.system();
  const campaign = await readCampaign({ ...options, name: options.name ?? 'Rehearsal' }, context, {
    askAgent: askAgent(local),
    now: async () => now,
  });
  const checked = checkRequest('createCampaign', campaign.request);
  if (!checked.ok) throw badRequest(checked.issues);
  const request = checked.value;
  const setting = local ?? assumedSetting(request.agent_id, request.call_from, now);
  if (options.meanDuration !== undefined) requireReachable(options.meanDuration, setting.state.scenario);
  const plan = planCampaign(setting, request, options);
  if (local === undefined) {
    context.io.warn(
      'the service was not asked: its agent, number and balance were not checked. ' +
        'Results are simulated with the usual rates of the simulator.',
    );
  }
  await warn(
    () => hoursInWords(request, request.start_time === undefined ? now : Date.parse(request.start_time)),
    context,
  );
  const report = await playCampaign(plan, options.runs ?? 1, context);
  await show(report, await zoneOf(campaign.timezone), context);
  noteNextTime(context);
}

/** No service is asked: the agents of the local engine are in its state, those of a remote service are typed in. */
function askAgent(local: Setting | undefined): Question<number> {
  const asking = { flag: '--agent', message: 'Agent' };
  if (local === undefined) return { ...asking, parse: identifier };
  const active = local.state.agents.filter(({ status }) => status === 'active');
  const choices = active.map(({ agent_id, agent_name }) => ({ name: `${agent_id}  ${agent_name}`, value: agent_id }));
  return { ...asking, choices: async () => choices };
}

function requireReachable(meanDuration: number, { min_duration, max_duration }: Scenario): void {
  if (meanDuration >= min_duration && meanDuration <= max_duration) return;
  throw new UsageError(
    `--mean-duration ${meanDuration}s: the scenario's conversations last ${min_duration} to ${max_duration} s.`,
  );
}

/** Converts an ISO 8601 time in UTC to the local time of a zone, with its offset. */
type InZone = (time: string) => string;

/** Undefined if no zone is known. */
async function zoneOf(timezone: string | undefined): Promise<InZone | undefined> {
  if (timezone === undefined) return undefined;
  const timeZone = canonicalName(timezone);
  const { Temporal } = await import('temporal-polyfill');
  return (time) => Temporal.Instant.from(time).toString({ timeZone, fractionalSecondDigits: 3 });
}

// Showing ------------------------------------------------------------------------------------------------------------

async function show(report: Rehearsal, inZone: InZone | undefined, context: Context): Promise<void> {
  const { io } = context;
  if (report.paused !== null) {
    const topUp = `vagent local topup ${report.shortfall}${connectionFlags(context.flags)}`;
    io.warn(`the wallet is empty after ${counted(report.attempts, 'attempt')}. For the whole campaign: ${topUp}`);
  }
  const others = report.other_campaigns;
  if (others !== undefined) {
    const use = counted(others, 'other campaign uses', 'other campaigns use');
    io.note(`${use} the same wallet, and ${plural(others, 'is', 'are')} simulated too.`);
  }
  const left = report.contacts - report.reached - report.not_reached;
  if (report.paused === null && left > 0) {
    io.warn(
      `${left} of ${counted(report.contacts, 'contact')} would never be called: the calendar ends with the year 9999.`,
    );
  }
  const timesIn = (show: (time: string) => string, suffix = '') =>
    Object.fromEntries(TIMES.map((field) => [field + suffix, report[field] && show(report[field])]));
  if (!isForPerson(context)) return printRecord(context, { ...report, ...(inZone && timesIn(inZone, '_local')) });

  const { percentiles, by_status, by_outcome, other_campaigns: _noted, ...facts } = report;
  const timeOf = inZone && ((time: string) => writtenTime(inZone(time), io.now()));
  const known = Object.entries({ ...facts, ...(timeOf && timesIn(timeOf)) }).filter(([, value]) => value !== null);
  await printRecord(context, { ...Object.fromEntries(known), by_status, by_outcome });
  if (percentiles !== undefined) await showPercentiles({ ...percentiles }, context, timeOf);
}

const TIMES = ['first_call', 'last_call', 'worst_case_finish'] as const;

import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { type CheckedRequest, checkRequest, type RequestOf } from '../../contract.ts';
import type { Rehearsal } from '../../engine/rehearsal.ts';
import type { Setting } from '../../engine/rehearsal-plan.ts';
import type { Scenario } from '../../engine/state.ts';
import { badRequest, UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { duration, identifier, integerFrom, share } from '../../flags/values.ts';
import { isForPerson, printList, printRecord } from '../../terminal/output.ts';
import type { Question } from '../../terminal/prompt.ts';
import { headingOf, inWords } from '../../terminal/words.ts';
import { writtenTime } from '../../text/when.ts';
import { noteNextTime } from '../shared/consent.ts';
import { warnOfHours } from './shared/decent-hours.ts';
import { addCampaignFlags, type CampaignOptions, readCampaign, withFile } from './shared/flags.ts';
import { play } from './shared/play-rehearsal.ts';
import { type InZone, zoneOf } from './shared/zone.ts';

interface Options extends CampaignOptions {
  runs?: number;
  answerRate?: number;
  /** Seconds. */
  meanDuration?: number;
}

const MAX_RUNS = 10_000;
export function register(command: Command, context: Context): void {
  explain(command, {
    notes: HELP,
    examples: [
      'vagent campaign rehearse --agent 1 --from +14155550100 --contacts contacts.csv',
      'vagent campaign rehearse --agent 1 --from +14155550100 --contacts contacts.csv --runs 200 --json',
      'vagent campaign rehearse --agent 1 --from +14155550100 --contacts contacts.csv --start 2026-12-01T09:00 ' +
        '--timezone Europe/Berlin --answer-rate 0.4 --price-per-minute 0.18 --mean-duration 95s',
    ],
    exits: EXITS.offline,
  });
  addCampaignFlags(command)
    .option(
      '--runs <n>',
      `number of simulated runs, each with its own random seed (1 to ${MAX_RUNS})`,
      integerFrom(1, MAX_RUNS),
    )
    .option('--answer-rate <share>', 'share of calls that are answered, 0 to 1', share)
    .option('--mean-duration <duration>', 'length of an average conversation', duration)
    .action((file: string | undefined, options: Options) => run(withFile(file, options), context));
}

const HELP = `
Nothing is placed or stored, and no network is needed. With --timezone, times are shown in that zone too.
Other unfinished campaigns of the local engine are simulated too, because they use the same wallet.
Defaults come from the local engine's scenario. Run k of --runs uses the store's random seed plus k. The report
describes the first run, run 0, which is what the local engine would do.
`;

export async function run(options: Options, context: Context): Promise<void> {
  const inZone = await zoneOf(options.timezone);
  const { assumedSetting, planCampaign } = await import('../../engine/rehearsal-plan.ts');
  const local = context.settings.isRemote() ? undefined : await localSetting(context);
  const now = local?.now ?? context.systemNow();
  const campaign = await readCampaign({ ...options, name: options.name ?? 'Rehearsal' }, context, {
    askAgent: askAgent(local),
    now: async () => now,
  });
  const request = check(campaign.request);
  const setting = local ?? assumedSetting(request.agent_id, request.call_from, now);
  if (options.meanDuration !== undefined) requireReachable(options.meanDuration, setting.state.scenario);
  const plan = planCampaign(setting, request, options);
  if (local === undefined) {
    context.io.warn(
      'the service was not asked: its agent, number and balance were not checked. Outcomes are simulated with default rates.',
    );
  }
  await warnOfHours(request, request.start_time === undefined ? now : Date.parse(request.start_time), context);
  const report = await play(plan, options.runs ?? 1, context);
  await show(report, inZone, context);
  noteNextTime(context);
}

/** The last committed state of the local engine, and its clock. What fell due since is simulated in memory. */
async function localSetting(context: Context): Promise<Setting> {
  const [{ store }, { engineNow }, { waitingIn }] = await Promise.all([
    context.local(),
    import('../../local/timeline.ts'),
    import('../../local/waiting.ts'),
  ]);
  const snapshot = await store.snapshot();
  const { state } = snapshot;
  // One that is paused calls nobody in a rehearsal.
  const waitingOf = await waitingIn(snapshot, ['scheduled', 'running']);
  return { state, now: engineNow(state, context), isWalletKnown: true, waitingOf };
}

/** No service is asked: the agents of the local engine are in its state, those of a remote service are typed in. */
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

// Showing ------------------------------------------------------------------------------------------------------------

async function show(report: Rehearsal, inZone: InZone | undefined, { io, flags }: Context): Promise<void> {
  if (report.paused !== null) {
    io.warn(
      `the wallet is empty after ${report.attempts} attempts. For the whole campaign: vagent local topup ${report.shortfall}`,
    );
  }
  if (report.other_campaigns !== undefined) io.note(besides(report.other_campaigns));
  const left = report.contacts - report.reached - report.voicemail - report.exhausted;
  if (report.paused === null && left > 0) {
    io.warn(`${left} of ${report.contacts} contacts would never be called: the calendar ends with the year 9999.`);
  }
  const record = inZone === undefined ? report : { ...report, ...localTimes(report, inZone) };
  if (!isForPerson(io, flags)) return printRecord(io, flags, { ...record });

  const { percentiles, by_status, by_outcome, other_campaigns: _noted, ...facts } = record;
  const known = Object.entries(
    inZone === undefined ? facts : { ...facts, ...shownIn(inZone, report, io.now()) },
  ).filter(([, value]) => value !== null && value !== undefined);
  await printRecord(io, flags, { ...Object.fromEntries(known), by_status, by_outcome });
  if (percentiles === undefined) return;
  const wording = { now: io.now(), redact: (text: string) => text };
  const rows = Object.entries(percentiles).map(([field, values]) => {
    const inWanted = (value: unknown) =>
      field === 'last_call' && inZone !== undefined && typeof value === 'string'
        ? writtenTime(inZone(value), wording.now)
        : inWords(field, value, wording);
    const shown = Object.entries(values).map(([percent, value]) => [percent, inWanted(value)]);
    return { of: headingOf(field), ...Object.fromEntries(shown) };
  });
  await io.screen('\n');
  await printList(
    io,
    flags,
    { percentiles: rows },
    { key: 'percentiles', columns: ['of', 'p5', 'p50', 'p95'], importance: ['of', 'p50', 'p95'] },
  );
}

function besides(others: number): string {
  return others === 1
    ? '1 other campaign uses the same wallet, and is simulated too.'
    : `${others} other campaigns use the same wallet, and are simulated too.`;
}

/** For a person the times of `--timezone` stand in the place of the others. */
function shownIn(inZone: InZone, { first_call, last_call, worst_case_finish }: Rehearsal, now: number) {
  const shown = (time: string | null) => time && writtenTime(inZone(time), now);
  const none = { first_call_local: undefined, last_call_local: undefined, worst_case_finish_local: undefined };
  return {
    first_call: shown(first_call),
    last_call: shown(last_call),
    worst_case_finish: shown(worst_case_finish),
    ...none,
  };
}

function localTimes({ first_call, last_call, worst_case_finish }: Rehearsal, inZone: InZone) {
  return {
    first_call_local: first_call && inZone(first_call),
    last_call_local: last_call && inZone(last_call),
    worst_case_finish_local: inZone(worst_case_finish),
  };
}

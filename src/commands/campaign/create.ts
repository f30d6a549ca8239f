import { type AgentLook, requireActiveAgent } from '../../calls/paging/agents.ts';
import { cell, factLines, printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { requireYes } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import {
  checkRequest,
  DEFAULT_CALLS_PER_HOUR,
  DEFAULT_RETRY_ATTEMPTS,
  DEFAULT_RETRY_DELAY,
  type RequestOf,
} from '../../contract.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import { isDatabase } from '../../storage/files/store-place.ts';
import { counted } from '../../text/numbers.ts';
import { timeInZone } from '../../text/time.ts';
import { inUnits } from '../../text/when.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime, serviceFacts } from '../shared/consent.ts';
import { withFile } from '../shared/contacts.ts';
import { printDryRun } from '../shared/dry-run.ts';
import { askActiveAgent, chosenName } from '../shared/questions.ts';
import { playCampaign } from '../shared/rehearsing.ts';
import { spareMemory } from '../shared/spare-memory.ts';
import { addCampaignFlags, type CampaignOptions, readCampaign } from './shared/flags.ts';
import { warn, warningsOf } from './shared/warnings.ts';

interface Options extends CampaignOptions {
  dryRun?: true;
  /** The campaigns whose people are called again. */
  redialOf?: readonly { campaign_id: number; campaign_name: string }[];
}

type Request = RequestOf<'createCampaign'>;

export const command: CommandModule = {
  notes: `
Contacts who opted out of calls are left out, even with --again and --force; if nobody is left, the exit code is 3
(do_not_call). See vagent help safety.`,
  examples: [
    'vagent campaign create --name Spring --agent 1 --from +14155550100 --contacts contacts.csv',
    'vagent campaign create --name Recall --agent 1 --from +14155550100 --contacts contacts.csv ' +
      '--start 2026-12-01T09:00 --timezone Europe/Berlin --calls-per-hour 120 --retry-attempts 1',
  ],
  exits: 'calling',
  operation: 'createCampaign',
  takes: (command) =>
    addCampaignFlags(command).option('--dry-run', 'check everything, print the request and send nothing'),
  run,
};

async function run(context: Context, file: string | undefined, given: Options): Promise<void> {
  const named = withFile(file, given);
  const { io, flags, settings, clock, services } = context;
  const isRemote = settings.isRemote();
  // It takes seconds of a million contacts; over a database, which takes longer than that, they are little.
  if (!isRemote && isDatabase(settings.store())) spareMemory();
  const { request, contactsFile, rows, timezone } = await readCampaign(named, context, {
    askAgent: askActiveAgent(context),
    now: () => clock.now(),
    isSent: true,
  });
  const options = { ...named, ...(timezone !== undefined && { timezone }) };
  const { again, force, dryRun } = options;
  const sending = { again, force, contactsFile, rows };
  const warnBefore = async (now: () => number | Promise<number>) =>
    warn(async () => warningsOf(request, startOf(request) ?? (await now()), context), context);
  if (dryRun) {
    // The local engine, whose clock may be ahead, is left alone.
    await warnBefore(clock.system);
    return printDryRun(context, { operation: 'createCampaign', request }, sending);
  }
  if (isRemote) {
    services.announce();
    // Reads the key now, so that it is masked in the plan if somebody pasted it into a text.
    await settings.credentials();
    const approval = context.register.requireNew({ operation: 'createCampaign', request }, sending);
    const { redialOf } = await approval.catch((error: unknown) => {
      // What was answered is not lost: the refusal says which flag goes on.
      noteNextTime(context);
      throw error;
    });
    await requireConsent(request, { ...options, redialOf }, context);
  } else if (io.answers.length > 0 && !flags.yes) {
    for (const line of await planOf(request, undefined, options, context)) io.error(line);
    await requireYes(io, 'Create this campaign on the simulator?', 'Nothing was sent.', true);
  } else await warnBefore(() => clock.now());
  noteNextTime(context);
  const service = await services.chosen(sending);
  const created = await service.createCampaign(request);
  await printRecord(context, created, { idColumn: 'campaign_id' });
  suggestNext(context, isRemote ? `vagent campaign watch ${created.campaign_id}` : 'vagent local advance 2h');
}

/** Shows the plan and needs a yes, because real phones will ring. */
async function requireConsent(request: Request, options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const isAsked = !flags.yes && io.canAsk;
  // Without a yes or somebody to ask nothing will be sent, so the agent is not looked up.
  const look =
    flags.yes || isAsked ? await requireActiveAgent(request.agent_id, await context.services.chosen()) : undefined;
  // Whoever is asked must see the plan, even with --quiet.
  for (const line of await planOf(request, look, options, context)) isAsked ? io.error(line) : io.note(line);
  if (flags.yes) return;
  if (!isAsked) {
    const people = counted(request.contacts.length, 'real person', 'real people');
    throw new UsageError(`Calling ${people} needs confirmation: add --yes. Nothing was sent.`, {
      hint: '--dry-run shows what would be sent.',
    });
  }
  await requireYes(io, `Call ${counted(request.contacts.length, 'person', 'people')}?`, 'Nothing was sent.');
}

// The plan, shown before it is sent -----------------------------------------------------------------------------------

/** In milliseconds since the epoch; undefined for now. */
function startOf({ start_time }: Request): number | undefined {
  return start_time === undefined ? undefined : Date.parse(start_time);
}

/**
 * Lines of a name and a value, and what is doubtful: the agent, who would be called at night, and whom plans may call too. `look`
 * is undefined if nobody tried to look the agent up.
 */
async function planOf(
  request: Request,
  look: AgentLook | undefined,
  options: Options,
  context: Context,
): Promise<string[]> {
  const { clock, io } = context;
  // The service has just answered, where its agent was looked up.
  const start = startOf(request) ?? clock.byAnswers() ?? (await clock.now());
  const warnings = await warningsOf(request, start, context);
  const doubts = look?.doubt === undefined ? [] : [`Warning: ${look.doubt}`];
  return [...factLines(await factsOf(request, look, options, context), io), ...doubts, ...warnings];
}

async function factsOf(
  request: Request,
  look: AgentLook | undefined,
  { timezone, pricePerMinute, redialOf = [] }: Options,
  context: Context,
): Promise<Record<string, unknown>> {
  const { calls_per_hour = DEFAULT_CALLS_PER_HOUR, retry_attempts = DEFAULT_RETRY_ATTEMPTS } = request;
  const { retry_delay = DEFAULT_RETRY_DELAY, contacts, agent_id } = request;
  const start = startOf(request) ?? (await context.clock.now());
  const { worstCaseFinish } = await import('../../engine/pace.ts');
  const show = (instant: number) => timeInZone(instant, timezone, context.clock.system());
  const finish = (retries: number) => {
    const pacing = { total_contacts: contacts.length, start_time: start, calls_per_hour, retry_delay };
    return show(worstCaseFinish({ ...pacing, retry_attempts: retries }));
  };
  const redials = redialOf.map((one) => `campaign ${one.campaign_id} ${JSON.stringify(cell(one.campaign_name))}`);
  const attempts = retry_attempts === 0 ? 'one attempt' : `up to ${retry_attempts + 1} attempts`;
  return {
    ...serviceFacts(context),
    Campaign: request.campaign_name,
    Agent: look === undefined ? (chosenName(context.io, '--agent') ?? agent_id) : `${agent_id} ${described(look)}`,
    From: request.call_from,
    Contacts: contacts.length,
    'A redial of': redials.join(', '),
    Pace: `${counted(calls_per_hour, 'call')} an hour, ${attempts} each`,
    ...(retry_attempts > 0 && { 'Retry delay': inUnits(retry_delay) }),
    Start: request.start_time === undefined ? 'now' : show(start),
    Finish: retry_attempts === 0 ? finish(0) : `${finish(0)} without retries, ${finish(retry_attempts)} at the latest`,
    ...(pricePerMinute !== undefined && { Cost: await costOf(request, pricePerMinute, context) }),
  };
}

function described({ agent }: AgentLook): string {
  if (agent === undefined) return '(not looked up)';
  return `${cell(agent.agent_name)} (${cell(agent.status) || 'status not reported'})`.trim();
}

/** The cost of the campaign, estimated by a rehearsal as in `vagent campaign rehearse`. */
async function costOf(request: Request, pricePerMinute: number, context: Context): Promise<string> {
  const [{ planCampaign }, { assumedSetting }, { fromMicros }] = await Promise.all([
    import('../../engine/rehearsal.ts'),
    import('../../engine/simulation.ts'),
    import('../../engine/money.ts'),
  ]);
  const checked = checkRequest('createCampaign', request);
  if (!checked.ok) return 'not estimated';
  const setting = assumedSetting(request.agent_id, request.call_from, context.clock.system());
  try {
    const { cost } = await playCampaign(planCampaign(setting, checked.value, { pricePerMinute }), 1, context);
    return `about ${cost} at ${fromMicros(pricePerMinute)} a started minute, where people answer as a rehearsal supposes`;
  } catch (error) {
    // A service may allow what the local engine does not.
    if (error instanceof ServiceError) return `not estimated: ${error.message}`;
    throw error;
  }
}

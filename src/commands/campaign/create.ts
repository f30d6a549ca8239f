import { setFlagsFromString } from 'node:v8';
import { type AgentLook, requireActiveAgent } from '../../calls/paging/agents.ts';
import { printRecord, suggestNext } from '../../cli/terminal/output.ts';
import { requireYes } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../context.ts';
import type { RequestOf } from '../../contract.ts';
import { UsageError } from '../../errors.ts';
import { isDatabase } from '../../storage/files/store-place.ts';
import { counted } from '../../text/numbers.ts';
import type { CommandModule } from '../shared/command.ts';
import { noteNextTime } from '../shared/consent.ts';
import { withFile } from '../shared/contacts.ts';
import { printDryRun } from '../shared/dry-run.ts';
import { askActiveAgent } from '../shared/questions.ts';
import { spareMemory } from '../shared/spare-memory.ts';
import { type SummaryOptions, summaryOf } from './create/summary.ts';
import { addCampaignFlags, type CampaignOptions, readCampaign } from './shared/flags.ts';
import { warn, warningsOf } from './shared/warnings.ts';

interface Options extends CampaignOptions {
  dryRun?: true;
}

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
    addCampaignFlags(command)
      .addOption(command.createOption('--canary <n>').hideHelp().argParser(refuseCanary))
      .option('--dry-run', 'check everything, print the request and send nothing'),
  run,
};

function refuseCanary(): never {
  throw new UsageError('campaign create has no --canary any more: a plan calls the first n and waits.', {
    hint: 'vagent plan create --canary <n>; vagent help plans tells of it.',
  });
}

async function run(context: Context, file: string | undefined, given: Options): Promise<void> {
  const options = withFile(file, given);
  const { io, flags } = context;
  spareMemoryOverDatabase(context);
  const { request, contactsFile, rows } = await readCampaign(options, context, {
    askAgent: askActiveAgent(context),
    now: () => context.clock.now(),
    isSent: true,
  });
  const { again, force, dryRun } = options;
  const sending = { again, force, contactsFile, rows };
  if (dryRun) {
    // The local engine, whose clock may be ahead, is left alone.
    await warn(() => warningsOf(request, startOf(request) ?? context.clock.system(), context), context);
    return printDryRun(context, { operation: 'createCampaign', request }, sending);
  }
  if (context.settings.isRemote()) {
    context.services.announce();
    // Reads the key now, so that it is masked in the plan if somebody pasted it into a text.
    await context.settings.credentials();
    const approval = context.register.requireNew({ operation: 'createCampaign', request }, sending);
    const { redialOf } = await approval.catch((error: unknown) => {
      // What was answered is not lost: the refusal says which flag goes on.
      noteNextTime(context);
      throw error;
    });
    await requireConsent(request, { ...options, redialOf }, context);
  } else if (io.answers.length > 0 && !flags.yes) {
    for (const line of await planOf(request, undefined, options, context)) io.error(line);
    await requireYes(io, 'Create this campaign on the local engine?', 'Nothing was sent.', true);
  } else {
    const start = startOf(request) ?? (await context.clock.now());
    await warn(() => warningsOf(request, start, context), context);
  }
  noteNextTime(context);
  const isLocal = !context.settings.isRemote();
  const service = await context.services.chosen(sending);
  const created = await service.createCampaign(request);
  await printRecord(context, created, { idColumn: 'campaign_id' });
  suggestNext(context, isLocal ? 'vagent local advance 2h' : `vagent campaign watch ${created.campaign_id}`);
}

/** In milliseconds since the epoch; undefined for now. */
function startOf({ start_time }: RequestOf<'createCampaign'>): number | undefined {
  return start_time === undefined ? undefined : Date.parse(start_time);
}

/** The lines of the plan, and what is doubtful: the agent, who would be called at night, and whom plans may call too. */
async function planOf(
  request: RequestOf<'createCampaign'>,
  look: AgentLook | undefined,
  options: SummaryOptions,
  context: Context,
): Promise<string[]> {
  const { clock } = context;
  // The service has just answered, where its agent was looked up.
  const start = startOf(request) ?? clock.byAnswers() ?? (await clock.now());
  const doubts = look?.doubt === undefined ? [] : [`Warning: ${look.doubt}`];
  const warnings = await warningsOf(request, start, context);
  return [...(await summaryOf(request, look, options, context)), ...doubts, ...warnings];
}

/** Shows the plan and needs a yes, because real phones will ring. */
async function requireConsent(
  request: RequestOf<'createCampaign'>,
  options: SummaryOptions,
  context: Context,
): Promise<void> {
  const { io, flags } = context;
  const isAsked = !flags.yes && io.canAsk;
  // Without a yes or somebody to ask nothing will be sent, so the agent is not looked up.
  const look =
    flags.yes || isAsked ? await requireActiveAgent(request.agent_id, await context.services.chosen()) : undefined;
  for (const line of await planOf(request, look, options, context)) {
    // Whoever is asked must see the plan, even with --quiet.
    if (isAsked) io.error(line);
    else io.note(line);
  }
  if (flags.yes) return;
  if (!isAsked) {
    const people = counted(request.contacts.length, 'real person', 'real people');
    throw new UsageError(`Calling ${people} needs confirmation: add --yes. Nothing was sent.`, {
      hint: '--dry-run shows what would be sent.',
    });
  }
  await requireYes(io, `Call ${request.contacts.length} people?`, 'Nothing was sent.');
}

/**
 * To collect the garbage of a million contacts sooner takes seconds; over a database, which takes longer than that, they are
 * little.
 */
function spareMemoryOverDatabase({ settings }: Context): void {
  if (settings.isRemote() || !isDatabase(settings.store())) return;
  spareMemory();
  setFlagsFromString('--semi-space-growth-factor=1');
}

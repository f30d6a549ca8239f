import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { RequestOf } from '../../contract.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import { EXITS, explain } from '../../flags/help.ts';
import { suggestNext } from '../../terminal/next.ts';
import { printRecord } from '../../terminal/output.ts';
import { confirm } from '../../terminal/prompt.ts';
import { noteNextTime } from '../shared/consent.ts';
import { printDryRun } from '../shared/dry-run.ts';
import { askActiveAgent } from '../shared/questions.ts';
import { requireActiveAgent } from './shared/active-agent.ts';
import { addCampaignFlags, type CampaignOptions, readCampaign, withFile } from './shared/flags.ts';
import { summaryOf } from './shared/summary.ts';

interface Options extends CampaignOptions {
  dryRun?: true;
}

export function register(command: Command, context: Context): void {
  explain(command, {
    examples: [
      'vagent campaign create --name Spring --agent 1 --from +14155550100 --contacts contacts.csv',
      'vagent campaign create --name Recall --agent 1 --from +14155550100 --contacts contacts.csv ' +
        '--start 2026-12-01T09:00 --timezone Europe/Berlin --calls-per-hour 120 --retry-attempts 1',
    ],
    exits: EXITS.calling,
    operation: 'createCampaign',
  });
  addCampaignFlags(command)
    .option('--dry-run', 'check everything, print the request and send nothing')
    .action((file: string | undefined, options: Options) => run(withFile(file, options), context));
}

export async function run(options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const { request, contactsFile } = await readCampaign(options, context, {
    askAgent: askActiveAgent(context),
    now: () => context.serviceClock.now(),
  });
  const { again, force } = options;
  const sending = { again, force, contactsFile };
  if (options.dryRun) return printDryRun(context, { operation: 'createCampaign', request }, sending);
  if (context.settings.isRemote()) {
    context.announceProfile();
    // Reads the key now, so that it is masked in the plan if somebody pasted it into a text.
    await context.settings.credentials();
    await context.register.requireNew({ operation: 'createCampaign', request }, sending).catch((error: unknown) => {
      // What was answered is not lost: the refusal says which flag goes on.
      noteNextTime(context);
      throw error;
    });
    await requireConsent(request, options, context);
  } else if (io.answers.length > 0 && !flags.yes) {
    for (const line of await summaryOf(request, undefined, options, context)) io.error(line);
    const isWanted = await confirm(io, 'Create this campaign on the local engine?', true);
    if (!isWanted) throw new InterruptedError('Nothing was sent.');
  }
  noteNextTime(context);
  const service = await context.service(sending);
  const created = await service.createCampaign(request);
  await printRecord(io, flags, created, { idColumn: 'campaign_id' });
  const isLocal = !context.settings.isRemote();
  suggestNext(io, flags, isLocal ? 'vagent local advance 2h' : `vagent campaign status ${created.campaign_id}`);
}

/** Shows the plan and needs a yes, because real phones will ring. */
async function requireConsent(request: RequestOf<'createCampaign'>, options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const isAsked = !flags.yes && io.canAsk;
  // Without a yes or somebody to ask nothing will be sent, so the agent is not looked up.
  const agent = flags.yes || isAsked ? await requireActiveAgent(request.agent_id, context) : undefined;
  for (const line of await summaryOf(request, agent, options, context)) {
    // Whoever is asked must see the plan, even with --quiet.
    if (isAsked) io.error(line);
    else io.note(line);
  }
  if (flags.yes) return;
  if (!isAsked) {
    const people = request.contacts.length === 1 ? '1 real person' : `${request.contacts.length} real people`;
    throw new UsageError(`Calling ${people} needs confirmation: add --yes. Nothing was sent.`, {
      hint: '--dry-run shows what would be sent.',
    });
  }
  const { length } = request.contacts;
  if (!(await confirm(io, `Call ${length} people?`))) throw new InterruptedError('Nothing was sent.');
}

import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { DEFAULT_CALLS_PER_HOUR, DEFAULT_RETRY_ATTEMPTS, DEFAULT_RETRY_DELAY, type RequestOf } from '../../contract.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import { examples } from '../../help.ts';
import { printRecord } from '../../output.ts';
import { confirm } from '../../prompt.ts';
import { LAST_INSTANT } from '../../time.ts';
import { agentChoices } from '../choices.ts';
import { printDryRun } from '../dry-run.ts';
import { addCampaignFlags, type CampaignOptions, readCampaign } from './flags.ts';

interface Options extends CampaignOptions {
  dryRun?: true;
  force?: true;
}

export function register(command: Command, context: Context): void {
  addCampaignFlags(command)
    .option('--dry-run', 'check everything, print the request and send nothing')
    .option('--force', 'send also contacts that were sent before')
    .addHelpText(
      'after',
      examples([
        'vagent campaign create --name Spring --agent 1 --from +14155550100 --contacts contacts.csv',
        'vagent campaign create --name Recall --agent 1 --from +14155550100 --contacts contacts.csv \\\n' +
          '      --start 2026-12-01T09:00 --timezone Europe/Berlin --calls-per-hour 120 --retry-attempts 1',
      ]),
    )
    .action((options: Options) => run(options, context));
}

async function run(options: Options, context: Context): Promise<void> {
  const { io, flags } = context;
  const { request, contactsFile } = await readCampaign(options, context, {
    askAgent: { flag: '--agent', message: 'Agent', choices: async () => agentChoices(await context.service()) },
    now: () => context.serviceNow(),
  });
  const sending = { force: options.force, contactsFile };
  if (options.dryRun) return printDryRun(context, { operation: 'createCampaign', request }, sending);
  if (context.isRemote) {
    context.tellProfile();
    // From here on the key is known, and masked in the plan where somebody pasted it into a text.
    await context.credentials();
    await context.requireNew({ operation: 'createCampaign', request }, sending);
    await requireConsent(request, context);
  }
  const service = await context.service(sending);
  await printRecord(io, flags, await service.createCampaign(request), 'campaign_id');
}

/** Real phones will ring: what is about to happen is shown, and goes on only after a yes. */
async function requireConsent(
  request: RequestOf<'createCampaign'>,
  { io, flags, settings, organizationId, systemNow }: Context,
): Promise<void> {
  const callsPerHour = request.calls_per_hour ?? DEFAULT_CALLS_PER_HOUR;
  const attempts = 1 + (request.retry_attempts ?? DEFAULT_RETRY_ATTEMPTS);
  const start = request.start_time === undefined ? systemNow() : Date.parse(request.start_time);
  const firstRound = start + (request.contacts.length / callsPerHour) * 3_600_000;
  const lastRound =
    start +
    ((request.contacts.length * attempts) / callsPerHour) * 3_600_000 +
    (attempts - 1) * (request.retry_delay ?? DEFAULT_RETRY_DELAY) * 1000;
  const plan = {
    Service: settings.target.mode === 'remote' ? settings.target.baseUrl.host : '',
    Organization: organizationId,
    Campaign: request.campaign_name,
    Agent: request.agent_id,
    From: request.call_from,
    Contacts: request.contacts.length,
    Pace: `${callsPerHour} calls an hour, up to ${attempts} attempts each`,
    Start: request.start_time ?? 'now',
    Finish: `${inMinutes(firstRound)} without retries, ${inMinutes(lastRound)} at the latest`,
  };
  const isAsked = !flags.yes && io.canAsk;
  // Who is asked sees what the answer is about, also with --quiet.
  for (const [name, value] of Object.entries(plan)) {
    const line = `${name.padEnd(12)} ${value}`;
    if (isAsked) io.error(line);
    else io.note(line);
  }
  if (flags.yes) return;
  if (!isAsked) {
    throw new UsageError('A campaign on a real service needs a yes; nothing was sent.', {
      hint: 'Add --yes once you have checked what would be sent (--dry-run shows it).',
    });
  }
  if (!(await confirm(io, `Call ${request.contacts.length} people?`))) throw new InterruptedError('Nothing was sent.');
}

function inMinutes(instant: number): string {
  return instant > LAST_INSTANT ? 'beyond the year 9999' : `${new Date(instant).toISOString().slice(0, 16)}Z`;
}

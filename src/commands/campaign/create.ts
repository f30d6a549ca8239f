import type { Command } from 'commander';
import { duration, filled, identifier, integerFrom, phoneNumber } from '../../arguments.ts';
import type { Context } from '../../context.ts';
import { DEFAULT_CALLS_PER_HOUR, DEFAULT_RETRY_ATTEMPTS, DEFAULT_RETRY_DELAY, type RequestOf } from '../../contract.ts';
import { InputError, InterruptedError, UsageError } from '../../errors.ts';
import { examples } from '../../help.ts';
import { sourceName } from '../../io.ts';
import { printRecord } from '../../output.ts';
import { complete, confirm } from '../../prompt.ts';
import { parseTime } from '../../time.ts';
import { agentChoices } from '../choices.ts';
import { printDryRun } from '../dry-run.ts';

interface Options {
  name?: string;
  agent?: number;
  from?: string;
  contacts?: string;
  start?: string;
  timezone?: string;
  callsPerHour?: number;
  retryAttempts?: number;
  retryDelay?: number;
  dryRun?: true;
}

export function register(command: Command, context: Context): void {
  command
    .option('--name <text>', "the campaign's name", filled)
    .option('--agent <id>', 'agent that calls (vagent agent list)', identifier)
    .option('--from <number>', "one of the organization's agent numbers", phoneNumber)
    .option('--contacts <file>', 'CSV of contacts, or - for standard input', filled)
    .option('--start <time>', 'when to start (default now): an ISO 8601 time, or +2h')
    .option('--timezone <name>', 'IANA zone of a --start without an offset', filled)
    .option('--calls-per-hour <n>', `pace (default ${DEFAULT_CALLS_PER_HOUR})`, integerFrom(1))
    .option('--retry-attempts <n>', `retries of a failed call (default ${DEFAULT_RETRY_ATTEMPTS})`, integerFrom(0))
    .option('--retry-delay <duration>', `time between retries (default ${DEFAULT_RETRY_DELAY}s)`, duration)
    .option('--dry-run', 'check everything, print the request and send nothing')
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
  const { io, flags, settings } = context;
  const { name, agent, from, contacts } = await complete(
    io,
    {
      name: options.name,
      agent: options.agent ?? settings.profile?.agent_id,
      from: options.from ?? settings.profile?.from,
      contacts: options.contacts,
    },
    {
      name: { flag: '--name', message: 'Name of the campaign', parse: filled },
      agent: { flag: '--agent', message: 'Agent', choices: async () => agentChoices(await context.service()) },
      from: { flag: '--from', message: 'Number to call from', parse: phoneNumber },
      contacts: { flag: '--contacts', message: 'CSV of contacts', parse: filled },
    },
  );
  const { readContacts } = await import('../../contacts/read.ts');
  const request: RequestOf<'createCampaign'> = {
    campaign_name: name,
    agent_id: agent,
    call_from: from,
    contacts: await readContacts(await io.read(contacts, '--contacts'), sourceName(contacts)),
    start_time: await startTime(options, context),
    calls_per_hour: options.callsPerHour,
    retry_attempts: options.retryAttempts,
    retry_delay: options.retryDelay,
  };
  if (options.dryRun) return printDryRun(context, 'createCampaign', request);
  if (context.isRemote) await requireConsent(request, context);
  const service = await context.service();
  await printRecord(io, flags, await service.createCampaign(request));
}

/** In UTC with `Z`, as it is sent. Throws InputError where the time has passed or nobody said in which zone it is. */
async function startTime({ start, timezone }: Options, context: Context): Promise<string | undefined> {
  if (start === undefined) return undefined;
  const now = await currentTime(context);
  const instant = await parseTime(start, { now, timezone, flag: '--start' });
  if (instant < now) {
    throw new InputError(`--start ${start} has passed.`, { hint: 'Leave --start out to begin now.' });
  }
  return new Date(instant).toISOString();
}

/** By the clock that will run the campaign: the local engine's may be ahead. */
async function currentTime(context: Context): Promise<number> {
  if (context.isRemote) return context.systemNow();
  const { timeline } = await context.local();
  return (await timeline.read()).now;
}

/** Real phones will ring: what is about to happen is shown, and goes on only after a yes. */
async function requireConsent(
  request: RequestOf<'createCampaign'>,
  { io, flags, settings, systemNow }: Context,
): Promise<void> {
  const callsPerHour = request.calls_per_hour ?? DEFAULT_CALLS_PER_HOUR;
  const attempts = 1 + (request.retry_attempts ?? DEFAULT_RETRY_ATTEMPTS);
  const start = request.start_time === undefined ? systemNow() : Date.parse(request.start_time);
  const firstRound = start + (request.contacts.length / callsPerHour) * 3_600_000;
  const lastRound =
    start +
    ((request.contacts.length * attempts) / callsPerHour) * 3_600_000 +
    (attempts - 1) * (request.retry_delay ?? DEFAULT_RETRY_DELAY) * 1000;
  const host = settings.target.mode === 'remote' ? settings.target.baseUrl.host : '';
  const plan = {
    Service: host,
    Campaign: request.campaign_name,
    Agent: request.agent_id,
    From: request.call_from,
    Contacts: request.contacts.length,
    Pace: `${callsPerHour} calls an hour, up to ${attempts} attempts each`,
    Start: request.start_time ?? 'now',
    Finish: `${inMinutes(firstRound)} without retries, ${inMinutes(lastRound)} at the latest`,
  };
  for (const [name, value] of Object.entries(plan)) io.note(`${name.padEnd(9)} ${value}`);
  if (flags.yes) return;
  if (!io.canAsk) {
    throw new UsageError('A campaign on a real service needs a yes; nothing was sent.', {
      hint: 'Add --yes once you have checked what would be sent (--dry-run shows it).',
    });
  }
  if (!(await confirm(io, `Call ${request.contacts.length} people?`))) throw new InterruptedError('Nothing was sent.');
}

function inMinutes(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 16)}Z`;
}

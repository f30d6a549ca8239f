import type { Command } from 'commander';
import { filled, identifier, phoneNumber, timeout } from '../arguments.ts';
import type { Context } from '../context.ts';
import { FIRST_LINE_ADVISED_WORDS, type RequestOf } from '../contract.ts';
import { NOT_COMPLETED, UsageError } from '../errors.ts';
import { examples } from '../help.ts';
import { printRecord } from '../output.ts';
import { complete } from '../prompt.ts';
import { callAndWait } from './await-entry.ts';
import { agentChoices } from './choices.ts';
import { printDryRun } from './dry-run.ts';
import { printCall, requireCallFields } from './logs/print-call.ts';

interface Options {
  agent?: number;
  from?: string;
  firstLine?: string;
  instruction?: string;
  identifier?: string;
  account?: string;
  wait?: true;
  /** Milliseconds. */
  waitTimeout?: number;
  dryRun?: true;
  force?: true;
}

/** Milliseconds. */
const DEFAULT_WAIT_TIMEOUT = 600_000;

export function register(command: Command, context: Context): void {
  command
    .argument('<to>', 'number to call, E.164', phoneNumber)
    .option('--agent <id>', 'agent that calls (vagent agent list)', identifier)
    .option('--from <number>', "one of the organization's agent numbers", phoneNumber)
    .option('--first-line <text>', 'what the agent says first', filled)
    .option('--instruction <text>', 'instructions for this call only')
    .option('--identifier <text>', 'your own identifier for this call')
    .option('--account <name>', 'who or what triggered the call (default API)', filled)
    .option('--wait', 'wait for the call and its transcript, and print its entry of the call log')
    .option('--wait-timeout <duration>', 'how long to wait at most (default 10m)', timeout)
    .option('--dry-run', 'print the request and send nothing')
    .option('--force', 'call also where nobody knows what came of the last call to this number')
    .addHelpText(
      'after',
      `${WAIT_HELP}${examples([
        'vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello, this is Ava."',
        'vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello." --wait --wait-timeout 15m',
        'vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello." --dry-run',
      ])}`,
    );
  command.action((to: string, options: Options) => run(to, options, context));
}

const WAIT_HELP = `
--wait: the service does not say which entry of its call log a call becomes. It is the one with the same
agent, number called and number calling that was not there before the call, and whose time is not more than
2 minutes before it; a time that cannot be read, or has no zone, speaks against no entry. The transcript of a
completed call is waited for as well; where it has not come in time, the entry is printed without.
Exit codes: 0 completed; 10 not completed, or not seen in time; 8 several entries match, and none is picked.
`;

async function run(to: string, options: Options, context: Context): Promise<void> {
  if (options.waitTimeout !== undefined && !options.wait) throw new UsageError('--wait-timeout needs --wait.');
  const { io, flags, settings } = context;
  const { agent, from, firstLine } = await complete(
    io,
    {
      agent: options.agent ?? settings.profile?.agent_id,
      from: options.from ?? settings.profile?.from,
      firstLine: options.firstLine,
    },
    {
      agent: { flag: '--agent', message: 'Agent', choices: async () => agentChoices(await context.service()) },
      from: { flag: '--from', message: 'Number to call from', parse: phoneNumber },
      firstLine: { flag: '--first-line', message: 'First line', parse: filled },
    },
  );
  const words = firstLine.trim().split(/\s+/).length;
  if (words > FIRST_LINE_ADVISED_WORDS) {
    io.warn(`the first line has ${words} words; fewer than ${FIRST_LINE_ADVISED_WORDS} are advised.`);
  }
  const request: RequestOf<'triggerCall'> = {
    use_agent_id: agent,
    called_to: to,
    call_from: from,
    custom_first_line: firstLine,
    custom_instruction: options.instruction,
    called_by_account: options.account,
    custom_identifiers: options.identifier ?? '',
  };
  const { force } = options;
  if (options.dryRun) return printDryRun(context, { operation: 'triggerCall', request }, { force });
  if (options.wait) {
    requireCallFields(context);
    const service = await context.service({ force });
    const timeoutMs = options.waitTimeout ?? DEFAULT_WAIT_TIMEOUT;
    const look = context.commandThatShows(request);
    const entry = await callAndWait(context, service, request, { timeoutMs, look });
    await printCall(context, entry);
    if (entry.call_status !== 'completed') context.exitCode = NOT_COMPLETED;
    return;
  }
  const service = await context.service({ force });
  await printRecord(io, flags, await service.triggerCall(request), 'room_name');
}

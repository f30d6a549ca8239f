import type { Command } from 'commander';
import { filled, identifier, phoneNumber } from '../arguments.ts';
import type { Context } from '../context.ts';
import { FIRST_LINE_ADVISED_WORDS, type RequestOf } from '../contract.ts';
import { examples } from '../help.ts';
import { printRecord } from '../output.ts';
import { complete } from '../prompt.ts';
import { agentChoices } from './choices.ts';
import { printDryRun } from './dry-run.ts';

interface Options {
  agent?: number;
  from?: string;
  firstLine?: string;
  instruction?: string;
  identifier?: string;
  account?: string;
  dryRun?: true;
}

export function register(command: Command, context: Context): void {
  command
    .argument('<to>', 'number to call, E.164', phoneNumber)
    .option('--agent <id>', 'agent that calls (vagent agent list)', identifier)
    .option('--from <number>', "one of the organization's agent numbers", phoneNumber)
    .option('--first-line <text>', 'what the agent says first', filled)
    .option('--instruction <text>', 'instructions for this call only')
    .option('--identifier <text>', 'your own identifier for this call')
    .option('--account <name>', 'who or what triggered the call (default API)', filled)
    .option('--dry-run', 'print the request and send nothing')
    .addHelpText(
      'after',
      examples([
        'vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello, this is Ava."',
        'vagent call +14155550123 --agent 1 --from +14155550100 --first-line "Hello." --dry-run',
      ]),
    )
    .action((to: string, options: Options) => run(to, options, context));
}

async function run(to: string, options: Options, context: Context): Promise<void> {
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
  if (options.dryRun) return printDryRun(context, 'triggerCall', request);
  const service = await context.service();
  await printRecord(io, flags, await service.triggerCall(request), 'room_name');
}
